"""Rounds in which the agent has nothing to decide: they are played without it, and the next one begins.

That happens with ``skip_forced=True`` in small games alone; otherwise an agent plays at least its last card.
"""

from collections.abc import Mapping
from typing import Any

from shengji_env.errors import DealError, ShengjiError

MAX_UNDECIDED = 1000
"""How many such rounds may follow one another."""


def check_goes_on(num_skipped: int, given: Mapping[str, Any]) -> None:
    """Check that another round can bring the agent a decision.

    Args:
        num_skipped: how many rounds without one have followed one another.
        given: state fields that `reset`'s options set (`reset_options.py`).

    Raises:
        DealError: the deal was given, so every round would be the same.
        ShengjiError: too many rounds have been skipped.
    """
    if "deal" in given:
        raise DealError("this deal leaves the agent nothing to decide: give another one, or skip_forced=False")
    if num_skipped > MAX_UNDECIDED:
        raise ShengjiError(
            f"{MAX_UNDECIDED:,} rounds in a row left the agent nothing to decide: give other rules, or"
            " skip_forced=False"
        )
