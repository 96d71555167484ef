"""The single-agent view: one seat is the agent, players sit in the others. A Gymnasium environment.

| what | how |
|---|---|
| observation | (OBSERVATION_SIZE,), of the agent's seat at its decision |
| reward | the agent's own, at the round's end |
| episode | a round of table 0 of the seed, any levels, declarer and first drawer |
| info | ``"action_mask"``: int8 (82,), the legal actions, none at the end (`action_masks` says the same) |
| | ``"result"`` (`infos.py`) at the end; ``"replaced"``, the illegal action that another was made for |

This floor knows players by what they do; ``gymnasium.make("shengji/Round-v0", opponents="greedy")`` takes texts too.

Source: docs/environment.md.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import gymnasium
import numpy as np
from gymnasium import logger, spaces
from numpy.typing import DTypeLike, NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import DEFAULT_RULES, NUM_SEATS, RuleSet, as_rules
from shengji_env.engine.state import NOBODY
from shengji_env.envs.arguments import (
    NO_ACTION,
    NUM_SEEDS,
    check_choice,
    check_dtype,
    check_render_mode,
    check_seat,
    check_seed,
    read_action,
)
from shengji_env.envs.batch import Start, illegal_action, shared_values
from shengji_env.envs.compiling import announce_compiling
from shengji_env.envs.infos import result_info
from shengji_env.envs.observation import OBSERVATION_SIZE
from shengji_env.envs.one_table import ILLEGAL, REWARDED, OneTable, call_kernels
from shengji_env.envs.reset_options import read_options
from shengji_env.envs.rewards import RewardScheme, Shaping
from shengji_env.errors import PlayerError, ShengjiError, show
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


class RoundEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """One seat's decisions in a round, with players in the other seats.

    Args:
        opponents: a player for all other seats, or three: next, partner, previous.
        seat: the agent's seat; None draws one for each episode.
        rules: as for the batch environment.
        start: ``"any"`` draws levels, declarer and first drawer with the deal; ``"first"`` starts where a match does.
        reward: ``"levels"``, ``"points"`` or ``"win"``.
        shaping: ``"trick_points"`` also rewards points as they are taken.
        skip_forced: whether decisions with one legal action are made by the environment itself.
        illegal_actions: ``"replace"`` makes a random legal action for an illegal one of the action space (Gymnasium
            wants all of them accepted) and says so in ``info["replaced"]``; ``"raise"`` raises IllegalActionError.
        dtype: type of the observation (`arguments.DTYPES`).
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
        dtype: DTypeLike = "int8",
        render_mode: str | None = None,
    ) -> None:
        self.opponents = _three(opponents)
        self.rules = as_rules(rules)
        self.seat = 0 if seat is None else check_seat("seat", seat, ", or None for any")
        self.render_mode = check_render_mode(render_mode, RENDER_MODES)
        self._draws_seat = seat is None
        self._replaces = check_choice("illegal_actions", illegal_actions, ILLEGAL_ACTIONS) == "replace"
        self._dtype = check_dtype(dtype)
        shared = shared_values(
            seed=0, episode="round", start=start, reward=reward, shaping=shaping, skip_forced=skip_forced
        )
        announce_compiling("table", call_kernels)
        self._table = OneTable(self.rules, shared)
        self._reward = 0.0
        self.observation_space = spaces.Box(-128, 127, (OBSERVATION_SIZE,), self._dtype.type)
        self.action_space = spaces.Discrete(NUM_ACTIONS)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a round, with round 0 of `seed` or the seed's next one, and go to the agent's first decision.

        Raises:
            DealError: the options (`options.py`) are no start that a round could have; nothing has changed.
            ShengjiError: the seed is no integer of 0..2**64-1; nothing has changed.
        """
        given = read_options(options, self.rules, is_match=False)
        chosen = None if seed is None else check_seed(seed)
        super().reset(seed=chosen)
        is_first = self._table.seed is None
        self._table.begin(self.np_random_seed % NUM_SEEDS if is_first else chosen, given)
        if self._draws_seat:
            self.seat = int(self.np_random.integers(NUM_SEATS))
        self._reward = 0.0
        self._play_others()
        self._show()
        return self._observe()

    def step(self, action: int | np.integer[Any]) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Make the agent's action, and go on to its next decision or to the round's end.

        Raises:
            IllegalActionError: the action is none of the space, or not legal and ``illegal_actions="raise"``; nothing
                has changed.
            ShengjiError: no round is under way, or a player's error has left it with another seat to move.
        """
        table = self._table
        if table.mover != self.seat:
            raise ShengjiError("no decision of the agent is under way: call reset() first")
        chosen = read_action(action)
        is_legal = self._make(chosen)
        if not is_legal:
            if not self._replaces or not 0 <= chosen < NUM_ACTIONS:
                raise illegal_action(table.tables.states[0], table.mask, action)
            self._make(table.choose_random())
        self._play_others()
        self._show()
        observation, info = self._observe()
        if not is_legal:
            info["replaced"] = chosen
        reward, self._reward = self._reward, 0.0
        return observation, reward, table.mover == NOBODY, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The agent's legal actions, shape (82,) bool: what sb3-contrib's MaskablePPO asks for.

        Raises:
            ShengjiError: no round has begun.
        """
        self._check_begun()
        return np.asarray(self._table.mask, np.bool_)

    def render(self) -> str | None:
        """The agent's view as text: returned under ``"ansi"``, printed under ``"human"`` (after every step too).

        Raises:
            ShengjiError: no round has begun.
        """
        self._check_begun()
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

    def _check_begun(self) -> None:
        if self._table.seed is None:
            raise ShengjiError("no round has begun: call reset() first")

    def _make(self, action: int) -> bool:
        """Make an action if it is legal; returns whether it was."""
        outcome = self._table.step(action) if 0 <= action < NUM_ACTIONS else ILLEGAL
        if outcome == ILLEGAL:
            return False
        if outcome & REWARDED:
            self._reward += float(self._table.reward[self.seat])
        return True

    def _play_others(self) -> None:
        """Let the players act until the agent is to move or the round is over."""
        table = self._table
        mover = table.mover
        while mover not in (self.seat, NOBODY):
            player = self.opponents[(mover - self.seat) % NUM_SEATS - 1]
            answer = player.act(table.observation[None].copy(), table.mask[None].copy(), table.draw_key())
            action = _read_answer(answer)
            if not self._make(action):
                raise self._fault(player, answer, action)
            mover = table.mover

    def _fault(self, player: Opponent, answer: Any, action: int) -> PlayerError:
        """What a player did wrong."""
        if action == NO_ACTION:
            return PlayerError(
                f"{player!r} answered {show(answer)}; it must be one action 0..{NUM_ACTIONS - 1}, shape (1,)"
            )
        why = illegal_action(self._table.tables.states[0], self._table.mask, action)
        return PlayerError(f"{player!r} answered illegally: {why}")

    def _observe(self) -> tuple[NDArray[Any], dict[str, Any]]:
        table = self._table
        if table.mover == self.seat:
            return table.observation.astype(self._dtype), {"action_mask": table.mask.copy()}
        result = result_info(table.tables.progress["result"][0])
        mask = np.zeros(NUM_ACTIONS, np.int8)
        return table.observe(self.seat).astype(self._dtype, copy=False), {"action_mask": mask, "result": result}


def _read_answer(answer: Any) -> int:
    """A player's one action, NO_ACTION for what has another form."""
    try:
        return read_action(answer[0]) if len(answer) == 1 else NO_ACTION
    except (TypeError, LookupError):
        return NO_ACTION


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
            f"opponents={show(opponents)} must be one player or three (next, partner, previous), each with an act "
            "method; gymnasium.make('shengji/Round-v0') also takes their texts"
        )
    return players
