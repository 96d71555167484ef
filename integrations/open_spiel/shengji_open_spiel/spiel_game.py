"""The game: its parameters, its bounds, and how its states are observed."""

from functools import cached_property
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.rule_sets import DEFAULT_RULES, NUM_SEATS, RuleSet, parse_rules
from shengji_env.engine.state import NOBODY
from shengji_env.envs.positions.whole_deals import WholeDeal, whole_deals
from shengji_env.errors import ShengjiError
from shengji_env.players.decisions import num_plays
from shengji_env.render.table_text import render_table
from shengji_env.render.view import view_table
from shengji_env.support.arguments import check_choice, check_index
from shengji_env.tables.history import PLAY_SIZE
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.tables.reset_options import read_options
from shengji_env.tables.rewards import REWARDS, RewardScheme
from shengji_open_spiel.bounds import max_chance_nodes, max_decisions, max_worth
from shengji_open_spiel.spiel_state import ShengjiState

PARAMETERS = {
    "rules": DEFAULT_RULES, "reward": "levels", "levels": "2 2", "declarer": NOBODY, "first_drawer": NOBODY, "seed": -1,
    "small": False,
}  # fmt: skip
GAME_TYPE = pyspiel.GameType(
    short_name="python_shengji",
    long_name="Shengji (Tractor)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=NUM_SEATS,
    min_num_players=NUM_SEATS,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=PARAMETERS,
)
_MAX_SEED = 2**31 - 1
# OpenSpiel reads a parameter's text with parentheses as a game.
_BRACKETS = str.maketrans("(,=)", "[;:]")
_PARENTHESES = str.maketrans("[;:]", "(,=)")


class ShengjiGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """One round; `shengji_open_spiel` says what it is made of.

    Raises:
        ShengjiError: a parameter is invalid.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**PARAMETERS, **(params or {})}
        self.rules: RuleSet = parse_rules(given["rules"].translate(_PARENTHESES))
        self.reward: RewardScheme = check_choice("reward", given["reward"], REWARDS)
        self.seed = check_index("seed", given["seed"], -1, _MAX_SEED)
        options = {"levels": given["levels"].split()}
        for name in ("declarer", "first_drawer"):
            if check_index(name, given[name], NOBODY, NUM_SEATS - 1) != NOBODY:
                options[name] = given[name]
        self.options = options
        self.start = read_options(options, self.rules, is_match=False)
        self.deals = self._small_deals(given)
        worth = max_worth(self.rules, self.reward)
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=max(NUM_CARDS, len(self.deals)),
            num_players=NUM_SEATS,
            min_utility=-worth,
            max_utility=worth,
            utility_sum=0.0,
            max_game_length=max_decisions(self.rules, self.start.get("declarer", NOBODY)),
        )
        super().__init__(GAME_TYPE, info, {**given, "rules": str(self.rules).replace(", ", ",").translate(_BRACKETS)})

    def _small_deals(self, given: dict[str, Any]) -> tuple[WholeDeal, ...]:
        """Return all deals of a small game; none if it is not one."""
        if not given["small"]:
            return ()
        wrong = [name for name in ("levels", "declarer", "first_drawer", "seed") if given[name] != PARAMETERS[name]]
        if wrong:
            raise ShengjiError(f"small=True says how rounds begin; leave {', '.join(wrong)} out")
        return tuple(whole_deals(self.rules))

    @cached_property
    def deal_numbers(self) -> dict[tuple[tuple[int, ...], ...], int]:
        """The number of each deal of a small game, by the hands."""
        return {deal.hands: number for number, deal in enumerate(self.deals)}

    def __reduce__(self) -> tuple[Any, ...]:
        """OpenSpiel's own pickles lose the attributes of a Python game."""
        return pyspiel.load_game, (str(self),)

    def new_initial_state(self) -> ShengjiState:
        """Return the state before the first card is drawn."""
        return ShengjiState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return a bound on the number of chance nodes."""
        if self.deals:
            return 1
        return max_chance_nodes(self.rules) if self.seed < 0 else 0

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "ShengjiObserver":
        """Return what observes states: with perfect recall the information state, otherwise the observation."""
        return ShengjiObserver(self.rules, bool(iig_obs_type and iig_obs_type.perfect_recall))


class ShengjiObserver:
    """What a player sees of a state; while chance deals, nothing.

    Attributes:
        tensor: float32, the observation; with perfect recall also all plays of the round.
        dict: its parts by name, views: ``"observation"`` (OBSERVATION_SIZE,) and ``"plays"`` (K, 55).
    """

    def __init__(self, rules: RuleSet, perfect_recall: bool) -> None:
        self._perfect_recall = perfect_recall
        plays = num_plays(rules) if perfect_recall else 0
        self.tensor: NDArray[np.float32] = np.zeros(OBSERVATION_SIZE + plays * PLAY_SIZE, np.float32)
        self.dict = {"observation": self.tensor[:OBSERVATION_SIZE]}
        if perfect_recall:
            self.dict["plays"] = self.tensor[OBSERVATION_SIZE:].reshape(plays, PLAY_SIZE)

    def set_from(self, state: ShengjiState, player: int) -> None:
        """Write what a player sees into the tensor."""
        position = state.position
        if position is None:
            self.tensor.fill(0)
        else:
            see = position.information_state if self._perfect_recall else position.observation
            self.tensor[:] = see(player)

    def string_from(self, state: ShengjiState, player: int) -> str:
        """Return what a player sees as text."""
        position = state.position
        if position is None:
            return "the cards are being dealt"
        if self._perfect_recall:
            return position.information_state_text(player)
        return render_table(view_table(position.states[0], position.rules, viewer=player), color=False)
