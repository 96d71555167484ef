"""The rules of a round's opening in words: cards, seats, deal, bids, weak hands, the kitty.

Each function takes a rule set and returns paragraphs.

Source: docs/rules.md §1–§5.
"""

from shengji_env.engine.card_sets import has_word
from shengji_env.engine.cards import CARD_POINTS, NUM_RANKS, NUM_SUITS, RANKS
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.render.order_words import jokers_dealt, may_turn_up_jokers_only, rank_name, suits_dealt
from shengji_env.render.text import number, plural

_SUIT_WORDS = {1: "diamonds", 0: "clubs", 2: "hearts", 3: "spades"}
"""Suits from weak to strong, where bids of them are ranked (§4)."""


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _in_first_round(rules: RuleSet) -> str:
    """Return when nobody is declarer yet, in words."""
    rebellion = ["a rebellion"] if _may_unseat(rules) else []
    others = [*(["a draw"] if rules.table.last_trick_wins else []), *rebellion]
    return f"in the first round of a match{' and after ' + ' or '.join(others) if others else ''}"


def _may_unseat(rules: RuleSet) -> bool:
    """Return whether nobody is declarer after a rebellion."""
    return rules.rebellion == "no_declarer" and rules.bidding != "fixed"


def cards_and_deal(rules: RuleSet) -> list[str]:
    """Explain cards, points, seats and levels (§1–§3)."""
    players = _capital(number(NUM_SEATS))
    low, high = rank_name(0), rank_name(NUM_RANKS - 1)
    return [
        f"{_cards_text(rules)}: {rules.hand} for each hand (手牌), and {_kitty_text(rules)}. Points (分): "
        f"{_points_text(rules)}; {rules.points} in all.",
        f"{players} players sit around the table, partners opposite, and take turns counter-clockwise. Cards are drawn "
        f"one at a time: {_in_first_round(rules)} a player chosen by lot draws first, later the declarer (庄家).",
        f"Each team has a level (级), from {low} up to {high}. A round is played at the level of the declarer's team: "
        "the cards of that rank are the level cards (级牌). Declarer and partner are the declarers (庄家方), the other "
        "two the attackers (抓分方); the points that the attackers capture decide the round.",
    ]


def _cards_text(rules: RuleSet) -> str:
    """Return which cards are dealt, and how many."""
    decks = _capital(plural(rules.decks, "deck"))
    which = f"of the cards {rules.cards} only" if rules.cards else "with the jokers"
    return f"{decks} {which}, {plural(rules.total, 'card')}"


def _kitty_text(rules: RuleSet) -> str:
    return f"the last {rules.kitty} are the kitty (底牌)" if rules.kitty else "there is no kitty"


def _points_text(rules: RuleSet) -> str:
    """Return which cards count how many points."""
    ranks: dict[int, list[str]] = {}
    for rank in range(NUM_RANKS):
        if not rules.cards or has_word(rules.cards, RANKS[rank]):
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
    may_differ = rules.table.last_trick_wins or _may_unseat(rules)
    own_level = "everybody bids with the level of the own team, and " if may_differ else ""
    first_round = _capital(_in_first_round(rules))
    declarer = "the holder of that bid"
    if rules.first_declarer == "first_bid" and rules.overturn and rules.decks > 1:
        declarer = "whoever made the first bid, even if others have bid over it,"
    return [
        _when_bids_are_made(rules),
        _what_bids_show(rules),
        f"The bid that stands in the end names the trumps. {first_round}, where nobody is declarer yet, {own_level}"
        f"{declarer} becomes declarer.",
    ]


def _when_bids_are_made(rules: RuleSet) -> str:
    if rules.bidding == "streaming":
        return (
            "While the cards are drawn, whoever has just drawn one may bid (亮主). When all are drawn, everybody is "
            "asked in turn, from the first to draw on, until a full circle brings no bid."
        )
    if rules.bidding == "drawing":
        return "While the cards are drawn, whoever has just drawn one may bid (亮主); after the last card nobody may."
    return (
        "There are no bids (亮主) while the cards are drawn. Then everybody is asked in turn, from the declarer's "
        f"partner on ({_in_first_round(rules)} from the first to draw on), until a full circle brings no bid."
    )


def _what_bids_show(rules: RuleSet) -> str:
    if rules.decks == 1:
        return "A bid shows a level card, whose suit is to be trumps. The first bid stands, since none is stronger."
    if rules.bid_ladder == "call_snatch":
        return _what_is_called(rules)
    jokers = ", or equal jokers for no trump (无主)" if rules.no_trump_bids else ""
    others = "partners may overturn each other" if rules.overturn else "nobody bids over another's bid"
    return (
        f"A bid shows level cards of one suit, which is to be trumps{jokers}. It must be stronger than the bid that "
        f"stands (反主). From weak to strong: {', '.join(bid_ladder(rules))}.{_suits_of_bids(rules)} Whoever holds the "
        f"standing bid may only reinforce it (加固), with more of the same card; {others}."
    )


def _what_is_called(rules: RuleSet) -> str:
    """Return which bids there are where one card is called and a pair bids over it."""
    jokers = f", or of {' or of '.join(plural(2, word)[4:] for word in jokers_dealt(rules))} for no trump (无主)"
    who = "anybody, the same player too," if rules.overturn else "only the same player"
    return (
        f"The first bid shows one level card, whose suit is to be trumps. Then {who} may bid over it once, with a pair "
        f"of level cards of any suit{jokers if rules.no_trump_bids else ''} (反主). After that nobody bids."
    )


def _suits_of_bids(rules: RuleSet) -> str:
    if rules.bid_suits == "equal":
        return ""
    weakest, *others = (word for suit, word in _SUIT_WORDS.items() if suit in suits_dealt(rules))
    stronger = f"{', '.join(others[:-1])} and {others[-1]}" if len(others) > 1 else "".join(others)
    return f" Of as many level cards, two at least, {weakest} are the weakest, then {stronger}." if others else ""


def bid_ladder(rules: RuleSet) -> list[str]:
    """Return all bids, from weak to strong."""
    ladder = []
    for count in range(1, rules.decks + 1):
        ladder.append(plural(count, "level card"))
        if count > 1 and rules.no_trump_bids:
            joker_bids = [plural(count, word) for word in jokers_dealt(rules)]
            ladder += joker_bids if rules.joker_bids == "ranked" else [" or ".join(joker_bids)]
    return ladder


def nobody_bids(rules: RuleSet) -> list[str]:
    """Explain what names trumps without a bid, and when cards are dealt again (§4)."""
    if rules.bidding == "fixed":
        return []
    jokers = "; if all are jokers, there is no trump (无主)" if may_turn_up_jokers_only(rules) else ""
    turning = f"the kitty's cards are turned up in order until one is not a joker, and its suit is trumps{jokers}"
    first = "the first to draw is declarer, and "
    if rules.no_bid == "no_trump":
        with_declarer = without = "there is no trump (无主)"
    elif rules.no_bid == "random":
        with_declarer, first, without = "the trump suit is drawn by lot", "", "declarer and trump suit are drawn by lot"
    elif rules.no_bid == "flip_kitty":
        with_declarer, without = turning, "the kitty is turned up in the same way"
    else:
        which = "a suit" if len(suits_dealt(rules)) == NUM_SUITS else "a suit that is dealt"
        with_declarer = f"the declarer's partner names {which}{', or no trump (无主)' if rules.no_trump_bids else ''}"
        without = turning
    last = f"{first}{without}"
    if rules.max_redeals:
        times = "once" if rules.max_redeals == 1 else f"at most {rules.max_redeals} times"
        last = f"the cards are dealt again, {times}. If the last deal brings no bid either, {last}"
    first_round = _capital(_in_first_round(rules))
    return [f"If there is a declarer, {with_declarer}.", f"{first_round} {last}."]


def weak_hands(rules: RuleSet) -> list[str]:
    """Explain who may rebel, and what becomes of it (§4)."""
    if rules.rebellion == "none" or rules.bidding == "fixed":
        return []
    limits = ((rules.rebellion_points, "point"), (rules.rebellion_trumps, "trump"))
    weak = " or ".join(f"at most {plural(most, what)}" if most else f"no {what}s" for most, what in limits if most >= 0)
    again = "with the same declarer, if there was one, and the same first to draw"
    if rules.rebellion == "new_declarer":
        again = "the rebel is declarer, and draws first"
    if rules.rebellion == "no_declarer":
        again = "nobody is declarer, and a player chosen by lot draws first"
    times = "once" if rules.max_rebellions == 1 else f"{rules.max_rebellions} times"
    return [
        "Once trumps are named, and before the kitty is taken up, the attackers are asked in turn whether they rebel "
        f"(造反). {f'Only who holds {weak} may' if weak else 'No hand is weak enough'}.",
        f"The first to rebel ends the deal. The cards are dealt again and bid for anew: {again}. This happens at most "
        f"{times} in a round.",
    ]


def burying(rules: RuleSet) -> list[str]:
    """Explain how the declarer takes up the kitty and buries cards, and who may take it again (§5)."""
    if not rules.kitty:
        return ["Nothing is buried."]
    cards = plural(rules.kitty, "card")
    paragraphs = [
        f"The declarer takes the {cards} of the kitty into the hand, and buries as many face down: any cards. Nobody "
        "else sees them."
    ]
    if rules.kitty_retake == "overbid" and rules.bidding != "fixed" and rules.decks > 1:
        paragraphs.append(
            "If somebody has bid, those after whoever has buried are then asked in turn for an overbid (反底), "
            "a bid stronger than the one that stands, though never of its holder. Whoever makes one names the trumps "
            "with it, takes up what is buried, and buries in turn. When nobody has overbid in a full circle, the "
            "declarer leads; declarer and level stay the same."
        )
    return paragraphs
