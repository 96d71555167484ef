"""The AEC environment: one table, one seat's decision at a time.

| what | how |
|---|---|
| agents | ``player_0`` … ``player_3``: seats 0..3; {0, 2} against {1, 3} |
| observation | ``"observation"`` (OBSERVATION_SIZE,); int8 ``"action_mask"`` (83,), zero if not to move |
| rewards | zero-sum between teams, at every round's end (`rewards.py`) |
| history | with ``history=K``: ``"history"`` (K, 55) in the observation, the last plays (`history.py`) |
| infos | ``"result"`` (`infos.py`) from a round's end to the agent's next decision, otherwise empty |
| deals | of table 0 of the seed: round 0 after ``reset(seed)``, the seed's next round after each ``reset()`` |

`copy.deepcopy` makes an independent copy of an environment.

Source: docs/environments/aec.md.
"""

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from numpy.typing import DTypeLike, NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import DEFAULT_RULES, NUM_SEATS, RulesLike, as_rules
from shengji_env.envs.rendering import FRAMES_PER_SECOND, RENDER_MODES, OneTableEnv, plays_to_keep, read_render_mode
from shengji_env.errors import ShengjiError, show
from shengji_env.support.arguments import MAX_HISTORY, check_dtype, check_index, check_seat, read_action
from shengji_env.tables.illegal import illegal_action
from shengji_env.tables.infos import result_info
from shengji_env.tables.one_table import EPISODE_OVER, ILLEGAL, NEWS, ROUND_OVER, SEAT_BITS, OneTable, compile_table
from shengji_env.tables.reset_options import read_options
from shengji_env.tables.settings import KeepingArguments, TableSettings, takes_settings
from shengji_env.tables.spaces import Observation, add_history, observation_space
from shengji_env.tables.truth import TRUTH_SIZE

AGENTS = tuple(f"player_{seat}" for seat in range(NUM_SEATS))
_SEATS = {agent: seat for seat, agent in enumerate(AGENTS)}
_NO_EPISODE = "no episode is under way: call reset() first"


class _Wrapped(OrderEnforcingWrapper[str, Observation, Any]):
    """The wrapper; in a notebook it shows the picture of the environment that it wraps."""

    def _repr_html_(self) -> str | None:
        inner = self.unwrapped
        return inner._repr_html_() if isinstance(inner, raw_env) else None


def env(**kwargs: Any) -> AECEnv[str, Observation, Any]:
    """Make the environment with PettingZoo's checks of the call order; the arguments are those of `raw_env`."""
    return _Wrapped(raw_env(**kwargs))


class raw_env(OneTableEnv, AECEnv[str, Observation, Any]):  # noqa: N801  # PettingZoo's name for it
    """One table as an AEC environment, which checks legality and order itself.

    Methods raise `ShengjiError` before the first `reset`, and for a name that no agent has; `last` also after the end.

    Args:
        rules: a `RuleSet`, its text, or a mapping of `preset` and options.
        episode, reward, shaping, skip_forced, start, record, history: as `settings.TableSettings` says.
        dtype: type of observation, history and state (`arguments.DTYPES`); masks are int8.
        render_mode: ``"human"`` prints the table after every step; ``"ansi"``, ``"svg"`` and ``"rgb_array"`` make
            `render` return it (`rendering.py`).
        viewer: the seat whose view is rendered; None shows all cards.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # PettingZoo declares it without ClassVar
        "name": "shengji_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_PER_SECOND,
        "is_parallelizable": False,
    }

    _NOT_BEGUN = _NO_EPISODE

    @takes_settings(TableSettings)
    def __init__(
        self,
        rules: RulesLike = DEFAULT_RULES,
        *,
        dtype: DTypeLike = "int8",
        render_mode: str | None = None,
        viewer: int | None = None,
        **settings: Unpack[KeepingArguments],
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # PettingZoo's has no annotations
        self.rules = as_rules(rules)
        self.render_mode = read_render_mode(render_mode)
        self.viewer = None if viewer is None else check_seat("viewer", viewer, ", or None for all cards")
        self._dtype = check_dtype(dtype)
        self._history = check_index("history", settings.get("history", 0), 0, MAX_HISTORY)
        settings["history"] = plays_to_keep(render_mode, self._history)
        of_table = TableSettings(rules=self.rules, **settings)
        self.episode = of_table.episode
        compile_table()
        self._table = OneTable(of_table)
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}
        self._observation_spaces = {agent: observation_space(self._history, self._dtype) for agent in AGENTS}
        self.state_space = spaces.Box(-128, 127, (TRUTH_SIZE,), self._dtype.type)

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return ``Discrete(83)``, always the same object for an agent."""
        return self._action_spaces[AGENTS[_seat_of(agent)]]

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of observation and mask, always the same object for an agent."""
        return self._observation_spaces[AGENTS[_seat_of(agent)]]

    @property
    def _viewer(self) -> int | None:
        return self.viewer

    @property
    def seed_in_use(self) -> int | None:
        """The seed of the deals, None before the first episode; not called `seed`, which libraries try to call."""
        return self._table.seed

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode: with round 0 of `seed`, or with the next round of the seed in use (at first a random one).

        Raises:
            DealError: no round could start with these options (`reset_options.py`); nothing has changed.
            ShengjiError: the seed is not an integer in 0..2**64-1; nothing has changed.
        """
        given = read_options(options, self.rules, is_match=self.episode == "match")
        mover = self._table.begin(seed, given)
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[mover]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {} for agent in AGENTS}
        self._has_rewards = False
        self._skip_agent_selection = None  # type: ignore[assignment]  # PettingZoo's own value for none
        self._show_to_people()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, in new arrays; the mask is zero unless the agent is to move."""
        table = self._table
        if self.agents and agent == self.agent_selection and not self.terminations[agent]:
            seen = {"observation": table.observation.astype(self._dtype), "action_mask": table.mask.copy()}
        else:
            seat = _seat_of(agent)
            self._check_begun()
            own = table.observe(seat).astype(self._dtype, copy=False)
            seen = {"observation": own, "action_mask": np.zeros(NUM_ACTIONS, np.int8)}
        if self._history:
            add_history(seen, table.tables.plays[0], _SEATS[agent], self._history, self._dtype)
        return seen

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last step, terminated, truncated and info of the agent to move."""
        if not self.agents:
            raise ShengjiError(_NO_EPISODE)
        agent = self.agent_selection
        seen = self.observe(agent) if observe else None
        cumulative = self._cumulative_rewards[agent]
        return seen, cumulative, self.terminations[agent], self.truncations[agent], self.infos[agent]

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, Any]:
        """Iterate over the agents to move, until each has seen that the episode is over."""
        self._check_begun()
        return super().agent_iter(max_iter)

    def step(self, action: Any) -> None:
        """Make the action of the agent to move: an integer, or None if the agent's episode is over.

        Raises:
            IllegalActionError: the action is not legal; nothing has changed.
            ShengjiError: no episode is under way, or the agent's is over and the action is not None.
        """
        if not self.agents:
            raise ShengjiError(_NO_EPISODE)
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise ShengjiError(f"the episode is over for {agent}: its action is None, not {show(action)}")
            self._was_dead_step(action)
            return
        chosen = action if type(action) is int else read_action(action)
        outcome = self._table.step(chosen) if 0 <= chosen < NUM_ACTIONS else ILLEGAL
        if outcome == ILLEGAL:
            raise illegal_action(self.tables.states[0], self._table.mask, action)
        self._cumulative_rewards[agent] = 0.0
        if self.infos[agent]:
            self.infos[agent] = {}
        if self._has_rewards:
            self._clear_rewards()
            self._has_rewards = False
        if outcome & NEWS:
            self._take_news(outcome)
        else:
            self.agent_selection = AGENTS[outcome]
        if self.render_mode == "human":  # a call would take longer
            self.render()

    def _take_news(self, outcome: int) -> None:
        """Hand out rewards and results, and end the episode if it is over."""
        for agent, reward in zip(AGENTS, self._table.reward.tolist(), strict=True):
            self.rewards[agent] = reward
        self._accumulate_rewards()
        self._has_rewards = True
        if outcome & ROUND_OVER:
            result = result_info(self._table.tables.progress["result"][0])
            self.infos = {agent: {"result": dict(result)} for agent in AGENTS}
        if outcome & EPISODE_OVER:
            self.terminations = dict.fromkeys(AGENTS, True)
            self.agent_selection = AGENTS[0]
        else:
            self.agent_selection = AGENTS[outcome & SEAT_BITS]

    def state(self) -> NDArray[Any]:
        """Return the whole truth in a new array, shape (TRUTH_SIZE,); `truth.view_truth` names its segments."""
        self._check_begun()
        return self._table.truth().astype(self._dtype, copy=False)

    def close(self) -> None:
        """Do nothing: there is no window. PettingZoo wants the method wherever there is `render`."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(rules={str(self.rules)!r}, episode={self.episode!r})"


def _seat_of(agent: Any) -> int:
    try:
        return _SEATS[agent]
    except (KeyError, TypeError):
        raise ShengjiError(f"no agent is called {show(agent)}; there are {', '.join(AGENTS)}") from None
