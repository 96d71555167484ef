"""Reasons of reviews: their parts sum to the difference, and what is known of a position comes out."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from shengji_env.engine.play import CARDS, Plays
from shengji_env.engine.rule_sets import as_rules
from shengji_env.players import make_player
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.playing import policies_of
from shengji_env.records.replays import Replay
from shengji_table.reasons.card_words import OPENED
from shengji_table.reasons.courses import COURSE_DTYPE, follow_courses
from shengji_table.reasons.explaining import Explainer, Reason, reason_of
from shengji_table.reasons.splitting import PARTS, differences, split
from shengji_table.reasons.wording import words_of
from shengji_table.review import as_valuer, review_round
from shengji_table.valuing.reviewed_decisions import choices_of
from tests.helpers.late_positions import Position, counts_of
from tests.helpers.paths import DATA

ROUNDS = DATA / "playthroughs"
PENALTY = "two_deck(throw_penalty=10)"


def reason_in(position: Position, better: str, worse: str, rules: str = "two_deck", kitty: str = "") -> Reason:
    """Why one play is better than another in a position in which everybody knows all hands."""
    states = position.env.states.copy()
    states["attackers_points"], states["buried"] = 60, counts_of(kitty)
    plays = Plays(np.full(2, CARDS), np.stack([counts_of(better), counts_of(worse)]))
    courses, played = np.zeros((2, 4), COURSE_DTYPE), as_rules(rules)
    policies = policies_of(make_player("champion?part=playouts"), played)
    follow_courses(plays, states.repeat(4), courses, make_scratch(played.record(), 1), policies.packed)
    return reason_of(courses, played)


# Spades are trumps, 2 is the level, seat 0 declares.
KNOWN = {
    "points to the partner who wins": (
        Position(["H6 C3 C4", "HA D3 D4", "HQ HK D6", "HT H4 D7"], leader=1).play("HA").play("HQ"),
        ("HT", "H4"), "trick", "The team takes this trick in 100 % of the deals, and HT puts 10 points more into it.",
    ),
    "no points to the others who win": (
        Position(["H6 C3 C4", "HA D3 D4", "HT H4 D6", "H7 H8 D7"], leader=1).play("HA"),
        ("H4", "HT"), "trick", "The others take this trick in 100 % of the deals, and H4 gives them 10 points less.",
    ),
    "no ruff of a trick without points, the trump is kept for the last one": (
        Position(["D4 C5", "D3 C6", "S3 C3", "D5 CT"], leader=1).play("D3"),
        ("C3", "S3", "HT"), "last", "takes the last trick in 100 % of the deals, with S3 in 0 %, worth 35 points",
    ),
    "a pair is kept for the last trick": (
        Position(["D4 D5 D6", "SA SA H3", "D7 D8 D9", "C3 C4 C6"], leader=1),
        ("H3", "SA SA", "HT"), "last", "The last trick and the kitty bring 20 points more with H3.",
    ),
    "a throw that stands is not ruffed": (
        Position(["HA HA HK CA", "S3 D4 D5 D6", "H3 H4 H6 D7", "H7 H8 H9 C9"]),
        ("HA HA HK", "HK"), "trick", "With HA HA HK the team takes this trick in 100 % of the deals, with HK in 0 %",
    ),
    "a throw that fails is punished": (
        Position(["HA HQ C3", "HK H5 C4", "D3 D4 D6", "H3 H4 CA"], rules=PENALTY),
        ("HA", "HA HQ"), "penalty", "The throw HA HQ fails, and costs 10 points on average.",
    ),
    "the last seat takes the points": (
        Position(["HT D3 D4", "HT D5 D6", "HK D7 D8", "HA H3 D9"]).play("HT").play("HT").play("HK"),
        ("HA", "H3"), "trick", "HA the team takes this trick in 100 % of the deals, with H3 in 0 %, worth 30 points.",
    ),
    "trumps are drawn before a winner that would be ruffed": (
        Position(["SA SA CA CK CQ", "S3 S4 D3 D4 DK", "H3 H4 H6 H7 H8", "S6 S7 D6 D7 DT"]),
        ("SA SA", "CA"), "trick", "With SA SA the team takes this trick in 100 % of the deals, with CA in 0 %",
    ),
    "a winner is not discarded": (
        Position(["DA C3 CT C6", "D4 D3 D6 C7", "HA CA H3 H4", "D5 C9 CT CJ"]).play("DA").play("D3"),
        ("H3", "CA"), "later", "The tricks after this one bring 10 points more with H3.",
    ),
    "the partner's winner is not ruffed": (
        Position(["D4 C9", "S3 C3", "D5 CA", "DA H4"], leader=3).play("DA").play("D4"),
        ("C3", "S3", "HT"), "last", "takes the last trick in 100 % of the deals, with S3 in 0 %, worth 20 points",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", KNOWN)
def test_what_is_known_of_a_position_comes_out(what: str) -> None:
    position, (better, worse, *kitty), kind, sentence = KNOWN[what]
    rules = PENALTY if kind == "penalty" else "two_deck"
    reason = reason_in(position, better, worse, rules, *kitty)
    assert reason.kind == kind
    assert sentence in words_of(reason).format(A=better, B=worse)
    assert re.fullmatch(r"[^a-zA-Z{}]*(\{[AB]\}[^a-zA-Z{}]*)+", words_of(reason, "zh"))


def test_the_other_play_may_do_better() -> None:
    position, (better, worse), *_ = KNOWN["the last seat takes the points"]
    reason = reason_in(position, worse, better)
    assert reason.kind == "against"
    assert reason.is_denied
    assert not words_of(reason)


@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45", "three_deck", "duplicate", "competition"])
def test_parts_sum_to_the_difference(rules: str) -> None:
    replay = Replay.read(Path(ROUNDS / f"{rules}.jsonl"))
    explainer, kinds = Explainer(replay.rules, 20), set()
    for choice in choices_of(replay.rules, replay.rounds[0]):
        other = 0 if choice.played else 1
        courses = explainer.courses(choice, choice.played, other)
        parts = split(courses, replay.rules)
        assert tuple(parts) == PARTS
        assert sum(parts.values()) == pytest.approx(float(differences(courses, replay.rules).mean()), abs=1e-6)
        reason = reason_of(courses, replay.rules)
        kinds.add(reason.kind)
        is_silent = reason.is_denied or reason.kind in ("many", "declarer")
        for language in ("en", "zh"):
            assert bool(words_of(reason, language).format(A="a", B="b")) != is_silent  # type: ignore[arg-type]
    assert len(kinds) >= 3


def test_reviews_say_why() -> None:
    replay = Replay.read(Path(ROUNDS / "two_deck.jsonl"))
    review = review_round(replay.rules, replay.rounds[0], as_valuer(None, replay.rules))
    costly = [each for each in review["valued"] if each["cost"]]
    assert costly
    assert all(set(each["why"]) == {"en", "zh"} for each in costly)
    assert all(each["why"]["en"].startswith(OPENED["en"]) for each in costly)
    assert not any("why" in each for each in review["valued"] if not each["cost"])
    json.dumps(review)
    quick = review_round(replay.rules, replay.rounds[0], as_valuer(None, replay.rules), playouts=False)
    assert {each["ply"] for each in costly} < {
        each["ply"] for each in quick["valued"] if each["cost"]
    }  # some are denied
    assert all(each["why"]["zh"].startswith(OPENED["zh"]) for each in quick["valued"] if each["cost"])
    hindsight = review_round(replay.rules, replay.rounds[0], as_valuer("heuristic", replay.rules))
    assert not any("why" in each for each in hindsight["valued"])
