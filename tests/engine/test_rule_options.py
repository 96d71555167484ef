"""Rule sets: presets, text and JSON forms, and errors that name the option.

Source: docs/rules.md §14.
"""

import ast
import inspect
import json
import random
import re
import tomllib
from dataclasses import FrozenInstanceError
from itertools import pairwise
from typing import Any

import pytest

from shengji_env.engine.card_sets import CARD_WORDS
from shengji_env.engine.result_tables import RESULT_TABLES, SHARE
from shengji_env.engine.rule_options import ABOUT, CARD_SETS, CHOICES, DEFAULTS, OPTION_NAMES, Options
from shengji_env.engine.rule_record import RULE_FEATURES, RuleFeature, index_of
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, as_rules, parse_rules, rule_set
from shengji_env.errors import RuleSetError
from shengji_env.records.writing import record_header
from tests.helpers import oracle
from tests.helpers.oracle_recorder import any_rules
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.nojit


_SMALL = {
    "cards": "HS 9TJ", "kitty": 0, "bidding": "fixed", "no_trump_bids": False, "result_table": "share",
}  # fmt: skip
"""A deck of six cards, twice."""
_TOML = "\n".join(f"{name} = {json.dumps(_SMALL[name])}" for name in ("bidding", "no_trump_bids", "result_table"))


@pytest.mark.parametrize("name", oracle.PRESETS)
def test_14_presets_are_those_of_the_table(name: str) -> None:
    ours, theirs = rule_set(name).options, vars(oracle.PRESETS[name])
    # An option that the table marks with a dash means nothing in that preset.
    meaningless = {"match_rounds"}
    meaningless |= {"failed_throw", "kitty_shape"} if name == "one_deck_45" else set()
    meaningless |= {"no_bid"} if name == "duplicate" else set()
    assert set(ours) == set(theirs)
    assert {key: ours[key] for key in ours if key not in meaningless} == {
        key: theirs[key] for key in theirs if key not in meaningless
    }


def test_14_all_presets_are_there() -> None:
    assert next(iter(RULE_SETS)) == "two_deck" == RuleSet().preset
    assert set(RULE_SETS) == set(oracle.PRESETS)
    assert [rule_set(name).hand for name in ("one_deck", "two_deck", "three_deck", "four_deck")] == [12, 25, 39, 52]


@pytest.mark.parametrize("seed", range(30))
def test_14_text_and_json_round_trip(seed: int) -> None:
    rules = any_rules(random.Random(seed))
    assert parse_rules(str(rules)) == rules
    assert RuleSet.from_json(json.loads(json.dumps(rules.to_json()))) == rules
    assert eval(repr(rules), {"RuleSet": RuleSet}) == rules


def test_14_text_names_what_differs_only() -> None:
    assert str(rule_set("three_deck")) == "three_deck"
    assert str(rule_set("three_deck", throws=False, kitty=10)) == "three_deck(kitty=10, throws=False)"
    assert parse_rules(" two_deck ( kitty = 12 , throws=false ) ") == rule_set("two_deck", kitty=12, throws=False)


def test_14_a_kitty_may_be_one_card() -> None:
    rules = rule_set("one_deck", cards="CDHS 23456789TJQKA LJ", kitty=1)
    assert (rules.total, rules.hand) == (53, 13)


@pytest.mark.parametrize(
    ("written", "cards", "kitty"),
    [
        ("SH JT9", "HS 9TJ", 0),
        ("hs 9tj bj lj", "HS 9TJ LJ BJ", 0),
        ("  ", "", 8),
        ("SHDC AKQJT98765432 BJ LJ", "", 8),
        ("CDHS 3456789TJQKA LJ BJ", "CDHS 3456789TJQKA LJ BJ", 8),
    ],
)
def test_14_sets_of_cards_are_sorted_and_read_back(written: str, cards: str, kitty: int) -> None:
    rules = rule_set(**{**_SMALL, "cards": written, "kitty": kitty})
    assert rules.cards == cards
    assert parse_rules(str(rules)) == rules
    assert RuleSet.from_json(json.loads(json.dumps(rules.to_json()))) == rules
    assert as_rules(tomllib.loads(f'cards = "{cards}"\nkitty = {kitty}\n' + _TOML)) == rules


def test_14_a_small_preset_takes_other_cards() -> None:
    rules = parse_rules("small_two_ranks(cards=HS 9TJ)")
    assert rules.options == rule_set("small_three_ranks").options
    assert str(rules) == "small_two_ranks(cards=HS 9TJ)"


def test_14_fingerprints_tell_games_apart() -> None:
    fingerprints = {rules.fingerprint for rules in RULE_SETS.values()}
    assert len(fingerprints) == len(RULE_SETS)
    same = rule_set("competition", **RULE_SETS["two_deck"].options)
    assert same.fingerprint == RULE_SETS["two_deck"].fingerprint
    assert rule_set(throw_penalty=5).fingerprint not in fingerprints


def test_14_rules_are_given_in_three_ways() -> None:
    rules = rule_set("one_deck", throws=False)
    assert as_rules(rules) is rules
    assert as_rules("one_deck(throws=False)") == rules
    assert as_rules({"preset": "one_deck", "throws": False}) == rules
    assert as_rules({}) == rule_set()


@pytest.mark.parametrize("option", [option for option in OPTION_NAMES if type(DEFAULTS[option]) is int])
def test_14_a_number_has_bounds(option: str) -> None:
    """They stand in `engine/rule_sets.py`, most of them in `_check_numbers`."""
    for value in (-2, 1001):
        with pytest.raises(RuleSetError, match=f"{option}={value}"):
            rule_set(**{option: value})


@pytest.mark.parametrize("option", sorted(CHOICES))
def test_14_an_unknown_word_names_the_option_and_its_values(option: str) -> None:
    with pytest.raises(RuleSetError, match=rf"{option}='nonsense' is unknown.*{CHOICES[option][0]}"):
        rule_set(**{option: "nonsense"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decks": 0}, "decks=0 must be 1..4"),
        ({"decks": 5}, "decks=5 must be 1..4"),
        ({"decks": True}, "decks=True must be of type int"),
        ({"kitty": 7}, "kitty=7 does not divide 108 cards"),
        ({"kitty": 0}, "kitty=0"),
        ({"kitty": -4}, "kitty=-4"),
        ({"kitty": 60}, "kitty=60"),
        ({"kitty": "8"}, "kitty='8' must be of type int"),
        ({"throws": 1}, "throws=1 must be of type bool"),
        ({"decks": 1, "kitty": 6}, "no_trump_bids=True needs a pair"),
        ({"max_redeals": 101}, "max_redeals=101"),
        ({"max_redeals": -1}, "max_redeals=-1"),
        ({"throw_penalty": 7}, "throw_penalty=7 must be a multiple of 5"),
        ({"throw_penalty": -5}, "throw_penalty=-5"),
        ({"match_rounds": 0}, "match_rounds=0"),
        ({"must_defend": 5}, "must_defend=5 must be of type str"),
        (
            {"must_defend": "10"},
            "must_defend='10' is not a set of ranks; write some of 23456789TJQK, each once, such as",
        ),
        ({"must_defend": "55"}, "must_defend='55' is not a set of ranks"),
        ({"must_defend": "KA"}, "must_defend='KA' .* for the ace there is match_end=pass_ace"),
        ({"cards": "HS"}, "cards='HS' is not a set of cards; write suits, ranks and jokers, each once, such as HS 9TJ"),
        ({"cards": "9TJ HS"}, "cards='?9TJ HS'? is not a set of cards"),
        ({"cards": "HS 9TJ XJ"}, "cards='HS 9TJ XJ' is not a set of cards"),
        ({"cards": "HHS 9TJ"}, "cards='HHS 9TJ' is not a set of cards"),
        ({"cards": 9}, "cards=9 must be of type str"),
        ({**_SMALL, "cards": "HS 9J"}, "result_table=share needs 5 points at least, but cards=HS 9J deals 0$"),
        ({**_SMALL, "result_table": "two_deck"}, "result_table=two_deck needs 80 points.*result_table=share fits"),
        ({**_SMALL, "kitty": 2}, r"kitty=2 does not divide 12 cards into four hands; it may be \[0\]"),
        (
            {**_SMALL, "no_trump_bids": True},
            "no_trump_bids=True needs a pair of equal jokers, but cards=HS 9TJ has none",
        ),
        ({**_SMALL, "kitty": 0, "bidding": "streaming"}, "kitty=0 needs bidding=fixed"),
        (
            {"cards": "CDHS 9TJQKA LJ BJ", "result_table": "share", "kitty": 4},
            "cards=CDHS 9TJQKA LJ BJ lacks level cards of 2 3 4 5 6 7 8, .*deal all ranks, or set bidding=fixed",
        ),
        ({"kitty_retake": "overbid", "overturn": False}, "kitty_retake=overbid needs overturn=True"),
        ({"rebellion_points": -2}, r"rebellion_points=-2 must be -1\.\.400"),
        ({"rebellion_trumps": 55}, r"rebellion_trumps=55 must be -1\.\.54"),
        ({"max_rebellions": 0}, r"max_rebellions=0 must be 1\.\.20"),
        ({"max_rebellions": 21}, r"max_rebellions=21 must be 1\.\.20"),
        ({"kittty": 8}, "no option is called 'kittty'"),
        ({"preset": "mine"}, "no option is called 'preset'|mine"),
    ],
)
def test_14_what_makes_no_sense_names_the_option(options: dict[str, Any], message: str) -> None:
    with pytest.raises((RuleSetError, TypeError), match=message):
        rule_set("two_deck", **options)


@pytest.mark.parametrize(
    "text", ["", "two_decks", "two_deck(", "two_deck(kitty)", "two_deck(kitty=x)", "two_deck(nope=1)"]
)
def test_14_text_that_is_no_rule_set_is_refused(text: str) -> None:
    with pytest.raises(RuleSetError):
        parse_rules(text)


@pytest.mark.parametrize("rules", [rule_set("three_deck"), rule_set(throws=False), rule_set("house", must_defend="J")])
def test_14_what_a_record_says_of_its_rules_is_a_rule_set(rules: RuleSet) -> None:
    header = json.loads(json.dumps(record_header(rules, ["a", "b", "c", "d"], 1)))
    assert as_rules(header["rules"]) == rules
    with pytest.raises(RuleSetError, match="fingerprint '000' does not fit the options"):
        as_rules({**header["rules"], "fingerprint": "000"})


def test_14_a_mapping_is_no_text() -> None:
    with pytest.raises(RuleSetError, match="is not text; as_rules reads mappings too"):
        parse_rules({"preset": "two_deck"})  # type: ignore[arg-type]  # what is refused


def test_14_a_foreign_fingerprint_is_refused() -> None:
    data = rule_set("three_deck").to_json() | {"fingerprint": "0" * 12}
    with pytest.raises(RuleSetError, match="fingerprint"):
        RuleSet.from_json(data)


@pytest.mark.parametrize("option", OPTION_NAMES)
def test_14_an_option_is_said_everywhere(option: str) -> None:
    """Names what is missing where an option or a value is new."""
    rules_page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    text = rules_page.partition("## 14 ")[0]
    assert option in vars(oracle.Options()), f"{option} is missing in Options of tests/helpers/oracle.py"
    assert f"`{option}" in text, f"{option} is missing in docs/rules.md before §14: write its rule"
    for value in CHOICES.get(option, ()):
        named = f'"{value}"' in text or f"| {value} " in text or f"`{value}`" in text
        assert named, f"{option}={value} is missing in docs/rules.md before §14: write its rule"
        assert value in ABOUT[option].sources, f"{option}={value} has no source among the sources of Options.{option}"
    assert set(ABOUT[option].later) <= set(CHOICES.get(option, ())), f"Options.{option} dates a value that it has not"


FIRST_OPTIONS = [
    *("decks", "kitty", "bidding", "no_trump_bids", "joker_bids", "no_bid", "max_redeals", "throws", "failed_throw"),
    *("throw_penalty", "follow_priority", "kitty_multiplier", "kitty_shape", "last_trick_points", "result_table"),
    *("match_end", "match_rounds"),
]


def test_14_what_was_there_first_is_always_written() -> None:
    """An option that is added needs `edition`: otherwise all fingerprints change, and all records are refused."""
    assert [option for option in OPTION_NAMES if ABOUT[option].edition == 1] == FIRST_OPTIONS


FIRST_FINGERPRINTS = {
    "two_deck": "c804044a2a1d",
    "one_deck": "b2df36c372da",
    "one_deck_45": "7d2d6d7cc467",
    "competition": "33ccf7b64766",
    "duplicate": "70f028951edd",
    "three_deck": "f08860e6217d",
    "four_deck": "090170137996",
}


@pytest.mark.parametrize("preset", FIRST_FINGERPRINTS)
def test_14_an_option_that_came_later_changes_nothing_where_it_is_not_set(preset: str) -> None:
    rules = RULE_SETS[preset]
    assert rules.fingerprint == FIRST_FINGERPRINTS[preset]
    later = {option for option in OPTION_NAMES if ABOUT[option].edition > 1}
    assert later.isdisjoint(rules.to_json()["options"])
    assert RuleSet.from_json(rules.to_json()) == rules


def test_14_an_option_that_came_later_is_written_where_it_is_set() -> None:
    for rules in (RULE_SETS["house"], rule_set("house", must_defend=""), rule_set(must_defend="J")):
        written = rules.to_json()
        assert written["options"]["must_defend"] == rules.must_defend
        assert RuleSet.from_json(json.loads(json.dumps(written))) == rules
    assert rule_set("house", **RULE_SETS["two_deck"].options).fingerprint == RULE_SETS["two_deck"].fingerprint
    assert rule_set(must_defend="J").fingerprint != RULE_SETS["two_deck"].fingerprint


def test_14_figures_keep_their_places() -> None:
    """Observations of networks and old records depend on them: what is added comes last."""
    assert [figure.option for figure in RULE_FEATURES[:35]] == [
        option
        for option in OPTION_NAMES
        if ABOUT[option].edition == 1
        for value in CHOICES.get(option, ("",))
        if ABOUT[option].later.get(value, 1) == 1
    ]
    assert RULE_FEATURES[35:48] == (
        RuleFeature("kitty_multiplier", "cards"),
        *(RuleFeature("must_defend", r) for r in "23456789TJQK"),
    )
    assert [index_of("decks"), index_of("throws"), index_of("must_defend", "K")] == [0, 11, 47]
    assert RULE_FEATURES[48:87] == (
        RuleFeature("result_table", "share"),
        *(RuleFeature("cards", word) for word in CARD_WORDS),
        *(RuleFeature("bid_suits", word) for word in ("equal", "ranked")),
        RuleFeature("overturn"),
        *(RuleFeature("first_declarer", word) for word in ("winning_bid", "first_bid")),
        *(RuleFeature("rebellion", word) for word in ("none", "redeal", "new_declarer")),
        *(RuleFeature(option) for option in ("rebellion_points", "rebellion_trumps", "max_rebellions")),
        *(RuleFeature("kitty_retake", word) for word in ("none", "overbid")),
        *(RuleFeature("throw_contest", word) for word in ("principal", "all")),
        *(RuleFeature("last_trick_demotion", word) for word in ("none", "jack_single", "jack_suit", "jack_ace")),
    )
    assert RULE_FEATURES[87:92] == (
        RuleFeature("no_bid", "no_trump"),
        RuleFeature("failed_throw", "lowest"),
        RuleFeature("match_end", "beyond_ace"),
        RuleFeature("rebellion", "no_declarer"),
        RuleFeature("throw_contest", "highest"),
    )
    assert RULE_FEATURES[92:] == (  # a default word that came later has none
        RuleFeature("bidding", "drawing"),
        RuleFeature("no_bid", "random"),
        RuleFeature("failed_throw", "lowest_card"),
        RuleFeature("kitty_multiplier", "component"),
        RuleFeature("result_table", "botzone"),
        RuleFeature("bid_ladder", "call_snatch"),
        RuleFeature("throw_penalty_per", "card"),
    )


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("cards", "S", "1 if `cards` names S; 0 where all cards are dealt"),
        ("bidding", "fixed", "1 if `bidding` is fixed"),
        ("must_defend", "K", "1 if `must_defend` contains K"),
        ("throws", "", "1 if `throws`"),
        ("kitty", "", "`kitty`"),
        ("throw_penalty", "", "`throw_penalty`, in units of 5"),
    ],
)
def test_14_figures_are_described(option: str, value: str, text: str) -> None:
    assert RuleFeature(option, value).doc == text


@pytest.mark.parametrize("seed", range(10))
def test_14_figures_say_what_the_options_are(seed: int) -> None:
    rules = any_rules(random.Random(seed))
    figures = dict(zip(RULE_FEATURES, rules.record()["features"][0].tolist(), strict=False))
    for option, value in rules.options.items():
        if option in CHOICES:
            is_shown = RuleFeature(option, value) in figures
            assert [word for word in CHOICES[option] if figures.get(RuleFeature(option, word))] == [value] * is_shown
        elif option in CARD_SETS:
            named = [figure.value for figure in RULE_FEATURES if figure.option == option and figures[figure]]
            assert "".join(named) == value.replace(" ", "")
        elif isinstance(value, str):
            assert (
                "".join(figure.value for figure in RULE_FEATURES if figure.option == option and figures[figure])
                == value
            )
        else:
            assert figures[RuleFeature(option)] == min(
                127, value // (5 if option in ("throw_penalty", "rebellion_points") else 1)
            )
    assert not rules.record()["features"][0, len(RULE_FEATURES) :].any()


def test_13_sets_of_ranks_are_put_in_order() -> None:
    assert rule_set(must_defend="kT5") == rule_set(must_defend="5TK") == parse_rules("two_deck(must_defend=5TK)")
    assert parse_rules("two_deck(must_defend=25)").must_defend == "25"
    assert parse_rules("house(must_defend=)").must_defend == DEFAULTS["must_defend"] == ""


def test_14_every_option_is_described() -> None:
    assert set(OPTION_NAMES) == set(vars(oracle.Options()))
    assert {*RESULT_TABLES, SHARE} == set(CHOICES["result_table"])
    assert [table.threshold for table in RESULT_TABLES.values()] == [40, 45, 80, 80, 120, 160, 80]


def test_14_every_option_s_line_names_its_section() -> None:
    (body,) = (node.body for node in ast.parse(inspect.getsource(Options)).body if isinstance(node, ast.ClassDef))
    lines = {
        entry.target.id: ast.literal_eval(line.value)
        for entry, line in pairwise(body)
        if isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name) and isinstance(line, ast.Expr)
    }
    assert tuple(lines) == OPTION_NAMES
    assert all(re.search(r"\(§\d+\)\.$", lines[name]) and "\n" not in lines[name] for name in OPTION_NAMES)


def test_14_a_rule_set_cannot_be_changed() -> None:
    rules = rule_set("three_deck")
    with pytest.raises(FrozenInstanceError):
        rules.decks = 2  # type: ignore[misc]  # the point of the test
    assert rules == rule_set("three_deck") != rule_set("three_deck", failed_throw="smallest")
    assert len({rules, rule_set("three_deck")}) == 1


def test_14_what_is_no_rule_set_is_refused_as_such() -> None:
    for wrong in (3, None, ["two_deck"]):
        with pytest.raises(RuleSetError, match="is not a rule set"):
            as_rules(wrong)  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(RuleSetError, match="sets throws twice"):
        as_rules("two_deck(throws=False, throws=True)")
    with pytest.raises(RuleSetError, match="no preset is called 'mine'"):
        RuleSet(preset="mine")


@pytest.mark.parametrize(
    "changes",
    [
        {"preset": ["two_deck"]},
        {"options": [None]},
        {"options": None},
        {"options": {"name": 0.0}},
        {"options": {None: 3}},
        {"options": {"decks": pytest.param}},
        {"fingerprint": 10**5000},
        {"fingerprint": None},
    ],
    ids=range(8),
)
def test_saved_rules_of_another_form_are_refused(changes):
    with pytest.raises(RuleSetError):
        RuleSet.from_json({**RULE_SETS["two_deck"].to_json(), **changes})
    with pytest.raises(RuleSetError, match="is not a rule set; it is a mapping of preset, options and fingerprint"):
        RuleSet.from_json([changes])


def test_14_rules_that_were_written_before_their_preset_was_edited_are_read(monkeypatch) -> None:
    """What was not written then was the default and the preset's."""
    before = rule_set("chaodipi", max_redeals=2)
    written = json.loads(json.dumps(before.to_json()))
    monkeypatch.setitem(RULE_SETS, "chaodipi", rule_set("chaodipi", must_defend="25", throw_penalty=10))
    read = RuleSet.from_json(written)
    assert read == before != rule_set("chaodipi", max_redeals=2)
    assert RuleSet.from_json(read.to_json()) == read
