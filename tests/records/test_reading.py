"""Reading records: what an environment wrote is accepted, everything else is refused with its line and ply."""

import gzip
import io
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shengji_env import shengji_v0
from shengji_env.arena import play_matchup
from shengji_env.datasets.recorded import RecordedRounds
from shengji_env.engine.rule_sets import RULE_SETS, parse_rules, rule_set
from shengji_env.errors import RecordError
from shengji_env.records.reading import RecordReader
from shengji_env.records.replays import Replay
from shengji_env.records.writing import RecordWriter, finished_round, record_header, record_line
from shengji_env.render import render_record
from shengji_env.vector import BatchEnv
from tests.helpers.make_playthroughs import PLAYTHROUGHS

TRICKY = ("two_deck(throw_penalty=10, failed_throw=next_seat_chooses)", "competition(no_trump_bids=True)")


def play_aec(env, rounds, seed=0):
    """Records of random rounds at the AEC environment."""
    words, records = np.random.default_rng(seed), []
    env.reset(seed=seed)
    states = env.unwrapped.states
    while len(records) < rounds:
        number = int(states["round_index"][0])
        env.step(int(words.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        is_over = env.last()[2]
        if is_over or states["round_index"][0] != number:
            records.append(finished_round(env))
        if is_over:
            env.reset()
    return records


def text_of(rules, records):
    """A record's text."""
    return "".join(record_line(line) for line in (record_header(rules, list("abcd"), 1), *records))


def read(text):
    """All rounds of a record's text."""
    return list(RecordReader(io.StringIO(text)))


@pytest.mark.parametrize("name", [*RULE_SETS, *TRICKY])
def test_what_the_aec_environment_writes_is_read(name):
    env = shengji_v0.env(rules=name, start="any", record=True)
    records = play_aec(env, 3)
    replayed = read(text_of(parse_rules(name), records))
    assert [line.record for line in replayed] == json.loads(json.dumps(records))
    assert [line.line for line in replayed] == [2, 3, 4]


def test_both_environments_write_the_same():
    aec = shengji_v0.raw_env("three_deck", start="any", record=True)
    batch = BatchEnv(1, "three_deck", start="any", seed=4, record=True)
    aec.reset(seed=4)
    while not batch.terminated[0]:
        action = int(batch.sample_actions()[0])
        aec.step(action)
        batch.step([action])
    assert finished_round(aec) == finished_round(batch, 0)


def test_the_actions_of_a_record_step_an_environment_to_the_same_record():
    record = play_aec(shengji_v0.raw_env("one_deck", start="any", record=True), 1, seed=9)[0]
    (replayed,) = read(text_of(rule_set("one_deck"), [record]))
    env = shengji_v0.raw_env("one_deck", record=True)
    env.reset(seed=0, options={name: record[name] for name in ("deal", "levels", "declarer", "first_drawer")})
    for action in replayed.actions:
        env.step(action)
    assert finished_round(env) == record


def test_a_match_is_read_and_goes_on_from_line_to_line():
    rules = parse_rules("one_deck(match_end=rounds, match_rounds=3)")
    records = play_aec(shengji_v0.env(rules=rules, episode="match", record=True), 7)
    assert [record["match_round"] for record in records] == [0, 1, 2, 0, 1, 2, 0]
    assert len(read(text_of(rules, records))) == 7
    with pytest.raises(RecordError, match="line 3: match_round=2 does not follow a line with match_round=1"):
        read(text_of(rules, [records[0], *records[2:]]))
    with pytest.raises(RecordError, match="line 5: match_round=3, but the match was over with match_round=2"):
        read(text_of(rules, [*records[:3], {**records[3], "match_round": 3}]))
    moved = {**records[1], "levels": ["5", "5"]}
    with pytest.raises(RecordError, match=r"line 3: levels is \['5', '5'\], but the round before ended with"):
        read(text_of(rules, [records[0], moved]))


def test_what_a_matchup_writes_is_read():
    rules, file = rule_set("one_deck"), io.StringIO()
    file.write(record_line(record_header(rules, ("g", "r") * 2, 0)))
    play_matchup("greedy", "random", num_deals=3, rules=rules, record=file.write)
    replayed = read(file.getvalue())
    assert [line.record["table"] for line in replayed] == [0, 0, 1, 1, 2, 2]
    assert replayed[1].record["players"] == ["random", "greedy"] * 2


def test_a_writer_writes_what_is_read(tmp_path):
    record = play_aec(shengji_v0.raw_env("one_deck", record=True), 1)[0]
    with (tmp_path / "r.jsonl").open("w", encoding="utf-8") as file:
        RecordWriter(file, rule_set("one_deck"), list("abcd"), seed=0).write(record, table=5)
    with (tmp_path / "r.jsonl").open(encoding="utf-8") as file:
        reader = RecordReader(file)
        assert (reader.rules, reader.players, reader.seed) == (rule_set("one_deck"), list("abcd"), 0)
        assert [line.record["table"] for line in reader] == [5]


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz"])
@pytest.mark.parametrize("kind", [Path, str])
def test_a_path_is_read_as_its_file(name, kind, tmp_path):
    record = play_aec(shengji_v0.raw_env("one_deck", record=True), 1)[0]
    path = tmp_path / name
    with gzip.open(path, "wt") if name.endswith("gz") else path.open("w", encoding="utf-8") as file:
        RecordWriter(file, rule_set("one_deck"), list("abcd"), seed=0).write(record, table=5)
    assert [line.record["table"] for line in RecordReader(kind(path))] == [5]
    assert len(Replay.of(kind(path)).rounds) == len(Replay.read(kind(path)).rounds) == 1


def test_a_path_of_nothing_is_refused(tmp_path):
    for missing in (tmp_path / "none.jsonl", str(tmp_path / "none.jsonl"), "a record's text, not its path"):
        with pytest.raises(RecordError, match=r"cannot read .*: No such file"):
            RecordReader(missing)


# ---- what is refused


def golden(name):
    """Header and first round of a playthrough."""
    header, line, *_ = (PLAYTHROUGHS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return json.loads(header), json.loads(line)


def refusal(header, *rounds):
    """The message with which a record is refused."""
    with pytest.raises(RecordError) as caught:
        read("".join(map(record_line, (header, *rounds))))
    return str(caught.value)


def ply_of(line, kind, nth=0):
    """Place of the nth decision of a kind."""
    return [ply for ply, decision in enumerate(line["decisions"]) if kind in decision][nth]


def test_a_file_that_is_cut_off_is_refused():
    text = (PLAYTHROUGHS / "one_deck.jsonl").read_text(encoding="utf-8")
    for size in random.Random(0).sample(range(text.index("\n") + 2, len(text) - 2), 20):
        with pytest.raises(RecordError, match=r"^line 2: no JSON at character \d+: .*; the file is cut off here"):
            read(text[:size])
    with pytest.raises(RecordError, match="line 1: a header is missing"):
        read("")


def test_a_round_that_breaks_off_is_refused():
    header, line = golden("two_deck")
    for size in (0, 3, ply_of(line, "bury"), len(line["decisions"]) - 1):
        short = {**line, "decisions": line["decisions"][:size]}
        assert refusal(header, short).startswith(f"line 2, ply {size}: the round breaks off: seat ")
    long = {**line, "decisions": [*line["decisions"], {"seat": 0, "lead": "C3"}]}
    assert "comes after the end of the round" in refusal(header, long)


def change(line, ply, **changes):
    """A round with one decision changed."""
    decisions = [dict(decision) for decision in line["decisions"]]
    decisions[ply] |= changes
    return {**line, "decisions": decisions}


def test_an_illegal_decision_is_refused_with_its_reason():
    header, line = golden("two_deck-failed_throw")
    bury, lead, follow = (ply_of(line, kind) for kind in ("bury", "lead", "follow"))
    assert "line 2, ply 0: drawn is 1, but" in refusal(header, change(line, 0, drawn=1))
    assert f"line 2, ply {lead}: seat 2 is to lead, with the keys lead, seat, not" in refusal(
        header, change(line, lead, seat=3)
    )
    assert "seat 2 holds 0 of C2, not 2" in refusal(header, change(line, bury, bury="C2 C2"))
    assert "seat 2 is to bury 8 cards, not 1" in refusal(header, change(line, bury, bury="H8"))
    assert "'XX'" in refusal(header, change(line, lead, lead="XX"))
    assert "is not a legal lead: 'H8' is of hearts, 'C6' of trumps" in refusal(header, change(line, lead, lead="H8 C6"))
    assert f"line 2, ply {follow}: seat 3: 'D4' is not a legal follow: the hand owes 1 card of hearts" in refusal(
        header, change(line, follow, follow="D4")
    )
    assert "is not a text" in refusal(header, change(line, lead, lead=None))
    assert "seat 2 may not bid SK now" in refusal(header, change(line, ply_of(line, "bid"), bid="SK"))


def test_a_forced_choice_must_be_a_beaten_component():
    header, line = golden("three_deck-forced")
    ply = ply_of(line, "forced")
    thrown = line["decisions"][ply - 1]["lead"]
    assert "is not a beaten component of the throw" in refusal(header, change(line, ply, forced=thrown))


def test_a_deal_is_dealt_again_only_where_nobody_bids():
    header, line = golden("two_deck-redeal")
    assert "must be 0..8" in refusal(header, {**line, "redeals": 9})
    header, line = golden("two_deck")
    passed = change(line, 0, bid=None)
    assert refusal(header, {**passed, "declarer": line["first_drawer"], "redeals": 1}).startswith("line 2: redeals=1")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "shengji-record/0"}, "line 1: format='shengji-record/0'; this reads 'shengji-record/1'"),
        ({"players": ["a"]}, "line 1: players=\\['a'\\] are not 4 names"),
        ({"seed": "x"}, "line 1: seed='x' is not a whole number or null"),
        ({"rules": None}, "line 1: the header lacks rules"),
        ({"more": 1}, "line 1: unknown key 'more'"),
    ],
)
def test_a_wrong_header_is_refused(changes, message):
    header, line = golden("one_deck")
    with pytest.raises(RecordError, match=message):
        read(record_line({**header, **changes}) + record_line(line))


def test_rules_of_another_fingerprint_are_refused():
    header, line = golden("one_deck")
    options = {**header["rules"]["options"], "throws": False}
    assert "line 1: rules: fingerprint" in refusal({**header, "rules": {**header["rules"], "options": options}}, line)
    del options["throws"]
    assert "line 1: rules must name every option" in refusal(
        {**header, "rules": {**header["rules"], "options": options}}, line
    )


def test_a_record_from_before_its_preset_was_edited_is_read(monkeypatch):
    header, line = golden("chaodipi")
    monkeypatch.setitem(RULE_SETS, "chaodipi", rule_set("chaodipi", must_defend="25", throw_penalty=10))
    assert [replayed.record for replayed in read(record_line(header) + record_line(line))] == [line]
    options = {**header["rules"]["options"], "must_defend": "25"}
    assert "fingerprint" in refusal({**header, "rules": {**header["rules"], "options": options}}, line)


def test_joined_records_are_said_to_be_joined(tmp_path):
    """As ``cat a b`` joins them, and two compressed ones."""
    header, line = golden("two_deck")
    text = record_line(header) + record_line(line)
    with pytest.raises(RecordError, match=r"^line 3: another header: several records have been joined into this file"):
        read(text + text)
    for content in (text.encode(), gzip.compress(text.encode())):
        path = tmp_path / "both.jsonl"
        path.write_bytes(content + content)
        with pytest.raises(RecordError, match="line 3: another header"):
            list(RecordedRounds(path).samples())
    assert len(read(text + record_line(line))) == 2


def leaves(value, path=()):
    """Paths of everything in a value that has no parts."""
    if isinstance(value, dict | list) and value:
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return [leaf for name, part in parts for leaf in leaves(part, (*path, name))]
    return [path]


def replaced(value, path, new):
    """A copy with one leaf replaced."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


PROVENANCE = ("table", "round")
GOLDEN = sorted(path.stem for path in Path(PLAYTHROUGHS).glob("*.jsonl"))
WRONG = st.one_of(
    st.none(), st.booleans(), st.integers(-300, 300), st.sampled_from(["", "S2", "NT", "C", "A", "LJ LJ", "declarers"]),
    st.lists(st.integers(0, 3), max_size=2), st.dictionaries(st.sampled_from("ab"), st.none(), max_size=1),
    st.floats(allow_nan=False, allow_infinity=False),
)  # fmt: skip


@given(name=st.sampled_from(GOLDEN), choice=st.integers(0, 10_000), wrong=WRONG)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_no_figure_can_be_doctored(name, choice, wrong):
    header, line = golden(name)
    paths = [path for path in leaves(line) if path[0] not in PROVENANCE]
    path = paths[choice % len(paths)]
    doctored = replaced(line, path, wrong)
    if json.dumps(doctored) != json.dumps(line):
        assert refusal(header, doctored).startswith("line 2")


@pytest.mark.parametrize("name", GOLDEN)
def test_a_key_left_out_or_added_is_refused(name):
    header, line = golden(name)
    for key in line:
        if key in ("table", "match_round"):
            continue
        assert f"{key!r}" in refusal(header, {other: line[other] for other in line if other != key})
    assert "unknown key 'more'" in refusal(header, {**line, "more": 1})
    assert "unknown key 'result.more'" in refusal(header, {**line, "result": {**line["result"], "more": 1}})


def test_only_utf_8_is_read(tmp_path):
    (tmp_path / "r.jsonl").write_bytes((PLAYTHROUGHS / "one_deck.jsonl").read_bytes() + b"\xff\xfe\n")
    with (tmp_path / "r.jsonl").open(encoding="utf-8") as file, pytest.raises(RecordError, match="is not UTF-8 text"):
        list(RecordReader(file))


# ---- printed


@pytest.mark.parametrize("name", GOLDEN)
def test_every_card_of_a_record_is_printed(name):
    header, line = golden(name)
    rules = parse_rules(header["rules"]["preset"])
    text = render_record(line, rules, players=header["players"], color=False)
    assert text.count("▸") == len(line["tricks"])
    assert text.count("the throw fails") == sum(
        step["lead"] != trick["led"]
        for step, trick in zip([s for s in line["decisions"] if "lead" in s], line["tricks"], strict=True)
    )
    assert f"{line['result']['attackers_points']} points of {rules.points}" in text
    assert all(f"{trick['points']:3} points to seat {trick['winner']}" in text for trick in line["tricks"])


def test_a_record_is_printed_as_people_read_it():
    header, line = golden("two_deck-failed_throw")
    text = render_record(line, rule_set("two_deck"), players=header["players"], color=False)
    assert text.splitlines()[7:10] == [
        "  1   2 ♥ 8 A   the throw fails 甩牌失败",
        "  1  ▸2 ♥ 8                3 ♥ 5                0 ♥ 8                1 ♥ 6                 5 points to seat 2",
        "  2  ▸2 ♦ A                3 ♦ 4                0 ♦ J                1 ♦ 3                 0 points to seat 2",
    ]
