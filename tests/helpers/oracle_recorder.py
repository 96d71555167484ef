"""Whole rounds played by the engine and written as records, so that the oracle can check them.

`EngineTable` makes an engine's table accessible to Python; `play_round` plays it to the end with a `Style` and returns
a record (docs/records.md). Decisions of a deal in which nobody bid are not recorded: a record holds the deal that was
played, and those that were abandoned by a rebellion.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine import referee
from shengji_env.engine.actions import NAME, NUM_ACTIONS, PASS, REBEL, TRUMP_TEXTS, action_text
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import CARD_TEXTS, DECK_POINTS, RANKS, format_cards
from shengji_env.engine.deal import Deals, draw_setup
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import write_mask
from shengji_env.engine.opening import begin_round
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, TRUMP, card_of_slot, slot_of_card, suit_of_slot
from shengji_env.engine.state import NOBODY, STATE_DTYPE, UNNAMED, WORKSPACE_DTYPE, Phase, State, Winner
from tests.helpers import oracle
from tests.helpers.rule_draws import OPTION_VALUES, any_rules, kitties_of

__all__ = ["OPTION_VALUES", "any_rules", "kitties_of"]

Decision = dict[str, Any]

WINNERS = {Winner.DECLARERS: "declarers", Winner.ATTACKERS: "attackers", Winner.DRAW: None}
_KEYS = {Phase.BURY: "bury", Phase.LEAD: "lead", Phase.FOLLOW: "follow", Phase.FORCED: "forced"}


@cache
def cards_of_slots(trump: int, level: int) -> NDArray[np.int64]:
    """The card id of each slot, trumps being named."""
    return np.array([card_of_slot(slot, trump, level) for slot in range(NUM_SLOTS)])


class EngineTable:
    """One table of the engine."""

    def __init__(self, rules: RuleSet, seed: int = 0) -> None:
        self.rules = rules
        self.record = rules.record()[0]
        self.states = np.zeros(1, dtype=STATE_DTYPE)
        self.state: State = self.states[0]
        self.workspace = np.zeros(1, dtype=WORKSPACE_DTYPE)[0]
        self.deals = Deals(np.uint64(seed), 0)
        self.mask: NDArray[np.int8] = np.zeros(NUM_ACTIONS, dtype=np.int8)
        self.state.trump = UNNAMED

    def draw_setup(self, any_start: bool = True) -> None:
        """Draw levels, declarer and first drawer for the state's round index."""
        draw_setup(self.state, self.record, self.deals, any_start)

    def give_deal(self, deal: tuple[int, ...]) -> None:
        """Set the order of all cards."""
        self.state.deal[: len(deal)] = deal
        self.state.deal_given = 1

    def begin(self) -> None:
        """Begin the round."""
        begin_round(self.state, self.record, self.workspace, self.deals)

    def legal_actions(self) -> list[int]:
        """The legal actions, whose number the engine must give too."""
        count = write_mask(self.state, self.record, self.workspace, self.mask)
        legal = [int(action) for action in np.flatnonzero(self.mask)]
        assert count == len(legal)
        return legal

    def apply(self, action: int) -> None:
        """Make a legal action."""
        apply_action(self.state, self.record, self.workspace, self.deals, action)

    def card(self, slot: int) -> int:
        """Card id of a slot, trumps being named."""
        return int(cards_of_slots(int(self.state.trump), int(self.state.level_rank))[slot])

    def cards(self, by_slot: NDArray[np.int8]) -> NDArray[np.int8]:
        """Counts by slot as counts by card."""
        counts = np.zeros(NUM_SLOTS, dtype=np.int8)
        counts[cards_of_slots(int(self.state.trump), int(self.state.level_rank))] = by_slot
        return counts

    def slots(self, counts: NDArray[np.int8]) -> list[int]:
        """Slots of counts by card, ascending, repeats again."""
        return slots_of(counts_to_cards(counts), int(self.state.trump), int(self.state.level_rank))

    def deal_text(self) -> str:
        """The order of all cards."""
        return " ".join(CARD_TEXTS[card] for card in self.state.deal[: self.rules.total])

    def oracle_trump(self) -> oracle.Trump:
        """What is trump, as the oracle says it."""
        s = self.state
        return oracle.Trump(None if s.trump == NO_TRUMP else int(s.trump), int(s.level_rank))

    def referee_trump(self) -> referee.Trump:
        """What is trump, as the referee says it."""
        return referee.Trump.parse(TRUMP_TEXTS[self.state.trump] + RANKS[self.state.level_rank])

    def text(self, by_slot: NDArray[np.int8]) -> str:
        """Counts by slot as text."""
        return format_cards(self.cards(by_slot))

    def bid_text(self, action: int) -> str:
        """The cards of a bid action of the seat to move."""
        level = int(reading_of(self.state, int(self.state.seat))[1])
        return action_text(action, trump=NO_TRUMP, level=level).removeprefix("bid ")

    def check_conserved(self) -> None:
        """Every card is somewhere once, and so is every point."""
        s, total = self.state, self.rules.total
        num_hands, drawn = NUM_SEATS * self.rules.hand, int(s.drawn)
        if s.phase == Phase.REBEL or (s.phase in (Phase.BID, Phase.NAME) and s.trump == UNNAMED):
            assert s.hands.sum() == drawn <= num_hands
            return
        assert (s.hands >= 0).all()
        whole = s.hands.sum(axis=0, dtype=np.int64) + s.played.sum(axis=0, dtype=np.int64) + s.buried
        assert (whole == s.slot_copies).all()
        assert whole.sum() == total
        assert (s.known <= s.hands).all()
        assert (s.known >= 0).all()
        assert (s.taken <= s.hands[s.seat]).all() if s.seat != NOBODY else True
        assert s.taken.sum() == s.taken_size


@dataclass
class Style:
    """How a random player plays; every legal action has some chance."""

    generator: random.Random
    bid: float = 0.5
    """Chance to bid where it can."""
    overbid: float = 0.5
    """Chance to take the kitty up again where it can."""
    rebel: float = 0.5
    """Chance to rebel where it may."""
    keep: bool = False
    """Whether it keeps cards of the level rank to the end."""
    plan: float = 0.5
    """Chance to lead whole components, the highest of a suit if several, and to ruff with the lead's shapes."""
    done: float = 0.5
    """Chance to stop an unplanned lead where it may."""
    same: float = 0.3
    """Chance to take another copy of the card taken last."""
    high: float = 0.3
    """Chance to take the highest legal card."""
    planned: list[int] = field(default_factory=list)
    """Actions still to come of a plan."""

    @staticmethod
    def any(generator: random.Random) -> "Style":
        """Some style: bold or shy bidders, throwers, ruffers."""
        return Style(
            generator,
            bid=generator.choice((0.0, 0.2, 0.5, 0.9)),
            overbid=generator.choice((0.0, 0.5, 0.9, 1.0)),
            rebel=generator.choice((0.0, 0.2, 0.5, 0.9)),
            plan=generator.choice((0.0, 0.5, 0.9)),
            done=generator.choice((0.1, 0.5, 0.8)),
            same=generator.choice((0.0, 0.3, 0.8)),
            high=generator.choice((0.0, 0.3, 0.8)),
        )

    def choose(self, table: EngineTable, legal: list[int]) -> int:
        """One of the legal actions."""
        s, roll = table.state, self.generator.random
        if s.phase == Phase.BID:
            eagerness = self.bid if s.trump == UNNAMED else self.overbid
            return self.generator.choice(legal[1:]) if roll() < eagerness else PASS
        if s.phase == Phase.REBEL:
            return REBEL if roll() < self.rebel else PASS
        if self.keep and s.phase in (Phase.BURY, Phase.LEAD, Phase.FOLLOW):
            legal = self._others_than_level(table, legal)
        if s.taken_size == 0:
            self.planned = self._plan(table) if roll() < self.plan else []
        if self.planned and self.planned[0] in legal:
            return self.planned.pop(0)
        if s.phase == Phase.LEAD and PASS in legal and roll() < self.done:
            return PASS
        if s.taken_size and s.last_slot in legal and roll() < self.same:
            return int(s.last_slot)
        if roll() < self.high:
            return max(legal, key=lambda action: (action != PASS, action))
        return self.generator.choice(legal)

    def _others_than_level(self, table: EngineTable, legal: list[int]) -> list[int]:
        """The actions that keep cards of the level rank, if there are any."""
        level = int(table.state.level_rank)
        others = [action for action in legal if action == PASS or table.card(action) % 13 != level]
        return others or legal

    def _plan(self, table: EngineTable) -> list[int]:
        s = table.state
        if s.phase == Phase.LEAD:
            return self._plan_lead(table)
        if s.phase == Phase.FOLLOW and not s.must_match and s.lead_suit != TRUMP:
            return self._plan_ruff(table)
        return []

    def _plan_lead(self, table: EngineTable) -> list[int]:
        """The widest component of a suit, or its few highest ones."""
        s, trump = table.state, table.referee_trump()
        trumps = int(s.trump)
        suits = [int(suit_of_slot(slot, trumps)) for slot in range(NUM_SLOTS)]
        suit = self.generator.choice(sorted({suits[slot] for slot in np.flatnonzero(s.hands[s.seat])}))
        of_suit = [other == suit for other in suits]
        parts = referee.decompose(table.cards(np.where(of_suit, s.hands[s.seat], 0)), trump)
        if self.generator.random() < 0.5:
            chosen = parts[:1]
        else:
            by_top = sorted(
                parts, key=lambda part: slot_of_card(part.top, int(s.trump), int(s.level_rank)), reverse=True
            )
            chosen = tuple(by_top[: self.generator.randint(1, 3)])
        return [*table.slots(sum(part.cards for part in chosen)), PASS]

    def _plan_ruff(self, table: EngineTable) -> list[int]:
        """Trumps of the lead's shapes."""
        s, trump = table.state, table.oracle_trump()
        hand = counts_to_cards(table.cards(s.hands[s.seat]))
        lead = counts_to_cards(table.cards(s.trick[s.leader]))
        trumps = oracle.of_suit(hand, oracle.TRUMP_SUIT, trump)
        ruff = oracle.packing(trumps, oracle.shapes_of(oracle.decompose(lead, trump)), trump)
        return [] if ruff is None else slots_of(list(ruff), int(s.trump), int(s.level_rank))


def play_round(
    table: EngineTable,
    choose: Callable[[EngineTable, list[int]], int],
    watch: Callable[[EngineTable], None] | None = None,
) -> dict[str, Any]:
    """Play a round that has not begun from the state's setup; returns its record.

    `watch` is called before every action.
    """
    s = table.state
    levels, declarer = [RANKS[level] for level in s.levels], int(s.declarer)
    table.begin()
    first_drawer = int(s.first_drawer)
    writer = _Writer(table)
    while s.phase != Phase.OVER:
        legal = table.legal_actions()
        assert legal, f"no legal action in {Phase(s.phase).name}"
        if watch is not None:
            watch(table)
        action = choose(table, legal)
        assert action in legal
        writer.apply(action)
    deal = table.deal_text()
    drawn = NUM_SEATS * table.rules.hand
    abandoned = {"abandoned": writer.abandoned} if writer.abandoned else {}
    return {
        "round": int(s.round_index),
        "levels": levels,
        "declarer": None if declarer == NOBODY else declarer,
        "first_drawer": first_drawer,
        **abandoned,
        "redeals": int(s.redeals),
        "deal": deal,
        "decisions": writer.decisions,
        "trump": TRUMP_TEXTS[s.trump],
        "level_rank": RANKS[s.level_rank],
        "kitty": " ".join(deal.split()[drawn:]),
        "buried": table.text(s.buried),
        "tricks": writer.tricks,
        "result": result_of(s),
    }


def result_of(s: State) -> dict[str, Any]:
    """The result of a finished round as a record writes it."""
    result = s.result
    return {
        "attackers_points": int(result.attackers_points),
        "kitty_points": int(result.kitty_points),
        "kitty_multiplier": int(result.kitty_multiplier),
        "winner": WINNERS[Winner(result.winner)],
        "levels": int(result.levels),
        "levels_lost": int(result.levels_lost),
        "levels_nominal": int(result.levels_nominal),
        "next_declarer": None if result.next_declarer == NOBODY else int(result.next_declarer),
        "new_levels": [RANKS[level] for level in result.new_levels],
    }


class _Writer:
    """Makes actions, and writes down the decisions and tricks that they come to."""

    def __init__(self, table: EngineTable) -> None:
        self.table = table
        self.decisions: list[Decision] = []
        self.abandoned: list[dict[str, Any]] = []
        self.tricks: list[dict[str, Any]] = []
        self._taken: NDArray[np.int8] = np.zeros(NUM_SLOTS, dtype=np.int8)

    def apply(self, action: int) -> None:
        """Make an action; write its decision if that ends with it."""
        table, s = self.table, self.table.state
        phase, seat, redeals = Phase(s.phase), int(s.seat), int(s.redeals)
        if phase == Phase.BID:
            bid = None if action == PASS else table.bid_text(action)
            self.decisions.append({"seat": seat, "drawn": int(s.drawn), "bid": bid})
        elif phase == Phase.NAME:
            self.decisions.append({"seat": seat, "name": TRUMP_TEXTS[action - NAME]})
        elif phase == Phase.REBEL:
            self.decisions.append({"seat": seat, "rebel": action == REBEL})
        elif action != PASS:
            self._taken[action] += 1
        before, deal = (s.trick.copy(), int(s.leader), int(s.tricks)), table.deal_text()
        taken = table.text(self._taken) if phase in _KEYS and phase != Phase.FORCED else ""
        table.apply(action)
        if action == REBEL:
            self.abandoned.append({"deal": deal, "redeals": redeals, "decisions": self.decisions})
        if s.redeals != redeals:
            self.decisions = []
        if phase in _KEYS and (s.phase, s.seat) != (phase, seat):
            self._end_decision(phase, seat, taken, *before)

    def _end_decision(
        self, phase: Phase, seat: int, taken: str, trick: NDArray[np.int8], leader: int, tricks: int
    ) -> None:
        table, s = self.table, self.table.state
        if phase == Phase.FORCED:
            self._taken = s.trick[leader].copy()
            taken = table.text(self._taken)
        self.decisions.append({"seat": seat, _KEYS[phase]: taken})
        if s.tricks > tricks:
            trick[seat] = self._taken
            points = sum(_points(table.cards(play)) for play in trick)
            winner = int(s.winning if s.phase == Phase.OVER else s.leader)
            self.tricks.append({"leader": leader, "led": table.text(trick[leader]), "winner": winner, "points": points})
        self._taken = np.zeros(NUM_SLOTS, dtype=np.int8)


def _points(counts: NDArray[np.int8]) -> int:
    return sum(
        int(counts[13 * suit + RANKS.index(rank)]) * points for suit in range(4) for rank, points in POINTS.items()
    )


POINTS = {"5": 5, "T": 10, "K": 10}
assert 4 * sum(POINTS.values()) == DECK_POINTS


def random_round(rules: RuleSet, seed: int, watch: Callable[[EngineTable], None] | None = None) -> dict[str, Any]:
    """A round of some styles, one a seat, from any start."""
    generator = random.Random(seed)
    table = EngineTable(rules, seed)
    table.draw_setup(any_start=generator.random() < 0.7)
    styles = [Style.any(generator) for _ in range(NUM_SEATS)]
    if generator.random() < 0.3:
        for style in styles:
            style.bid = 0.0
    return play_round(table, lambda table, legal: styles[table.state.seat].choose(table, legal), watch)


def counts_to_cards(counts: NDArray[np.int8]) -> tuple[int, ...]:
    """A count vector's cards."""
    return tuple(card for card in range(NUM_SLOTS) for _ in range(counts[card]))


def slots_of(cards: Iterable[int], trump: int, level: int) -> list[int]:
    """Slots of card ids, ascending."""
    return sorted(int(slot_of_card(card, trump, level)) for card in cards)
