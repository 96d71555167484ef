"""What the network reads: numbers that each choose a row of weights, and where the rows of each number begin.

A decision has rows in common, and each choice has rows of its own. Each kind of decision has a network of its own, so
the rows of cards exist once for each of CARD_GROUPS; those of single actions come after them.

| of | numbers |
|---|---|
| the table (`scene_…`) | the trick and the round |
| each suit of the hand (`plain_…`, `trump_…`), the one led (`led_…`) | length, cards out; winners, pairs; voids |
| each suit of a choice (`of_…`) | the same; cards taken and left; what of its pairs and winners stays |
| each card of a choice (`card_…`) | rank and copies; class (`sight.class_of`) |
| a choice as a whole | size, points, broken pairs; of leads, follows and burials what they do |
| a bid, name, forced component or rebellion (`bid_…`, `action_…`) | what would be trumps, and whose |
| an overbid, or a pass in its place (`overbid_…`) | the same; who declares, who has buried, who is asked after it |
| table, suits, stakes, burials, bids, in the scale of the rules | `scaled_rows` |
| a lead or a follow, in some networks: chances | `chance_rows` |
| the rules | each feature that is not 0 (`engine.rule_record`), and its value up to 15 |
"""

from math import prod

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_record import NUM_RULE_FEATURES
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.players.networks.selfplay.sight import (
    BOSSES,
    BURIED,
    CARDS,
    CLASSES,
    COPIES,
    HIGHER,
    LENGTHS,
    OUTS,
    PAIRS,
    POINTS,
    RANKS,
    RUFFED,
    SCORES,
    STAKES,
    VOIDS,
    WINNERS,
)

SELFPLAY_INPUTS_VERSION = 4

BURY_GROUP, LEAD_GROUP, ONE_GROUP, MANY_GROUP, ACTION_GROUP = range(5)
"""Kinds of decision: burials, leads, follows of one card and of several, single actions."""
GROUP_NAMES = ("bury", "lead", "one", "many", "action")
NUM_GROUPS = len(GROUP_NAMES)
CARD_GROUPS = 4

Shape = tuple[int, ...]
_SUIT: dict[str, Shape] = {"holding": (LENGTHS, OUTS), "strength": (BOSSES, PAIRS, POINTS), "void": (2, 2, 2)}
TAKEN, LEFT, PAIRS_LEFT, STANDING_LEFT = 6, 9, 4, 4
SIZES, SET_POINTS, BROKEN = 9, 9, 3
WIDTHS, RUNS, COMPONENTS, LEAD_HIGHER = 4, 4, 3, 4
STATUSES, TRICK_POINTS = 3, 10
"""Who is ahead once a follow is made: the seat, its partner, an opponent; points in the trick then, in fives."""
BURIED_POINTS, BURIED_TRUMPS, EMPTIED, TRUMPS_LEFT = 13, 4, 5, 16

CARD_INPUTS: dict[str, Shape] = {
    "scene_trick": (NUM_SEATS, WINNERS, 2),
    "scene_stake": (STAKES, BURIED),
    "scene_score": (SCORES, NUM_SEATS),
    "scene_cards": (CARDS,),
    "scene_led": (VOIDS * OUTS + 1,),
    "scene_top": (HIGHER * RUFFED + 1,),
    **{f"plain_{name}": shape for name, shape in _SUIT.items()},
    **{f"trump_{name}": shape for name, shape in _SUIT.items()},
    **{f"led_{name}": (2, *shape) for name, shape in _SUIT.items()},
    **{f"of_{name}": (2, *shape) for name, shape in _SUIT.items()},
    "of_taken": (2, TAKEN, LEFT),
    "of_left": (2, 2, PAIRS_LEFT, STANDING_LEFT),
    "card_rank": (2, RANKS, COPIES),
    "card_class": (2, 4, COPIES, 3, 2),
    "set": (SIZES, SET_POINTS, BROKEN),
    "set_side": (NUM_SEATS, SET_POINTS),
    "lead_shape": (2, WIDTHS, RUNS, COMPONENTS),
    "lead_height": (2, 2, LEAD_HIGHER, VOIDS),
    "follow_stake": (STATUSES, NUM_SEATS, TRICK_POINTS),
    "follow_points": (STATUSES, SET_POINTS, BROKEN),
    "follow_ahead": (2, HIGHER, NUM_SEATS),
    "follow_size": (STATUSES, SIZES),
    "follow_void": (STATUSES, VOIDS, NUM_SEATS),
    "bury_points": (BURIED_POINTS, BURIED_TRUMPS),
    "bury_left": (EMPTIED, TRUMPS_LEFT),
}
"""Inputs of a decision about cards, and the numbers of which each is made."""
HAND_SIZES, BID_TRUMPS, DECLARERS, BIDDERS, BID_COUNTS, JOKERS, ACES = 14, 26, 5, 5, 3, 5, 9
OVERBID_COUNTS, OVERBID_TRUMPS, OVERBID_JOKERS = 5, 36, 9
ACTION_INPUTS: dict[str, Shape] = {
    "bid_trumps": (BID_TRUMPS, HAND_SIZES, 2),
    "bid_bidder": (BIDDERS, DECLARERS, 2, BID_COUNTS),
    "bid_jokers": (JOKERS, JOKERS, 2),
    "bid_aces": (ACES, 2),
    "bid_size": (BIDDERS, 2, HAND_SIZES),
    "action_phase": (8, HAND_SIZES),
    "action_forced": (2, RANKS, SET_POINTS),
    "overbid_seats": (2, NUM_SEATS, NUM_SEATS),
    "overbid_asked": (2, NUM_SEATS, NUM_SEATS),
    "overbid_cards": (2, 2, 2, OVERBID_COUNTS),
    "overbid_trumps": (2, 2, 2, OVERBID_TRUMPS),
    "overbid_jokers": (2, 2, OVERBID_JOKERS, OVERBID_JOKERS),
    "overbid_aces": (2, 2, ACES),
}
"""Inputs of a single action."""
RESULTS, WON, PARTS = 8, 4, 8
"""Results of the attackers' points, from which one on they win; parts of a result, and of a level."""
POINTS_LEFT, STAKE_PARTS, CROSSED, HAND_SHARES = 41, 12, 3, 14
LONG_LENGTHS, LONG_OUTS, LONG_TRUMPS, LONG_JOKERS, LONG_BIDS = 28, 28, 17, 9, 9
ODDS, USUAL_ODDS = 12, 5
"""Twice the points of all cards, by what the attackers need; the usual odds, those of most presets, are not listed."""
SCALED_INPUTS: dict[str, Shape] = {
    "score": (RESULTS, PARTS, NUM_SEATS),
    "points_left": (2, POINTS_LEFT),
    "hand": (2, HAND_SHARES),
    "length": (2, 2, 2, LONG_LENGTHS),
    "out": (2, 2, 2, LONG_OUTS),
    "stake": (STATUSES, 2, STAKE_PARTS, CROSSED),
    "buried": (STAKE_PARTS,),
}
"""Inputs of a decision about cards in the scale of the rules (`scaled_rows`)."""
SCALED_ACTION_INPUTS: dict[str, Shape] = {
    "bid_trumps": (2, LONG_TRUMPS, HAND_SHARES, 2),
    "bid_jokers": (2, LONG_JOKERS, LONG_JOKERS, 2),
    "bid": (2, BIDDERS, 2, LONG_BIDS),
    "bid_size": (2, BIDDERS, HAND_SHARES),
    "bid_odds": (BIDDERS, ODDS, HAND_SHARES),
}
"""Inputs of a single action in the scale of the rules."""
CHANCES = 13
"""Grades of a chance."""
CHANCE_INPUTS: dict[str, Shape] = {"over": (NUM_SEATS - 1, CHANCES), "chance": (STATUSES, CHANCES)}
"""Inputs of leads and follows, if a network reads chances (`chance_rows`)."""
RULE_VALUES = 16
"""Values of a feature of the rules that have rows of their own; the last stands for larger ones, too."""
RULE_ROWS = NUM_RULE_FEATURES * RULE_VALUES
_INPUTS: list[tuple[str, Shape]] = [
    *[*CARD_INPUTS.items()] * CARD_GROUPS, *ACTION_INPUTS.items(),
    *[*SCALED_INPUTS.items()] * CARD_GROUPS, *SCALED_ACTION_INPUTS.items(),
]  # fmt: skip
NUM_CARD_ROWS = sum(map(prod, CARD_INPUTS.values()))
"""Rows of each of CARD_GROUPS."""
FIRST_ACTION_ROW = CARD_GROUPS * NUM_CARD_ROWS
FIRST_SCALED_ROW = FIRST_ACTION_ROW + sum(map(prod, ACTION_INPUTS.values()))
NUM_SCALED_ROWS = sum(map(prod, SCALED_INPUTS.values()))
"""Rows in the scale of the rules of each of CARD_GROUPS."""
FIRST_CHANCE_ROW = sum(prod(shape) for _, shape in _INPUTS)
NUM_CHANCE_ROWS = sum(map(prod, CHANCE_INPUTS.values()))
"""Rows of chances of each of CARD_GROUPS."""
ALL_CHANCE_ROWS = CARD_GROUPS * NUM_CHANCE_ROWS
NUM_ROWS = FIRST_CHANCE_ROW + NUM_GROUPS * RULE_ROWS
"""Rows of a network that does not read chances."""
MAX_ROWS, MAX_COMMON = 102, 48
"""Most rows of a choice, and of what all have in common."""
assert prod(CARD_INPUTS["card_class"][1:]) == CLASSES
assert NUM_ROWS + ALL_CHANCE_ROWS < 2**15


def inputs_of(chances: int, reads_rules: bool = True) -> list[tuple[str, Shape]]:
    """Return all inputs, in the order of their rows; with or without those of chances, and of the rules, the last."""
    found = _INPUTS + [*CHANCE_INPUTS.items()] * CARD_GROUPS * chances
    return found + [("rules", (RULE_ROWS,))] * NUM_GROUPS if reads_rules else found


def rule_rows(rules: RuleSet, chances: int) -> NDArray[np.int16]:
    """Return the rows of a rule set in each kind of decision, (NUM_GROUPS, R), of a network with chances or without."""
    features = rules.record()["features"][0]
    present = np.flatnonzero(features)
    places = present * RULE_VALUES + np.minimum(features[present], RULE_VALUES - 1)
    first = FIRST_CHANCE_ROW + chances * ALL_CHANCE_ROWS + RULE_ROWS * np.arange(NUM_GROUPS)
    rows: NDArray[np.int16] = (first[:, None] + places).astype(np.int16)
    return rows


def first_rows(inputs: dict[str, Shape], first: int) -> dict[str, int]:
    """Return where the rows of each input begin."""
    found = {}
    for name, shape in inputs.items():
        found[name] = first
        first += prod(shape)
    return found
