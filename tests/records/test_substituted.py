"""Decisions that somebody else has made in a seat's place: records say so, reviews and studies leave them out."""

import json

import numpy as np
import pytest

from shengji_env.cli import main
from shengji_env.datasets.recorded import RecordedRounds
from shengji_env.datasets.recorded.samples import in_batches
from shengji_env.errors import RecordError
from shengji_env.records.reading import RecordReader
from shengji_env.records.replays import Replay
from shengji_table.review import review_round
from shengji_table.review.comparing import first_difference
from shengji_table.valuing.reviewed_decisions import choices_of
from shengji_table.valuing.valuers import DealValuer
from tests.helpers.paths import DATA

SEAT = 2
BY = "heuristic"


def playthrough(name="two_deck"):
    header, line, *_ = (DATA / "playthroughs" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    return header, json.loads(line)


def with_substitute(name="two_deck"):
    """A record in which a player has decided for a seat from its second trick on."""
    header, record = playthrough(name)
    follows = [step for step in record["decisions"] if step["seat"] == SEAT]
    for step in follows[len(follows) // 2 :]:
        step["by"] = BY
    return [header, json.dumps(record) + "\n"]


def plies_by(lines):
    decisions = json.loads(lines[1])["decisions"]
    return {ply for ply, step in enumerate(decisions) if "by" in step}


@pytest.mark.parametrize("name", ["two_deck", "competition-named", "two_deck-overturn", "one_deck-match"])
def test_a_record_says_who_has_decided(name):
    lines = with_substitute(name)
    assert plies_by(lines)
    (read,) = RecordReader(lines)
    assert read.record == json.loads(lines[1])


@pytest.mark.parametrize("by", [None, 3, "", True, ["heuristic"], "x" * 1001])
def test_who_has_decided_is_a_name(by):
    header, record = playthrough()
    record["decisions"][5]["by"] = by
    with pytest.raises(RecordError, match=r"line 2, ply 5: by=.* must be the name of who decided"):
        list(RecordReader([header, json.dumps(record)]))


def test_other_keys_of_a_decision_are_still_refused():
    header, record = playthrough()
    record["decisions"][5]["for"] = "x"
    with pytest.raises(RecordError, match=r"line 2, ply 5: seat . is to"):
        list(RecordReader([header, json.dumps(record)]))


def test_reviews_leave_a_substitutes_decisions_out():
    lines = with_substitute()
    replay, whole = Replay.of(lines), Replay.of([playthrough()[0], json.dumps(playthrough()[1])])
    asked = {choice.ply for choice in choices_of(replay.rules, replay.rounds[0])}
    before = {choice.ply for choice in choices_of(whole.rules, whole.rounds[0])}
    assert asked == before - plies_by(lines)
    assert asked != before


def test_reviews_value_none_of_a_substitutes_decisions_but_know_how_the_round_went():
    lines = with_substitute()
    replay, whole = Replay.of(lines), Replay.of([playthrough()[0], json.dumps(playthrough()[1])])
    left, all_of_it = (review_round(each.rules, each.rounds[0], DealValuer(each.rules)) for each in (replay, whole))
    assert {each["ply"] for each in all_of_it["valued"]} - {each["ply"] for each in left["valued"]} <= plies_by(lines)
    assert left["decisions"] < all_of_it["decisions"]
    assert left["course"] == all_of_it["course"]
    assert first_difference(replay.rounds[0], whole.rounds[0]) is None


def test_studies_leave_a_substitutes_decisions_out(tmp_path):
    paths = tmp_path / "with.jsonl", tmp_path / "without.jsonl"
    header, record = playthrough()
    paths[0].write_text("".join(with_substitute()), encoding="utf-8")
    paths[1].write_text(header + json.dumps(record) + "\n", encoding="utf-8")
    left, whole = (next(in_batches(RecordedRounds([path]).samples(), 1 << 20)) for path in paths)
    others = whole.seat != SEAT
    assert np.count_nonzero(left.seat == SEAT) < np.count_nonzero(whole.seat == SEAT)
    assert np.count_nonzero(left.seat == SEAT) > 0
    for name in ("observation", "action", "phase"):
        assert np.array_equal(getattr(left, name)[left.seat != SEAT], getattr(whole, name)[others])
    own = np.flatnonzero(whole.seat == SEAT)[: np.count_nonzero(left.seat == SEAT)]
    assert np.array_equal(left.action[left.seat == SEAT], whole.action[own])


def test_studies_refuse_who_is_nobody(tmp_path):
    header, record = playthrough()
    record["decisions"][5]["by"] = ""
    path = tmp_path / "wrong.jsonl"
    path.write_text(header + json.dumps(record) + "\n", encoding="utf-8")
    with pytest.raises(RecordError, match="must be the name of who decided"):
        list(RecordedRounds([path]).samples())


def test_the_terminal_says_who_has_decided(tmp_path, capsys):
    lines = with_substitute()
    path = tmp_path / "round.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    assert main(["replay", str(path)]) == 0
    assert f"substitutes 代打  seat {SEAT}: {len(plies_by(lines))} decisions by {BY}" in capsys.readouterr().out
