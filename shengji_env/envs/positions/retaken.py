"""Sampled deals where the kitty has been taken up again, or may be: who held what, and who buried what.

The hidden cards are dealt to the other hands and the kitty as far as the seat to move knows where they can be. Then the
burials are made up from the last to the first: what a taker took up are any cards of what it has held since, but

| cards | are |
|---|---|
| that the seat to move has buried or taken up itself | as it knows them |
| that it has passed on | with a later taker, or in the kitty |
| that a taker had shown in its bids by then | its own: with it, with a later taker, or in the kitty |

Cards are drawn one by one, by the room that is left; if a card finds none, others make room. Then hidden cards change
places at random until no earlier play contradicts them. So not all deals are equally likely here.

Source: docs/rules.md §5; docs/environments/positions.md.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import suit_of_slot

ByCard: TypeAlias = NDArray[np.int64]
"""Counts by card id, shape (54,)."""

KITTY = NUM_SEATS
"""The place of cards that lie in the kitty; the other places are the seats."""
MAX_EXCHANGES = 1000
"""How often two hidden cards are tried in each other's places, for a deal that no play contradicts."""
_CARDS = np.arange(NUM_CARDS)


class Taking(NamedTuple):
    """A seat has taken up the kitty."""

    seat: int
    """Who."""
    shown: ByCard
    """What it had shown in bids by then."""
    taken: ByCard
    """What it took up."""
    buried: ByCard | None
    """What it buried; None: it is to bury."""


class Hidden(NamedTuple):
    """A hidden card."""

    card: int
    """Its id."""
    places: list[int]
    """Where it can be."""
    origin: int = -1
    """Index of the last taking of which it is known that the card passed through it; -1: of none."""
    is_own: bool = False
    """Whether it was the taker's own then, shown in a bid; otherwise the seat to move has buried it."""


@dataclass(frozen=True)
class Dealt:
    """A deal that has been made up."""

    hands: dict[int, ByCard]
    """What each seat was dealt."""
    kitty: ByCard
    """What lay in the kitty at first."""
    burials: list[ByCard]
    """What was buried, in order."""


@dataclass(frozen=True)
class Knowledge:
    """What a seat knows of the cards.

    Only what it may know of `takings` is read: what it has taken up or buried itself.
    """

    rules: RuleSet
    seat: int
    takings: Sequence[Taking]
    hands: Sequence[ByCard]
    """By seat: its own hand; of the others, what is known to be held."""
    played: Sequence[ByCard]
    """By seat."""
    voids: NDArray[np.int8]
    """(4, 5), by seat and effective suit."""
    slots: Any
    """(54,) the slot of each card id, with the trumps of now."""
    trump: int
    """The trumps of now, 0..4."""
    num_contradicted: Callable[[NDArray[np.int64]], int]
    """How many earlier plays contradict hands (4, 54), by card id."""

    def draw(self, random: np.random.Generator) -> Dealt | None:
        """Make up a deal; None if the cards drawn cannot be brought about."""
        held = [self.hands[seat] + self.played[seat] for seat in range(NUM_SEATS)]
        room = [self.rules.hand - int(cards.sum()) for cards in held]
        last = self.takings[-1]
        kitty = np.zeros(NUM_CARDS, np.int64)
        if last.seat == self.seat:
            kitty += 0 if last.buried is None else last.buried
            room[self.seat] = 0
        room.append(self.rules.kitty - int(kitty.sum()) if last.seat != self.seat else 0)
        held.append(kitty)
        hidden = self._list_hidden(np.array(self.rules.copies) - sum(held), random)
        places = _find_places(hidden, room, random)
        if places is None:
            return None
        self._exchange(hidden, places, random)
        forced = [np.zeros(NUM_CARDS, np.int64) for _ in range(len(self.takings) + 1)]
        for each, place in zip(hidden, places, strict=True):
            held[place][each.card] += 1
            if each.origin >= 0:
                self._force(each, place, forced)
        return self._go_back(held, forced, random)

    def _list_hidden(self, left: ByCard, random: np.random.Generator) -> list[Hidden]:
        """List the hidden cards, those with the fewest places first."""
        hidden = self._traced(left)
        loose = left - np.bincount([each.card for each in hidden], minlength=NUM_CARDS)
        places = {card: self._places(card) for card in np.flatnonzero(loose).tolist()}
        hidden += [Hidden(card, places[card]) for card in random.permutation(np.repeat(_CARDS, loose)).tolist()]
        return sorted(hidden, key=lambda each: len(each.places))

    def _exchange(self, hidden: Sequence[Hidden], places: list[int], random: np.random.Generator) -> None:
        """Let hidden cards change places until no earlier play contradicts the hands, or it has been tried often."""
        hands = np.array(self.hands, np.int64)
        for each, place in zip(hidden, places, strict=True):
            if place != KITTY:
                hands[place, each.card] += 1
        contradicted = self.num_contradicted(hands)
        for _ in range(MAX_EXCHANGES if len(hidden) > 1 else 0):
            if contradicted == 0:
                return
            first, second = random.integers(len(hidden), size=2).tolist()
            if places[first] == places[second] or hidden[first].card == hidden[second].card:
                continue
            if places[second] in hidden[first].places and places[first] in hidden[second].places:
                changed = hands.copy()
                for one, other in ((first, second), (second, first)):
                    if places[one] != KITTY:
                        changed[places[one], hidden[one].card] -= 1
                        changed[places[one], hidden[other].card] += 1
                now = self.num_contradicted(changed)
                if now <= contradicted:
                    places[first], places[second] = places[second], places[first]
                    hands, contradicted = changed, now

    def _traced(self, left: ByCard) -> list[Hidden]:
        """Return hidden cards of which it is known through whose hands they have come."""
        traced: list[Hidden] = []
        free = left.copy()
        for index in reversed(range(len(self.takings))):
            taking = self.takings[index]
            is_own = taking.seat != self.seat
            if is_own:
                cards = taking.shown - self.played[taking.seat] - self.hands[taking.seat]
            elif taking.buried is not None and index < len(self.takings) - 1:
                cards = self._passed_on(index)
            else:
                continue
            for card in np.repeat(_CARDS, np.clip(cards, 0, free)).tolist():
                traced.append(Hidden(card, self._places(card, index, is_own), index, is_own))
                free[card] -= 1
        return traced

    def _passed_on(self, index: int) -> ByCard:
        """Return what the seat has buried and has not seen since, with a later taker."""
        buried = self.takings[index].buried
        assert buried is not None
        later = {taking.seat for taking in self.takings[index + 1 :]} - {self.seat}
        seen = sum((self.played[seat] + self.hands[seat] for seat in later), np.zeros(NUM_CARDS, np.int64))
        again = [taking.taken for taking in self.takings[index + 1 :] if taking.seat == self.seat]
        return buried - seen - (again[0] if again else 0)

    def _places(self, card: int, origin: int = -1, is_own: bool = False) -> list[int]:
        """Return where a hidden card can be; its origin as in `Hidden`."""
        places = [*(seat for seat in range(NUM_SEATS) if seat != self.seat), KITTY]
        if origin >= 0:
            later = {taking.seat for taking in self.takings[origin + (not is_own) :]}
            places = [place for place in places if place in later or place == KITTY]
        suit = int(suit_of_slot(int(self.slots[card]), self.trump))
        return [place for place in places if place == KITTY or not self.voids[place, suit]]

    def _force(self, hidden: Hidden, place: int, forced: list[ByCard]) -> None:
        """Note in which burials a card must have lain to come where it is; burial i + 1 is that of taking i."""
        first = hidden.origin
        ends = [index for index in range(first, len(self.takings)) if self.takings[index].seat == place]
        if hidden.is_own and ends and ends[0] == first:
            return
        end = min((index for index in ends if index > first), default=len(self.takings))
        for index in range(first, end):
            forced[index + 1][hidden.card] += 1

    def _go_back(self, held: list[ByCard], forced: list[ByCard], random: np.random.Generator) -> Dealt | None:
        """Undo the burials from the last to the first."""
        hands = {seat: held[seat] for seat in range(NUM_SEATS)}
        buried, burials = held[KITTY], []
        for index in reversed(range(len(self.takings))):
            taking = self.takings[index]
            if taking.buried is not None:
                burials.append(buried)
            pool = hands[taking.seat] + (buried if taking.buried is not None else 0)
            before = self.takings[index - 1].seat if index else None
            if self.seat in (taking.seat, before):
                taken = taking.taken
            else:
                drawn = self._draw_taken(pool, taking.shown, forced[index], random)
                if drawn is None:
                    return None
                taken = drawn
            if (pool < taken).any():
                return None
            hands[taking.seat] = pool - taken
            buried = taken
        return Dealt(hands, buried, burials[::-1])

    def _draw_taken(self, pool: ByCard, shown: ByCard, forced: ByCard, random: np.random.Generator) -> ByCard | None:
        free = pool - shown - forced
        missing = self.rules.kitty - int(forced.sum())
        if (free < 0).any() or not 0 <= missing <= free.sum():
            return None
        chosen = random.permutation(np.repeat(_CARDS, free))[:missing]
        counts: ByCard = forced + np.bincount(chosen, minlength=NUM_CARDS)
        return counts


def _find_places(hidden: Sequence[Hidden], room: list[int], random: np.random.Generator) -> list[int] | None:
    """Draw a place for each hidden card, by the room that is left; None if there is no way to place them all."""
    places: list[int] = []
    for each in hidden:
        while True:
            weights = [room[place] for place in each.places]
            if sum(weights) > 0:
                break
            if not _make_room(hidden, places, each.places, room):
                return None
        places.append(each.places[_draw_index(weights, random)])
        room[places[-1]] -= 1
    return places


def _draw_index(weights: Sequence[int], random: np.random.Generator) -> int:
    """Draw an index as ``random.choice(p=...)`` does, bit for bit, but without its arrays."""
    total = sum(weights)
    sums = list(accumulate(weight / total for weight in weights))
    return bisect_right([each / sums[-1] for each in sums], random.random())


def _make_room(hidden: Sequence[Hidden], places: list[int], wanted: list[int], room: list[int]) -> bool:
    """Move cards that have a place, each to where the next one was, so that one of the places wanted has room."""
    came_from: dict[int, tuple[int, int]] = {}
    reached = list(wanted)
    for place in reached:
        for index, (each, at) in enumerate(zip(hidden, places, strict=False)):
            if at == place:
                for other in each.places:
                    if other not in reached:
                        came_from[other] = (place, index)
                        reached.append(other)
    end = next((place for place in reached if room[place] > 0), None)
    if end is None:
        return False
    room[end] -= 1
    while end not in wanted:
        end_before, index = came_from[end]
        places[index], end = end, end_before
    room[end] += 1
    return True
