"""Features: what a candidate means to the seat that chooses, as one int8 vector made of named parts.

`FEATURES` is the one definition: the size, the record that compiled code writes and the documentation table all come
from it. Parts that do not apply to a decision are zero. Everything follows from the observation, so nothing depends on
what the seat cannot know. Values beyond int8 are cut off at ±127.

Parts of shape (5,) are by effective suit (plain blocks in slot order, trumps last), so that permuting the plain suits
permutes them; until trumps are named, `names` is by suit C D H S and no trump. In overbids, made when trumps are named,
no trump and the present trumps are the same part of `names`; `bid_big`, `trumps` and `strength` tell them apart.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NO_TRUMP, NUM_EFFECTIVE_SUITS
from shengji_env.engine.state import Phase, State
from shengji_env.players.candidates.bid_features import write_bid, write_forced
from shengji_env.players.candidates.candidate_list import MAX_FOUND, CandidateList
from shengji_env.players.candidates.card_features import as_byte, begin_sets, write_cards, write_value
from shengji_env.players.candidates.scratch import Scratch


@dataclass(frozen=True)
class Feature:
    """One named part of the features: its shape (int8), what it means, and the unit of its values."""

    name: str
    shape: tuple[int, ...]
    doc: str
    unit: str = ""

    @property
    def size(self) -> int:
        """Number of values."""
        return int(np.prod(self.shape))


VALUE_UNITS, GAIN_UNITS = 4.0, 8.0
"""Steps in a heuristic value of 1, which stands for five points."""
_ONE = (1,)
_BY_SUIT = (NUM_EFFECTIVE_SUITS,)
_OTHERS = (NUM_SEATS - 1,)

FEATURES: tuple[Feature, ...] = (
    Feature("first", _ONE, "1 for the heuristic player's choice"),
    Feature("passes", _ONE, "1 for a pass"),
    Feature("bid_size", _ONE, "cards that the bid shows", "cards"),
    Feature("bid_big", _ONE, "1 for a bid of big jokers"),
    Feature("names", (NO_TRUMP + 1,), "what would be trumps if nobody bid any more, one-hot: C D H S, no trump"),
    Feature("bidder", (NUM_SEATS,), "who would hold the standing bid, one-hot: self, next, partner, previous"),
    Feature("trumps", _ONE, "cards in hand that these trumps would make trumps", "cards"),
    Feature("strength", _ONE, "the heuristic player's count of them; jokers, pairs and aces count extra", "1/4 trump"),
    Feature("cards", _ONE, "cards played, buried or forced", "cards"),
    Feature("points", _ONE, "points in them", "5 points"),
    Feature("widest", _ONE, "most copies of a card among them", "cards"),
    Feature("kinds", _ONE, "different cards among them"),
    Feature("suit_cards", _BY_SUIT, "cards played, by suit", "cards"),
    Feature("suit_left", _BY_SUIT, "cards that stay in hand, by suit", "cards"),
    Feature("suit_emptied", _BY_SUIT, "1 if the hand becomes void in the suit"),
    Feature("suit_pairs", _BY_SUIT, "cards with a copy that stay in hand, by suit", "pairs"),
    Feature("suit_standing", _BY_SUIT, "cards that nobody can beat as singles and that stay in hand", "cards"),
    Feature("standing", _ONE, "cards played that nobody can beat as singles", "cards"),
    Feature("broken", _ONE, "cards of which some copies are played and others stay in hand"),
    Feature("keep", _ONE, "what the cards are worth in hand by the heuristic player", "5/4 points"),
    Feature("value", _ONE, "the candidate's value by the heuristic player's estimate", "5/4 points"),
    Feature("gain", _ONE, "the same relative to the first candidate's", "5/8 points"),
    Feature("components", _ONE, "lead: number of components"),
    Feature("width", _ONE, "lead, forced: width of the principal component", "cards"),
    Feature("length", _ONE, "lead, forced: its length", "orders"),
    Feature("top", _ONE, "lead, forced, winning follow: top order of the principal component, from 0", "orders"),
    Feature("over", _OTHERS, "lead, follow: chance that next, partner, previous beats the winning play", "1/100"),
    Feature("chance", _ONE, "lead, follow: chance that the own side wins the trick", "1/100"),
    Feature("hidden", _ONE, "lead: cards of the suit that are out", "cards"),
    Feature("wins", _ONE, "follow: 1 if it is winning the trick; forced: 1 if the hand has a higher component"),
    Feature("loses", _ONE, "follow: 1 if it is not"),
    Feature("trick_points", _ONE, "follow: points in the trick with it", "5 points"),
)
"""The features' parts in order."""

FEATURES_DTYPE = np.dtype((np.record, [(feature.name, np.int8, feature.shape) for feature in FEATURES]))
NUM_FEATURES = sum(feature.size for feature in FEATURES)


def make_features() -> NDArray[Any]:
    """Make room for the features of one decision's candidates, (MAX_FOUND + 1,); the last row stays blank."""
    return np.zeros(MAX_FOUND + 1, FEATURES_DTYPE)


def features_table() -> str:
    """Return the documentation table, in Markdown."""
    rows = ["| offset | part | shape | meaning | unit |", "|---|---|---|---|---|"]
    offset = 0
    for feature in FEATURES:
        rows.append(f"| {offset} | `{feature.name}` | {feature.shape[0]} | {feature.doc} | {feature.unit} |")
        offset += feature.size
    return "\n".join([*rows, f"| {offset} | | | total | |"]) + "\n"


@jit
def write_features(s: State, scratch: Scratch, found: CandidateList, number: int, rows: NDArray[Any]) -> None:
    """Write the features of the first `number` candidates.

    Args:
        s: the information state for which `finding.find` has just found them.
        scratch: the scratch memory that it used; its observation and plan are read.
        found: the candidates.
        number: how many.
        rows: (MAX_FOUND + 1,) FEATURES_DTYPE, `make_features`.
    """
    for index in range(number):
        rows[index] = rows[MAX_FOUND]
    if s.phase == Phase.BID or s.phase == Phase.NAME or s.phase == Phase.REBEL:
        for index in range(number):
            write_bid(scratch, found.actions[index], rows[index])
    elif s.phase == Phase.FORCED:
        for index in range(number):
            write_forced(scratch, found.actions[index], rows[index])
    else:
        first = 0.0
        begin_sets(s, scratch)
        for index in range(number):
            cards, row = found.cards[index], rows[index]
            write_cards(scratch, cards, row)
            value = write_value(s, scratch, cards, row)
            first = value if index == 0 else first
            row.value[0] = as_byte(VALUE_UNITS * value)
            row.gain[0] = as_byte(GAIN_UNITS * (value - first))
    rows[0].first[0] = 1
