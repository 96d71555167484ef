"""The single-agent view: one seat is the agent, players sit in the others. A Gymnasium environment.

| what | how |
|---|---|
| observation | int8 (OBSERVATION_SIZE,), of the agent's seat at its decision; `action_masks` says what is legal |
| reward | the agent's own, at the round's end |
| episode | a round of table 0 of the seed, any levels, declarer and first drawer |
| info | ``"result"`` (`infos.py`) at the end; ``"replaced"``, the illegal action that another was made for |

This floor knows players by what they do; ``gymnasium.make("shengji/Round-v0", opponents="greedy")`` takes texts too.

Source: docs/environment.md.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import gymnasium
import numpy as np
from gymnasium import logger, spaces
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rules import DEFAULT_RULES, NUM_SEATS, RuleSet, as_rules
from shengji_env.engine.state import NOBODY
from shengji_env.envs.batch import Start, illegal_action, shared_values
from shengji_env.envs.infos import result_info
from shengji_env.envs.observation import OBSERVATION_SIZE
from shengji_env.envs.one_table import OneTable, call_kernels
from shengji_env.envs.options import read_options
from shengji_env.envs.rewards import RewardScheme, Shaping
from shengji_env.envs.start import announce_compiling, check_choice
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.render import render_table

IllegalActions = Literal["replace", "raise"]
ILLEGAL_ACTIONS: tuple[IllegalActions, ...] = ("replace", "raise")
RENDER_MODES = ("human", "ansi")
_OTHERS = NUM_SEATS - 1


class Opponent(Protocol):
    """Who acts on a batch of B decisions: every player of `shengji_env.arena` does."""

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """One legal action (B,) for each observation (B, OBSERVATION_SIZE), mask (B, 82) and random word (B,)."""
        ...


class RoundEnv(gymnasium.Env[NDArray[np.int8], np.int64]):
    """One seat's decisions in a round, with players in the other seats.

    Args:
        opponents: a player for all other seats, or three: next, partner, previous.
        seat: the agent's seat; None draws one for each episode.
        rules: as for the batch environment.
        start: ``"any"`` draws levels, declarer and first drawer with the deal; ``"first"`` starts where a match does.
        reward: ``"levels"``, ``"points"`` or ``"win"``.
        shaping: ``"trick_points"`` also rewards points as they are taken.
        skip_forced: whether decisions with one legal action are made by the environment itself.
        illegal_actions: ``"replace"`` makes a random legal action instead (Gymnasium wants every action of the space
            accepted) and says so in ``info["replaced"]``; ``"raise"`` raises IllegalActionError.
        render_mode: ``"human"`` or ``"ansi"``: the agent's view.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  # as in Gymnasium

    def __init__(
        self,
        opponents: Opponent | Sequence[Opponent],
        *,
        seat: int | None = 0,
        rules: RuleSet | str = DEFAULT_RULES,
        start: Start = "any",
        reward: RewardScheme = "levels",
        shaping: Shaping = "none",
        skip_forced: bool = False,
        illegal_actions: IllegalActions = "replace",
        render_mode: str | None = None,
    ) -> None:
        if seat is not None and seat not in range(NUM_SEATS):
            raise ShengjiError(f"seat={seat!r} is no seat; seats are 0..{NUM_SEATS - 1}, or None for any")
        self.opponents = _three(opponents)
        self.rules = as_rules(rules)
        self.seat = 0 if seat is None else seat
        self.render_mode = None if render_mode is None else check_choice("render_mode", render_mode, RENDER_MODES)
        self._draws_seat = seat is None
        self._replaces = check_choice("illegal_actions", illegal_actions, ILLEGAL_ACTIONS) == "replace"
        shared = shared_values(
            seed=0, episode="round", start=start, reward=reward, shaping=shaping, skip_forced=skip_forced
        )
        announce_compiling("table", call_kernels)
        self._table = OneTable(self.rules, shared)
        self._reward = 0.0
        self.observation_space = spaces.Box(-128, 127, (OBSERVATION_SIZE,), np.int8)
        self.action_space = spaces.Discrete(NUM_ACTIONS)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin a round, with round 0 of `seed` or the seed's next one, and go to the agent's first decision.

        Raises:
            DealError: the options (`options.py`) are no start that a round could have.
        """
        super().reset(seed=seed)
        given = read_options(options, self.rules, is_match=False)
        is_first = self._table.seed is None
        self._table.begin(self.np_random_seed if is_first else seed, given)
        if self._draws_seat:
            self.seat = int(self.np_random.integers(NUM_SEATS))
        self._reward = 0.0
        self._play_others()
        self._show()
        return self._observe()

    def step(self, action: int | np.integer[Any]) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Make the agent's action, and go on to its next decision or to the round's end.

        Raises:
            IllegalActionError: the action is not legal, and ``illegal_actions="raise"``; nothing has changed.
            ShengjiError: no round is under way.
        """
        table = self._table
        if self._mover() == NOBODY:
            raise ShengjiError("no round is under way: call reset() first")
        chosen = int(action)
        is_legal = 0 <= chosen < NUM_ACTIONS and bool(table.mask[chosen])
        if not is_legal and not self._replaces:
            raise illegal_action(table.tables.states[0], table.mask, action)
        self._make(chosen if is_legal else table.choose_random())
        self._play_others()
        self._show()
        observation, info = self._observe()
        if not is_legal:
            info["replaced"] = chosen
        reward, self._reward = self._reward, 0.0
        return observation, reward, self._mover() == NOBODY, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The agent's legal actions, shape (82,) bool: what sb3-contrib's MaskablePPO asks for."""
        return np.asarray(self._table.mask, np.bool_)

    def render(self) -> str | None:
        """The agent's view as text: returned under ``"ansi"``, printed under ``"human"`` (after every step too)."""
        if self.render_mode is None:
            logger.warn("render() does nothing without a render_mode; make the environment with render_mode='ansi'")
            return None
        is_text = self.render_mode == "ansi"
        text = render_table(
            self._table.tables.states[0], self.rules, viewer=self.seat, color=is_text or sys.stdout.isatty()
        )
        if is_text:
            return text
        print(text)
        return None

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _mover(self) -> int:
        """The seat to move, NOBODY when the round is over (or none has begun)."""
        return NOBODY if self._table.seed is None else int(self._table.tables.seats[0])

    def _make(self, action: int) -> None:
        self._table.step(action)
        self._reward += float(self._table.reward[self.seat])

    def _play_others(self) -> None:
        """Let the players act until the agent is to move or the round is over."""
        table = self._table
        mover = self._mover()
        while mover not in (self.seat, NOBODY):
            player = self.opponents[(mover - self.seat) % NUM_SEATS - 1]
            answer = player.act(table.observation[None].copy(), table.mask[None].copy(), table.draw_key())
            action = int(np.asarray(answer).reshape(-1)[0])
            if not 0 <= action < NUM_ACTIONS or not table.mask[action]:
                why = illegal_action(table.tables.states[0], table.mask, action)
                raise PlayerError(f"{player!r} answered illegally: {why}")
            self._make(action)
            mover = self._mover()

    def _observe(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        table = self._table
        if self._mover() == self.seat:
            return table.observation.copy(), {}
        return table.observe(self.seat), {"result": result_info(table.tables.progress["result"][0])}


def _three(opponents: Opponent | Sequence[Opponent]) -> tuple[Opponent, ...]:
    """The players of next, partner and previous.

    Raises:
        PlayerError: they are not one or three players.
    """
    players: tuple[Any, ...] = (opponents,) * _OTHERS
    if isinstance(opponents, Sequence) and not isinstance(opponents, str):
        players = tuple(opponents)
    if len(players) != _OTHERS or not all(callable(getattr(player, "act", None)) for player in players):
        raise PlayerError(
            f"opponents={opponents!r} must be one player or three (next, partner, previous), each with an act method; "
            "gymnasium.make('shengji/Round-v0') also takes their texts"
        )
    return players
