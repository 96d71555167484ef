"""Sampled deals where the kitty has been taken up again, or may be: who held what, and who buried what.

The hidden cards are dealt to the other hands and the kitty as far as the seat to move knows where they can be. Then the
burials are made up from the last to the first: what a taker took up are any cards of what it has held since, but

| cards | are |
|---|---|
| that the seat to move has buried or taken up itself | as it knows them |
| that it has passed on | with a later taker, or in the kitty |
| that a taker had shown in its bids by then | its own: with it, with a later taker, or in the kitty |

Cards are drawn one by one, by the room that is left, so not all deals are equally likely here.

Source: docs/rules.md §5; docs/environments/positions.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import suit_of_slot

Cards: TypeAlias = NDArray[np.int64]
"""Counts by card id, shape (54,)."""

KITTY = NUM_SEATS
"""The place of cards that lie in the kitty; the other places are the seats."""
_CARDS = np.arange(NUM_CARDS)


class Taking(NamedTuple):
    """A seat has taken up the kitty."""

    seat: int
    """Who."""
    shown: Cards
    """What it had shown in bids by then."""
    taken: Cards
    """What it took up."""
    buried: Cards | None
    """What it buried; None: it is to bury."""


@dataclass(frozen=True)
class Dealt:
    """A deal that has been made up."""

    hands: dict[int, Cards]
    """What each seat was dealt."""
    kitty: Cards
    """What lay in the kitty at first."""
    burials: list[Cards]
    """What was buried, in order."""


@dataclass(frozen=True)
class Knowledge:
    """What a seat knows of the cards.

    Only what it may know of `takings` is read: what it has taken up or buried itself.
    """

    rules: RuleSet
    seat: int
    takings: Sequence[Taking]
    hands: Sequence[Cards]
    """By seat: its own hand; of the others, what is known to be held."""
    played: Sequence[Cards]
    """By seat."""
    voids: NDArray[np.int8]
    """(4, 5), by seat and effective suit."""
    slots: Any
    """(54,) the slot of each card id, with the trumps of now."""
    trump: int
    """The trumps of now, 0..4."""

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
        left = np.array(self.rules.copies) - sum(held)
        forced = [np.zeros(NUM_CARDS, np.int64) for _ in range(len(self.takings) + 1)]
        if not self._place(left, held, room, forced, random):
            return None
        return self._go_back(held, forced, random)

    def _place(
        self,
        left: Cards,
        held: list[Cards],
        room: list[int],
        forced: list[Cards],
        random: np.random.Generator,
    ) -> bool:
        """Deal the hidden cards to hands and kitty; `forced` gets what each burial must hold for it."""
        traced = self._traced(left)
        loose = left - sum((np.bincount([card], minlength=NUM_CARDS) for card, _, _ in traced), np.zeros_like(left))
        cards = [*traced, *((card, -1, False) for card in random.permutation(np.repeat(_CARDS, loose)).tolist())]
        cards.sort(key=lambda each: len(self._places(*each)))
        for card, origin, is_own in cards:
            open_room = [room[place] for place in self._places(card, origin, is_own)]
            if sum(open_room) <= 0:
                return False
            odds = np.array(open_room) / sum(open_room)
            place = int(random.choice(self._places(card, origin, is_own), p=odds))
            held[place][card] += 1
            room[place] -= 1
            if origin >= 0:
                self._force(card, origin, is_own, place, forced)
        return not any(room)

    def _traced(self, left: Cards) -> list[tuple[int, int, bool]]:
        """Return hidden cards of which it is known through whose hands they have come: card, taking, whether shown."""
        traced: list[tuple[int, int, bool]] = []
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
                traced.append((card, index, is_own))
                free[card] -= 1
        return traced

    def _passed_on(self, index: int) -> Cards:
        """Return what the seat has buried and has not seen since, with a later taker."""
        buried = self.takings[index].buried
        assert buried is not None
        later = {taking.seat for taking in self.takings[index + 1 :]} - {self.seat}
        seen = sum((self.played[seat] + self.hands[seat] for seat in later), np.zeros(NUM_CARDS, np.int64))
        again = [taking.taken for taking in self.takings[index + 1 :] if taking.seat == self.seat]
        return buried - seen - (again[0] if again else 0)

    def _places(self, card: int, origin: int, is_own: bool) -> list[int]:
        """Return where a hidden card can be."""
        places = [*(seat for seat in range(NUM_SEATS) if seat != self.seat), KITTY]
        if origin >= 0:
            later = {taking.seat for taking in self.takings[origin + (not is_own) :]}
            places = [place for place in places if place in later or place == KITTY]
        suit = int(suit_of_slot(int(self.slots[card]), self.trump))
        return [place for place in places if place == KITTY or not self.voids[place, suit]]

    def _force(self, card: int, origin: int, is_own: bool, place: int, forced: list[Cards]) -> None:
        """Note in which burials a card must have lain to come where it is; burial i + 1 is that of taking i."""
        ends = [index for index in range(origin, len(self.takings)) if self.takings[index].seat == place]
        if is_own and ends and ends[0] == origin:
            return
        end = min((index for index in ends if index > origin), default=len(self.takings))
        for index in range(origin, end):
            forced[index + 1][card] += 1

    def _go_back(self, held: list[Cards], forced: list[Cards], random: np.random.Generator) -> Dealt | None:
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

    def _draw_taken(self, pool: Cards, shown: Cards, forced: Cards, random: np.random.Generator) -> Cards | None:
        free = pool - shown - forced
        missing = self.rules.kitty - int(forced.sum())
        if (free < 0).any() or not 0 <= missing <= free.sum():
            return None
        chosen = random.permutation(np.repeat(_CARDS, free))[:missing]
        counts: Cards = forced + np.bincount(chosen, minlength=NUM_CARDS)
        return counts
