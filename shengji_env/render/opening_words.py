"""The rules of a round's opening in words: cards, seats, deal, bids, the kitty, what is trumps.

Each function takes a rule set and returns paragraphs.

Source: docs/rules.md §1–§6.
"""

from shengji_env.engine.cards import CARD_POINTS, NUM_CARDS, NUM_RANKS, NUM_SUITS, RANKS
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.render.text import number, plural

_NUM_JOKERS = NUM_CARDS - NUM_SUITS * NUM_RANKS


def rank_name(rank: int) -> str:
    """Return a rank as people call it."""
    return RANKS[rank].replace("T", "10")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def can_be_no_trump(rules: RuleSet) -> bool:
    """Return whether a round can be played without a trump suit."""
    return rules.no_trump_bids or _may_turn_up_jokers_only(rules)


def _may_turn_up_jokers_only(rules: RuleSet) -> bool:
    return rules.bidding != "fixed" and rules.kitty <= _NUM_JOKERS * rules.decks


def _in_first_round(rules: RuleSet) -> str:
    """Return when nobody is declarer yet, in words."""
    return f"in the first round of a match{' and after a draw' if rules.table.last_trick_wins else ''}"


def cards_and_deal(rules: RuleSet) -> list[str]:
    """Explain cards, points, seats and levels (§1–§3)."""
    decks, players = _capital(plural(rules.decks, "deck")), _capital(number(NUM_SEATS))
    low, high = rank_name(0), rank_name(NUM_RANKS - 1)
    return [
        f"{decks} with the jokers, {rules.total} cards: {rules.hand} for each hand (手牌), and the last "
        f"{rules.kitty} are the kitty (底牌). Points (分): {_points_text()}; {rules.points} in all.",
        f"{players} players sit around the table, partners opposite, and take turns counter-clockwise. Cards are drawn "
        f"one at a time: {_in_first_round(rules)} a player chosen by lot draws first, later the declarer (庄家).",
        f"Each team has a level (级), from {low} up to {high}. A round is played at the level of the declarer's team: "
        "the cards of that rank are the level cards (级牌). Declarer and partner are the declarers (庄家方), the other "
        "two the attackers (抓分方); the points that the attackers capture decide the round.",
    ]


def _points_text() -> str:
    """Return which cards count how many points."""
    ranks: dict[int, list[str]] = {}
    for rank in range(NUM_RANKS):
        ranks.setdefault(int(CARD_POINTS[rank]), []).append(rank_name(rank))
    return ", ".join(f"{points} for each {' and '.join(names)}" for points, names in sorted(ranks.items()) if points)


def bidding(rules: RuleSet) -> list[str]:
    """Explain who bids when, with what, and which bid beats which (§4)."""
    if rules.bidding == "fixed":
        no_trump = " or no trump (无主)" if rules.no_trump_bids else ""
        return [
            f"Nobody bids: with the deal comes a trump suit{no_trump}, chosen by lot. The first to draw is declarer "
            f"{_in_first_round(rules)}."
        ]
    own_level = "everybody bids with the level of the own team, and " if rules.table.last_trick_wins else ""
    first_round = _capital(_in_first_round(rules))
    return [
        _when_bids_are_made(rules),
        _what_bids_show(rules),
        f"The bid that stands in the end names the trumps. {first_round}, where nobody is declarer yet, {own_level}the "
        "holder of that bid becomes declarer.",
    ]


def _when_bids_are_made(rules: RuleSet) -> str:
    if rules.bidding == "streaming":
        return (
            "While the cards are drawn, whoever has just drawn one may bid (亮主). When all are drawn, everybody is "
            "asked in turn, from the first to draw on, until a full circle brings no bid."
        )
    return (
        "There are no bids (亮主) while the cards are drawn. Then everybody is asked in turn, from the declarer's "
        f"partner on ({_in_first_round(rules)} from the first to draw on), until a full circle brings no bid."
    )


def _what_bids_show(rules: RuleSet) -> str:
    if rules.decks == 1:
        return "A bid shows a level card, whose suit is to be trumps. The first bid stands, since none is stronger."
    jokers = ", or equal jokers for no trump (无主)" if rules.no_trump_bids else ""
    return (
        f"A bid shows level cards of one suit, which is to be trumps{jokers}. It must be stronger than the bid that "
        f"stands (反主). From weak to strong: {', '.join(bid_ladder(rules))}. Whoever holds the standing bid may only "
        "reinforce it (加固), with more of the same card; partners may overturn each other."
    )


def bid_ladder(rules: RuleSet) -> list[str]:
    """Return all bids, from weak to strong."""
    ladder = []
    for count in range(1, rules.decks + 1):
        ladder.append(plural(count, "level card"))
        if count > 1 and rules.no_trump_bids:
            joker_bids = [plural(count, "little joker"), plural(count, "big joker")]
            ladder += joker_bids if rules.joker_bids == "ranked" else [" or ".join(joker_bids)]
    return ladder


def nobody_bids(rules: RuleSet) -> list[str]:
    """Explain what names trumps without a bid, and when cards are dealt again (§4)."""
    if rules.bidding == "fixed":
        return []
    jokers = "; if all are jokers, there is no trump (无主)" if _may_turn_up_jokers_only(rules) else ""
    turning = f"the kitty's cards are turned up in order until one is not a joker, and its suit is trumps{jokers}"
    if rules.no_bid == "flip_kitty":
        with_declarer, without = turning, "the kitty is turned up in the same way"
    else:
        with_declarer = f"the declarer's partner names a suit{', or no trump (无主)' if rules.no_trump_bids else ''}"
        without = turning
    last = f"the first to draw is declarer, and {without}"
    if rules.max_redeals:
        times = "once" if rules.max_redeals == 1 else f"at most {rules.max_redeals} times"
        last = f"the cards are dealt again, {times}. If the last deal brings no bid either, {last}"
    first_round = _capital(_in_first_round(rules))
    return [f"If there is a declarer, {with_declarer}.", f"{first_round} {last}."]


def burying(rules: RuleSet) -> list[str]:
    """Explain how the declarer takes up the kitty and buries cards (§5)."""
    cards = plural(rules.kitty, "card")
    return [
        f"The declarer takes the {cards} of the kitty into the hand, and buries as many face down: any cards. Nobody "
        "else sees them."
    ]


def order(rules: RuleSet) -> list[str]:
    """Explain what is trumps, and which card is higher (§6)."""
    high, low = rank_name(NUM_RANKS - 1), rank_name(0)
    trumps = (
        "Trumps, from high to low: the big joker, the little joker, the level card of the trump suit, the other level "
        f"cards (equal to one another), the rest of the trump suit from {high} down to {low}."
    )
    if can_be_no_trump(rules):
        trumps += " At no trump (无主): the big joker, the little joker, the level cards (all equal), and nothing else."
    return [
        f"{trumps} All other cards are plain (副), each suit from {high} down to {low}. Of equal cards the one played "
        "first is higher."
    ]
