"""Engine and oracle play a round side by side, and are compared at every position.

The oracle plays by its own rules and asks for a decision; the engine must then be at the same decision of the same
seat, with the same hand. A style chooses the engine's actions one by one; before each the set of legal actions must be
the one that follows from the rules. In the end all figures of the result must agree. Deals that follow a rebellion, or
a deal without a bid, are taken from the engine; everything else the oracle finds out by itself.

What a prefix of a decision allows is docs/environments/actions.md: cards in ascending slots, the led suit first, such
that some legal play begins with them.

Source: docs/rules.md §2 to §13.
"""

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP, slot_of_card
from shengji_env.engine.state import NOBODY, UNNAMED, Phase
from tests.helpers import oracle, oracle_rounds
from tests.helpers.oracle import BIG_JOKER, LITTLE_JOKER, RANKS, SUITS, Cards, Options, Shape, Trump
from tests.helpers.oracle_recorder import EngineTable, Style, counts_to_cards, result_of
from tests.helpers.oracle_rounds import Deal, Question

PASS = 54
FIRST_SUIT_BID = 55
FIRST_JOKER_BID = {LITTLE_JOKER: 71, BIG_JOKER: 74}
FIRST_NAME = 77
REBEL = 82
PHASES = {
    "bid": Phase.BID,
    "name": Phase.NAME,
    "rebel": Phase.REBEL,
    "bury": Phase.BURY,
    "lead": Phase.LEAD,
    "forced": Phase.FORCED,
    "follow": Phase.FOLLOW,
}


class Lockstep:
    """One table of the engine, and the oracle beside it."""

    def __init__(self, rules: RuleSet, seed: int) -> None:
        self.rules = rules
        self.options = oracle_rounds.options_of(rules.to_json())
        self.table = EngineTable(rules, seed)
        self.styles: list[Style] = []
        self.positions = 0
        self.unseen_deals = 0

    def play_round(self, styles: list[Style]) -> dict[str, Any]:
        """Play the round that the table is set up for; returns the oracle's record."""
        s, self.styles = self.table.state, styles
        declarer, rounds_before = int(s.declarer), int(s.match_round)
        setup: dict[str, Any] = {
            "round": int(s.round_index),
            "levels": [RANKS[level] for level in s.levels],
            "declarer": None if declarer == NOBODY else declarer,
        }
        self.table.begin()
        setup["first_drawer"] = int(s.first_drawer)
        assert declarer in (NOBODY, s.first_drawer)
        if self.options.bidding == "fixed":
            suits = oracle.suits_dealt(self.options) + ((NO_TRUMP,) if self.options.no_trump_bids else ())
            assert s.trump in suits
            setup["trump"] = (*SUITS, "NT")[s.trump]
        record = oracle_rounds.play_round(setup, self.options, self._answer, self._deals())
        self._check_end(record, rounds_before + 1)
        return record

    def _deals(self) -> Iterator[Deal]:
        """The engine's deals, as they come."""
        before = -1
        while True:
            now = int(self.table.state.redeals)
            assert self.table.state.phase != Phase.OVER
            assert now > before, f"the oracle deals again after deal {before}, the engine does not"
            self.unseen_deals += now - before - 1
            before = now
            yield now, self.table.deal_text()

    def _answer(self, question: Question) -> str | None:
        """Compare the engine's position with the oracle's question; let the style answer both."""
        self._check_position(question)
        taken: Cards = ()
        while True:
            due = legal_actions(question, taken, self.options)
            legal = self.table.legal_actions()
            assert legal == sorted(due), f"{question} after {oracle.text(taken)}: {legal} is not {sorted(due)}"
            self.positions += 1
            action = self.styles[question.seat].choose(self.table, legal)
            self.table.apply(action)
            answer = due[action]
            if not isinstance(answer, int):
                return answer
            taken += (answer,)
            if is_complete(question, taken, self.options):
                return oracle.text(taken)
            s = self.table.state
            assert (s.phase, s.seat, s.taken_size) == (PHASES[question.kind], question.seat, len(taken))

    def _check_position(self, question: Question) -> None:
        s = self.table.state
        assert (Phase(s.phase), int(s.seat)) == (PHASES[question.kind], question.seat), question
        self.table.check_conserved()
        if question.trump is not None:
            assert self.table.oracle_trump() == question.trump
            assert counts_to_cards(self.table.cards(s.hands[s.seat])) == question.hand, question
        for step, hand in enumerate(question.others, start=1):
            seat = (question.seat + step) % NUM_SEATS
            assert counts_to_cards(self.table.cards(s.hands[seat])) == hand
        if question.kind == "bid":
            assert s.drawn == question.drawn

    def _check_end(self, record: dict[str, Any], rounds_played: int) -> None:
        s = self.table.state
        assert s.phase == Phase.OVER
        assert result_of(s) == record["result"], record
        assert (s.redeals, s.rebellions) == (record["redeals"], len(record.get("abandoned", ())))
        assert SUITS.find(record["trump"]) == (-1 if s.trump == NO_TRUMP else s.trump)
        assert RANKS[s.level_rank] == record["level_rank"]
        assert counts_to_cards(self.table.cards(s.buried)) == oracle.parse(record["buried"])
        takers = [step["seat"] for step in record["decisions"] if "bury" in step]
        assert [seat for seat in s.takers if seat != NOBODY] == takers or not self.options.kitty
        over = oracle_rounds.ends_match(record, rounds_played, self.options)
        assert s.result.match_over == over
        levels = [RANKS.index(level) for level in record["result"]["new_levels"]]
        assert list(s.levels) == levels
        winner = NOBODY if levels[0] == levels[1] else levels.index(max(levels))
        declarers = record["tricks"][0]["leader"] % 2
        if self.options.match_end == "pass_ace":
            winner = declarers
        if self.options.match_end == "beyond_ace":
            winner = declarers if record["result"]["winner"] == "declarers" else 1 - declarers
        assert s.result.match_winner == (winner if over else NOBODY)


# ---- what a decision allows


def legal_actions(question: Question, taken: Cards, options: Options) -> dict[int, Any]:
    """Every legal action: a card taken, or else the answer's text. Source: docs/environments/actions.md."""
    if question.kind in ("bid", "name", "rebel", "forced"):
        return {_action_of(question, choice): choice for choice in question.choices}
    assert question.trump is not None
    due: dict[int, Any] = {slot(card, question.trump): card for card in next_cards(question, taken, options)}
    if question.kind == "lead" and taken and oracle.is_legal_lead(taken, question.hand, question.trump, options.throws):
        due[PASS] = oracle.text(taken)
    return due


def is_complete(question: Question, taken: Cards, options: Options) -> bool:
    """Whether a decision ends by itself with these cards."""
    if question.kind == "bury":
        return len(taken) == options.kitty
    if question.kind == "follow":
        return len(taken) == len(question.led)
    return not next_cards(question, taken, options)


def next_cards(question: Question, taken: Cards, options: Options) -> set[int]:
    """The cards that may be taken next: some legal answer, written in order, begins with them.

    Source: docs/environments/actions.md.
    """
    trump = question.trump
    assert trump is not None
    first = oracle.effective_suit(question.led[0], trump) if question.kind == "follow" else None

    left = oracle.without(question.hand, taken)
    found = set()
    for card in set(left):
        at = place(card, first, trump)
        if taken and at < place(taken[-1], first, trump):
            continue
        chosen = tuple(sorted((*taken, card)))
        later = tuple(other for other in oracle.without(left, (card,)) if place(other, first, trump) >= at)
        if _can_end(question, chosen, later, options):
            found.add(card)
    return found


@cache
def place(card: int, first: int | None, trump: Trump) -> tuple[bool, int]:
    """Where a card comes in a decision: those of the suit `first` before the others, in ascending slots."""
    return (oracle.effective_suit(card, trump) != first, slot(card, trump))


def slot(card: int, trump: Trump) -> int:
    """A card's slot. Source: docs/environments/actions.md."""
    return int(slot_of_card(card, NO_TRUMP if trump.suit is None else trump.suit, trump.level))


def _action_of(question: Question, choice: str | None) -> int:
    if choice is None:
        return PASS
    if question.kind == "name":
        return FIRST_NAME + (*SUITS, "NT").index(choice)
    if question.kind == "rebel":
        return REBEL
    cards = oracle.parse(choice)
    if question.kind == "forced":
        trump = question.trump
        assert trump is not None
        return slot(max(cards, key=lambda card: oracle.order(card, trump)), trump)
    if cards[0] in FIRST_JOKER_BID:
        return FIRST_JOKER_BID[cards[0]] + len(cards) - 2
    return FIRST_SUIT_BID + 4 * (len(cards) - 1) + cards[0] // 13


def _can_end(question: Question, chosen: Cards, later: Cards, options: Options) -> bool:
    """Whether some legal answer is `chosen` and some of `later`."""
    assert question.trump is not None
    if question.kind == "bury":
        return len(chosen) + len(later) >= options.kitty >= len(chosen)
    if question.kind == "lead":
        return _can_lead(question.hand, chosen, later, options.throws, question.trump)
    return _can_follow(question, chosen, later, options)


def _can_lead(hand: Cards, chosen: Cards, later: Cards, throws: bool, trump: Trump) -> bool:
    if len({oracle.effective_suit(card, trump) for card in chosen}) > 1:
        return False
    if throws:
        return True
    return any(
        oracle.contains(component.cards, chosen) and oracle.contains(chosen + later, component.cards)
        for component in oracle.all_components(chosen + later, trump)
    )


def _can_follow(question: Question, chosen: Cards, later: Cards, options: Options) -> bool:
    trump, size = question.trump, len(question.led)
    assert trump is not None
    suit = oracle.effective_suit(question.led[0], trump)
    held = oracle.of_suit(question.hand, suit, trump)
    if len(held) <= size:
        others = len(chosen) - len(oracle.of_suit(chosen, suit, trump))
        enough = len(chosen) + len(later) >= size
        return enough and oracle.contains(chosen + later, held) and others + len(held) <= size
    available = oracle.of_suit(chosen + later, suit, trump)
    if len(oracle.of_suit(chosen, suit, trump)) < len(chosen) or len(available) < size:
        return False
    owed = oracle.demand(question.led, question.hand, trump, options.follow_priority)
    wide = tuple(shape for shape in owed if shape[0] > 1)
    return _can_pack(available, chosen, wide, size - len(chosen), trump)


@lru_cache(1 << 16)
def _can_pack(available: Cards, fixed: Cards, shapes: tuple[Shape, ...], spare: int, trump: Trump) -> bool:
    """Whether disjoint components of these shapes need at most `spare` cards besides the fixed ones."""
    if not shapes:
        return True
    for component in oracle.components_of_shape(tuple(sorted(available)), shapes[0], trump):
        used = Counter(component.cards) & Counter(fixed)
        cost = len(component.cards) - used.total()
        rest = oracle.without(available, component.cards)
        if cost <= spare and _can_pack(rest, oracle.without(fixed, used.elements()), shapes[1:], spare - cost, trump):
            return True
    return False


# ---- random rounds


def play_random(rules: RuleSet, seed: int, rounds: int) -> tuple[list[dict[str, Any]], Lockstep]:
    """So many rounds at most of one match, from any start, compared at every position."""
    generator = random.Random(f"lockstep {seed}")
    lockstep = Lockstep(rules, seed)
    _draw_start(lockstep, generator)
    records = []
    while len(records) < rounds:
        records.append(lockstep.play_round(random_styles(generator, rules)))
        state = lockstep.table.state
        if state.result.match_over:
            break
        state.round_index += 1
        state.trump = UNNAMED
    return records, lockstep


def _draw_start(lockstep: Lockstep, generator: random.Random) -> None:
    """Any levels, those at which the last trick may cost levels likely; half of the time without a declarer."""
    s, rules = lockstep.table.state, lockstep.rules
    lockstep.table.draw_setup(any_start=True)
    s.levels[:] = [generator.randrange(oracle.ACE) for _ in range(2)]
    if rules.last_trick_demotion != "none" and generator.random() < 0.6:
        may_be_ace = rules.last_trick_demotion == "jack_ace" and rules.match_end != "reach_ace"
        s.levels[:] = generator.choice((9, oracle.ACE) if may_be_ace else (9,))
    s.first_drawer = generator.randrange(NUM_SEATS)
    s.declarer = NOBODY if generator.random() < 0.5 else s.first_drawer


def random_styles(generator: random.Random, rules: RuleSet) -> list[Style]:
    """A style for each seat, such that what is rare happens more often."""
    styles = [Style.any(generator) for _ in range(NUM_SEATS)]
    shy, eager = generator.random() < 0.15, generator.random() < 0.6
    for style in styles:
        style.bid = 0.0 if shy else style.bid
        style.overbid = 1.0 if eager else style.overbid
        style.keep = rules.last_trick_demotion != "none" and generator.random() < 0.7
    return styles
