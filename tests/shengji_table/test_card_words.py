"""What the cards say of a play: every fact is true of the whole table, and nothing hidden is told."""

import copy
import re
from collections import Counter

import numpy as np
import pytest

from shengji_env.engine.cards import CARD_POINTS, format_cards
from shengji_env.engine.play import as_play
from shengji_env.engine.referee import Trump, beaten_components, settle, trick_winner
from shengji_env.engine.referee.values import to_cards
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.slots import order_of_slot
from shengji_env.engine.state import Phase
from shengji_env.players.answers import Answer, Decision
from shengji_env.players.asking import decide_whole
from shengji_env.players.decisions import Decisions
from shengji_env.players.registry import make_player
from shengji_env.players.whole_plays import choose_whole, make_decision, next_action
from shengji_env.tables.one_table import OneTable
from shengji_env.tables.settings import TableSettings
from shengji_env.tables.tables import Tables
from shengji_table.reasons.card_facts import Fact, FactFinder
from shengji_table.reasons.card_words import OPENED, SENTENCES, words_on
from tests.helpers.hidden_cards import deal_again
from tests.helpers.late_positions import Position, counts_of

RULE_SETS = ["two_deck", "three_deck", "one_deck_45", "competition", "two_deck(throw_contest=all)"]
NUM_DECISIONS = 400


class Told:
    """A decision at a whole table, and checks of what is said of a play there, from the referee and the hands."""

    def __init__(self, tables: Tables, cards: np.ndarray) -> None:
        state = tables.states[0]
        self.rules, self.state, self.seat = tables.rules, state, int(state["seat"])
        self.trump = Trump.of(int(state["trump"]), int(state["level_rank"]))
        self.hands = [self.by_id(state["hands"][seat]) for seat in range(4)]
        self.cards = self.by_id(cards)
        self.others = [(self.seat + step) % 4 for step in (1, 2, 3)]

    def by_id(self, slots: np.ndarray) -> np.ndarray:
        return to_cards(np.asarray(slots, np.int8), self.trump)

    def suit_of(self, hand: np.ndarray, suit: int) -> int:
        return sum(int(hand[card]) for card in np.flatnonzero(hand) if self.trump.effective_suit(int(card)) == suit)

    def points(self, cards: np.ndarray) -> int:
        return int(cards.astype(int) @ CARD_POINTS)

    def winner(self) -> int:
        """Who wins the trick as far as it has come with the play."""
        leader, position = int(self.state["leader"]), int(self.state["position"])
        before = [self.by_id(self.state["trick"][(leader + step) % 4]) for step in range(position)]
        return (
            leader + trick_winner([*map(format_cards, before), format_cards(self.cards)], 0, self.trump, self.rules)
        ) % 4

    def higher(self, seats: list[int]) -> bool:
        """Whether a seat has a higher component of the suit and shape of one that is led."""
        return bool(
            beaten_components(format_cards(self.cards), [format_cards(self.hands[s]) for s in seats], self.trump)
        )

    def check(self, fact: Fact) -> None:
        getattr(self, f"check_{fact.key.split('_')[0]}")(fact)

    def check_takes(self, fact: Fact) -> None:
        of_trick = int(self.state["trick_points"]) + self.points(self.cards)
        assert (self.winner(), fact.number) == (self.seat, of_trick)
        assert ("last" in fact.key) == (self.state["position"] == 3)
        assert "ruffs" not in fact.key or self.suit_of(self.hands[self.seat], fact.suit) == 0

    def check_partner(self, fact: Fact) -> None:
        if fact.key == "partner_ruffs":
            assert self.suit_of(self.hands[self.others[1]], fact.suit) == 0
        else:
            assert (self.winner(), fact.number) == (self.others[1], self.points(self.cards))
            assert ("last" in fact.key) == (self.state["position"] == 3)

    def check_lost(self, fact: Fact) -> None:
        assert self.winner() in self.others[::2]
        assert (fact.number, fact.key == "lost") == (self.points(self.cards), self.state["position"] == 3)

    check_gives = check_lost

    def check_above(self, fact: Fact) -> None:
        (card,) = np.flatnonzero(self.cards)
        suit, order = self.trump.effective_suit(int(card)), self.order(int(card))
        later = [seat for seat in self.others[::2] if not self.state["trick"][seat].any()]
        higher = [self.hands[seat][each] for seat in later for each in range(54) if self.is_above(each, suit, order)]
        assert sum(higher) <= fact.number

    def order(self, card: int) -> int:
        return int(order_of_slot(int(self.trump.slots[card]), self.trump.suit_index))

    def is_above(self, card: int, suit: int, order: int) -> bool:
        return self.trump.effective_suit(card) == suit and self.order(card) > order

    def check_reaches(self, fact: Fact) -> None:
        before = int(self.state["attackers_points"])
        assert fact.number == before + int(self.state["trick_points"]) + self.points(self.cards)
        assert settle(self.rules, before, False) != settle(self.rules, fact.number, False)

    def check_throw(self, fact: Fact) -> None:
        assert fact.key == "throw_risky" or not self.higher(self.others)

    def check_top(self, fact: Fact) -> None:
        assert not self.higher(self.others[::2])
        assert fact.number == self.points(self.cards)

    def check_ruffer(self, fact: Fact) -> None:
        assert self.suit_of(self.hands[(self.seat + fact.away) % 4], fact.suit) == 0

    def check_draws(self, fact: Fact) -> None:
        assert all(self.suit_of(self.hands[seat], 4) <= fact.number for seat in self.others)

    def check_risks(self, fact: Fact) -> None:
        assert fact.number == (self.suit_of(self.cards, 4) if fact.key == "buries_trumps" else self.points(self.cards))
        assert fact.key.endswith(("none", "nothing")) == (fact.number == 0)

    check_buries = check_risks

    def check_empties(self, fact: Fact) -> None:
        assert self.suit_of(self.hands[self.seat], fact.suit) == self.suit_of(self.cards, fact.suit) > 0

    def check_breaks(self, _: Fact) -> None:
        assert ((self.cards > 0) & (self.cards < self.hands[self.seat])).any()


@pytest.mark.parametrize("rules", RULE_SETS)
def test_all_that_is_said_is_true(rules: str) -> None:
    """Of 400 decisions of each rule set, of what is played and of a random play; nothing is left unsaid."""
    table, rng, player = (
        OneTable(TableSettings(rules=as_rules(rules))),
        np.random.default_rng(5),
        make_player("heuristic"),
    )
    told: Counter[str] = Counter()
    number = seed = 0
    while number < NUM_DECISIONS:
        if seed == 0 or table.states["phase"][0] == Phase.OVER:
            table.begin(seed := seed + 1, {})
        decision = Decision(Decisions.at(table.tables), 0)
        before = copy.deepcopy(table.tables)
        answers = [decide_whole(player, copy.deepcopy(before)), random_answer(before, rng)]
        make(table.tables, answers[0])
        number += not isinstance(answers[0], int)
        for answer in answers:
            for states in (decision.states, before.states):
                facts = FactFinder(states, table.tables.rules, is_open=states is before.states).facts(answer)
                assert facts
                told[facts[0].key] += 1
                for fact in facts if not isinstance(answer, int) else ():
                    Told(before, answer).check(fact)
                    if fact.key.endswith("_safe"):
                        assert winning_team(before, answer, rng) == decision.seat % 2
    assert len(told) > 12


def random_answer(tables: Tables, rng: np.random.Generator) -> Answer:
    tables = copy.deepcopy(tables)
    return choose_whole(tables, lambda: int(rng.choice(np.flatnonzero(tables.masks[0]))))


def make(tables: Tables, answer: Answer) -> None:
    make_decision(tables, lambda: int(next_action(tables.states, tables.masks[0], as_play(answer))))


def winning_team(tables: Tables, answer: np.ndarray, rng: np.random.Generator) -> int:
    """The team that wins the trick if the others follow at random after an answer."""
    tables = copy.deepcopy(tables)
    tricks = int(tables.states["tricks"][0])
    make(tables, answer)
    while tables.states["tricks"][0] == tricks:
        make_decision(tables, lambda: int(rng.choice(np.flatnonzero(tables.masks[0]))))
    return (
        int(tables.states["winning"][0] if tables.states["phase"][0] == Phase.OVER else tables.states["leader"][0]) % 2
    )


@pytest.mark.parametrize("rules", ["two_deck", "chaodipi"])
def test_what_the_seat_does_not_know_changes_nothing(rules: str) -> None:
    table, rng = OneTable(TableSettings(rules=as_rules(rules))), np.random.default_rng(6)
    player = make_player("heuristic")
    table.begin(1, {})
    number = 0
    while table.states["phase"][0] != Phase.OVER:
        before, rule_set = copy.deepcopy(table.tables), table.tables.rules
        answer = decide_whole(player, copy.deepcopy(before))
        make(table.tables, answer)
        other = copy.deepcopy(before)
        other.states[:] = deal_again(before.states, int(before.seats[0]), rule_set, rng)
        said = [words_on(Decision(Decisions.at(each), 0).states, rule_set, answer) for each in (before, other)]
        assert said[0] == said[1]
        assert all(text and not re.search(r"\{(?!A\})|None|-1", text) for text in said[0].values())
        number += 1
    assert number > 50


def test_two_plays_are_told_apart_by_what_only_one_of_them_does() -> None:
    position = Position(["HT D3 D4", "HT D5 D6", "HK D7 D8", "HA H3 D9"]).play("HT").play("HT").play("HK")
    states, rules = position.env.states, as_rules("two_deck")
    best, worse = counts_of("HA"), counts_of("H3")
    said = words_on(states, rules, best, worse, is_open=True)
    assert said["en"] == (
        "All hands seen: Last to play, {A} takes the trick with 30 points. {B} cannot take the trick; it gives the "
        "others no points."
    )
    assert said["zh"].startswith(OPENED["zh"])
    assert words_on(states, rules, best)["en"] == (
        "Last to play, {A} takes the trick with 30 points. The attackers reach 30 points, which changes the result."
    )
    assert "both look alike" in words_on(states, rules, best, best)["en"]


def test_all_sentences_have_both_languages_and_the_same_fields() -> None:
    for texts in SENTENCES.values():
        fields = [set(re.findall(r"\{\w+\}", texts[language])) for language in ("en", "zh")]
        assert fields[0] == fields[1]
