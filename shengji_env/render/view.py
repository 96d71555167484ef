"""The view value: what one viewer may see of a table, and nothing else.

Pictures, the table as text, the replay page and everything else that shows a table to somebody are made from this value
alone, so what is not in it cannot leak. It is made from a state, and from the public history of the round
(`PublicHistory`), since a state does not remember the last trick.

| viewer | sees |
|---|---|
| `None` | everything: all hands, the kitty, the buried cards |
| a seat | its own hand, the cards it takes for a decision, what it has buried last |
| `WATCHER` | only what everybody has seen |

While bids are made, and where weak hands may rebel, only seats that can are asked. So ``seat`` is then shown only to
that seat.

Source: docs/pictures.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cache
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import CARD_POINTS, CARD_TEXTS, LITTLE_JOKER, NUM_RANKS, NUM_SUITS, RANKS, parse_card_list
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NUM_SLOTS, TRUMP, card_of_slot, suit_of_slot
from shengji_env.engine.state import NOBODY, STATE_DTYPE, UNNAMED, Phase, Winner
from shengji_env.errors import ShengjiError, show

VIEW_FORMAT = "shengji-view/1"
WATCHER = -1
_PLAIN_STATE: np.dtype[np.void] = np.dtype((np.void, STATE_DTYPE))
_LEAVES = frozenset((str, int, type(None)))
"""Types of most values that are JSON as they are."""
HAND_ORDER = "TSHCD"
"""Effective suits as a hand shows them: the trumps, then the plain suits with colours alternating."""


@dataclass(frozen=True)
class Hand:
    """A seat's hand."""

    size: int
    """Number of cards; everybody can count them."""
    cards: Mapping[str, str] | None
    """The cards of each effective suit (`HAND_ORDER`), highest first; None if the viewer may not see them."""
    known: str
    """Cards that everybody knows it to hold, from bids and failed throws."""


@dataclass(frozen=True)
class Trick:
    """Cards on the table."""

    leader: int | None
    """Seat that leads; None before the first trick."""
    winning: int | None
    """Seat whose play is winning, or has won."""
    points: int
    """Points in it so far."""
    plays: Mapping[str, str]
    """What each seat has played, by seat "0" to "3"; no text for nothing."""
    thrown: str
    """The leader's throw, if it failed; otherwise no text."""


@dataclass(frozen=True)
class ShownBid:
    """A bid."""

    seat: int
    """Seat that bids."""
    cards: str
    """The cards it shows."""


@dataclass(frozen=True)
class View:
    """What one viewer may see of a table. Cards are text (``HK HK``), seats 0..3, ranks and trumps as in records."""

    rules: str
    """The rules, as text."""
    viewer: int | None
    """Who looks: a seat, -1 for a watcher, None for all hands open."""
    names: tuple[str, ...]
    """Who sits in the four seats; empty if that is not known."""
    match_round: int
    """Number of the round in its match, from 1."""
    phase: str
    """What is to be decided: bid, name, rebel, bury, lead, forced, follow, or over; a bid for named trumps overbids."""
    seat: int | None
    """Seat to move; None when the round is over, and while another seat may be asked to bid or rebel."""
    levels: tuple[str, ...]
    """Level of each team, a rank; seats 0 and 2 are the first."""
    level_rank: str | None
    """Level rank of the round; None until trumps are named."""
    trump: str | None
    """Trumps: C D H S or NT; None until they are named."""
    declarer: int | None
    """Seat that declares this round; None while nobody does."""
    takers: tuple[int, ...]
    """Seats that have taken up the kitty, in order; the last one buries, or has buried."""
    rebellions: int
    """Deals of the round that rebellions have ended."""
    drawn: int
    """Cards drawn so far by all seats together."""
    to_draw: int
    """Cards that all seats together draw."""
    tricks: int
    """Tricks finished."""
    attackers_points: int
    """Points that the attackers have."""
    threshold: int
    """Points from which on the attackers take over."""
    bids: tuple[ShownBid, ...]
    """All bids so far, as far as they are remembered; the last one stands."""
    hands: Mapping[str, Hand]
    """The hands, by seat "0" to "3"."""
    taken: str
    """Cards of the hand that are taken for the decision under way."""
    trick: Trick
    """The trick on the table; when the round is over, the last one."""
    last_trick: Trick | None
    """The trick before it, if it is remembered."""
    turned: str
    """Cards turned up from the kitty."""
    kitty: str | None
    """The kitty before it is taken up; None if the viewer may not see it."""
    buried: str | None
    """The cards that lie buried; None if the viewer may not see them, or nothing is buried."""
    buried_points: int | None
    """Their points."""
    passed_on: Mapping[str, str]
    """What seats have buried last, if others have taken it up since, by seat; only what the viewer may see."""
    result: Mapping[str, Any] | None
    """The result, once the round is over."""

    def to_json(self) -> dict[str, Any]:
        """Return the view as JSON values, with its ``format``."""
        return {"format": VIEW_FORMAT, **{name: _to_json(value) for name, value in vars(self).items()}}


class PublicHistory(NamedTuple):
    """What a state does not remember, though everybody has public or seen it."""

    bids: tuple[ShownBid, ...] = ()
    """All bids so far."""
    thrown: str = ""
    """The failed throw of the trick on the table."""
    last_trick: Trick | None = None
    """The trick before the one on the table."""


def view_table(
    state: np.void | np.record,
    rules: RuleSet,
    *,
    viewer: int | None = None,
    names: Sequence[str] = (),
    public: PublicHistory | None = None,
) -> View:
    """Return what a viewer may see of a table.

    Args:
        state: one `engine.state.STATE_DTYPE` value; it may lack what the viewer may not see.
        rules: the rules of the game.
        viewer: a seat, `WATCHER`, or None for all cards.
        names: who sits in the four seats.
        public: what else is remembered of the round.

    Raises:
        ShengjiError: there is no such viewer, or there are not four names.
    """
    if viewer is not None and viewer not in range(WATCHER, NUM_SEATS):
        seats = f"seats are 0..{NUM_SEATS - 1}, {WATCHER} is a watcher, None sees all"
        raise ShengjiError(f"viewer={show(viewer)} is nobody; {seats}")
    if len(names) not in (0, NUM_SEATS):
        raise ShengjiError(f"names={show(names)} must be {NUM_SEATS} names, or none")
    return _Looking(state, rules, None if viewer is None else int(viewer)).view(tuple(names), public or PublicHistory())


class _Looking:
    """A state and who looks at it."""

    def __init__(self, state: Any, rules: RuleSet, viewer: int | None) -> None:
        self.record = state
        # Fields of `np.record` are read many times more slowly.
        self.state = np.asarray(state).view(_PLAIN_STATE)[()]
        self.rules = rules
        self.viewer = viewer
        self.phase = Phase(int(self.state["phase"]))
        self.is_over = self.phase == Phase.OVER
        self.is_named = int(self.state["trump"]) != UNNAMED
        self.mover = int(self.state["seat"])
        self.declarer = int((self.state["result"] if self.is_over else self.state)["declarer"])
        self.burier = int(last_taker(state))
        self.readings: dict[int, tuple[int, int]] = {}

    def view(self, names: tuple[str, ...], public: PublicHistory) -> View:
        state, rules = self.state, self.rules
        buried = self._buried()
        return View(
            rules=str(rules),
            viewer=self.viewer,
            names=names,
            match_round=int(state["match_round"]) + (0 if self.is_over else 1),
            phase=self.phase.name.lower(),
            seat=self._seat_to_move(),
            levels=tuple(RANKS[level] for level in state["levels"].tolist()),
            level_rank=RANKS[int(state["level_rank"])] if self.is_named else None,
            trump=TRUMP_TEXTS[int(state["trump"])] if self.is_named else None,
            declarer=_seat(self.declarer),
            takers=tuple(state["takers"][: state["num_takers"]].tolist()),
            rebellions=int(state["rebellions"]),
            drawn=int(state["drawn"]),
            to_draw=NUM_SEATS * rules.hand,
            tricks=int(state["tricks"]),
            attackers_points=int((state["result"] if self.is_over else state)["attackers_points"]),
            threshold=rules.table.threshold,
            bids=public.bids or self._standing_bid(),
            hands={str(seat): self._hand(seat) for seat in range(NUM_SEATS)},
            taken=self._cards(state["taken"], self.mover) if self.mover != NOBODY and self._sees(self.mover) else "",
            trick=self._trick(public.thrown),
            last_trick=public.last_trick,
            turned=self._cards(state["turned"], 0),
            kitty=self._kitty(),
            buried=buried,
            buried_points=None if buried is None else points_of(buried),
            passed_on=self._passed_on(),
            result=self._result(),
        )

    def _sees(self, seat: int) -> bool:
        return self.viewer is None or self.viewer == seat

    def _seat_to_move(self) -> int | None:
        """Return who is to move; that a seat is asked to bid or rebel would tell what it holds."""
        is_hidden = self.phase in (Phase.BID, Phase.REBEL) and not self._sees(self.mover)
        return None if is_hidden else _seat(self.mover)

    def _cards(self, by_slot: NDArray[np.int8], seat: int) -> str:
        """Return cards, highest first, the trumps before the plain suits."""
        return " ".join(filter(None, self._groups(by_slot, seat).values())) if any(by_slot.tolist()) else ""

    def _groups(self, by_slot: NDArray[np.int8], seat: int) -> dict[str, str]:
        groups: dict[str, list[str]] = {name: [] for name in HAND_ORDER}
        counts = by_slot[::-1].tolist()
        held = compress(zip(_cards_of_slots(*self._reading(seat)), counts, strict=True), counts)
        for (name, text), count in held:
            groups[name] += [text] * count
        return {name: " ".join(texts) for name, texts in groups.items()}

    def _reading(self, seat: int) -> tuple[int, int]:
        """Return by which trumps and level rank a seat's slots are cards."""
        if seat not in self.readings:
            trump, level = reading_of(self.record, seat)
            # Once trumps are named, all seats read alike.
            self.readings |= dict.fromkeys(range(NUM_SEATS) if self.is_named else (seat,), (int(trump), int(level)))
        return self.readings[seat]

    def _hand(self, seat: int) -> Hand:
        cards = self._groups(self.state["hands"][seat], seat) if self._sees(seat) else None
        return Hand(self._hand_size(seat), cards, self._known(seat))

    def _hand_size(self, seat: int) -> int:
        """Return how many cards a seat holds, from what all have seen."""
        state, rules = self.state, self.rules
        if not self.is_named:
            turn = (seat - int(state["first_drawer"])) % NUM_SEATS
            return (int(state["drawn"]) - turn + NUM_SEATS - 1) // NUM_SEATS
        kitty = rules.kitty if self.phase == Phase.BURY and seat == self.mover else 0
        return rules.hand + kitty - int(state["played"][seat].sum())

    def _known(self, seat: int) -> str:
        known = self.state["known"][seat]
        if self.is_named:
            return self._cards(known, seat)
        return " ".join(text for text, count in zip(CARD_TEXTS, known.tolist(), strict=True) for _ in range(count))

    def _standing_bid(self) -> tuple[ShownBid, ...]:
        count, kind, seat = (int(self.state[name]) for name in ("bid_count", "bid_kind", "bid_seat"))
        if not count:
            return ()
        _, level = self._reading(seat)
        card = kind * NUM_RANKS + level if kind < NUM_SUITS else LITTLE_JOKER + kind - NUM_SUITS
        return (ShownBid(seat, " ".join([CARD_TEXTS[card]] * count)),)

    def _trick(self, thrown: str) -> Trick:
        state = self.state
        plays = {str(seat): self._cards(state["trick"][seat], seat) for seat in range(NUM_SEATS)}
        return Trick(_seat(state["leader"]), _seat(state["winning"]), int(state["trick_points"]), plays, thrown)

    def _kitty(self) -> str | None:
        if self.burier != NOBODY or self.is_over or self.viewer is not None or not self.rules.kitty:
            return None
        first = NUM_SEATS * self.rules.hand
        return " ".join(CARD_TEXTS[card] for card in self.state["deal"][first : first + self.rules.kitty])

    def _buried(self) -> str | None:
        """Return the buried cards; the kitty is shown at the end of the round."""
        if not self.is_named or not (self.is_over or self._sees(self.burier)) or not self.state["buried"].any():
            return None
        return self._cards(self.state["buried"], self.burier)

    def _passed_on(self) -> dict[str, str]:
        """Return what seats have passed on; nobody else knows it."""
        rows = self.state["passed_on"]
        return {
            str(seat): self._cards(rows[seat], seat)
            for seat in range(NUM_SEATS)
            if self._sees(seat) and any(rows[seat].tolist())
        }

    def _result(self) -> dict[str, Any] | None:
        if not self.is_over:
            return None
        result = self.state["result"]
        winner = Winner(int(result["winner"]))
        return {
            "winner": None if winner == Winner.DRAW else winner.name.lower(),
            "levels": int(result["levels"]),
            "levels_lost": int(result["levels_lost"]),
            "kitty_points": int(result["kitty_points"]),
            "kitty_multiplier": int(result["kitty_multiplier"]),
            "next_declarer": _seat(result["next_declarer"]),
            "match_over": bool(result["match_over"]),
            "match_winner": _seat(result["match_winner"]),
        }


@cache
def _cards_of_slots(trump: int, level: int) -> tuple[tuple[str, str], ...]:
    """Return for each slot, highest first, the group of a hand that it belongs to, and its card."""
    texts = [CARD_TEXTS[card_of_slot(slot, trump, level)] for slot in range(NUM_SLOTS)]
    groups = ["T" if suit_of_slot(slot, trump) == TRUMP else text[0] for slot, text in enumerate(texts)]
    return tuple(zip(groups, texts, strict=True))[::-1]


def points_of(cards: str) -> int:
    """Return the points of cards written as text."""
    return sum(int(CARD_POINTS[card]) for card in parse_card_list(cards))


def _to_json(value: Any) -> Any:
    """Return a part of a view as JSON values; `dataclasses.asdict`, which copies every text, takes much longer."""
    if type(value) in _LEAVES:
        return value
    if is_dataclass(value):
        return {name: _to_json(part) for name, part in vars(value).items()}
    if isinstance(value, dict):
        return {name: _to_json(part) for name, part in value.items()}
    return tuple(map(_to_json, value)) if isinstance(value, tuple) else value


def _seat(seat: Any) -> int | None:
    """Return a seat, or None for nobody."""
    return None if int(seat) == NOBODY else int(seat)
