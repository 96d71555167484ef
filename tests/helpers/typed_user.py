"""What a user's script says to type checkers, and at run time (`tests/test_types.py`).

A line marked ``# type: ignore[…]`` is wrong: mypy would report the mark itself if it found no fault there.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env import shengji_v0
from shengji_env.arena import play_matchup
from shengji_env.engine import referee
from shengji_env.engine.rule_sets import RuleSet, rule_set
from shengji_env.envs.seat import SeatEnv, SeatVectorEnv
from shengji_env.errors import PlayerError, RuleSetError
from shengji_env.players import Decisions, Player, PlayerLike, as_player
from shengji_env.vector import BatchEnv, random_rounds


class Mine:
    """An object with a name and `act`, and no base class."""

    name = "mine"

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]) -> Any:
        """Take the first legal action."""
        return action_mask.argmax(axis=1)


class Nameless:
    """Types of one's own are fine if the arrays fit them."""

    def act(self, seen: NDArray[Any], legal: NDArray[Any], word: NDArray[Any]) -> list[int]:
        """Take the first legal action."""
        return [int(action) for action in legal.argmax(axis=1)]


class Remembering:
    """Reads the last eight plays."""

    name = "remembering"
    history = 8

    def act(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.int8],
        key: NDArray[np.uint64],
        history: NDArray[np.int8],
    ) -> NDArray[np.intp]:
        """Take the first legal action, or the last one after some plays."""
        assert history.shape == (len(observation), 8, 55)
        first, last = action_mask.argmax(axis=1), 82 - action_mask[:, ::-1].argmax(axis=1)
        return np.asarray(np.where(history.sum(axis=(1, 2)) % 2, first, last), np.intp)


class Whole(Player):
    """Decides from whole positions."""

    name = "whole"

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Take the first legal action."""
        return np.asarray(decisions.action_mask.argmax(axis=1), np.int64)


class Blind:
    """No player: `act` takes one argument."""

    name = "blind"

    def act(self, observation: NDArray[np.int8]) -> NDArray[np.int64]:
        """Never called."""
        return np.zeros(len(observation), np.int64)


MAPPING = {"preset": "one_deck", "throws": False}
PLAYERS: list[PlayerLike] = [Mine(), Nameless(), Remembering(), Whole(), "random"]


def use() -> None:
    """Do what the types allow."""
    for player in PLAYERS:
        assert play_matchup(player, "random", num_deals=2, rules="one_deck").num_deals == 2
    assert as_player(Mine()).name == "mine"
    rules: RuleSet = rule_set("one_deck", throws=False, result_table="one_deck_45")
    for given in (rules, str(rules), MAPPING, rules.to_json()):
        assert BatchEnv(2, rules=given).num_envs == 2
        assert len(random_rounds(given, seed=1, count=2)) == 2
    BatchEnv(2, rules={"throws": False}, opponents={1: Mine(), 3: "greedy"}, reward="points")
    SeatEnv(Mine(), rules=MAPPING)
    SeatVectorEnv(2, (Mine(), "greedy", Remembering()), rules=MAPPING, shaping="potential")
    shengji_v0.env(rules=MAPPING).reset(seed=1)
    assert referee.is_legal_follow("H3", "H9 S2", "H9", referee.Trump("S", "5"), MAPPING)


def misuse() -> list[str]:
    """Do what they do not; return what is said at run time."""
    said = []
    for wrong in (
        lambda: rule_set("two_deck", unknown=1),  # type: ignore[call-arg]
        lambda: rule_set("two_deck", decks="2"),  # type: ignore[arg-type]
        lambda: rule_set("two_deck", bidding="never"),  # type: ignore[arg-type]
        lambda: BatchEnv(2, rules=3),  # type: ignore[arg-type]
        lambda: BatchEnv(2, opponents={1: 3}),  # type: ignore[dict-item]
        lambda: BatchEnv(2, unknown=1),  # type: ignore[call-arg]
        lambda: play_matchup(Blind(), "random", num_deals=2),  # type: ignore[arg-type]
        lambda: play_matchup(Mine, "random", num_deals=2),  # type: ignore[arg-type]
        lambda: SeatEnv(Blind()),  # type: ignore[arg-type]
    ):
        try:
            wrong()
        except (RuleSetError, PlayerError, TypeError) as error:
            said.append(str(error))
    return said


if __name__ == "__main__":
    use()
    print("\n".join(misuse()))
