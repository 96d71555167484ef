"""The base of players that choose among candidate plays: what was learned on whole plays, made a player.

A subclass says which candidate it takes; here candidates are listed, and the chosen play is made card by card. What it
is shown has the names, shapes and types of `envs.plays.PlayBatchEnv`, so the same code can choose in training and at a
table.

>>> class Last(CandidatePlayer):
...     name = "last"
...
...     def choose(self, choices):
...         return choices.action_mask.sum(axis=1) - 1
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit
from shengji_env.engine.play import CARDS, Play, as_play
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.errors import PlayerError, show
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_arrays import (
    Candidates,
    CandidateScratch,
    find_at_seat,
    make_candidate_scratch,
    make_candidates,
    write_found,
)
from shengji_env.players.candidates.candidate_list import MAX_FOUND
from shengji_env.players.decisions import Decisions
from shengji_env.players.player import Player
from shengji_env.players.whole_plays import PlaysUnderWay, begin_decisions, digest_of_decision, next_action
from shengji_env.support.announcing import part
from shengji_env.support.arguments import check_index
from shengji_env.tables.observation import OBSERVATION_DTYPE, OBSERVATION_SIZE


@dataclass(frozen=True)
class Choices:
    """B decisions, each as it begins, with its candidates: at most M each, the first ones without gaps.

    What does not apply is zero. Nothing depends on what the seat to move may not know.
    """

    observation: NDArray[np.int8]
    """(B, OBSERVATION_SIZE), what the seats to move see; no cards are taken yet."""
    action_mask: NDArray[np.int8]
    """(B, M), 1 for each candidate, at least two."""
    actions: NDArray[np.int8]
    """(B, M), the candidates' actions; -1 for a set of cards."""
    cards: NDArray[np.int8]
    """(B, M, 54), the cards of a set by slot."""
    features: NDArray[np.int8]
    """(B, M, NUM_FEATURES), `players.candidates.FEATURES`."""
    seat: NDArray[np.int8]
    """(B,), the seats to move."""
    phase: NDArray[np.int8]
    """(B,), their phases, `engine.state.Phase`."""
    key: NDArray[np.uint64]
    """(B,), a random word for each decision: the only source of chance that a player may use."""

    def __len__(self) -> int:
        return len(self.seat)


class CandidatePlayer(Player):
    """A player that takes one of the candidates of each decision.

    A play is chosen once, when it begins, and then made card by card. Decisions with one candidate are made without
    asking, as in environments of whole plays with ``skip_forced=True``.
    """

    candidates: int = DEFAULT_CANDIDATES
    """Most candidates of a decision, 2 to 96: as many as the environment had in which it has learned."""
    _under_way: PlaysUnderWay

    def __new__(cls, *_arguments: Any, **_named: Any) -> Self:
        """Prepare the player here, so that subclasses need not call ``super().__init__()``."""
        player = super().__new__(cls)
        player._under_way = PlaysUnderWay()
        _compile_listing()
        return player

    @abstractmethod
    def choose(self, choices: Choices) -> ArrayLike:
        """Choose a candidate for each decision.

        Args:
            choices: B decisions; the arrays belong to the player.

        Returns:
            Indices of candidates, (B,) integers.
        """

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose one legal action for each decision, shape (B,).

        Raises:
            PlayerError: what `choose` has returned are not indices of candidates.
        """
        masks = decisions.action_mask
        actions: NDArray[np.int64] = masks.argmax(axis=1).astype(np.int64)
        rows = np.flatnonzero(masks.sum(axis=1, dtype=np.int64) > 1)
        if not len(rows):
            return actions
        states = decisions.states[rows]
        starts = states.copy()
        begin_decisions(starts)
        digests = [digest_of_decision(start.tobytes()) for start in starts]
        begins = states["taken_size"] == 0
        new = [index for index, digest in enumerate(digests) if begins[index] or digest not in self._under_way]
        plays = dict(zip(new, self._plays(starts[new], decisions[rows[new]]), strict=True))
        for index, row in enumerate(rows.tolist()):
            play = plays.get(index) or self._under_way[digests[index]]
            actions[row] = next_action(states[index : index + 1], masks[row], play)
        self._under_way.update((digests[index], plays[index]) for index in new if plays[index].action == CARDS)
        return actions

    def _plays(self, starts: NDArray[Any], decisions: Decisions) -> list[Play]:
        """Return plays for decisions that begin at these information states."""
        size = len(starts)
        most = check_index("candidates", self.candidates, 2, MAX_FOUND, error=PlayerError)
        found = make_candidates(size, most)
        observed: NDArray[Any] = np.zeros(size, OBSERVATION_DTYPE)
        list_decisions(starts, make_candidate_scratch(decisions.rules, found), found, observed)
        numbers = found.mask.sum(axis=1, dtype=np.int64)
        best = np.zeros(size, np.int64)
        open_rows = np.flatnonzero(numbers > 1)
        if len(open_rows):
            observation = observed.view(np.int8).reshape(size, OBSERVATION_SIZE)
            choices = Choices(
                observation[open_rows], found.mask[open_rows], found.actions[open_rows], found.cards[open_rows],
                found.features[open_rows], starts["seat"][open_rows], starts["phase"][open_rows],
                decisions[open_rows].key,
            )  # fmt: skip
            best[open_rows] = self._checked(self.choose(choices), numbers[open_rows])
        return [Play(int(found.actions[row, best[row]]), found.cards[row, best[row]].copy()) for row in range(size)]

    def _checked(self, answer: ArrayLike, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        chosen = np.asarray(answer)
        if chosen.shape != numbers.shape or chosen.dtype.kind not in "iu":
            raise PlayerError(
                f"{self.name}: choose must return {len(numbers)} integers, one for each decision,"
                f" not {chosen.dtype} of shape {chosen.shape}"
            )
        wrong = np.flatnonzero((chosen < 0) | (chosen >= numbers))
        if len(wrong):
            row = int(wrong[0])
            raise PlayerError(
                f"{self.name}: choose returned {show(int(chosen[row]))} for decision {row}, which has the candidates 0"
                f" to {numbers[row] - 1}"
            )
        return chosen.astype(np.int64)


@jit
def list_decisions(
    starts: NDArray[Any], candidate_scratch: CandidateScratch, candidates: Candidates, observed: NDArray[Any]
) -> None:
    """Write the candidates of decisions, and what their seats see, (B,) OBSERVATION_DTYPE."""
    for row in range(starts.size):
        number = find_at_seat(starts, row, candidate_scratch, candidates)
        observed[row] = candidate_scratch.memory[0].scratch.observation
        write_found(row, number, candidate_scratch, candidates)


@part("listing", "lists of candidates: your own players of candidates")
def _compile_listing() -> None:
    states: NDArray[Any] = np.zeros(0, STATE_DTYPE)
    found = make_candidates(0, DEFAULT_CANDIDATES)
    begin_decisions(states)
    list_decisions(states, make_candidate_scratch(rule_set(), found), found, np.zeros(0, OBSERVATION_DTYPE))
    one, mask = np.zeros(1, STATE_DTYPE), np.zeros(NUM_ACTIONS, np.int8)
    mask[0] = 1
    next_action(one, mask, as_play(np.zeros(NUM_SLOTS, np.int8)))
