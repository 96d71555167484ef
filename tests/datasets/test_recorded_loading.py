"""Records as arrays: what is read is what the environment showed, whatever is wrong is named, splits share no deal."""

import gzip
import json
import os
from collections import defaultdict
from dataclasses import fields, replace
from itertools import chain

import numpy as np
import pytest

from shengji_env.datasets.recorded import RecordedRounds, Samples
from shengji_env.datasets.recorded.samples import in_batches, in_random_batches
from shengji_env.engine.rule_sets import RULE_SETS, as_rules
from shengji_env.engine.state import Phase
from shengji_env.errors import RecordError, ShengjiError
from shengji_env.records.writing import finished_round, record_header, record_line
from shengji_env.vector import BatchEnv
from tests.records.test_records import TRICKY

PLAYERS = ["Ann", "Bob", "Cas", "Dee"]
SHOWN = ("observation", "action_mask", "action", "seat", "phase")


def play(rules, num_rounds, *, seed=3, **arguments):
    """Random play: the lines of a record, and what the environment showed at every decision, by round."""
    env = BatchEnv(num_rounds, rules, seed=seed, record=True, **arguments)
    left, lines, shown = set(range(num_rounds)), {}, {}
    steps = defaultdict(list)
    while left:
        actions = env.sample_actions()
        redeals = env.states["redeals"].copy()
        for table in left:
            seen = env.observation[table].copy(), env.action_mask[table].copy()
            steps[table].append((*seen, int(actions[table]), int(env.seat[table]), int(env.phase[table])))
        env.step(actions)
        for table in sorted(left):
            if env.terminated[table]:
                left.discard(table)
                lines[table] = record_line({"table": table, **finished_round(env, table)})
                shown[table] = steps.pop(table), env.reward[table].copy()
            elif env.states["redeals"][table] != redeals[table]:
                steps[table].clear()
    return [lines[table] for table in range(num_rounds)], [shown[table] for table in range(num_rounds)]


def write(path, rules, lines, players=PLAYERS):
    text = record_line(record_header(as_rules(rules), players, None)) + "".join(lines)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def read(*paths, **options):
    """All samples in order, as one."""
    return next(in_batches(RecordedRounds(paths, **options).samples(), 1 << 20))


@pytest.fixture(scope="module")
def one_deck(tmp_path_factory):
    lines, shown = play("one_deck", 150, start="any")
    return write(tmp_path_factory.mktemp("records") / "rounds.jsonl", "one_deck", lines), lines, shown


# ---- what is read


@pytest.mark.parametrize("rules", [*RULE_SETS, *TRICKY])
@pytest.mark.parametrize("keeps_forced", [True, False])
def test_samples_are_what_the_environment_showed(tmp_path, rules, keeps_forced):
    lines, shown = play(rules, 4, start="any")
    samples = read(write(tmp_path / "rounds.jsonl.gz", rules, lines), keeps_forced=keeps_forced)
    steps = [step for steps, _ in shown for step in steps if keeps_forced or step[1].sum() > 1]
    for place, name in enumerate(SHOWN):
        np.testing.assert_array_equal(getattr(samples, name), np.array([step[place] for step in steps]), name)
    assert (samples.action_mask[np.arange(len(samples)), samples.action] == 1).all()


def test_samples_of_a_match_are_what_the_environment_showed(tmp_path):
    env = BatchEnv(1, "two_deck", episode="match", seed=5, record=True)
    lines, seen = [], []
    while len(lines) < 3:
        action = env.sample_actions()
        seen.append((env.observation[0].copy(), int(action[0])))
        before = env.states["round_index"][0]
        env.step(action)
        if env.states["round_index"][0] != before:
            lines.append(record_line({"table": 0, **finished_round(env)}))
    samples = read(write(tmp_path / "match.jsonl", "two_deck", lines), keeps_forced=True)
    np.testing.assert_array_equal(samples.observation, [observation for observation, _ in seen])
    assert samples.action.tolist() == [action for _, action in seen]


@pytest.mark.parametrize("reward", ["levels", "points", "win"])
def test_returns_are_the_rewards_of_the_seats(tmp_path, reward):
    lines, shown = play("one_deck", 8, start="any", reward=reward)
    samples = read(write(tmp_path / "rounds.jsonl", "one_deck", lines), reward=reward)
    rewards = np.array([rewards for _, rewards in shown])
    np.testing.assert_array_equal(samples.returns, rewards[samples.round, samples.seat])


def test_each_decision_says_which_of_its_seat_follows(one_deck):
    for samples in RecordedRounds(one_deck[0]).samples():
        for row in range(len(samples)):
            same = (samples.round == samples.round[row]) & (samples.seat == samples.seat[row])
            later = np.flatnonzero(same[row + 1 :]) + row + 1
            assert samples.following[row] == (later[0] if len(later) else -1)
            assert samples.terminal[row] == (len(later) == 0)


def test_decisions_of_some_players_are_read_alone(one_deck, tmp_path):
    path, lines, _ = one_deck
    swapped = [record_line({**json.loads(line), "players": PLAYERS[::-1]}) for line in lines[:75]]
    mixed = write(tmp_path / "rounds.jsonl", "one_deck", swapped + lines[75:])
    everything, some = read(path), read(mixed, players=("Ann", "Cas"))
    wanted = np.isin(everything.seat, [0, 2]) ^ (everything.round < 75)
    np.testing.assert_array_equal(some.observation, everything.observation[wanted])
    assert list(RecordedRounds(mixed, players=("Eve",)).batches(10)) == []


def test_several_records_are_read_in_their_order(one_deck, tmp_path):
    path, lines, _ = one_deck
    first, second = (write(tmp_path / name, "one_deck", part) for name, part in (("a", lines[:70]), ("b", lines[70:])))
    np.testing.assert_array_equal(read(first, second).observation, read(path).observation)
    assert read(second, first).round[0] == 70


def test_blank_lines_and_cards_in_any_order_are_read_too(one_deck, tmp_path):
    path, lines, _ = one_deck
    changed = json.loads(lines[0])
    for decision in changed["decisions"]:
        for kind in {"bury", "lead", "follow"} & set(decision):
            decision[kind] = "  ".join(reversed(decision[kind].split()))
    odd = write(tmp_path / "rounds.jsonl", "one_deck", ["\n", record_line(changed), "  \n", *lines[1:], "\n"])
    np.testing.assert_array_equal(read(odd).action, read(path).action)


# ---- parts, batches, order


def test_no_deal_is_in_both_parts_and_none_is_lost(one_deck):
    parts = {name: RecordedRounds(one_deck[0], part=name, validation_share=0.2) for name in ("training", "validation")}
    rounds = {
        name: {int(number) for samples in part.samples() for number in samples.round} for name, part in parts.items()
    }
    assert not rounds["training"] & rounds["validation"]
    assert rounds["training"] | rounds["validation"] == set(range(150))
    assert 15 <= len(rounds["validation"]) <= 45


def test_a_deal_stays_in_its_part_whatever_else_is_read(one_deck, tmp_path):
    path, lines, _ = one_deck
    options = {"part": "validation", "validation_share": 0.3}
    alone = read(write(tmp_path / "rounds.jsonl", "one_deck", lines[50:100]), **options)
    among = read(path, **options)
    assert set(alone.round.tolist()) == {number for number in among.round.tolist() if 50 <= number < 100}


def identity(samples):
    """What tells samples of random play apart."""
    words = np.concatenate([samples.observation, samples.action[:, None].astype(np.int8)], axis=1)
    return sorted(row.tobytes() + bytes(str(number), "ascii") for row, number in zip(words, samples.round, strict=True))


@pytest.mark.parametrize("buffer", [1, 100, 1000, 1 << 20])
def test_shuffled_batches_hold_every_decision_once(one_deck, buffer):
    rounds = RecordedRounds(one_deck[0])
    batches = list(rounds.batches(64, seed=1, buffer=buffer))
    assert [len(batch) for batch in batches[:-1]] == [64] * (len(batches) - 1)
    assert sorted(chain.from_iterable(map(identity, batches))) == identity(read(one_deck[0]))
    for batch in batches:
        assert (batch.action_mask[np.arange(len(batch)), batch.action] == 1).all()
        assert (batch.following == -1).all()


def test_the_order_is_that_of_the_seed(one_deck):
    rounds = RecordedRounds(one_deck[0])
    one, again, another = (
        np.concatenate([batch.action for batch in rounds.batches(64, seed=seed, buffer=500)]) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, again)
    assert (one != another).any()


def test_a_large_buffer_mixes_the_rounds(one_deck):
    first = next(RecordedRounds(one_deck[0]).batches(256, seed=1))
    assert len(set(first.round.tolist())) > 100


def test_batches_in_order_are_the_samples_in_order(one_deck):
    batches = list(RecordedRounds(one_deck[0]).batches(100))
    assert {len(batch) for batch in batches[:-1]} == {100}
    np.testing.assert_array_equal(np.concatenate([batch.action for batch in batches]), read(one_deck[0]).action)


def test_memory_is_that_of_the_buffer():
    """Samples are drawn from the stream only as they are needed."""
    taken = []
    block = Samples(**{field.name: np.zeros((50, 1), np.int8) for field in fields(Samples)})
    stream = (taken.append(number) or block for number in range(1000))
    next(in_random_batches(stream, 10, 200, np.random.default_rng(0)))
    assert len(taken) == 4


# ---- what is refused


def altered(line, change):
    given = json.loads(line)
    change(given)
    return record_line(given)


def decision_of(given, kind, place=0):
    return [decision for decision in given["decisions"] if kind in decision][place]


CHANGES = {
    "an illegal follow": lambda given: decision_of(given, "follow").update(follow="BJ BJ"),
    "a card that is none": lambda given: decision_of(given, "follow").update(follow="X9"),
    "an empty lead": lambda given: decision_of(given, "lead").update(lead=""),
    "another seat": lambda given: decision_of(given, "lead").update(seat=(decision_of(given, "lead")["seat"] + 1) % 4),
    "no seat": lambda given: decision_of(given, "lead").update(seat=260),
    "half a seat": lambda given: decision_of(given, "lead").update(seat=0.5),
    "no text": lambda given: decision_of(given, "lead").update(lead=None),
    "another kind": lambda given: decision_of(given, "lead").update(follow=decision_of(given, "lead").pop("lead")),
    "a buried card too few": lambda given: decision_of(given, "bury").update(
        bury=decision_of(given, "bury")["bury"][3:]
    ),
    "a card dealt twice": lambda given: given.update(deal=given["deal"][3:] + " " + given["deal"][3:5]),
    "a deal too short": lambda given: given.update(deal=given["deal"][3:]),
    "no deal": lambda given: given.pop("deal"),
    "other levels": lambda given: given.update(levels=["X", "2"]),
    "no declarer": lambda given: given.update(declarer=7),
    "too many redeals": lambda given: given.update(redeals=101),
    "a decision too many": lambda given: given["decisions"].append(given["decisions"][-1]),
    "a decision too few": lambda given: given["decisions"].pop(),
    "a decision that is none": lambda given: given["decisions"].append(3),
    "players that are none": lambda given: given.update(players=["Ann"]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_rounds_that_break_the_rules_are_named(tmp_path, one_deck, change):
    lines = [*one_deck[1][:3], altered(one_deck[1][3], change), *one_deck[1][4:6]]
    path = write(tmp_path / "rounds.jsonl", "one_deck", lines)
    with pytest.raises(RecordError, match=r"rounds\.jsonl: line 5\b"):
        read(path)


def test_bids_at_the_wrong_time_or_level_are_refused(tmp_path):
    lines, _ = play("two_deck", 20, start="any")

    def bid_in(given):
        return next((decision for decision in given["decisions"] if decision.get("bid")), None)

    line = next(line for line in lines if bid_in(json.loads(line)))
    changes = (
        lambda each: each.update(drawn=each["drawn"] + 1),
        lambda each: each.update(bid=each["bid"].replace(each["bid"][1], "3" if each["bid"][1] != "3" else "4")),
        lambda each: each.update(bid="H2 S2"),
    )
    for change in changes:
        made = altered(line, lambda given, change=change: change(bid_in(given)))
        with pytest.raises(RecordError, match="line 2, ply"):
            read(write(tmp_path / "rounds.jsonl", "two_deck", [made]))


@pytest.mark.parametrize("content", [b"", b"{}\n", b"no json\n", b"\xff\xfe\n", b"[1]\n"])
def test_what_is_no_record_is_refused(tmp_path, content):
    path = tmp_path / "rounds.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=r"rounds\.jsonl: line"):
        read(path)


def test_compressed_records_that_are_cut_off_or_damaged_are_refused(tmp_path, one_deck):
    path = write(tmp_path / "rounds.jsonl.gz", "one_deck", one_deck[1][:30])
    whole = path.read_bytes()
    middle = len(whole) // 2
    for content in (whole[:middle], whole[:5], b"plain text", whole[:middle] + b"\0" * 50 + whole[middle + 50 :]):
        path.write_bytes(content)
        with pytest.raises(RecordError, match=r"rounds\.jsonl\.gz: line"):
            read(path)


def test_paths_and_arguments_that_make_no_sense_are_refused(tmp_path, one_deck):
    with pytest.raises(RecordError, match="no such file or folder"):
        RecordedRounds(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RecordError, match="pipe can be read only once, and rounds are read several times"):
        RecordedRounds(tmp_path / "pipe")
    (tmp_path / "pipe").unlink()
    with pytest.raises(RecordError, match="not a collection"):
        RecordedRounds(tmp_path)
    path = one_deck[0]
    for wrong in (
        {"part": "test"}, {"validation_share": 1.5}, {"reward": "score"}, {"keeps_forced": 1}, {"players": "Ann"},
    ):  # fmt: skip
        with pytest.raises(ShengjiError, match=next(iter(wrong))):
            RecordedRounds(path, **wrong)
    for wrong in ({"size": 0}, {"size": 8, "buffer": 0, "seed": 1}, {"size": 8, "seed": -1}):
        with pytest.raises(ShengjiError):
            RecordedRounds(path).batches(**wrong)


def test_records_of_different_rules_have_no_rules_in_common(tmp_path, one_deck):
    other = write(tmp_path / "other.jsonl", "two_deck", play("two_deck", 1)[0])
    assert RecordedRounds(one_deck[0]).rules == as_rules("one_deck")
    with pytest.raises(RecordError, match="different rules, one_deck and two_deck"):
        _ = RecordedRounds((one_deck[0], other)).rules
    assert Phase.LEAD in replace(RecordedRounds(one_deck[0]), paths=(one_deck[0], other)).samples().__next__().phase
