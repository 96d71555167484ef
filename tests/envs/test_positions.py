"""Positions: they play as the environments do, never change, and say what a seat may know and no more."""

import copy
import gc
import itertools
import pickle
import resource
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from shengji_env import shengji_v0
from shengji_env.engine import referee
from shengji_env.engine.actions import PASS
from shengji_env.engine.cards import CARD_TEXTS, format_cards
from shengji_env.engine.referee.values import to_cards
from shengji_env.engine.rule_sets import PRESETS, parse_rules
from shengji_env.engine.state import Phase
from shengji_env.envs.positions import Position
from shengji_env.envs.positions.play_texts import trump_of
from shengji_env.errors import DealError, IllegalActionError, NotationError, RecordError, ShengjiError
from shengji_env.records.writing import finished_round
from shengji_env.vector import BatchEnv
from tests.helpers.hidden_cards import Eyes, deal_again

RULES = [
    *PRESETS,
    "two_deck(failed_throw=next_seat_chooses, throw_penalty=10)",
    "two_deck(no_bid=partner_names)",
    "botzone(throw_penalty=0)",
]
SMALL = 24
"""Most cards of a deck all of whose decisions are looked at here: its rounds are over after a few."""


def walk(position, generator, choose=None):
    """The positions of a random round, from this one to its end."""
    while True:
        yield position
        if position.is_terminal():
            return
        legal = position.legal_actions()
        action = int(generator.choice(legal)) if choose is None else choose(position, legal)
        position = position.apply(action)


def some(rules="two_deck", seed=1, every=9, **arguments):
    """Some positions of a random round, not its end."""
    generator = np.random.default_rng(seed)
    positions = walk(Position.new(rules, seed=seed, start="any", **arguments), generator)
    return [position for place, position in enumerate(positions) if place % every == 0 and not position.is_terminal()]


def in_phase(phase, rules="two_deck"):
    """A position of random play in a phase, at the beginning of a decision; for NAME, nobody bids."""
    for seed in range(40):
        generator = np.random.default_rng(seed)

        def choose(position, legal, generator=generator):
            return PASS if phase == Phase.NAME and position.phase == Phase.BID else int(generator.choice(legal))

        for position in walk(Position.new(rules, seed=seed, start="any"), generator, choose):
            if position.phase == phase and not position.states["taken_size"][0]:
                return position
    raise AssertionError(f"no {phase!r} in {rules}")


# ---- the same as the environments


@pytest.mark.parametrize("rules", RULES)
def test_random_walks_agree_with_the_environment(rules):
    generator = np.random.default_rng(2)
    for seed in range(3):
        env = shengji_v0.raw_env(rules, start="any", record=True)
        env.reset(seed=seed)
        position = Position.new(rules, seed=seed, start="any")
        for ply in itertools.count():
            agree(env, position, ply)
            if position.is_terminal():
                break
            action = int(generator.choice(position.legal_actions()))
            env.step(action)
            position = position.apply(action)
        assert position.returns() == list(env.rewards.values())
        assert position.result == env.infos["player_0"]["result"]


def agree(env, position, ply):
    """Everything that the environment shows is what the position says."""
    if not position.is_terminal():
        seen = env.observe(f"player_{position.seat}")
        assert env.agent_selection == f"player_{position.seat}"
        assert np.array_equal(seen["action_mask"], position.action_mask())
        assert np.flatnonzero(seen["action_mask"]).tolist() == position.legal_actions()
        assert position.returns() == [0.0] * 4
        assert position.result is None
    if ply % 16 == 0 or position.is_terminal():
        for seat in range(4):
            assert np.array_equal(env.observe(f"player_{seat}")["observation"], position.observation(seat))
        assert Position.of(env) == position


def test_the_cards_are_dealt_again_as_in_the_environment():
    env = shengji_v0.raw_env()
    env.reset(seed=4)
    position = Position.new(seed=4)
    deals = set()
    while position.phase == Phase.BID:
        deals.add(position.states["deal"].tobytes())
        env.step(PASS)
        position = position.apply(PASS)
        assert np.array_equal(env.observe("player_0")["observation"], position.observation(0))
    assert len(deals) > 1
    assert env.states["deal"].tobytes() == position.states["deal"].tobytes()


@pytest.mark.parametrize("reward", ["levels", "points", "win"])
def test_returns_are_the_rewards(reward):
    env = shengji_v0.raw_env("house", start="any", reward=reward)
    env.reset(seed=5)
    generator = np.random.default_rng(5)
    for position in walk(Position.new("house", seed=5, start="any"), generator, lambda at, legal: legal[-1]):
        if not position.is_terminal():
            env.step(position.legal_actions()[-1])
    assert position.returns(reward) == list(env.rewards.values())
    with pytest.raises(ShengjiError, match="reward='money' is unknown"):
        position.returns("money")


def test_positions_of_tables_in_the_middle_of_matches():
    env = BatchEnv(5, "one_deck", episode="match", seed=6, record=True, skip_forced=True)
    for step in range(600):
        if step % 50 == 0:
            for table in range(5):
                position = Position.of(env, table)
                assert np.array_equal(position.observation(position.seat), env.observation[table])
                assert np.array_equal(position.action_mask(), env.action_mask[table])
        env.step(env.sample_actions())
    assert env.states["match_round"].max() > 1


def test_without_a_record_only_the_beginning_is_known():
    env = shengji_v0.env()
    with pytest.raises(ShengjiError, match="call reset"):
        Position.of(env)
    env.reset(seed=1)
    position = Position.of(env)
    env.step(position.legal_actions()[0])
    with pytest.raises(ShengjiError, match="record=True"):
        Position.of(env)
    with pytest.raises(ShengjiError, match="table=3 must be a whole number from 0 to 0"):
        Position.of(env, 3)


@pytest.mark.parametrize("rules", ["two_deck", "duplicate", "competition"])
def test_positions_of_a_record(rules):
    env = shengji_v0.raw_env(rules, start="any", record=True)
    env.reset(seed=7)
    positions = list(walk(Position.new(rules, seed=7, start="any"), np.random.default_rng(7)))
    for before, after in itertools.pairwise(positions):
        env.step(next(action for action in before.legal_actions() if before.apply(action) == after))
    record = finished_round(env)
    end = Position.from_record(record, rules)
    assert end.is_terminal()
    assert end.returns() == positions[-1].returns()
    known = {with_given_deal(position) for position in positions}
    for ply in (0, 1, len(record["decisions"]) // 2, len(record["decisions"]) - 1):
        position = Position.from_record(record, rules, ply)
        assert position.seat == record["decisions"][ply]["seat"]
        assert with_given_deal(position) in known
    with pytest.raises(RecordError, match="ply=1000 must be"):
        Position.from_record(record, rules, 1000)
    with pytest.raises(RecordError, match="ply 0"):
        Position.from_record({**record, "decisions": [None]}, rules)


def with_given_deal(position):
    """The state's bytes, had its cards been given, as those of a record are."""
    states = position.states
    states["deal_given"] = 1
    return states.tobytes()


def test_starts_of_ones_own():
    position = Position.new("duplicate", seed=1, options={"trump": "H", "declarer": 2, "levels": ["5", "T"]})
    assert (position.seat, position.phase, position.rules.preset) == (2, Phase.BURY, "duplicate")
    with pytest.raises(DealError, match="not a seat"):
        Position.new(options={"declarer": 7})
    with pytest.raises(ShengjiError, match="seed=-1"):
        Position.new(seed=-1)


# ---- values


def test_nothing_changes_a_position():
    for position in some(every=20):
        before, text = position.states.tobytes(), str(position)
        for action in position.legal_actions():
            position.apply(action)
        position.resample(3)
        list(itertools.islice(position.legal_plays(), 20))
        position.states["seat"] = 3
        assert (position.states.tobytes(), str(position)) == (before, text)


@pytest.mark.parametrize("twin", [Position.clone, copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_are_equal_and_play_on_alike(twin):
    for position in some("three_deck", every=30):
        other = twin(position)
        assert other == position
        assert hash(other) == hash(position)
        action = position.legal_actions()[-1]
        assert other.apply(action) == position.apply(action)
        assert other.states.tobytes() == position.states.tobytes()
        assert position.apply(action) != position


def test_positions_differ_in_rules_deals_and_decisions():
    positions = [
        Position.new(seed=1), Position.new(seed=2), Position.new(seed=1).apply(PASS), Position.new("house", seed=1),
        Position.new(seed=1, options={"levels": ["2", "3"]}),
    ]  # fmt: skip
    assert len(set(positions)) == len(positions)
    assert positions[0] != "a position"


@pytest.mark.parametrize("action", [-1, 83, 2**70, "S2", None, 1.0, True, np.int64(53), 77])
def test_illegal_actions_are_refused(action):
    position = Position.new(seed=1)
    with pytest.raises(IllegalActionError, match=r"cannot take .* in BID"):
        position.apply(action)
    assert position.apply(np.int64(PASS)) == position.apply(PASS)


def test_after_the_end_there_is_nothing_to_decide():
    *_, end = walk(Position.new(seed=3), np.random.default_rng(3))
    assert (end.seat, end.phase, end.legal_actions(), list(end.legal_plays())) == (-1, Phase.OVER, [], [])
    for what in (lambda: end.apply(0), lambda: end.resample(0), lambda: end.apply_play("S2")):
        with pytest.raises(ShengjiError, match="the round is over"):
            what()


def test_threads_may_walk_at_once():
    def ends(seed):
        return [list(walk(Position.new(seed=seed), np.random.default_rng(seed)))[-1].returns() for _ in range(3)]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ends, range(8))) == [ends(seed) for seed in range(8)]


@pytest.mark.slow
def test_a_tree_walk_of_a_million_nodes_leaks_nothing():
    """Rounds of random play, all actions tried at each position; only the path is kept."""
    generator = np.random.default_rng(1)
    nodes, before = 0, None
    while nodes < 1_000_000:
        for position in walk(Position.new(seed=int(generator.integers(2**32))), generator):
            nodes += len([position.apply(action) for action in position.legal_actions()])
        if before is None and nodes > 100_000:
            gc.collect()
            before = memory()
    gc.collect()
    assert memory() - before < 2**20


def memory():
    """Bytes of this process that are in use, by the system's count; elsewhere than on Linux, the most ever used."""
    if sys.platform == "linux":
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


# ---- text


@pytest.mark.parametrize("rules", RULES)
def test_every_position_is_read_back_from_its_text(rules):
    for position in some(rules, seed=8, every=23):
        again = Position.from_text(str(position))
        assert again == position
        assert again.states.tobytes() == position.states.tobytes()
        assert eval(repr(position)) == position


HEAD = '{"format": "shengji-position/1"'


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("position/1", "position/2", "is not a position"),
        (HEAD, "[" + HEAD, "no JSON"),
        (HEAD, HEAD + ', "extra": 1', "'extra'"),
        ('"taken"', '"took"', "'taken'"),
        ('"throws": true', '"throws": false', "fingerprint"),
        ('"levels": ["', '"levels": ["X", "', "levels"),
        ('"redeals": 0', '"redeals": 99', "redeals"),
        ('"redeals": 0', '"redeals": true', "redeals"),
        ('"seed": 8', '"seed": -8', "seed=-8"),
        ('"table": 0', '"table": 0.5', "table=0.5"),
        ('"trump": null', '"trump": "S"', "trump='S'"),
        ('"round": 0', '"round": 99999999999999999999', "round"),
        ('"seat": ', '"seat": 1', "ply 0"),
        ('"lead": "', '"lead": "BJ BJ BJ ', "ply"),
        ('"taken": ""', '"taken": "S2 S3"', "taken="),
        ('"taken": ""', '"taken": "ZZ"', "ZZ"),
        ('"taken": ""', '"taken": 5', "not a text"),
        ('"deal": "', '"deal": "S2 ', "deal"),
    ],
)
def test_altered_texts_are_refused(old, new, reason):
    text = str(next(position for position in some(seed=8, every=1) if position.states["tricks"][0] == 2))
    assert old in text
    with pytest.raises(NotationError, match=reason):
        Position.from_text(text.replace(old, new, 1))


@pytest.mark.parametrize("text", ["", "{}", "null", "[" * 100_000, "9" * 100_000, "x" * 10**6, b"{}", None, 5])
def test_other_texts_are_refused(text):
    with pytest.raises(NotationError):
        Position.from_text(text)


def test_cards_already_taken_are_part_of_the_text():
    position = in_phase(Phase.BURY)
    later = position.apply(position.legal_actions()[0])
    assert '"taken": ""' not in str(later)
    assert Position.from_text(str(later)) == later
    bidding = str(in_phase(Phase.BID))
    with pytest.raises(NotationError, match="no cards are taken in BID"):
        Position.from_text(bidding.replace('"taken": ""', '"taken": "S2"'))


# ---- whole plays


def test_legal_plays_are_those_of_the_referee():
    found = set()
    for position in some("two_deck(throws=False)", seed=10, every=3):
        state, trump = position.states[0], trump_of(position.states) if position.phase >= Phase.BURY else None
        if state["taken_size"] or position.phase not in (Phase.LEAD, Phase.FOLLOW):
            continue
        hand = to_cards(state["hands"][position.seat], trump)
        if position.phase == Phase.LEAD:
            plays = referee.legal_leads(hand, trump, position.rules)
        else:
            plays = referee.legal_follows(to_cards(state["trick"][state["leader"]], trump), hand, trump, position.rules)
        assert list(position.legal_plays()) == [format_cards(play) for play in plays]
        found.add(position.phase)
    assert found == {Phase.LEAD, Phase.FOLLOW}


@pytest.mark.parametrize("phase", [Phase.BID, Phase.BURY, Phase.LEAD, Phase.FOLLOW, Phase.FORCED, Phase.NAME])
def test_a_play_is_all_its_actions(phase):
    position = in_phase(phase, "competition")
    plays = list(itertools.islice(position.legal_plays(), 300))
    assert len(set(plays)) == len(plays)
    for play in plays[::20]:
        later = position.apply_play(play)
        assert (later.phase, later.seat) != (phase, position.seat)
        words = play.split()
        backwards = play if phase in (Phase.BID, Phase.NAME) else " ".join(reversed(words))
        assert position.apply_play(backwards) == later


def test_plays_of_a_decision_under_way_hold_what_is_taken():
    position = in_phase(Phase.BURY)
    action = position.legal_actions()[0]
    card = position.action_text(action)
    later = position.apply(action)
    plays = list(itertools.islice(later.legal_plays(), 50))
    assert all(card in play.split() for play in plays)
    assert later.apply_play(plays[7]) == position.apply_play(plays[7])
    other = next(text for text in map(position.action_text, position.legal_actions()) if text != card)
    with pytest.raises(IllegalActionError, match=f"{card} is already taken"):
        later.apply_play(other)


def test_illegal_plays_are_refused_with_the_reason():
    follow = in_phase(Phase.FOLLOW)
    hand = format_cards(to_cards(follow.states["hands"][0, follow.seat], trump_of(follow.states)))
    stranger = next(text for text in CARD_TEXTS if text not in hand.split())
    for play, reason in (("", "it has 0 cards"), (stranger, "the hand is"), (hand, "the lead")):
        with pytest.raises(IllegalActionError, match=reason):
            follow.apply_play(play)
    for play in ("ZZ", None, 7, "H3 " * 257):
        with pytest.raises(NotationError):
            follow.apply_play(play)
    bury = in_phase(Phase.BURY)
    with pytest.raises(IllegalActionError, match="8 cards are buried, not 1"):
        bury.apply_play(bury.action_text(bury.legal_actions()[0]))
    forced = in_phase(Phase.FORCED, "competition")
    with pytest.raises(IllegalActionError, match="not a beaten component"):
        forced.apply_play("S2 S2")
    with pytest.raises(IllegalActionError, match="the rules do not allow it now"):
        in_phase(Phase.BID).apply_play("bid BJ BJ")


# ---- what a seat knows


def world_of(position):
    """Another table at which the seat may be sitting; None where others have paid for a throw that nobody sees."""
    try:
        return position.resample(5)
    except ShengjiError as error:
        if not position.rules.throw_penalty or "a throw has failed that seat" not in str(error):
            raise
        return None


@pytest.mark.parametrize("rules", RULES)
def test_a_seat_cannot_tell_a_world_from_its_table(rules):
    """Only others can: their cards have changed."""
    differs = 0
    seeds, every = ((11,), 17) if parse_rules(rules).total > SMALL else (range(11, 15), 1)
    seeds = range(11, 15) if "botzone" in rules else seeds
    for position in itertools.chain.from_iterable(some(rules, seed=seed, every=every) for seed in seeds):
        seat = position.seat
        world = world_of(position)
        if world is None:
            continue
        assert (world.seat, world.phase, world.legal_actions()) == (seat, position.phase, position.legal_actions())
        assert world.information_state_text(seat) == position.information_state_text(seat)
        assert np.array_equal(world.information_state(seat), position.information_state(seat))
        assert Position.from_text(str(world)) == world
        others = [other for other in range(4) if other != seat]
        differs += any(
            world.information_state_text(other) != position.information_state_text(other) for other in others
        )
    assert differs > 3


def test_worlds_are_a_function_of_the_seed_and_of_what_is_seen():
    for position in some(seed=12, every=31):
        world = position.resample(1)
        assert world == position.resample(1)
        assert world.resample(9).states["hands"].tobytes() == position.resample(9).states["hands"].tobytes()


def test_worlds_have_other_deals_to_come():
    position = Position.new(seed=1)
    world = position.resample(1)
    assert position.states["deal"].tobytes() != world.states["deal"].tobytes()
    while position.phase == Phase.BID and not position.states["redeals"][0]:
        position = position.apply(PASS)
    while world.phase == Phase.BID and not world.states["redeals"][0]:
        world = world.apply(PASS)
    assert position.states["deal"].tobytes() != world.states["deal"].tobytes()


def test_what_a_seat_sees_does_not_depend_on_hidden_cards():
    """As the leak test of the environments: everything that a seat cannot know is dealt again."""
    env = BatchEnv(1, "two_deck", seed=1)
    eyes, generator = Eyes(env), np.random.default_rng(13)
    for position in some(seed=13, every=7):
        states = position.states
        for seat in range(4):
            mask = position.action_mask() if seat == position.seat else np.zeros(83, np.int8)
            shown = position.observation(seat).tobytes() + mask.tobytes()
            assert shown == eyes.see(deal_again(states, seat, position.rules, generator), seat)


def test_the_text_remembers_what_the_observation_forgets():
    """The order in which two kinds of cards were shown in bids."""
    bids = [p for seed in range(60) for p in walk(Position.new(seed=seed), np.random.default_rng(seed)) if p.phase < 2]
    told = [p.information_state_text(0) for p in bids]
    assert any(text.count(" bid ") > 1 for text in told)
    assert all("pass" not in line for text in told for line in text.splitlines() if line[:1] in "123")


def test_a_seat_knows_its_own_passes_and_what_it_buried():
    position = in_phase(Phase.BURY)
    seat = position.seat
    later = position.apply_play(next(position.legal_plays()))
    assert f"{seat} bury hidden" not in later.information_state_text(seat)
    assert "took up" in later.information_state_text(seat)
    for other in {0, 1, 2, 3} - {seat}:
        assert f"{seat} bury hidden" in later.information_state_text(other)
        assert "took up" not in later.information_state_text(other)
    asked = Position.new(seed=1)
    assert f"{asked.seat} pass" in asked.apply(PASS).information_state_text(asked.seat)


@pytest.mark.parametrize("seat", [-1, 4, None, "0", True])
def test_only_seats_know_something(seat):
    position = Position.new(seed=1)
    for ask in (position.observation, position.information_state, position.information_state_text):
        with pytest.raises(ShengjiError, match="not a seat"):
            ask(seat)
