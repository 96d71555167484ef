"""The protocol: what a seat hears is enough to play as at the table itself, and holds nothing hidden."""

import json
import re
from collections import Counter, defaultdict
from dataclasses import fields
from typing import get_args

import numpy as np
import pytest

from shengji_env.arena.deal_batch import DealBatch
from shengji_env.engine.actions import DONE, PASS
from shengji_env.engine.rule_sets import RULE_SETS, parse_rules, rule_set
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import UNNAMED, Phase
from shengji_env.players.decisions import Decisions, num_plays, tables_behind
from shengji_env.players.exec.bot_messages import MAX_BYTES, FromBot, ProtocolError, ToBot, line_of, read_line
from shengji_env.players.exec.deal_feed import Cursor, DealFeed
from shengji_env.players.exec.speaking import Speaker
from shengji_env.players.networks.policy import PolicyPlayer
from shengji_env.players.registry import as_player, make_player
from shengji_env.render.view import view_table
from shengji_env.vector import BatchEnv
from tests.helpers.conversations import Conversation, in_another_deal, other_world
from tests.helpers.late_bidders import LATE_RULES, RETAKE_RULES, LateBidder
from tests.helpers.paths import ROOT
from tests.helpers.policies import random_layers
from tools.protocol_messages import EXAMPLES
from tools.write_tables import with_tables

PAGE = ROOT / "docs" / "protocol.md"
NO_ROWS = np.zeros(1, np.int64)
OPTIONS = (
    "two_deck(failed_throw=next_seat_chooses)",
    "two_deck(throws=False)",
    "two_deck(throw_penalty=10)",
    "two_deck(failed_throw=next_seat_chooses, throw_penalty=10)",
    "two_deck(failed_throw=next_seat_chooses, throw_penalty=10, throw_penalty_per=card)",
)


def random_rounds(rules, *, steps, episode="round", watch=None, num_tables=2, seed=3, player="random"):
    """Let a player, `random`, play in all seats, each hearing the protocol."""
    rules = parse_rules(rules)
    env = BatchEnv(
        num_tables, rules, seed=seed, episode=episode, start="first" if episode == "match" else "any",
        skip_forced=True, record=True, history=num_plays(rules),
    )  # fmt: skip
    player = Conversation(as_player(player), watch=watch)
    for _ in range(steps):
        env.step(player.decide(Decisions.at(env.tables, np.arange(num_tables))))
    return player


@pytest.mark.parametrize("episode", ["round", pytest.param("match", marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", [*RULE_SETS, *OPTIONS, *LATE_RULES])
def test_a_seat_that_listens_sees_what_a_seat_at_the_table_sees(rules, episode):
    kinds = Counter()

    def compare(player, decisions, place, question):
        tables, rows = tables_behind(decisions)
        row = int(rows[place])
        if tables.states["taken_size"][row]:
            return  # the environment has made the forced part of the play
        speaker = player.listeners[row, int(tables.seats[row])].speaker
        table = speaker.table
        kinds[question.kind] += 1
        table.handle(question)
        saved = table.tables.states.copy(), table.tables.plays.copy()
        table.prepare(question)
        here = Decisions.at(table.tables, NO_ROWS)
        at_table = decisions[np.array([place])]
        assert (here.action_mask == at_table.action_mask).all()
        assert (here.observation == at_table.observation).all()
        assert known(here.states) == known(at_table.states)
        assert (here.plays == at_table.plays).all()
        table.tables.states[:], table.tables.plays[:] = saved

    player = LateBidder() if rules in LATE_RULES else "random"
    random_rounds(rules, steps=400 if rules in LATE_RULES else 260, episode=episode, watch=compare, player=player)
    assert kinds["follow"] > 100
    assert kinds["rebel"] or "rebellion" not in rules
    if "next_seat_chooses" in rules:
        assert kinds["forced"]


def known(states):
    """The bytes of a state; before trumps are named, the values of slots are what an abandoned deal has left."""
    states = states.copy()
    if states["trump"][0] == UNNAMED:
        states["slot_points"] = states["slot_copies"] = 0
    return states.tobytes()


def test_a_trick_and_its_points_are_whose_the_host_says():
    (listener, *_) = random_rounds("two_deck", steps=300, num_tables=1).listeners.values()
    heard = [json.loads(line) for line in listener.lines]
    end = next(place for place, each in enumerate(heard) if each["type"] == "trick" and each["points"])
    trick = heard[end]
    declarer = next(each["declarer"] for each in reversed(heard[:end]) if each["type"] == "trumps")
    found = []
    for winner in (trick["winner"], (trick["winner"] + 1) % 4):
        speaker = Speaker(make_player("random"), seed=0)
        for message in (*heard[:end], {**trick, "winner": winner}):
            speaker.handle(message)
        found.append(int(speaker.table.tables.states["attackers_points"][0]))
    assert found[0] - found[1] == trick["points"] * (1 if (trick["winner"] - declarer) % 2 else -1)


class Reluctant:
    """Seldom bids, so that cards are dealt again; otherwise it plays at random, so that throws fail."""

    name = "reluctant"

    def act(self, observation, action_mask, key):
        chances = np.random.default_rng(key).random(action_mask.shape) * action_mask
        is_bid = (action_mask[:, :NUM_SLOTS] == 0).all(axis=1)
        chances[:, PASS] += action_mask[:, PASS] * is_bid * (key % 64 > 0)
        return chances.argmax(axis=1)


@pytest.mark.thorough
@pytest.mark.parametrize("rules", ["two_deck", "one_deck", "three_deck", OPTIONS[0], RETAKE_RULES[1]])
def test_the_hand_of_the_page_is_the_hand_at_the_table(rules):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(compile(block, PAGE.name, "exec"), names)
    hands, heard = defaultdict(names["Hand"]), Counter()

    def compare(player, decisions, place, question):
        state = decisions.states[place]  # all tables are asked, so a place is a table's number
        seat = int(state["seat"])
        lines = player.listeners[place, seat].lines
        for line in map(json.loads, lines[heard[place, seat] :]):
            heard[place, seat] += 1
            if line["type"] not in ("hello", "decide"):
                hands[place, seat].hear(line)
            heard["failed"] += line["type"] == "led" and line["seat"] == seat
            heard["dealt again"] += line["type"] == "round" and line["redeals"] > 0
        heard[question.kind] += 1
        held = view_table(state, decisions.rules, viewer=seat).hands[str(seat)].cards
        assert hands[place, seat].cards == Counter(" ".join(held.values()).split())

    is_late = rules in RETAKE_RULES
    random_rounds(rules, steps=1000, watch=compare, player=as_player(LateBidder() if is_late else Reluctant()))
    assert heard["failed"] > 10
    assert heard["dealt again"] > 10 or is_late
    assert all(heard[kind] for kind in ("bid", "bury", "lead", "follow"))


@pytest.mark.parametrize("rules", ["two_deck", "three_deck", "competition", "duplicate", "botzone"])
def test_nothing_that_is_told_depends_on_hidden_cards(rules):
    rng = np.random.default_rng(1)
    phases = Counter()

    def tell_again(player, decisions, place, question):
        tables, rows = tables_behind(decisions)
        row = int(rows[place])
        feed, state = player.feeds[row], tables.states[row : row + 1]
        for seat in range(4):
            if state["phase"][0] == Phase.BID and seat != state["seat"][0]:
                continue  # only the seat that is asked hears something while bids are made
            told = feed.begin(seat) + feed.messages_for(seat, Cursor())
            world = in_another_deal(feed, other_world(feed._transcript.states, seat, decisions.rules, rng))
            assert world.begin(seat) + world.messages_for(seat, Cursor()) == told
            phases[Phase(int(state["phase"][0]))] += 1

    random_rounds(rules, steps=120, watch=tell_again)
    assert len(phases) >= 3


def test_8_only_the_thrower_is_told_what_was_tried_where_nobody_sees_it():
    penalties = Counter()

    def compare(player, decisions, place, question):
        public = decisions.public_records[place]
        leads = [decision["lead"] for decision in public["decisions"] if "lead" in decision]
        assert leads == [trick["led"] for trick in public["tricks"]]

    player = random_rounds("botzone", steps=400, watch=compare)
    for (_, seat), listener in player.listeners.items():
        lead = None
        for message in map(json.loads, listener.lines):
            if message["type"] == "lead":
                lead = message
            if message["type"] == "led":
                assert lead["seat"] == message["seat"]
                is_own = message["seat"] == seat
                assert len(message["led"].split()) == 1
                assert (len(lead["lead"].split()) > 1) == is_own
                assert is_own or lead["lead"] == message["led"]
                penalties[is_own] += message["penalty"] >= 10
    assert penalties[True] > 20
    assert penalties[False] > 20


@pytest.mark.parametrize("penalty", [0, 10])
def test_8_a_throw_that_nobody_sees_is_a_lead_of_one_card_if_it_costs_nothing(penalty):
    """Once the leader tries all cards of a suit, once it leads the card that is left of them."""
    compared = 0
    for seed in range(20):
        rules = f"duplicate(failed_throw=lowest_card, throw_penalty={penalty})"
        envs = [BatchEnv(1, rules, seed=seed, record=True) for _ in range(2)]
        feeds = [DealFeed(env.tables, 0) for env in envs]
        leader = int(envs[0].states["declarer"][0])
        for env in envs:
            play_out(env, Phase.BURY)
        size, _ = play_out(envs[0], Phase.LEAD), play_out(envs[1], Phase.LEAD, most=1)
        if size == 1 or not (envs[0].states["trick"] == envs[1].states["trick"]).all():
            continue
        for _ in range(3):
            assert (envs[0].observation == envs[1].observation).all() == (penalty == 0)
            for env in envs:
                play_out(env, Phase.FOLLOW)
        for feed, env in zip(feeds, envs, strict=True):
            feed.follow(env.tables, 0)
        told = [[feed.messages_for(seat, Cursor()) for feed in feeds] for seat in range(4)]
        assert [one == other for one, other in told] == [penalty == 0 and seat != leader for seat in range(4)]
        assert [b'"type":"led"' in one for one, _ in told] == [penalty > 0 or seat == leader for seat in range(4)]
        compared += 1
    assert compared > 5


def play_out(env, phase, *, most=25):
    """Let a seat take the first legal cards, `most` at most, until its decision is made; return how many it took."""
    size, seat = 0, env.seat[0]
    while env.phase[0] == phase and env.seat[0] == seat:
        is_done = size == most or not env.action_mask[0, :NUM_SLOTS].any()
        env.step([DONE if is_done else int(env.action_mask[0].argmax())])
        size += not is_done
    return size


@pytest.mark.parametrize("rules", ["two_deck", "one_deck", "three_deck"])
def test_only_its_own_seat_hears_of_drawn_and_buried_cards(rules):
    player = random_rounds(rules, steps=200)
    num_kitties = 0
    for row in (0, 1):
        declarers = {
            json.loads(line)["declarer"]
            for (table, _), listener in player.listeners.items()
            for line in listener.lines
            if table == row and b'"trumps"' in line
        }
        for (table, seat), listener in player.listeners.items():
            messages = [json.loads(line) for line in listener.lines if table == row]
            kitties = [each for each in messages if each["type"] == "kitty"]
            num_kitties += len(kitties)
            assert not kitties or seat in declarers
            assert all(each["bury"] is None or each["seat"] == seat for each in messages if each["type"] == "bury")
            assert not any("deal" in each or "seed" in each for each in messages)
    assert num_kitties


@pytest.mark.parametrize("rules", RETAKE_RULES)
def test_5_nobody_hears_which_of_its_cards_the_next_taker_has_buried_again(rules):
    """Two tables are alike but for what the second taker buried: all other seats are told the same until a play."""
    compared = 0
    for seed in range(40):
        env = BatchEnv(2, rules, seed=seed, record=True)
        env.tables.progress["number"] = 0
        env.reset(seed=seed)
        compared += told_alike(env)
    assert compared > 5


def told_alike(env):
    """Let two tables of one deal differ in the second burial; return whether there was one."""
    env.tables.states[1], env.tables.progress[1], env.tables.masks[1] = (
        array[0] for array in (env.tables.states, env.tables.progress, env.tables.masks)
    )
    env.tables.seats[1], env.tables.phases[1] = env.tables.seats[0], env.tables.phases[0]
    feeds = [DealFeed(env.tables, row) for row in (0, 1)]
    while env.phase[0] in (Phase.BID, Phase.NAME, Phase.REBEL, Phase.BURY):
        legal = np.flatnonzero(env.action_mask[0])
        is_second = env.phase[0] == Phase.BURY and env.states["num_takers"][0] == 2
        actions = [legal[0], legal[-1 if is_second else 0]]
        if env.phase[0] == Phase.BID and (env.states["trump"][0] != -1 or not env.states["bid_count"][0]):
            actions = [legal[1]] * 2  # the weakest bid, so that others can bid over it
        env.step(actions)
        if is_second and not env.states["taken_size"][0]:
            break
    if env.states["num_takers"][0] < 2:
        return False
    for row, feed in enumerate(feeds):
        feed.follow(env.tables, row)
    taker = int(env.states["takers"][0, 1])
    told = [[feed.messages_for(seat, Cursor()) for feed in feeds] for seat in range(4)]
    assert all(one == other for seat, (one, other) in enumerate(told) if seat != taker)
    return bool(told[taker][0] != told[taker][1])


def test_what_is_told_is_what_the_record_says():
    players = Conversation(make_player("random"))
    batch = DealBatch((players, players), rule_set("three_deck"), 0, range(2))
    _, lines = batch.play_out(keeps_lines=True)
    for row, line in enumerate(lines):
        table = (row // 2) + (row % 2) * 2  # lines are by deal, then by table
        record = json.loads(line)
        for (where, seat), listener in players.listeners.items():
            if where != table:
                continue
            messages = [json.loads(each) for each in listener.lines]
            names = ("bid", "name", "bury", "lead", "forced", "follow")
            heard = [{**each, "type": 0} for each in messages if each["type"] in names]
            said = [
                {**step, "type": 0, **({"bury": None} if "bury" in step and step["seat"] != seat else {})}
                for step in record["decisions"]
                if step.get("bid", "") is not None
            ]
            assert heard == said
            tricks = [each for each in messages if each["type"] == "trick"]
            assert [{**each, "type": 0} for each in tricks] == [{**each, "type": 0} for each in record["tricks"]]
            drawn = " ".join(each["cards"] for each in messages if each["type"] == "draw").split()
            first = (seat - record["first_drawer"]) % 4
            assert drawn == record["deal"].split()[first : 4 * rule_set("three_deck").hand : 4]
            (result,) = [each for each in messages if each["type"] == "result"]
            assert result["result"] == record["result"]
            assert result["buried"] == record["buried"]


def test_the_page_has_an_example_of_every_message():
    text = PAGE.read_text(encoding="utf-8")
    assert with_tables(text) == text
    assert {type(each) for each in EXAMPLES} == {*get_args(ToBot), *get_args(FromBot)}
    for each in EXAMPLES:
        line = line_of(each).decode()
        assert line in text
        left_out = each.may_lack if getattr(each, "own", False) else ()
        assert json.loads(line).keys() == {"type", *(field.name for field in fields(each))} - {*left_out}
        if isinstance(each, get_args(FromBot)):
            assert read_line(line.encode()) == each


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "no JSON"),
        (b"\xff", "not UTF-8"),
        (b"3", "a JSON object with a type"),
        (b'{"type":"hello"}', "type is one of ready, play"),
        (
            b'{"type":"play","move":1,"cards":"S2","sure":true}',
            "has the fields move, cards, own, not 'move, cards, sure'",
        ),
        (b'{"type":"play","move":1,"cards":"","own":1}', "own=1 is not of its kind"),
        (b'{"type":"play","move":1}', "has the fields move, cards, own, not 'move'"),
        (b'{"type":"play","move":true,"cards":""}', "move=True is not of its kind"),
        (b'{"type":"play","move":1e3,"cards":""}', "move=1000.0 is not of its kind"),
        (b'{"type":"play","move":-1,"cards":""}', "move=-1 is not of its kind"),
        (b'{"type":"play","move":1,"cards":["S2"]}', "is not of its kind"),
        (b'{"type":"play","move":1,"cards":"%s"}' % (b"S2 " * MAX_BYTES), "at most 2048 bytes"),
        (b"[" * 1000, "no JSON"),
        (b'{"type":"ready","protocol":NaN}', "not a number of JSON"),
    ],
)
def test_what_is_no_answer_is_refused(line, message):
    with pytest.raises(ProtocolError, match=message):
        read_line(line)


def records(players, rules, *, is_match):
    batch = DealBatch(players, parse_rules(rules), 5, range(2), is_match=is_match, names=("a", "b"))
    return batch.play_out(keeps_lines=True)[1]


@pytest.mark.parametrize("is_match", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", ["two_deck", pytest.param("three_deck", marks=pytest.mark.slow), "one_deck"])
@pytest.mark.parametrize(
    "player",
    [
        "greedy", "heuristic", "champion", "champion?part=playouts", pytest.param("search:2", marks=pytest.mark.slow),
        PolicyPlayer(random_layers(), {}, name="layers"),
    ],
    ids=lambda player: getattr(player, "name", player),
)  # fmt: skip
def test_a_player_that_listens_plays_move_for_move_as_at_the_table(player, rules, is_match):
    if is_match:
        rules += "(match_end=rounds, match_rounds=3)"
    player = as_player(player)
    expected = records((player, player), rules, is_match=is_match)
    assert records((Conversation(player), player), rules, is_match=is_match) == expected
