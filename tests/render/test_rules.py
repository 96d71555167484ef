"""Rule sets as text: what is said, and that every option is mentioned where it counts, and nowhere else.

Source: docs/rules.md §14.
"""

import random
import re
import unicodedata
from typing import Any

import numpy as np
import pytest

from shengji_env.engine import referee
from shengji_env.engine.cards import CARD_TEXTS
from shengji_env.engine.rule_options import ABOUT, CHOICES, OPTION_NAMES, Options
from shengji_env.engine.rule_sets import PRESETS, RULE_SETS, RuleSet, rule_set
from shengji_env.errors import RuleSetError
from shengji_env.render import explain_rules, list_rules
from shengji_env.render.fields import field_docs
from shengji_env.render.opening_words import bid_ladder
from shengji_env.render.play_words import TITANIC_WAYS
from shengji_env.render.shown_values import NO_EFFECT, has_effect, shown_value
from shengji_env.vector import BatchEnv
from tests.helpers import oracle
from tests.helpers.rule_draws import OPTION_VALUES, any_rules


def possible(preset: str, options: dict[str, Any]) -> RuleSet | None:
    try:
        return rule_set(preset, **options)
    except RuleSetError:
        return None


CHANGES = [
    (preset, option, value)
    for preset, rules in RULE_SETS.items()
    for option in OPTION_NAMES
    for value in OPTION_VALUES[option]
    if value != rules.options[option] and possible(preset, {option: value})
]


def body(rules: RuleSet) -> str:
    """All but the first lines, which name the options whether they count or not."""
    return explain_rules(rules).partition("\n\n")[2]


def flat(text: str) -> str:
    return " ".join(text.split())


def what_counts(rules: RuleSet) -> dict[str, Any]:
    """The options that can change a round or a match, with one value for all that play alike."""
    options = dict(rules.options)
    wide = rules.decks > 2
    counts_shapes = rules.kitty_multiplier in ("exponential", "pattern", "component") and rules.decks > 1
    idle = {
        "joker_bids": rules.bidding == "fixed" or not rules.no_trump_bids or 0 in rules.copies[52:],
        "no_bid": rules.bidding == "fixed",
        "max_redeals": rules.bidding == "fixed",
        "failed_throw": not rules.throws,
        "throw_penalty": not rules.throws,
        "throw_penalty_per": not rules.throws or not rules.throw_penalty,
        "follow_priority": not wide,
        "kitty_shape": not rules.throws or not counts_shapes,
        "match_rounds": rules.match_end != "rounds",
        "first_declarer": not rules.overturn or rules.decks == 1,
        **dict.fromkeys(("bid_suits", "overturn", "kitty_retake", "bid_ladder"), rules.decks == 1),
        "throw_contest": not rules.throws,
    }
    if rules.bidding == "fixed":
        fixed = "bid_suits", "overturn", "first_declarer", "rebellion", "kitty_retake", "bid_ladder"
        idle |= dict.fromkeys(fixed, True)
    if rules.bid_ladder == "call_snatch":
        idle |= dict.fromkeys(("joker_bids", "bid_suits"), True)
    if rules.bidding == "fixed" or rules.rebellion == "none":
        idle |= dict.fromkeys(("rebellion_points", "rebellion_trumps", "max_rebellions"), True)
    if rules.decks == 1:
        # The lowest of single cards is beaten if any of them is, and the highest is the principal one.
        options["failed_throw"] = {"lowest": "smallest"}.get(rules.failed_throw, rules.failed_throw)
        options["throw_contest"] = {"highest": "principal"}.get(rules.throw_contest, rules.throw_contest)
    # `share` is the same as another table where the points are.
    options["result_table"] = rules.table
    has_single_cards = rules.decks == 1 and (not rules.throws or rules.kitty_multiplier != "cards")
    if has_single_cards and rules.kitty_multiplier != "none":
        options["kitty_multiplier"] = "double"
    return {name: value for name, value in options.items() if not idle.get(name)}


def drawn(count: int) -> list[RuleSet]:
    return [any_rules(random.Random(seed)) for seed in range(count)]


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


# ---- what is said


def test_every_preset_is_explained() -> None:
    for preset, rules in RULE_SETS.items():
        head, *lines = explain_rules(rules).splitlines()
        assert head == f"升级 Shengji · {preset} · fingerprint {rules.fingerprint}"
        headings = [line for line in lines if line and not line.startswith(" ")]
        expected = 10 if rules.bidding == "fixed" else 11
        assert len(headings) == expected + (rules.rebellion != "none"), preset
        assert not any(line.startswith("Unlike") for line in lines), preset
        said = flat(body(rules))
        assert f"{rules.hand} for each hand" in said, preset
        assert (f"the last {rules.kitty} are the kitty" if rules.kitty else "there is no kitty") in said, preset
        assert f"{oracle.points(oracle.deck(rules.cards)) * rules.decks} in all" in said, preset


def test_no_line_is_wider_than_the_columns() -> None:
    for rules in [*RULE_SETS.values(), *drawn(26)]:
        text = explain_rules(rules)
        assert max(map(columns, text.splitlines())) <= 96, rules
        assert not re.search(r"[\x1b\ue000-\ue0ff]| $|  \S+  ", text, flags=re.MULTILINE), rules


@pytest.mark.thorough
def test_14_an_option_is_heard_where_it_counts_and_nowhere_else() -> None:
    bodies = {preset: body(rules) for preset, rules in RULE_SETS.items()}
    for preset, option, value in CHANGES:
        before, after = RULE_SETS[preset], rule_set(preset, **{option: value})
        is_heard, counts = bodies[preset] != body(after), what_counts(before) != what_counts(after)
        assert is_heard == counts, f"{preset}, {option}={value!r}"


def test_14_two_rule_sets_read_alike_where_they_play_alike() -> None:
    for seed in range(60):
        generator = random.Random(seed)
        one, other = any_rules(generator), None
        while other is None or other == one:
            option = generator.choice(OPTION_NAMES)
            other = possible(one.preset, one.options | {option: generator.choice(OPTION_VALUES[option])})
        assert (body(one) == body(other)) == (what_counts(one) == what_counts(other)), (one, other)


def test_14_an_option_has_effect_where_it_counts() -> None:
    for rules in drawn(20):
        # With one deck, `no_trump_bids` has only one possible value.
        counting = set(what_counts(rules)) - ({"no_trump_bids"} if rules.decks == 1 else set())
        assert {option for option in OPTION_NAMES if has_effect(rules, option)} == counting, rules


@pytest.mark.thorough
def test_14_an_option_without_effect_changes_no_round() -> None:
    for preset, option, value in CHANGES:
        if not has_effect(RULE_SETS[preset], option):
            assert_same_rounds(RULE_SETS[preset], rule_set(preset, **{option: value}))


def test_11_with_one_deck_all_multipliers_double() -> None:
    for kind in ("pattern", "double"):
        assert_same_rounds(RULE_SETS["one_deck"], rule_set("one_deck", kitty_multiplier=kind))


def assert_same_rounds(*rules: RuleSet) -> None:
    """Play the same random rounds by two rule sets, and see that nothing differs."""
    one, other = (BatchEnv(16, each, seed=5, start="any") for each in rules)
    finished = 0
    for _ in range(500):
        for env in (one, other):
            env.step(env.sample_actions())
        assert np.array_equal(one.action_mask, other.action_mask), rules
        assert np.array_equal(one.reward, other.reward), rules
        finished += int(one.terminated.sum())
    assert finished >= 10, rules
    assert np.array_equal(one.result, other.result), rules


# ---- the words are the engine's


@pytest.mark.parametrize("preset", ["two_deck", "three_deck", "four_deck"])
@pytest.mark.parametrize("joker_bids", CHOICES["joker_bids"])
def test_4_bids_are_told_from_weak_to_strong(preset: str, joker_bids: str) -> None:
    rules = rule_set(preset, joker_bids=joker_bids)
    rungs = [[_bid(part) for part in rung.split(" or ")] for rung in bid_ladder(rules)]
    assert sum(map(len, rungs)) == rules.decks + 2 * (rules.decks - 1)
    for place, rung in enumerate(rungs):
        for bid in rung:
            beaten = {other for below in rungs[:place] for other in below}
            for other in (bid for rung in rungs for bid in rung):
                possible = {answer.cards for answer in referee.legal_bids(bid, "22", 0, (1, other), rules)}
                assert (bid in possible) == (other in beaten)


def _bid(text: str) -> str:
    count, *card = text.removesuffix("s").split()
    cards = {"level card": "S2", "little joker": "LJ", "big joker": "BJ"}
    return " ".join([cards[" ".join(card)]] * (1 + ("one", "two", "three", "four").index(count)))


@pytest.mark.parametrize("policy", CHOICES["follow_priority"])
def test_9_what_follows_a_titanic_is_told_in_the_order_of_the_policy(policy: str) -> None:
    shapes = {"triple": (3, 1), "tractor": (2, 2), "pair": (2, 1)}
    told = []
    for way in TITANIC_WAYS[policy]:
        parts = [shapes[word.removesuffix("s")] for word in way.split() if word.removesuffix("s") in shapes]
        told.append(tuple(parts * (2 if way.startswith("two") else 1)))
    ways = [tuple(shape for shape in way if shape != (1, 1)) for way in oracle.ways(3, 2, policy)]
    assert [((3, 2),), *told, ()] == ways


# ---- snippets


@pytest.mark.parametrize(
    ("preset", "options", "snippets"),
    [
        (
            "two_deck",
            {},
            [
                "Two decks with the jokers, 108 cards: 25 for each hand (手牌), and the last 8 are the kitty (底牌). "
                "Points (分): 5 for each 5, 10 for each 10 and K; 200 in all.",
                "From weak to strong: one level card, two level cards, two little jokers, two big jokers.",
                "the cards are dealt again, at most 8 times. If the last deal brings no bid either,",
                "If it fails, the smallest (the fewest cards, then the lowest) of the beaten parts is led instead.",
                "times 2 for a single card, 4 for a pair, 16 for a tractor of two pairs and 64 for one of three, never "
                "more than 64. What counts is the part with the most cards in the play that won the trick.",
                "• No points: the declarers rise three levels. • Below 40 points: the declarers rise two levels. "
                "• Below 80 points: the declarers rise one level. • From 80 points on: the attackers win and rise "
                "one level. • From 120 points on: the attackers win and rise two levels. • For every further 40 "
                "points: one level more.",
                "The team whose level is first to reach A wins the match.",
            ],
        ),
        (
            "three_deck",
            {},
            [
                "two level cards, two little jokers or two big jokers, three level cards,",
                "if all are jokers, there is no trump (无主)",
                "To a Titanic of two triples: a Titanic, else two triples, else a tractor, else a triple and a pair,",
                "times 2 for a single card, 4 for a pair, 8 for a tractor of two pairs and 16 for one of three, 6 for "
                "a triple, 18 for a Titanic of two triples and 54 for one of three, and so on.",
                "• From 120 points on: the attackers win (上台), and nobody rises.",
            ],
        ),
        (
            "one_deck_45",
            {},
            [
                "In the first round of a match and after a draw, where nobody is declarer yet, everybody bids with the "
                "level of the own team, and the holder of that bid becomes declarer.",
                "The first bid stands, since none is stronger.",
                "A lead is a single card. Throws (甩牌), several at once, are not allowed.",
                "The points in the last trick count for nobody. The points that were buried count for nobody.",
                "• With exactly 40 points, but not the last trick: a draw, and nobody rises.",
            ],
        ),
        (
            "house",
            {},
            [
                "times twice the number of cards that each player put into it: 2 for one card, 4 for two, 6 for "
                "three, and so on.",
                "Levels 5, 10 and K must be defended (必打): a team that would pass such a level stops there,",
            ],
        ),
        ("one_deck", {"kitty_multiplier": "cards", "throws": False}, ["buried (抠底), times 2."]),
        ("two_deck", {"must_defend": "J"}, ["Level J must be defended (必打)"]),
        (
            "competition",
            {},
            [
                "from the declarer's partner on (in the first round of a match from the first to draw on)",
                "the declarer's partner names a suit.",
                "the points that were buried (抠底), times 2.",
                "The match is won by the team that wins a round as declarers at level A (A必打).",
            ],
        ),
        (
            "duplicate",
            {"no_trump_bids": True, "match_end": "rounds", "match_rounds": 3, "throw_penalty": 10},
            [
                "Nobody bids: with the deal comes a trump suit or no trump (无主), chosen by lot.",
                "The thrower's side also pays 10 points:",
                "• 0 points or less: the declarers rise three levels.",
                "After three rounds the team with the higher level wins the match;",
            ],
        ),
        (
            "four_deck",
            {
                "max_redeals": 0,
                "kitty_multiplier": "pattern",
                "kitty_shape": "lead",
                "follow_priority": "tractors_first",
            },
            [
                "In the first round of a match the first to draw is declarer, and the kitty is turned up",
                "To a Titanic of two triples: a Titanic, else a tractor, else two triples,",
                "6 for a quad, 18 for a run of two quads and 54 for one of three, and so on. What counts is the first "
                "of Titanic, triple, tractor, pair, single card (quads being triples) in what was led to the trick.",
            ],
        ),
    ],
)
def test_snippets(preset: str, options: dict[str, Any], snippets: list[str]) -> None:
    said = flat(explain_rules(rule_set(preset, **options)))
    for snippet in snippets:
        assert snippet in said


@pytest.mark.parametrize(
    ("preset", "options", "words"),
    [
        ("two_deck", {"throws": False}, ["fails", "parts", "penalty", "the play that won"]),
        ("duplicate", {}, ["dealt again", "turned up", "level cards of one suit", "no trump"]),
        ("competition", {}, ["jokers for", "no trump", "Titanic", "rounds"]),
        ("one_deck", {}, ["pair", "tractor", "Neighbours", "no trump", "reinforce", "draw,"]),
        ("two_deck", {}, ["triple", "Titanic", "quad", "after a draw", "pays"]),
        ("three_deck", {}, ["quad"]),
    ],
)
def test_what_does_not_count_is_not_spoken_of(preset: str, options: dict[str, Any], words: list[str]) -> None:
    said = flat(body(rule_set(preset, **options)))
    for word in words:
        assert word not in said


@pytest.mark.parametrize(
    ("options", "goes_on"),
    [
        ({}, "rise from there."),
        ({"must_defend": "5TK"}, "rise from there."),
        ({"must_defend": "25TK"}, "stay there, since it must be defended."),
        ({"match_end": "pass_ace"}, "rise from there, and have not won the match if it was A."),
        (
            {"must_defend": "2", "match_end": "pass_ace"},
            "stay there, since it must be defended, and have not won the match if it was A.",
        ),
        ({"last_trick_demotion": "jack_single", "match_end": "pass_ace"}, "rise from there."),
    ],
)
def test_13_declarers_who_fall_to_a_required_level_do_not_rise(options: dict[str, Any], goes_on: str) -> None:
    said = flat(explain_rules(rule_set("two_deck", **{"last_trick_demotion": "jack_ace", **options})))
    sentence = said.partition("Declarers who have held their level all the same ")[2]
    assert sentence.startswith(goes_on)


def test_01_no_card_is_spoken_of_that_is_not_dealt() -> None:
    tried = 0
    for cards in [*OPTION_VALUES["cards"], "HS TJ", "D 23456789TJQKA BJ", "CS 2468TQA"]:
        for options in ({}, {"no_bid": "partner_names", "bid_suits": "ranked"}, {"decks": 1}):
            for rules in rule_sets_of(cards, options):
                assert not spoken_of_but_not_dealt(rules), rules
                tried += 1
    assert tried >= 28


def rule_sets_of(cards: str, options: dict[str, Any]) -> list[RuleSet]:
    """Return rule sets of these cards, with and without bids; none if four hands cannot be equal."""
    usual = {"bidding": "fixed", "no_trump_bids": False, "result_table": "share", "cards": cards, **options}
    kitty = next((size for size in range(9) if possible("two_deck", {**usual, "kitty": size})), None)
    streaming = {"bidding": "streaming", "no_trump_bids": "J" in cards and "decks" not in options}
    both = ({**usual, **how, "kitty": kitty} for how in ({}, streaming))
    return [rules for rules in (possible("two_deck", each) for each in both) if rules]


def spoken_of_but_not_dealt(rules: RuleSet) -> list[str]:
    """Return the cards, suits and jokers that a rule set's text names wrongly, or leaves out wrongly."""
    said = flat(body(rules))
    dealt = {text for text, copies in zip(CARD_TEXTS, rules.copies, strict=True) if copies}
    jokers = {"LJ": "little joker", "BJ": "big joker"}
    wrong = [word for joker, word in jokers.items() if (word in said) != (joker in dealt)]
    named = re.findall("([♣♦♥♠])(10|[2-9JQKA])", said)
    wrong += [suit + rank for suit, rank in named if "CDHS"["♣♦♥♠".index(suit)] + rank.replace("10", "T") not in dealt]
    suits = {text[0] for text in dealt - set(jokers)}
    wrong += [
        word for word in ("clubs", "diamonds", "hearts", "spades") if word in said and word[0].upper() not in suits
    ]
    return wrong + ["down to 2"] * (("down to 2" in said) != any(text[1] == "2" for text in dealt))


def test_14_what_was_overridden_stands_at_the_top() -> None:
    head = flat(explain_rules(rule_set("two_deck", throws=False, kitty=12, throw_penalty=5)).partition("\n\n")[0])
    assert "two_deck(kitty=12, throws=False, throw_penalty=5)" in head
    assert "Unlike two_deck: kitty=12 (there 8), throws=False (there True)." in head
    assert "Changing nothing in this game: throw_penalty." in head


# ---- presets and options


def test_14_the_list_has_a_line_for_every_preset() -> None:
    lines = list_rules().splitlines()
    assert [line.split()[0] for line in lines] == ["preset", *PRESETS, "*"]
    assert set(oracle.PRESETS) == set(PRESETS)
    assert max(map(columns, lines)) <= 100
    listed = {line.split()[0]: line for line in lines}
    assert "two_deck *" in listed["two_deck"]
    assert " ".join(listed["three_deck"].split()) == "three_deck 3 39 6 streaming yes yes pattern 120 reach_ace"


def test_14_every_value_has_a_source() -> None:
    for option in OPTION_NAMES:
        shown = {shown_value(rules, option) for rules in RULE_SETS.values()} - {NO_EFFECT}
        if option == "cards":
            shown = {"all" if text == "all" else "suits and ranks" for text in shown}
        is_flag = isinstance(RULE_SETS["two_deck"].options[option], bool)
        known = {"yes", "no"} if is_flag else set(CHOICES.get(option, ()))
        assert shown | known <= set(ABOUT[option].sources), option


def test_14_where_an_option_may_be_idle_is_said() -> None:
    idle = {option for option in OPTION_NAMES if not all(has_effect(rules, option) for rules in RULE_SETS.values())}
    assert {option for option in OPTION_NAMES if ABOUT[option].idle} == idle


def test_14_every_option_has_a_docstring_with_its_section() -> None:
    docs = field_docs(Options)
    assert tuple(docs) == OPTION_NAMES
    assert all(re.search(r"\(§\d+\)\.$", docs[option]) for option in OPTION_NAMES)
