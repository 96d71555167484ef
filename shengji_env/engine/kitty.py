"""The kitty: who has taken it up.

Source: docs/rules.md §5.
"""

from shengji_env.engine.compile import jit
from shengji_env.engine.state import NOBODY, State


@jit
def last_taker(s: State) -> int:
    """Return the seat that took up the kitty last, NOBODY before: it buries, or has buried what lies in the kitty."""
    return int(s.takers[s.num_takers - 1]) if s.num_takers > 0 else NOBODY
