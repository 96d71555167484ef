"""The single-agent Gymnasium environment whose actions are whole plays; players sit in the other seats.

| what | how |
|---|---|
| observation | a dictionary: what the seat sees as its decision begins, the candidates' cards and features, the mask |
| action | the index of a candidate; 0 is the heuristic player's play |
| reward, episode, result | as in ``shengji/Seat-v0`` (`envs/seat/seat_env.py`) |
| info | ``"action_mask"``, ``"result"``; ``"replaced"``, an index without a candidate, replaced by a valid one |

Source: docs/environments/plays.md.
"""

from collections.abc import Mapping
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from shengji_env.engine.play import Play
from shengji_env.envs.plays.play_batch import (
    check_candidates,
    compile_seat_plays,
    illegal_candidate,
    play_spaces,
    random_candidates,
    skip_plays_only,
)
from shengji_env.envs.rendering import Rendered
from shengji_env.envs.seat import Opponents, SeatEnv
from shengji_env.envs.seat.seat_settings import SeatArguments, read_seat_settings
from shengji_env.envs.seat.undecided import check_goes_on
from shengji_env.errors import ShengjiError
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_arrays import list_all, make_candidate_scratch, make_candidates
from shengji_env.players.whole_plays import next_action
from shengji_env.support.arguments import check_seed, read_action
from shengji_env.tables.own_arrays import Linked
from shengji_env.tables.reset_options import read_options
from shengji_env.tables.settings import takes_settings

PlayObservation = dict[str, NDArray[Any]]


class PlaySeatEnv(Linked, gymnasium.Env[PlayObservation, np.int64]):
    """One seat's whole plays in a round, with players in the other seats; `reset` must be called before other methods.

    Args:
        opponents: a player for all other seats, or three: next, partner, previous.
        candidates: the most candidates of a decision; single actions (bids, names, forced components) beyond that
            number are left out.
        skip_forced: whether decisions with one candidate are made by the environment itself.
        illegal_actions: ``"replace"`` makes a random candidate if none has the index; ``"raise"`` raises
            IllegalActionError.
        seat, rules, episode, start, reward, shaping, render_mode: as in `SeatEnv`.
        history: how many of the round's last plays are observed too.
        dtype: type of observation, cards, features and history.
    """

    metadata: dict[str, Any] = SeatEnv.metadata
    _LINKS = ("_candidate_scratch",)

    @takes_settings(read_seat_settings)
    def __init__(
        self,
        opponents: Opponents = "greedy",
        *,
        candidates: int = DEFAULT_CANDIDATES,
        **settings: Unpack[SeatArguments],
    ) -> None:
        most = check_candidates(candidates)
        self._skips_forced = skip_plays_only(settings)
        given = read_seat_settings(opponents, **settings)
        self._replaces, self._dtype = given.replaces, given.dtype
        settings["illegal_actions"] = "raise"
        self._round = SeatEnv(given.opponents, dict_observation=True, **settings)
        compile_seat_plays()
        self._candidates = make_candidates(1, most)
        self._link()
        self._seen: PlayObservation = {}
        self._mask = np.zeros(0, np.int8)
        self._most, self._carried = most, 0.0
        self.observation_space = play_spaces(most, given.dtype, given.history)  # type: ignore[assignment]  # Gymnasium's Dict space is one of dicts of anything
        self.action_space = spaces.Discrete(most)

    def _link(self) -> None:
        self._candidate_scratch = make_candidate_scratch(self._round.rules, self._candidates)

    @property
    def seat(self) -> int:
        """The agent's seat."""
        return self._round.seat

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[PlayObservation, dict[str, Any]]:
        """Begin a round as `SeatEnv.reset` does, and go to the agent's first decision.

        Raises:
            DealError: no round could start with these options, and nothing has changed; or the given deal leaves the
                agent nothing to decide.
            ShengjiError: the seed is not an integer in 0..2**64-1, and nothing has changed; or no round leaves the
                agent anything to decide.
        """
        given = read_options(options, self._round.rules, is_match=self._round.episode == "match")
        ended, info = self._begin(seed, options)
        super().reset(seed=None if seed is None else check_seed(seed))
        num_skipped = 0
        while ended:
            num_skipped += 1
            check_goes_on(num_skipped, given)
            ended, info = self._begin(None, options)
        return self._observe(), info

    def step(self, action: int | np.integer[Any]) -> tuple[PlayObservation, float, bool, bool, dict[str, Any]]:
        """Make a candidate, and go on to the agent's next decision or to the round's end.

        Raises:
            IllegalActionError: the action is not in the action space, or there is no such candidate and
                ``illegal_actions="raise"``; nothing has changed.
            ShengjiError: no round is under way, or an error of another player has stopped the round.
        """
        number = int(self._candidates.mask.sum())
        if number == 0:
            raise ShengjiError("no decision of the agent is under way: call reset() first")
        chosen = read_action(action)
        is_legal = 0 <= chosen < number
        if not is_legal and not (self._replaces and 0 <= chosen < self._most):
            raise illegal_candidate(self._round.states[0], number, action)
        made = chosen if is_legal else int(random_candidates(self._round.tables, self._candidates.mask)[0])
        reward, ended, info = self._play(made)
        more, ended, info = self._skip(ended, info)
        if not is_legal:
            info["replaced"] = chosen
        total, self._carried = self._carried + reward + more, 0.0
        return self._observe(), total, ended, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which candidates there are, shape (M,) bool, as sb3-contrib's MaskablePPO asks for them."""
        self._round.action_masks()  # raises an error if no round has begun
        return np.asarray(self._candidates.mask[0], np.bool_)

    def render(self) -> Rendered:
        """Show the agent's view as `SeatEnv.render` does; ``"human"`` also prints it at every card."""
        return self._round.render()

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> tuple[bool, dict[str, Any]]:
        """Begin an episode, and go to the agent's first decision; return whether there is none, and the info."""
        self._seen, info = self._round.reset(seed=seed, options=options)
        self._mask = info["action_mask"]
        list_all(self._round.tables.states, self._candidate_scratch, self._candidates)
        self._carried, ended, info = self._skip(False, info)
        return ended, info

    def _play(self, choice: int) -> tuple[float, bool, dict[str, Any]]:
        """Make a candidate; return the reward, whether the round is over, and the round's info."""
        play = Play(int(self._candidates.actions[0, choice]), self._candidates.cards[0, choice].copy())
        states, mask, total = self._round.tables.states, self._mask, 0.0
        while True:
            self._seen, reward, ended, _, info = self._round.step(next_action(states, mask, play))
            total, mask = total + reward, info["action_mask"]
            if ended or states["taken_size"][0] == 0:
                self._mask = mask
                list_all(states, self._candidate_scratch, self._candidates)
                return total, ended, info

    def _skip(self, ended: bool, info: dict[str, Any]) -> tuple[float, bool, dict[str, Any]]:
        """Make decisions with one candidate, if those are skipped; return what `_play` does."""
        total = 0.0
        while self._skips_forced and not ended and not self._candidates.mask[0, 1]:
            reward, ended, more = self._play(0)
            total, info = total + reward, {**info, **more}
        return total, ended, {**info, "action_mask": self._candidates.mask[0].copy()}

    def _observe(self) -> PlayObservation:
        candidates = self._candidates
        parts = {
            "observation": self._seen["observation"],
            "cards": candidates.cards[0].astype(self._dtype),
            "features": candidates.features[0].astype(self._dtype),
        }
        return {**parts, **self._seen, "action_mask": candidates.mask[0].copy()}


def make_play_seat_env(**arguments: Any) -> PlaySeatEnv:
    """Make a `PlaySeatEnv`: the entry point of ``shengji/PlaySeat-v0``, as `envs.seat.make_seat_env` is."""
    return PlaySeatEnv(**arguments)
