"""OpenSpiel's card games, each in four ways: legal actions only, two forms of the observation, C++ rollouts.

All loops are the fastest that we found: an action or a dealt card is an index into `legal_actions` (chance is uniform
in these games), there is one Python object each for game and observation, and nothing is looked up twice. The deal is
timed too, as in our own loops, except in the C++ rollouts, since a search cannot begin at a chance node.
"""

import importlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tools.bench.timing import Case, Group, Trial, counted, rate, trial_of_rounds

ObservationForm = Literal["none", "list", "in place"]
Count = Callable[[Any, Sequence[int]], int]
"""Counts how many cards a game's actions play."""

_NUM_CARDS = 52
_SKAT_CARDS, _SKAT_DISCARDS = 32, 2
_LANDLORD_FIRST_PLAY = 4
_DEALS = 16
_ROLLOUTS = 200
# C++ does not report its steps. They follow from the number of rounds and their mean length, which varies.
_SAMPLED_ROUNDS = 2000
_MEGABYTES = 1000
# The library is fastest at a mask of a few dozen actions; NumPy is faster at dou_dizhu's 26,057.
_FEW_ACTIONS = 1000


def _played(game: Any, actions: Sequence[int]) -> int:
    return sum(action < _NUM_CARDS for action in actions)


def _played_in_skat(game: Any, actions: Sequence[int]) -> int:
    return max(0, sum(action < _SKAT_CARDS for action in actions) - _SKAT_DISCARDS)


def _played_in_hearts(game: Any, actions: Sequence[int]) -> int:
    return _NUM_CARDS


def _played_in_dou_dizhu(game: Any, actions: Sequence[int]) -> int:
    state = game.new_initial_state()
    texts = (state.action_to_string(0, action) for action in actions if action >= _LANDLORD_FIRST_PLAY)
    return sum(len(text.replace("(BWJ)", "B").replace("(CJ)", "C").replace("-", "")) for text in texts)


GAMES: dict[str, tuple[str, Count]] = {
    "skat": ("skat", _played_in_skat),
    "spades": ("spades", _played),
    "bridge": ("bridge(use_double_dummy_result=false)", _played),
    "hearts": ("hearts", _played_in_hearts),
    "dou_dizhu": ("dou_dizhu", _played_in_dou_dizhu),
}
"""Games by name: what OpenSpiel loads, and how their cards are counted. Bridge is played out card by card."""
_NOTES = {"hearts": "has no observation tensor; the information state's is read"}


def cases() -> list[Case]:
    """Return all cases of OpenSpiel."""
    cases = []
    for name in GAMES:
        label = f"OpenSpiel {name}"
        make = partial(Case, needs=("pyspiel",), note=_NOTES.get(name, ""))
        cases += [
            make(f"{label}, in place", Group.PEERS, partial(_stepping, name, "in place")),
            make(f"{label}, as a list", Group.PEERS, partial(_stepping, name, "list")),
            make(label, Group.PEERS_LEGAL, partial(_stepping, name, "none"), note=""),
            make(f"{label}, C++", Group.PEERS_ROLLOUT, partial(_rollouts, name), note="the deal is not timed"),
        ]
    return cases


@dataclass(frozen=True)
class _Reader:
    """How a loop reads a game's states."""

    game: Any
    form: ObservationForm
    set_from: Callable[[Any, int], object]
    """Fills the observation in place."""
    has_observation: bool
    """Whether there is an observation tensor; otherwise the information state's tensor is read."""
    mask: NDArray[np.int8]
    """Where a mask of many actions is written."""

    @staticmethod
    def load(name: str, form: ObservationForm) -> "_Reader":
        """Make the reader of a game."""
        game = importlib.import_module("pyspiel").load_game(GAMES[name][0])
        observation = importlib.import_module("open_spiel.python.observation")
        has_observation = bool(game.get_type().provides_observation_tensor)
        observer = observation.make_observation(game, None if has_observation else observation.INFO_STATE_OBS_TYPE)
        mask = np.zeros(game.num_distinct_actions(), np.int8)
        return _Reader(game, form, observer.set_from, has_observation, mask)

    def read(self, state: Any, legal: Sequence[int]) -> None:
        """Read the mask, and the observation as a list."""
        if self.form == "list" and self.has_observation:
            state.observation_tensor()
        elif self.form == "list":
            state.information_state_tensor()
        if len(self.mask) > _FEW_ACTIONS:
            self.mask.fill(0)
            self.mask[legal] = 1
        else:
            state.legal_actions_mask()


def _deal(game: Any, draw: Callable[[], float]) -> Any:
    """Deal, and return the state at the first decision."""
    state = game.new_initial_state()
    while state.is_chance_node():
        cards = state.legal_actions()
        state.apply_action(cards[int(draw() * len(cards))])
    return state


def _play_round(reader: _Reader, draw: Callable[[], float]) -> list[int]:
    """Play a round with random legal actions; return them."""
    set_from = reader.set_from if reader.form == "in place" else None
    is_dense = reader.form == "in place" and len(reader.mask) <= _FEW_ACTIONS
    reads = reader.form != "none" and not is_dense
    state = _deal(reader.game, draw)
    actions: list[int] = []
    while not state.is_terminal():
        legal = state.legal_actions()
        if set_from is not None:
            set_from(state, state.current_player())
        if is_dense:
            state.legal_actions_mask()
        elif reads:
            reader.read(state, legal)
        action = legal[int(draw() * len(legal))]
        state.apply_action(action)
        actions.append(action)
    return actions


def _stepping(name: str, form: ObservationForm) -> Trial:
    reader, draw = _Reader.load(name, form), random.Random(0).random
    return trial_of_rounds(partial(_play_round, reader, draw), partial(GAMES[name][1], reader.game))


def _rollouts(name: str) -> Trial:
    """Time a search of one simulation: it plays `_ROLLOUTS` random rounds in C++ from a dealt state."""
    pyspiel = importlib.import_module("pyspiel")
    reader, draw = _Reader.load(name, "none"), random.Random(0).random
    evaluator = pyspiel.RandomRolloutEvaluator(_ROLLOUTS, 0)
    bot = pyspiel.MCTSBot(reader.game, evaluator, 1.0, 1, _MEGABYTES, False, 0, False)
    states = cycle([_deal(reader.game, draw) for _ in range(_DEALS)])
    work = counted(lambda: bot.mcts_search(next(states)), _ROLLOUTS)
    count = partial(GAMES[name][1], reader.game)
    pace = trial_of_rounds(partial(_play_round, reader, draw), count, _SAMPLED_ROUNDS).pace
    assert pace is not None
    return Trial(lambda seconds: (pace.steps * rate(work, seconds),), pace)
