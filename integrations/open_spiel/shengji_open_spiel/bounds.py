"""Bounds of a game: how long a round can last, and what it can be worth.

Both are proven, not attained: a round in which every seat is always asked, every throw fails and the attackers win
everything is not possible.

Source: docs/rules.md §2–§12.
"""

import numpy as np

from shengji_env.engine.cards import ACE, CARD_POINTS, MAX_DECKS, NUM_SUITS
from shengji_env.engine.components import component_code
from shengji_env.engine.results import kitty_multiplier, settle
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import MAX_ORDERS
from shengji_env.engine.state import MAX_PLAY
from shengji_env.tables.rewards import RewardScheme

_ATTACKERS = 2
_JOKERS = 2
"""Bids of one count that can follow those of suits: of little, of big jokers."""


def max_decisions(rules: RuleSet, declarer: int) -> int:
    """Return a bound on the actions of all seats in a round.

    A lead takes at most as many actions as the leader holds cards: all of them, or fewer and `done`; then a throw that
    failed may have to be chosen from.
    """
    hand = rules.hand
    while_drawing = NUM_SEATS * hand if rules.bidding in ("streaming", "drawing") else 0
    bids = rules.decks * ((NUM_SUITS if rules.bid_suits == "ranked" else 1) + (_JOKERS if rules.no_trump_bids else 0))
    in_circles = 0 if rules.bidding in ("fixed", "drawing") else NUM_SEATS
    is_bid_for = declarer < 0 or rules.rebellion == "no_declarer"
    redeals = rules.max_redeals if is_bid_for and rules.bidding != "fixed" else 0
    abandoned = _max_abandoned(rules)
    bidding = (redeals + 1) * (while_drawing + in_circles) + bids * in_circles
    bidding += abandoned * (while_drawing + (bids + 1) * in_circles + 1)
    burials = 1 + (bids if rules.kitty_retake == "overbid" and rules.bidding != "fixed" else 0)
    asked = (NUM_SEATS - 1) * (burials - 1) + (_ATTACKERS * (abandoned + 1) if abandoned else 0)
    naming = abandoned + 1 if rules.no_bid == "partner_names" else 0
    leads = hand * (hand + 1) // 2 + (hand if rules.failed_throw == "next_seat_chooses" else 0)
    return bidding + asked + naming + burials * rules.kitty + leads + (NUM_SEATS - 1) * hand


def _max_abandoned(rules: RuleSet) -> int:
    return 0 if rules.rebellion == "none" or rules.bidding == "fixed" else rules.max_rebellions


def max_chance_nodes(rules: RuleSet) -> int:
    """Return a bound on the chance nodes of a round: who draws first, trumps, the cards of every deal."""
    return 2 + (rules.max_redeals + _max_abandoned(rules) + 1) * rules.total


def max_worth(rules: RuleSet, reward: RewardScheme) -> float:
    """Return a bound on what a round is worth to a seat, rounded as returns are: to float32."""
    if reward == "win":
        return 1.0
    penalties = rules.hand * rules.throw_penalty * (rules.hand if rules.throw_penalty_per == "card" else 1)
    most = rules.points + _max_kitty_points(rules) + penalties
    if reward == "points":
        threshold = rules.table.threshold
        return float(np.float32(max(most - threshold, threshold + penalties) / rules.points))
    record = rules.record()[0]
    lost = 0 if rules.last_trick_demotion == "none" else ACE
    return float(max(settle(record, most, True)[1] + lost, settle(record, -penalties, False)[1]))


def _max_kitty_points(rules: RuleSet) -> int:
    """Return a bound on what the kitty can bring the attackers."""
    points = np.sort(np.repeat(CARD_POINTS, rules.copies))[::-1][: rules.kitty].sum()
    return int(points) * _max_multiplier(rules)


def _max_multiplier(rules: RuleSet) -> int:
    """Return a bound on the factor of the kitty's points: for all shapes, and for a whole hand of singles."""
    record = rules.record()[0]
    codes = np.zeros(MAX_PLAY, np.int32)
    factors = []
    for width in range(1, min(rules.decks, MAX_DECKS) + 1):
        for length in range(1, (1 if width == 1 else min(rules.hand // width, MAX_ORDERS)) + 1):
            codes[0] = component_code(width, length, 0, 0)
            factors.append(int(kitty_multiplier(record, codes, 1)))
    codes[:] = component_code(1, 1, 0, 0)
    return max(*factors, int(kitty_multiplier(record, codes, rules.hand)))
