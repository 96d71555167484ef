"""Cases of a test that `make test` leaves to CI."""

from collections.abc import Iterable
from typing import Any

import pytest


def thorough(*cases: Any) -> list[Any]:
    """Mark cases for `make test-thorough`: what the others have asked once is asked again."""
    return [pytest.param(case, marks=pytest.mark.thorough) for case in cases]


def every_third(cases: Iterable[Any]) -> list[Any]:
    """Mark two cases of three."""
    return [case if index % 3 == 0 else thorough(case)[0] for index, case in enumerate(cases)]
