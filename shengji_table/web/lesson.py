"""The table at which somebody learns the game: `shengji serve --lesson`.

The page tells the rules (`page/lesson.js`). Here is what makes them occur: a deal in whose first round the person, who
does what the adviser says, bids, buries, leads pairs and a throw, follows single cards, a pair, a tractor and throws,
and wins, however late the bid comes and whoever sits in the other seats.
"""

from dataclasses import replace

from shengji_table.web.session_log import SessionPlan
from shengji_table.web.table_timing import Timing

SEED = 8_118
PLAYER = "champion"
"""Who sits in the other seats, and gives advice."""
LAST_BIDS = 3600.0
"""Seconds for last bids: as long as it takes to read."""


def lesson_plan(plan: SessionPlan) -> SessionPlan:
    """Return a plan with the lesson's deals and players."""
    return replace(plan, seed=SEED, players=("human", PLAYER, PLAYER, PLAYER), adviser=PLAYER)


def lesson_timing(timing: Timing) -> Timing:
    """Return a timing that gives time to read: nothing is played for the person."""
    return replace(timing, last_bids=LAST_BIDS, plays_forced=False)
