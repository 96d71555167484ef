"""Snapshots: every position of real play can be loaded again; nothing else reaches a kernel."""

import copy
import pickle

import numpy as np
import pytest

from shengji_env import shengji_v0
from shengji_env.engine.actions import PASS, REBEL
from shengji_env.engine.flaws import FLAWS
from shengji_env.engine.rule_options import CHOICES
from shengji_env.engine.rule_sets import RULE_SETS, rule_set
from shengji_env.engine.state import Phase
from shengji_env.errors import RuleSetError, ShengjiError
from shengji_env.records.writing import finished_round
from shengji_env.tables.arrays import MASK_DTYPE
from shengji_env.tables.snapshots import SAVED, put_back, rebuild_tables, take_snapshot
from shengji_env.vector import BatchEnv
from tests.helpers.phases import phases_of_cards

WORLDS = [
    *((name, {"start": "any"}) for name in RULE_SETS),
    ("two_deck", {"episode": "match", "history": 7}),
    ("one_deck_45", {"episode": "match", "record": True}),
    ("competition", {"start": "any", "skip_forced": True, "record": True, "history": 500}),
    ("duplicate", {"episode": "match", "record": True}),
    ("two_deck(max_redeals=0, no_bid=partner_names)", {"start": "any", "record": True}),
    ("one_deck(no_bid=partner_names)", {"start": "any", "history": 1}),
    ("three_deck(throw_penalty=10, failed_throw=smallest)", {"start": "any", "skip_forced": True}),
    ("four_deck(throw_penalty=5, throws=True, kitty=40)", {"start": "any", "record": True, "history": 3}),
    ("two_deck(throws=False, bidding=sequential)", {"start": "any"}),
]
ARGUMENTS = {"history": 9, "record": True, "start": "any", "seed": 3}


def play(env, steps):
    for _ in range(steps):
        env.step(env.sample_actions())
    return env


def under_way(num_envs=4, rules="two_deck", steps=60, **arguments):
    return play(BatchEnv(num_envs, rules, **ARGUMENTS | arguments), steps)


def everything(env):
    return [array.tobytes() for array in env.save().values()]


def come_to_phase(phase, rules="competition", **arguments):
    """An environment of which table 0 is in a phase."""
    env = under_way(1, rules, steps=0, **arguments)
    for _ in range(20_000):
        if env.phase[0] == phase:
            return env
        chosen = env.sample_actions()
        env.step(np.where(env.phase == Phase.BID, PASS, chosen) if phase == Phase.NAME else chosen)
    raise AssertionError(f"no {phase!r} in {rules}")


@pytest.mark.parametrize(("rules", "arguments"), WORLDS)
def test_every_position_of_real_play_is_accepted(rules, arguments):
    env, other = (BatchEnv(16, rules, seed=51, **arguments) for _ in range(2))
    phases = set()
    for _ in range(150 * env.rules.decks):
        phases |= set(env.phase.tolist())
        other.load(env.save())
        assert everything(other) == everything(env)
        env.step(env.sample_actions())
    assert phases >= phases_of_cards(rules) or arguments.get("skip_forced")


def random_rules(generator):
    """Some rule set with a few options changed."""
    while True:
        preset = str(generator.choice(list(RULE_SETS)))
        options = {name: str(generator.choice(values)) for name, values in CHOICES.items() if generator.random() < 0.4}
        for name in ("throws", "no_trump_bids", "last_trick_points"):
            if generator.random() < 0.3:
                options[name] = bool(generator.random() < 0.5)
        if generator.random() < 0.5:
            options["throw_penalty"] = 5 * int(generator.integers(21))
        if generator.random() < 0.5:
            options["kitty"] = int(generator.integers(2, 41))
        if generator.random() < 0.3:
            options["must_defend"] = "5TK"
        if generator.random() < 0.3:
            options["max_redeals"] = int(generator.integers(0, 3))
        try:
            return rule_set(preset, **options)
        except RuleSetError:
            continue


def accept_random_rules(seed, number):
    generator = np.random.default_rng(seed)
    for _ in range(number):
        start = {"start": "any"} if generator.random() < 0.7 else {"episode": "match"}
        env = BatchEnv(
            8, random_rules(generator), seed=int(generator.integers(2**31)), record=bool(generator.random() < 0.5),
            skip_forced=bool(generator.random() < 0.5), history=int(generator.integers(0, 9)), **start,
        )  # fmt: skip
        for _ in range(400):
            env.load(env.save())
            env.step(env.sample_actions())


def test_positions_under_random_rules_are_accepted():
    accept_random_rules(52, 4)


@pytest.mark.slow
def test_positions_under_many_random_rules_are_accepted():
    accept_random_rules(53, 200)


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("two_deck", {"levels": ["5", "A"], "first_drawer": 2}),
        ("two_deck", {"levels": ["5", "J"], "declarer": 3}),
        ("one_deck", {"deal": [card for card in range(54) for _ in range(1)], "declarer": None}),
        ("duplicate", {"trump": "H", "declarer": 1}),
        ("duplicate(no_trump_bids=True)", {"trump": "NT"}),
        ("competition", {"declarer": 0}),
    ],
)
def test_starts_of_ones_own_are_accepted(rules, options):
    env = shengji_v0.raw_env(rules, record=True)
    env.reset(seed=54, options=options)
    while not env.terminations["player_0"]:
        put_back(env.tables, take_snapshot(env.tables))
        env.step(env._table.choose_random())
    with pytest.raises(ShengjiError, match="its phase is not one in which a seat decides"):
        put_back(env.tables, take_snapshot(env.tables))


def test_a_round_dealt_again_is_accepted():
    """Nobody bids: the log begins anew with each deal."""
    env = under_way(8, "two_deck", steps=0, start="first")
    for _ in range(2000):
        env.load(env.save())
        passes = np.where(env.phase == Phase.BID, PASS, env.sample_actions())
        env.step(passes)
        if env.states["redeals"].max() == 8:
            return
    raise AssertionError("never dealt again eight times")


def test_what_a_snapshot_records_is_there_again():
    env = under_way(2, "two_deck", steps=400)
    again = BatchEnv(2, **ARGUMENTS | {"seed": 99})
    again.load(env.save())
    assert finished_round(again) == finished_round(env)
    assert again.seed == env.seed
    assert everything(play(again, 50)) == everything(play(env, 50))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: None, "a snapshot is a dictionary, as save() returns; this is NoneType"),
        (lambda saved: list(saved), "a snapshot is a dictionary"),
        (lambda saved: {name: saved[name] for name in SAVED[1:]}, "lacks states"),
        (lambda saved: saved | {"more": 1, 3: 2}, "also holds 'more', 3"),
        (lambda saved: saved | {"masks": saved["masks"].tolist()}, "the snapshot's masks are list; here they are"),
        (lambda saved: saved | {"masks": saved["masks"].astype(np.int16)}, "masks are (4, 83), int16"),
        (lambda saved: saved | {"seats": np.array([0, 1, 2, None])}, "seats are (4,), object"),
        (lambda saved: saved | {"states": saved["states"][:3]}, "states are (3,)"),
        (lambda saved: saved | {"states": saved["states"].view(np.uint8)}, "states are (9248,), uint8"),
        (lambda saved: saved | {"observations": None}, "observations are NoneType"),
    ],
)
def test_what_is_no_snapshot_is_refused(change, message):
    env = under_way()
    before = everything(env)
    with pytest.raises(ShengjiError) as refused:
        env.load(change(env.save()))
    assert message in str(refused.value)
    assert everything(env) == before


def put(name, value, row=1):
    def change(saved):
        array, *path = name.split(".")
        target = saved[array]
        for field in path:
            target = target[field]
        target[row] = value

    return change


@pytest.mark.parametrize("kept", ["abandoned", "finished_abandoned"])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rebels", 4), ("chosen", 0), ("chosen", 100), ("sizes", 0), ("sizes", 32_000), ("redeals", 99),
        ("redeals", -1), ("places", -1), ("places", 30_000), ("actions", PASS), ("actions", -1), ("actions", 100),
        ("declarer", 4), ("first_drawer", -1),
    ],
)  # fmt: skip
def test_abandoned_deals_that_cannot_have_been_played_are_refused(kept, field, value):
    env = BatchEnv(8, "two_deck(rebellion=redeal, rebellion_points=400)", seed=3, record=True)
    for _ in range(4000):
        chosen = env.sample_actions()
        chosen[env.phase == Phase.REBEL] = np.where(env.states["rebellions"] < 2, REBEL, PASS)[env.phase == Phase.REBEL]
        env.step(chosen)
        rounds = env.states if kept == "abandoned" else env.tables.logs["finished_state"]
        rows = np.flatnonzero(rounds["rebellions"] == 2)
        if rows.size:
            break
    other = BatchEnv(8, "two_deck(rebellion=redeal, rebellion_points=400)", seed=3, record=True)
    other.load(env.save())
    saved = env.save()
    saved["logs"][kept][field][rows[0]] = value
    with pytest.raises(ShengjiError, match=f"table {rows[0]}: .* abandoned deals"):
        env.load(saved)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("states.phase", 9), "table 1: its phase is not one"),
        (put("states.phase", Phase.OVER), "table 1: its phase is not one"),
        (put("states.levels", 13), FLAWS[2]),
        (put("states.first_drawer", -3), FLAWS[2]),
        (put("states.round_index", -1), FLAWS[2]),
        (put("states.deal", 5), FLAWS[3]),
        (put("states.deal", 99, (1, 0)), FLAWS[3]),
        (put("states.deal_given", 1), None),
        (put("states.bid_seat", 50), FLAWS[4]),
        (put("states.bid_count", 120), FLAWS[4]),
        (put("states.trump", 5), FLAWS[5]),
        (put("states.buried", 1), FLAWS[6]),
        (put("states.buried", -128), FLAWS[6]),
        (put("states.leader", 4), FLAWS[7]),
        (put("states.position", 100), FLAWS[7]),
        (put("states.played", 127, (1, 2, 7)), FLAWS[7]),
        (put("states.tricks", 0), FLAWS[7]),
        (put("states.attackers_points", 2**62), FLAWS[8]),
        (put("states.attackers_points", 3), FLAWS[8]),
        (put("states.known", 3), FLAWS[9]),
        (put("states.voids", 1), FLAWS[10]),
        (put("states.voids", 7), FLAWS[10]),
        (put("states.taken", 2), FLAWS[11]),
        (put("states.hands", 100, (1, 3, 4)), "its hands are not what the deal and the plays come to"),
        (put("states.seat", 77), "its seat are not what"),
        (put("states.last_slot", 99), "its last_slot are not what"),
        (put("states.level_rank", 12), "its level_rank are not what"),
        (put("states.slot_points", 9, (1, 3)), "its slot_points are not what"),
        (put("states.trick_points", 35), "its trick_points are not what"),
        (put("masks", 1), "table 1: its masks are not those of its state"),
        (put("observations", 0), "table 1: its observations are not those of its state"),
        (put("seats", 9), "table 1: its seats are not those of its state"),
        (put("phases", 1), "table 1: its phases are not those of its state"),
        (put("rewards", np.nan), "its rewards are not finite"),
        (put("rewards", 3.0), "its rewards are not opposite"),
        (put("progress.ply", -1), "its number of decisions"),
        (put("progress.ply", 10**8), "its number of decisions"),
        (put("progress.logged", 10**8), "its number of logged actions"),
        (put("progress.logged", 0), "are not what the logged actions come to"),
        (put("progress.result.winner", 7), "its result's winner are not in 0..2"),
        (put("progress.result.new_levels", 99), "its result's new_levels are not in 0..12"),
        (put("progress.result.kitty_points", 5), "its last result is not that of its state"),
        (put("states.result.kitty_points", 5), "its last result is not that of its state"),
        (put("logs.actions", 77), "its logged actions cannot be made"),
        (put("logs.actions", -5), "its logged actions cannot be made"),
        (put("logs.finished_size", 10**6), "its last round's number of actions"),
        (put("logs.finished_size", 3), "are not what the logged actions come to"),
        (put("logs.finished_actions", 81), "its logged actions cannot be made"),
        (put("logs.finished_state.phase", 0), "its last round is not over"),
        (put("plays", 1), "its last plays are no"),
        (put("plays", 0), "its last plays are not as many"),
        (put("plays", -1, (1, -1, 5)), "its last plays are not cards"),
        (put("plays", 4, (1, -1, 5)), "its last plays are not those of seat"),
        (put("shared.autoreset", 0, 0), "made with other autoreset"),
    ],
)
def test_an_altered_snapshot_is_refused_with_what_is_wrong_and_changes_nothing(change, message):
    env = under_way(steps=420)
    assert (env.phase >= Phase.LEAD).all()
    assert env.tables.logs["finished_size"].all()
    before, saved = everything(env), env.save()
    change(saved)
    if message is None:
        env.load(saved)
        return
    with pytest.raises(ShengjiError) as refused:
        env.load(saved)
    assert message in str(refused.value)
    assert everything(env) == before


@pytest.mark.parametrize("phase", [Phase.BID, Phase.NAME, Phase.BURY, Phase.LEAD, Phase.FORCED, Phase.FOLLOW])
def test_what_a_phase_rests_on_is_checked_in_it(phase):
    env = come_to_phase(phase, record=False, history=0)
    saved = env.save()
    for name in ("seat", "trump", "drawn", "circle_left", "leader", "taken_size", "declarer", "position", "num_owed"):
        changed = copy.deepcopy(saved)
        changed["states"][name] += 1
        with pytest.raises(ShengjiError, match="the snapshot cannot be loaded"):
            env.load(changed)


def test_what_means_nothing_at_the_moment_may_be_anything():
    """Lists beyond their length and the trick before: the round goes on as if they had not been touched."""
    env = under_way(64, "three_deck", steps=200, record=False)
    saved = env.save()
    generator = np.random.default_rng(55)
    states = saved["states"]
    for name, size in (
        ("components", "num_components"), ("choices", "num_choices"),
        ("owed_width", "num_owed"), ("owed_length", "num_owed"),
    ):  # fmt: skip
        idle = np.arange(states[name].shape[1]) >= states[size][:, None]
        states[name][idle] = generator.integers(-128, 128, idle.sum())
    leading = states["phase"] <= Phase.LEAD
    for name in ("lead_suit", "winning_suit", "winning_top"):
        states[name][leading] = 99
    other = BatchEnv(64, "three_deck", **ARGUMENTS | {"record": False})
    other.load(saved)
    for _ in range(300):
        other.step(other.sample_actions())
        env.step(env.sample_actions())
        for name in ("observation", "action_mask", "seat", "reward", "result"):
            assert getattr(env, name).tobytes() == getattr(other, name).tobytes()


def test_a_pickle_and_a_copy_are_trusted():
    env = under_way()
    env.tables.states["levels"] = 13
    assert (pickle.loads(pickle.dumps(env)).states["levels"] == 13).all()
    assert (copy.deepcopy(env).states["levels"] == 13).all()


def mutate(generator, saved):
    """Alter a snapshot: bytes anywhere, whole fields, fields of another table, or a bit of sense."""
    name = str(generator.choice(SAVED, p=[0.6, 0.1, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.03, 0.1, 0.05]))
    array = saved[name]
    if array.size == 0:
        return
    if array.dtype.names and generator.random() < 0.7:
        field = array[str(generator.choice([part for part in array.dtype.names if part != "filling"]))]
        values = field.reshape(-1) if field.dtype.names is None else field
        if field.dtype.names is None:
            place = generator.integers(values.size)
            low, high = (-3, 14) if generator.random() < 0.7 else (-128, 128)
            index = np.unravel_index(place, field.shape)
            number = generator.integers(low, high)
            field[index] = number % 256 if field.dtype.kind == "u" else number
            return
    content = array.reshape(-1).view(np.uint8)
    for _ in range(generator.integers(1, 4)):
        content[generator.integers(content.size)] = generator.integers(256)


def make_whole(env, altered):
    """Let masks, observations, seats and phases be those of the altered states, where those are states at all."""
    states, masks = altered["states"], altered["masks"].view(MASK_DTYPE)[:, 0]
    arrays = env.tables.arrays._replace(states=states.copy(), masks=masks, observations=altered["observations"])
    rebuild_tables(states, arrays, np.zeros(len(states), np.int64))
    altered["seats"][:], altered["phases"][:] = states["seat"], states["phase"]
    altered["progress"]["result"] = states["result"]


def go_on_from_mutations(seed, number):
    """Load altered snapshots and go on from those that are accepted; returns how many were."""
    generator = np.random.default_rng(seed)
    accepted = 0
    snapshots = []
    for rules, arguments in WORLDS[::2]:
        env = BatchEnv(2, rules, seed=56, **arguments)
        for steps in (0, 5, 20, 40, 60, 90, 120):
            snapshots.append((env, play(env, steps).save()))
    for _ in range(number):
        env, snapshot = snapshots[generator.integers(len(snapshots))]
        altered = {name: array.copy() for name, array in snapshot.items()}
        for _ in range(generator.integers(1, 3)):
            mutate(generator, altered)
        if generator.random() < 0.7:
            make_whole(env, altered)
        try:
            env.load(altered)
        except ShengjiError:
            continue
        accepted += 1
        play(env, 40 if generator.random() < 0.9 else 400)
        assert (env.states["hands"] >= 0).all()
    return accepted


def test_mutated_snapshots_are_refused_or_harmless():
    assert 100 < go_on_from_mutations(57, 1500) < 1000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_mutated_snapshots_are_refused_or_harmless(seed):
    assert go_on_from_mutations(58 + seed, 30_000) > 0
