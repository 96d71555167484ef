"""The single-agent Gymnasium environment of one table: one seat is the agent, players sit in the others.

| what | how |
|---|---|
| observation | (OBSERVATION_SIZE,), of the agent's seat at its decision; or a dictionary with mask and history |
| reward | the agent's own, at the round's end |
| episode | one round of table 0 of the seed, by default with any levels, declarer and first drawer; or a match |
| info | ``"action_mask"``: int8 (83,), the legal actions, all zero at the end (`action_masks` returns the same) |
| | ``"result"`` (`infos.py`) after a round's end; ``"replaced"``, an illegal action that was replaced by a legal one |

Source: docs/environments/seat.md.
"""

from collections.abc import Mapping
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY
from shengji_env.envs.answering import Answering
from shengji_env.envs.rendering import FRAMES_PER_SECOND, RENDER_MODES, OneTableEnv
from shengji_env.envs.seat.other_seats import Opponents
from shengji_env.envs.seat.seat_settings import SeatArguments, read_seat_settings
from shengji_env.envs.seat.undecided import check_goes_on
from shengji_env.errors import ShengjiError
from shengji_env.players import Decisions, Player
from shengji_env.players.asking import check_answers
from shengji_env.support.arguments import NO_ACTION, NUM_SEEDS, check_flag, check_seed, read_action
from shengji_env.tables.illegal import illegal_action
from shengji_env.tables.infos import result_info
from shengji_env.tables.one_table import OneTable, compile_table
from shengji_env.tables.reset_options import read_options
from shengji_env.tables.seat_stepping import ASK, Seating
from shengji_env.tables.settings import takes_settings
from shengji_env.tables.spaces import add_history, observation_space, vector_space

_FIRST_ROW = np.zeros(1, np.int64)


class SeatEnv(OneTableEnv, gymnasium.Env[Any, np.int64]):
    """One seat's decisions in a round, with players in the other seats; `reset` must be called before other methods.

    Args:
        opponents: a player for all other seats, or three: next, partner, previous. Each is a `players.Player`, its
            text, or an object with ``act(observation, action_mask, key)``.
        seat: the agent's seat; None draws one for each episode.
        rules, episode, reward, shaping, skip_forced: as `settings.TableSettings` says.
        start: likewise; None: ``"any"`` for rounds, ``"first"`` for matches.
        illegal_actions: ``"replace"`` makes a random legal action instead of an illegal one (Gymnasium wants every
            action of the space to be accepted) and returns the illegal one in ``info["replaced"]``; ``"raise"`` raises
            IllegalActionError.
        dict_observation: whether observations are dictionaries (`spaces.Observation`), with the mask.
        history: how many of the round's last plays they show too; more than 0 makes them dictionaries.
        dtype: type of observation and history (`arguments.DTYPES`).
        render_mode: ``"human"``, ``"ansi"``, ``"svg"`` or ``"rgb_array"`` (`envs.rendering`): the agent's view.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_PER_SECOND}  # noqa: RUF012  # as in Gymnasium

    _NOT_BEGUN = "no round has begun: call reset() first"

    @takes_settings(read_seat_settings)
    def __init__(
        self,
        opponents: Opponents = "greedy",
        *,
        dict_observation: bool = False,
        **settings: Unpack[SeatArguments],
    ) -> None:
        given = read_seat_settings(opponents, **settings)
        self.opponents, self.rules, self.episode = given.opponents, given.tables.rules, given.tables.episode
        self.render_mode = given.render_mode
        self._settings, self._seat = given, given.seat or 0
        self._is_dict = check_flag("dict_observation", dict_observation) or given.history > 0
        compile_table()
        self._table = OneTable(given.tables)
        self._others = Answering((None, *self.opponents), self.rules)
        self._seating = Seating(self._table.tables)
        self.observation_space = (
            observation_space(given.history, given.dtype) if self._is_dict else vector_space(given.dtype)
        )
        self.action_space = spaces.Discrete(NUM_ACTIONS)

    @property
    def seat(self) -> int:
        """The agent's seat."""
        return self._seat

    @property
    def _viewer(self) -> int:
        return self._seat

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin round 0 of `seed`, or without one the seed's next round, and go to the agent's first decision.

        A round in which it has none is played without it, and the next one begins (`undecided.py`).

        Raises:
            DealError: no round could start with these options (`reset_options.py`), and nothing has changed; or the
                given deal leaves the agent nothing to decide.
            ShengjiError: the seed is not an integer in 0..2**64-1, and nothing has changed; or no round leaves the
                agent anything to decide.
        """
        given = read_options(options, self.rules, is_match=self.episode == "match")
        chosen = None if seed is None else check_seed(seed)
        super().reset(seed=chosen)
        is_first = self._table.seed is None
        self._begin(self.np_random_seed % NUM_SEEDS if is_first else chosen, given)
        num_skipped = 0
        while self._table.mover == NOBODY:
            num_skipped += 1
            check_goes_on(num_skipped, given)
            self._begin(None, given)
        self._show_to_people()
        return self._observe()

    def step(self, action: int | np.integer[Any]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make the agent's action, and go on to its next decision or to the episode's end.

        Raises:
            IllegalActionError: the action is not in the action space, or it is illegal and
                ``illegal_actions="raise"``; nothing has changed.
            ShengjiError: no round is under way, or an error of another player has stopped the round at that player's
                seat.
        """
        table = self._table
        if table.mover != self._seat:
            raise ShengjiError("no decision of the agent is under way: call reset() first")
        chosen = read_action(action)
        of_seats = self._seating.of_seats
        of_seats.has_result[0] = False
        is_legal = self._make(chosen)
        if not is_legal:
            if not self._settings.replaces or not 0 <= chosen < NUM_ACTIONS:
                raise illegal_action(table.tables.states[0], table.mask, action)
            self._make(table.choose_random())
        self._play_others()
        self._show_to_people()
        observation, info = self._observe()
        if not is_legal:
            info["replaced"] = chosen
        reward = float(of_seats.reward[0, self._seat])
        of_seats.reward.fill(0)
        return observation, reward, table.mover == NOBODY, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the agent's legal actions, shape (83,) bool, as sb3-contrib's MaskablePPO asks for them."""
        self._check_begun()
        return np.asarray(self._table.mask, np.bool_)

    def _begin(self, seed: int | None, given: Mapping[str, Any]) -> None:
        """Begin an episode, and go to the agent's first decision; there may be none."""
        self._table.begin(seed, given)
        if self._settings.seat is None:
            self._seat = int(self.np_random.integers(NUM_SEATS))
        of_seats = self._seating.of_seats
        of_seats.seat[0], of_seats.has_result[0] = self._seat, False
        of_seats.reward.fill(0)
        self._play_others()

    def _make(self, action: int) -> bool:
        """Make an action if it is legal, and those of the players that answer inside; return whether it was."""
        if not (0 <= action < NUM_ACTIONS and self._table.mask[action]):
            return False
        self._step(action)
        return True

    def _step(self, action: int) -> None:
        """Step the table as `Answering.step` does."""
        self._others.step(self._seating, _FIRST_ROW, np.array([action]))
        self._seating.of_seats.counts.fill(0)

    def _play_others(self) -> None:
        """Let the players act until the agent is to move or the round is over."""
        table = self._table
        mover = table.mover
        while mover not in (self._seat, NOBODY):
            step = (mover - self._seat) % NUM_SEATS
            if self._others.is_inside(step):
                self._step(ASK)
            else:
                self._ask(self.opponents[step - 1])
            mover = table.mover

    def _ask(self, player: Player) -> None:
        """Let a player make one action."""
        answer = player.decide(Decisions.at(self._table.tables))
        if not self._make(_read_answer(answer)):
            self._make(self._checked(player, answer))

    def _checked(self, player: Player, answer: Any) -> int:
        """Return a player's action if its answer is legal."""
        return int(check_answers(answer, self._table.tables, _FIRST_ROW, lambda _: f"player {player.name!r}")[0])

    def _observe(self) -> tuple[Any, dict[str, Any]]:
        table, dtype = self._table, self._settings.dtype
        if table.mover == self._seat:
            seen, mask = table.observation.astype(dtype), table.mask.copy()
        else:
            seen, mask = table.observe(self._seat).astype(dtype, copy=False), np.zeros(NUM_ACTIONS, np.int8)
        info: dict[str, Any] = {"action_mask": mask}
        if self._seating.of_seats.has_result[0]:
            info["result"] = result_info(table.tables.progress["result"][0])
        if not self._is_dict:
            return seen, info
        parts = {"observation": seen, "action_mask": mask.copy()}
        return add_history(parts, table.tables.plays[0], self._seat, self._settings.history, dtype), info


def make_seat_env(**arguments: Any) -> SeatEnv:
    """Make a `SeatEnv`: the entry point of ``shengji/Seat-v0``.

    Gymnasium itself reads the render modes of a class, and fails without a sentence on a mode that is not a text.
    """
    return SeatEnv(**arguments)


def _read_answer(answer: Any) -> int:
    """Return a player's one action in a fraction of a microsecond, or NO_ACTION for anything but the usual form."""
    try:
        return read_action(answer[0]) if len(answer) == 1 else NO_ACTION
    except (TypeError, LookupError):
        return NO_ACTION
