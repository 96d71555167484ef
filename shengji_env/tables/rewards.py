"""Rewards: what a round or match is worth to each seat; zero-sum between the teams.

| reward | worth to a seat | when |
|---|---|---|
| `levels` | levels of the result table: + for who rises; levels lost: + for the attackers | every round's end |
| `points` | (attackers' points − points to take over) / points in the cards: + for attackers | every round's end |
| `win` | +1, −1, 0 for a draw | the episode's end (round or match) |

| shaping | adds, + for attackers |
|---|---|
| `trick_points` | whenever the attackers' points change, the change / points in the cards |
| `potential` | likewise, but a round's last action takes back what was added: over the round, all of it sums to 0 |

The potential of `potential` is the attackers' points / points in the cards, and 0 once the round is over. So it leaves
undiscounted returns as they are (Ng, Harada and Russell 1999), while `trick_points` changes the goal.

Source: docs/environments/rewards.md; docs/rules.md §12.
"""

from typing import Any, Literal

from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.results import worth_to_attackers
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY, NUM_TEAMS, Phase, Rules, State, Winner

RewardScheme = Literal["levels", "points", "win"]
Shaping = Literal["none", "trick_points", "potential"]
REWARDS: tuple[RewardScheme, ...] = ("levels", "points", "win")
SHAPINGS: tuple[Shaping, ...] = ("none", "trick_points", "potential")
LEVELS, POINTS, WIN = range(len(REWARDS))
NO_SHAPING, _TRICK_POINTS, POTENTIAL = range(len(SHAPINGS))


@jit
def add_to_attackers(amount: float, declarer: int, reward: NDArray[Any]) -> None:
    """Add `amount` to the attackers' rewards, shape (4,), and take it from the declarers'."""
    for seat in range(NUM_SEATS):
        reward[seat] += -amount if seat % NUM_TEAMS == declarer % NUM_TEAMS else amount


@jit
def add_reward(s: State, r: Rules, scheme: int, is_match: bool, reward: NDArray[Any]) -> None:
    """Add what the finished round (``s.result``) is worth."""
    result = s.result
    if scheme == WIN and is_match:
        if result.match_over and result.match_winner != NOBODY:
            add_to_attackers(1.0, (result.match_winner + 1) % NUM_TEAMS, reward)
        return
    amount = 0.0
    if scheme == POINTS:
        amount = (result.attackers_points - r.attackers_from[0]) / r.points
    elif scheme == LEVELS:
        amount = float(worth_to_attackers(result))
    elif result.winner != Winner.DRAW:
        amount = 1.0 if result.winner == Winner.ATTACKERS else -1.0
    add_to_attackers(amount, result.declarer, reward)


@jit
def add_shaping(s: State, r: Rules, shaping: int, before: int, reward: NDArray[Any]) -> None:
    """Add what shaping pays for an action, `before` which the attackers had so many points."""
    is_over = s.phase == Phase.OVER
    points = 0 if is_over and shaping == POTENTIAL else s.attackers_points
    if points != before:
        add_to_attackers((points - before) / r.points, s.result.declarer if is_over else s.declarer, reward)
