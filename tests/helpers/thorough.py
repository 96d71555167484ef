"""Cases of a test that `make test` leaves to CI."""

from typing import Any

import pytest


def thorough(*cases: Any) -> list[Any]:
    """Mark cases for `make test-thorough`: what the others have asked once is asked again."""
    return [pytest.param(case, marks=pytest.mark.thorough) for case in cases]
