"""Small games: rounds that begin in the same way but for the deal, and all deals of their few cards.

Seat 0 declares, the last of the suits that are dealt is trumps (spades), and the level of both teams is the lowest rank
of which no card is dealt. Nobody bids, and there is no kitty.

A deal is written with each hand in ascending order, though its cards may come in any: nothing depends on the order in
which a seat draws its cards where nobody bids. So a deal here stands for all orders of it, which its ways count.

Source: research/small_games.md; docs/rules.md §2.
"""

from collections.abc import Iterator, Sequence
from math import comb
from typing import Any, NamedTuple

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import CARD_TEXTS, LITTLE_JOKER, NUM_CARDS, NUM_RANKS, RANKS
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.errors import RuleSetError

DECLARER = 0
"""The seat that declares."""
MAX_DEALS = 20_000
"""Most deals that are listed."""


class WholeDeal(NamedTuple):
    """The four hands."""

    hands: tuple[tuple[int, ...], ...]
    """Card ids of each seat, ascending."""
    ways: int
    """In how many ways the copies of each card can be given to the seats so: deals are as likely as this number."""

    @property
    def order(self) -> tuple[int, ...]:
        """All cards in the order in which they are drawn, from seat 0 on."""
        return tuple(card for each in zip(*self.hands, strict=True) for card in each)

    @property
    def text(self) -> str:
        """`order` as `reset` takes it: card texts."""
        return " ".join(CARD_TEXTS[card] for card in self.order)


def small_start(rules: RuleSet, deal: WholeDeal) -> dict[str, Any]:
    """Return the options of `reset` with which a deal of a small game begins."""
    level = _undealt_level(rules)
    trump = max(card // NUM_RANKS for card, copies in enumerate(rules.copies[:LITTLE_JOKER]) if copies)
    return {"deal": deal.text, "levels": [level, level], "declarer": DECLARER, "trump": TRUMP_TEXTS[trump]}


def _undealt_level(rules: RuleSet) -> str:
    """Return the lowest rank of which no card is dealt, as the level of both teams.

    Raises:
        RuleSetError: all ranks are dealt.
    """
    ranks = {card % NUM_RANKS for card, copies in enumerate(rules.copies[:LITTLE_JOKER]) if copies}
    for index, rank in enumerate(RANKS):
        if index not in ranks:
            return rank
    raise RuleSetError(f"{rules} deals cards of all ranks; a small game has a level of which there is no card")


def check_small(rules: RuleSet) -> None:
    """Refuse rule sets that are no small games.

    Raises:
        RuleSetError: there are bids, a kitty or unseen throws, more than MAX_DEALS deals, or cards of all ranks.
    """
    can = "small_two_ranks, small_three_ranks and small_four_ranks can be solved"
    if rules.bidding != "fixed" or rules.kitty:
        raise RuleSetError(f"{rules} has bids or a kitty, and only tricks can be solved; {can}")
    if rules.throws and rules.failed_throw == "lowest_card":
        raise RuleSetError(f"in {rules} nobody sees throws that fail, and only what all see can be solved; {can}")
    if num_deals(rules) > MAX_DEALS:
        raise RuleSetError(f"{rules} has more than {MAX_DEALS:,} deals, too many to be solved; {can}")
    _undealt_level(rules)


def num_deals(rules: RuleSet) -> int:
    """Return how many deals there are, equal cards not told apart; a lower bound if it is more than MAX_DEALS."""
    ways = {(rules.hand,) * NUM_SEATS: 1}
    for copies in filter(None, rules.copies):
        later: dict[tuple[int, ...], int] = {}
        for room, count in ways.items():
            for share in _shares(room, copies):
                left = tuple(sorted(have - given for have, given in zip(room, share, strict=True)))
                later[left] = later.get(left, 0) + count
        ways = later
        if sum(ways.values()) > MAX_DEALS:  # each way to deal some of the cards can be completed
            break
    return sum(ways.values())


def whole_deals(rules: RuleSet) -> list[WholeDeal]:
    """Return all deals, each once.

    Raises:
        RuleSetError: they are more than MAX_DEALS, or the rules have bids, a kitty or cards of all ranks.
    """
    check_small(rules)
    return [WholeDeal(hands, ways) for hands, ways in _dealt(rules, 0, ((),) * NUM_SEATS, 1)]


def _dealt(
    rules: RuleSet, card: int, hands: tuple[tuple[int, ...], ...], ways: int
) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """Deal the cards from one on, in all ways."""
    while card < NUM_CARDS and not rules.copies[card]:
        card += 1
    if card == NUM_CARDS:
        yield hands, ways
        return
    room = [rules.hand - len(hand) for hand in hands]
    for share in _shares(room, rules.copies[card]):
        later = tuple(hand + (card,) * given for hand, given in zip(hands, share, strict=True))
        yield from _dealt(rules, card + 1, later, ways * _multinomial(share))


def _shares(room: Sequence[int], copies: int) -> Iterator[tuple[int, ...]]:
    """Share copies of a card out among seats that have room for so many cards."""
    if not room:
        if not copies:
            yield ()
        return
    for given in range(min(room[0], copies) + 1):
        for others in _shares(room[1:], copies - given):
            yield (given, *others)


def _multinomial(share: Sequence[int]) -> int:
    left, ways = sum(share), 1
    for given in share:
        ways *= comb(left, given)
        left -= given
    return ways
