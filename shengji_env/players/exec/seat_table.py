"""A table as one seat knows it, made from the messages that the seat gets.

A player that is asked here is shown the same as at the table itself: observation, legal actions, the state as the seat
knows it and all plays (`players.decisions`). The engine makes every play that a message describes. Where it looks into
hands that the seat does not know, these hold cards that make it do what has really happened:

| hand | holds |
|---|---|
| the seat's own | its cards |
| of the seat that plays | the cards of its play |
| every other | a lowest card, which beats nothing, and shows that the round is not over |

Who has won a trick, and who leads the next, is what the messages say: at another host's table it may be somebody else
than the engine finds.

Source: docs/protocol.md.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, NAME, PASS, TRUMP_TEXTS, parse_action
from shengji_env.engine.bids import bid_level, count_of_action, kind_of_action, reading_of
from shengji_env.engine.cards import RANKS, count_cards, parse_card_list
from shengji_env.engine.components import length_of, shape_of, top_of, top_slot_of, width_of
from shengji_env.engine.masks import write_mask
from shengji_env.engine.opening import DRAWING
from shengji_env.engine.referee import Trump
from shengji_env.engine.referee.play_position import slots_in_order
from shengji_env.engine.referee.values import to_slots
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP, slot_of_card, suit_of_slot
from shengji_env.engine.state import NOBODY, NUM_TEAMS, UNNAMED, Phase
from shengji_env.players.decisions import num_plays
from shengji_env.players.exec import bot_messages as messages
from shengji_env.records.transcript import KINDS
from shengji_env.tables.queries import observe_seat
from shengji_env.tables.settings import TableSettings
from shengji_env.tables.tables import Tables

_PHASES = {kind: phase for phase, kind in KINDS.items()}
_NOTHING_YET = (
    "hands", "known", "played", "trick", "voids", "buried", "passed_on", "turned", "deal", "taken", "attackers_points",
    "tricks", "trick_points", "position", "lead_size", "num_components", "num_choices", "num_owed", "must_match",
    "taken_size", "last_slot", "drawn", "bid_count", "bid_kind", "num_takers",
)  # fmt: skip
"""Fields of a state that are 0 as a round begins."""
_LOWEST = 0
"""A slot whose cards beat nothing: the lowest of the first plain suit."""


class SeatTable:
    """One table, followed from one seat.

    Args:
        rules: the rules.

    Attributes:
        tables: the table, as players are shown it.
        seat: the seat.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.tables = Tables(TableSettings(rules=rules, history=num_plays(rules)), np.zeros(1, np.int64))
        self.seat = 0
        self._record = rules.record()
        self._trump = Trump(None, "2")
        self._lead: messages.BotLead | None = None
        self._bid_drawn = self._points = 0
        self._is_taken = False
        self._handlers: Mapping[str, Callable[[Any], None]] = {
            "round": self._begin, "draw": self._draw, "bid": self._bid, "trumps": self._name_trumps,
            "takes": self._take_up, "kitty": self._take_kitty, "bury": self._bury, "lead": self._note_lead,
            "led": self._lead_component,
            "follow": self._follow, "trick": self._end_trick,
        }  # fmt: skip

    @property
    def _state(self) -> Any:
        return self.tables.states[0]

    def handle(self, message: messages.ToBot) -> None:
        """Follow the table by a message; those that the state does not depend on are ignored."""
        if self._lead is not None and _stands(message):
            lead, self._lead = self._lead, None
            self._play(lead.seat, Phase.LEAD, self._slots(lead.lead))
        handler = self._handlers.get(message.type)
        if handler is not None:
            handler(message)

    @contextlib.contextmanager
    def asked(self, question: messages.Decide) -> Iterator[None]:
        """Let the seat be asked while the block runs (`prepare`); what it plays is made only when it is announced."""
        tables = self.tables
        saved = tables.states.copy(), tables.progress.copy(), tables.plays.copy()
        self.prepare(question)
        yield
        tables.states[:], tables.progress[:], tables.plays[:] = saved

    def prepare(self, question: messages.Decide) -> None:
        """Let the seat be asked, once the question has been handled: write what it sees and may do."""
        phase, state = _PHASES[question.kind], self._state
        if phase == Phase.BID and question.last_call and state["trump"] == UNNAMED:
            state["circle_left"] = self._circle_left()
        elif phase == Phase.NAME:
            state["circle_left"] = 0
        elif phase == Phase.LEAD:
            self._end_overbids()
        elif phase == Phase.FORCED:
            self._fail_lead(question.options)
        self._turn_to(phase, self.seat)
        self._hide_others()
        tables = self.tables
        tables.seats[0], tables.phases[0] = self.seat, phase
        write_mask(state, self._record[0], tables.works[0], tables.masks[0])
        observe_seat(tables.states, tables.shared, 0, self.seat, tables.observations)

    def _begin(self, message: messages.BotRound) -> None:
        """Begin a round, or a new deal of it; at a table, a round leaves traces that mean nothing."""
        state = self._state
        if message.round == 0 and message.redeals == 0:
            self.tables.states[:] = np.zeros(1, self.tables.states.dtype)
        self.seat = message.seat
        self._lead, self._bid_drawn = None, 0
        for name in _NOTHING_YET:
            state[name] = 0
        for name in ("leader", "winning", "bid_seat", "first_bidder", "takers"):
            state[name] = NOBODY
        state["match_round"], state["redeals"] = message.match_round, message.redeals
        state["rebellions"] = message.rebellions
        state["first_drawer"], state["round_index"] = message.first_drawer, message.round
        state["levels"] = [RANKS.index(level) for level in message.levels]
        declarer = message.declarer
        state["had_declarer"] = declarer is not None
        state["declarer"] = NOBODY if declarer is None else declarer
        state["trump"], state["circle_left"], state["phase"] = UNNAMED, DRAWING, Phase.BID
        state["level_rank"] = UNNAMED if declarer is None else state["levels"][declarer % NUM_TEAMS]
        self.tables.plays[:] = 0

    def _draw(self, message: messages.Draw) -> None:
        state = self._state
        level = int(bid_level(state, self.seat))
        turn = (self.seat - int(state["first_drawer"])) % NUM_SEATS
        for card in parse_card_list(message.cards):
            held = int(state["hands"][self.seat].sum())
            state["deal"][turn + NUM_SEATS * held] = card
            state["hands"][self.seat, slot_of_card(card, NO_TRUMP, level)] += 1
        state["drawn"] = message.drawn

    def _bid(self, message: messages.BotBid) -> None:
        state, seat = self._state, message.seat
        cards = parse_card_list(message.bid)
        action = parse_action(f"bid {message.bid}", trump=NO_TRUMP, level=reading_of(state, seat)[1])
        if state["trump"] != UNNAMED:
            self._hide_others()
            self._step(Phase.BID, seat, action)
            state["leader"] = NOBODY
            return
        if state["bid_seat"] == NOBODY:
            state["first_bidder"] = seat
        state["bid_count"], state["bid_kind"] = count_of_action(action), kind_of_action(action)
        state["bid_seat"], self._bid_drawn = seat, message.drawn
        state["known"][seat, cards[0]] = max(int(state["known"][seat, cards[0]]), len(cards))

    def _circle_left(self) -> int:
        """Return how many seats are asked for a last bid after this one, unless somebody bids."""
        state = self._state
        start = int(state["first_drawer"])
        if self.rules.bidding == "sequential" and state["had_declarer"]:
            start = (int(state["declarer"]) + 2) % NUM_SEATS
        if self._bid_drawn == NUM_SEATS * self.rules.hand:
            start = (int(state["bid_seat"]) + 1) % NUM_SEATS
        return NUM_SEATS - 1 - (self.seat - start) % NUM_SEATS

    def _name_trumps(self, message: messages.Trumps) -> None:
        """Let the engine name trumps; those of an overbid it has named already."""
        state, declarer = self._state, message.declarer
        self._trump = Trump.parse(message.trump + message.level_rank)
        if state["trump"] != UNNAMED:
            return
        if not state["had_declarer"]:
            state["declarer"] = declarer
        state["circle_left"] = DRAWING if self.rules.bidding == "fixed" else 0
        self._step(Phase.NAME, declarer, NAME + TRUMP_TEXTS.index(message.trump))
        state["turned"] = self._slots(message.turned)
        self._is_taken = False

    def _take_up(self, message: messages.Takes) -> None:
        """Let the engine take up the kitty, now that nobody has rebelled; the cards that it takes are taken back."""
        state = self._state
        while state["phase"] == Phase.REBEL:
            self._step(Phase.REBEL, int(state["seat"]), PASS)
        if not self._is_taken:
            state["hands"][message.seat, self._trump.slots[0]] -= self.rules.kitty
            self._is_taken = True

    def _take_kitty(self, message: messages.Kitty) -> None:
        self._state["hands"][self.seat] += self._slots(message.cards)

    def _bury(self, message: messages.Bury) -> None:
        """Let the engine bury; of cards that the seat may not know, it is only said that they are gone."""
        state, declarer = self._state, message.seat
        if message.bury is not None:
            self._take(declarer, Phase.BURY, self._slots(message.bury))
            return
        state["taken_size"] = self.rules.kitty - 1
        self._hide_others()
        self._step(Phase.BURY, declarer, _LOWEST)
        state["buried"] = 0

    def _end_overbids(self) -> None:
        """Let the engine begin the tricks: nobody has bid over."""
        while self._state["phase"] == Phase.BID and self._state["trump"] != UNNAMED:
            self._step(Phase.BID, int(self._state["seat"]), PASS)

    def _note_lead(self, message: messages.BotLead) -> None:
        """Wait for what comes next: only then it is known whether a throw stands."""
        self._lead, self._points = message, int(self._state["attackers_points"])

    def _lead_component(self, message: messages.BotLed) -> None:
        """Lead a component of a throw that has failed: all know its cards, and the throw has its price."""
        assert self._lead is not None
        seat, thrown = message.seat, self._slots(self._lead.lead)
        self._lead = None
        state = self._state
        if self.rules.failed_throw != "lowest_card":  # then nobody sees what was tried
            state["known"][seat] = np.maximum(state["known"][seat], thrown)
        state["attackers_points"] = self._points  # a seat that was asked for the component has seen the price paid
        self._pay(seat, message.penalty)
        self._play(seat, Phase.LEAD, self._slots(message.led))

    def _pay(self, leader: int, price: int) -> None:
        state = self._state
        is_declarers = leader % NUM_TEAMS == int(state["declarer"]) % NUM_TEAMS
        state["attackers_points"] += price if is_declarers else -price

    def _fail_lead(self, options: list[str]) -> None:
        """Let the engine refuse a throw, and the seat choose among the components that are named."""
        assert self._lead is not None
        state, leader = self._state, self._lead.seat
        thrown = self._slots(self._lead.lead)
        holder = next(seat for seat in range(NUM_SEATS) if seat not in (self.seat, leader))
        state["hands"][holder], state["hands"][leader] = state["slot_copies"], thrown
        self._take(leader, Phase.LEAD, thrown)
        trump = self._trump
        suit = int(suit_of_slot(int(np.flatnonzero(thrown)[0]), trump.suit_index))
        tops = {int(np.flatnonzero(self._slots(option))[-1]) for option in options}
        codes = state["choices"][: int(state["num_choices"])].tolist()
        kept = [code for code in codes if int(top_slot_of(code, suit, trump.suit_index)) in tops]
        state["choices"][: len(kept)] = kept
        state["num_choices"] = len(kept)
        state["attackers_points"] = self._points
        self._pay(leader, self._price_of(kept))

    def _price_of(self, beaten: list[int]) -> int:
        """Return what the throw costs if these are its beaten components, equal ones once."""
        if self.rules.throw_penalty_per == "throw":
            return self.rules.throw_penalty
        components = self._state["components"][: int(self._state["num_components"])].tolist()
        alike = {(shape_of(code), top_of(code)) for code in beaten}
        cards = [width_of(code) * length_of(code) for code in components if (shape_of(code), top_of(code)) in alike]
        return self.rules.throw_penalty * sum(cards)

    def _follow(self, message: messages.Follow) -> None:
        self._play(message.seat, Phase.FOLLOW, self._slots(message.follow))

    def _end_trick(self, message: messages.BotTrick) -> None:
        """Let the trick's points go to the side that is said to have won it."""
        state, declarers = self._state, int(self._state["declarer"]) % NUM_TEAMS
        if state["phase"] == Phase.LEAD:
            counted, won = (seat % NUM_TEAMS != declarers for seat in (int(state["leader"]), message.winner))
            state["attackers_points"] += message.points * (won - counted)

    def _play(self, seat: int, phase: Phase, cards: NDArray[np.int8]) -> None:
        """Let a seat make a play."""
        state = self._state
        self._end_overbids()
        own = state["hands"][self.seat].copy()
        for other in range(NUM_SEATS):
            if other != self.seat:
                state["hands"][other] = 0
                state["hands"][other, _LOWEST] = 1
        if phase == Phase.LEAD or seat != self.seat:
            state["hands"][seat] = cards
            if seat != self.seat:
                state["hands"][seat, _LOWEST] += 1
        self._take(seat, phase, cards)
        if seat == self.seat:
            state["hands"][seat] = own - cards

    def _take(self, seat: int, phase: Phase, cards: NDArray[np.int8]) -> None:
        """Take the cards of a play one by one, in the engine's order, and end it."""
        led = int(self._state["lead_suit"]) if phase == Phase.FOLLOW else None
        for slot in slots_in_order(cards, self._trump, led):
            self._step(phase, seat, slot)
        if phase == Phase.LEAD and self._state["phase"] == Phase.LEAD:
            self._step(phase, seat, DONE)

    def _step(self, phase: Phase, seat: int, action: int) -> None:
        self._turn_to(phase, seat)
        self.tables.step(np.array([action]))

    def _turn_to(self, phase: Phase, seat: int) -> None:
        """Let it be a seat's turn; who leads is said by whom it comes to."""
        self._state["phase"], self._state["seat"] = phase, seat
        if phase == Phase.LEAD:
            self._state["leader"] = seat

    def _hide_others(self) -> None:
        for other in range(NUM_SEATS):
            if other != self.seat:
                self._state["hands"][other] = 0

    def _slots(self, cards: str) -> NDArray[np.int8]:
        """Return cards counted by slot, shape (54,)."""
        return to_slots(count_cards(parse_card_list(cards)), self._trump)


def _stands(message: messages.ToBot) -> bool:
    """Return whether a lead stands if a message follows it."""
    is_choice = isinstance(message, messages.Decide) and message.kind == KINDS[Phase.FORCED]
    return not (is_choice or isinstance(message, messages.Forced | messages.BotLed))
