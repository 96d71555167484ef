"""Bots take over for persons who are not there: who may say so, what is kept of it, and what it tells nobody."""

import asyncio
import contextlib
import json

import numpy as np
import pytest

from shengji_env.engine.actions import PASS, REBEL
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.state import Phase
from shengji_env.players.player import Needs, Player
from shengji_env.players.registry import make_player
from shengji_env.records.reading import RecordReader
from shengji_env.records.writing import record_header, record_line
from shengji_table.web.board import Board
from shengji_table.web.round_loop import play_rounds
from shengji_table.web.session_log import SessionLog, new_plan
from shengji_table.web.table_timing import Timing
from tests.helpers.web_clients import PERSONS, WATCHER, FastClock, House, Listening, given_deal, new_table, run

TWO = ("human", "human", "greedy", "greedy")


def is_asked(state):
    return state["ask"] is not None and state["ask"]["kind"] in ("bury", "lead", "follow", "forced")


def is_turn(seat):
    return lambda state: state["view"]["seat"] == seat and state["view"]["phase"] in ("bury", "lead", "follow")


async def play_until(client, accepts):
    """Do what the adviser would until a state is accepted."""
    await client.say("auto", on=False)
    await client.until(lambda state: True)
    while not accepts(client.state):
        if client.state["ask"] is not None and client.state["ask"]["kind"] != "bid":
            move = client.state["move"]
            await (client.say("done", move=move) if client.state["ask"]["kind"] == "next" else client.follow_hint())
            await client.until(lambda state, move=move: state["move"] > move)
        else:
            await client.read()


@contextlib.asynccontextmanager
async def forsaken(executor, *players, **options):
    """A table at which seat 1 has come, and left; it is that seat's turn."""
    table = new_table(*(players or TWO), executor=executor, waits=True, **options)
    async with House(table, executor=executor) as house, house.client(0) as client:
        async with house.client(1) as other:
            await other.say("auto", on=False)
        await play_until(client, lambda state: is_turn(1)(state) and 1 in state["away"])
        yield table, house, client


def test_a_bot_takes_over_and_the_person_comes_back():
    async def scenario(executor):
        async with forsaken(executor) as (_, house, client):
            assert client.state["substituted"] == []
            assert (await client.say("replace", seat=1))["type"] == "accepted"
            await play_until(client, lambda state: state["view"]["tricks"] >= 3)
            assert client.state["substituted"] == [1]
            async with house.client(1) as other:
                state = await other.until(lambda state: 1 not in state["away"])
                assert (state["substituted"], state["ask"]) == ([1], None)
                assert (await other.say("done", move=state["move"]))["reason"].startswith("a player decides")
                assert (await other.say("replace", seat=0))["type"] == "refused"
                assert (await other.say("back"))["type"] == "accepted"
                assert (await other.say("back"))["reason"] == "nobody decides for this seat"
                await asyncio.gather(
                    play_until(client, lambda state: is_turn(1)(state) and not state["substituted"]),
                    other.until(is_asked),
                )
                assert (await other.follow_hint())["type"] == "accepted"

    run(scenario)


def test_only_absent_persons_are_replaced_and_only_by_those_who_sit_there():
    async def scenario(executor):
        async with forsaken(executor) as (_, house, client):
            for seat in (0, 2, 3, 7):
                reply = await client.say("replace", seat=seat)
                assert reply["reason"] == "this is only done to a person who is not connected"
            async with house.client(WATCHER) as watcher:
                assert (await watcher.say("replace", seat=1))["reason"] == "who watches does not play"
            await client.say("replace", seat=1)
            assert (await client.say("replace", seat=1))["reason"] == "a player decides for this seat already"

    run(scenario)


def test_nobody_waits_for_a_replaced_person_at_the_end_of_a_round():
    async def scenario(executor):
        async with forsaken(executor) as (_, _house, client):
            await client.say("replace", seat=1)
            await play_until(client, lambda state: state["view"]["phase"] == "over")
            assert client.state["done"] == [1]
            await client.say("done", move=client.state["move"])
            await client.until(lambda state: state["view"]["phase"] == "bid")

    run(scenario)


def test_all_see_who_wants_to_go_on():
    async def scenario(executor):
        table = new_table(*TWO, executor=executor)
        async with House(table, executor=executor) as house, house.client(0) as one, house.client(1) as two:
            await asyncio.gather(
                *(play_until(each, lambda state: state["view"]["phase"] == "over") for each in (one, two))
            )
            assert one.state["done"] == []
            await two.say("done", move=two.state["move"])
            assert (await one.until(lambda state: state["done"]))["done"] == [1]

    run(scenario)


def test_the_record_says_who_decided_and_a_killed_server_makes_the_same(tmp_path):
    path, rules = tmp_path / "evening.jsonl", as_rules("one_deck")

    def kept(executor):
        log = SessionLog(path, new_plan(rules, TWO, "heuristic"))
        return log, {"rules": rules, "seed": log.plan.seed, "log": log, "keys": log.plan.keys()}

    async def scenario(executor):
        log, options = kept(executor)
        async with forsaken(executor, *TWO, **options) as (_, _house, client):
            await client.say("replace", seat=1)
            await play_until(client, lambda state: state["view"]["tricks"] == 3)
        log.close()
        log, options = kept(executor)
        table = new_table(*TWO, executor=executor, waits=True, **options)
        assert table.people.substituted() == (1,)
        assert table.has_begun
        async with House(table, executor=executor) as house, house.client(0) as client:
            await play_until(client, lambda state: state["view"]["phase"] == "over")
        log.close()
        before = path.read_text()
        log, options = kept(executor)
        new_table(*TWO, executor=executor, **options)
        log.close()
        assert path.read_text() == before

    run(scenario)
    (played,) = RecordReader(path.read_text().splitlines(keepends=True))
    makers = {(step["seat"], step.get("by")) for step in played.record["decisions"]}
    assert {(1, "heuristic"), (0, None), (2, None), (3, None)} <= makers
    assert {seat for seat, by in makers if by} == {1}


class Passing(Player):
    """Never bids."""

    name, needs = "passing", Needs.NOTHING

    def decide(self, decisions):
        return np.full(len(decisions), PASS)


@pytest.mark.parametrize("viewer", [0, WATCHER])
def test_a_substitute_that_bids_takes_no_other_time_and_is_seen_by_nobody(viewer):
    """Whatever cards a substituted seat draws, what others hear while they are drawn is the same, at the same times."""
    rng, worlds, asked = np.random.default_rng(8), [], []

    async def scenario(executor):
        for world in range(4):
            clock = FastClock()
            table = new_table(*PERSONS, rules="two_deck", executor=executor, clock=clock, timing=Timing())
            table.substitute = Passing()
            table.replace(1, 2, 3)
            deal = table.board.opening.deal.copy()
            start = int(table.board.transcript.states["first_drawer"][0])
            places = np.array([place for place in range(108) if (start + place) % 4 != viewer or place >= 100])
            if world:
                deal[places] = deal[rng.permutation(places)]
            given_deal(table, deal)
            asked.append(table.board.asked_at)
            outbox = Listening(clock)
            table.join(viewer, outbox)
            playing = asyncio.ensure_future(play_rounds(table))
            while table.move < 2:
                await asyncio.sleep(0)
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            worlds.append([(moment, text) for moment, text in outbox.heard if json.loads(text)["move"] < 2])

    run(scenario)
    assert len(worlds[0]) > 100
    assert all(heard == worlds[0] for heard in worlds[1:])
    assert len(set(asked)) > 1


def test_a_redeal_says_so_until_the_cards_are_drawn():
    async def scenario(executor):
        clock = FastClock()
        table = new_table(*PERSONS, rules="two_deck", executor=executor, clock=clock, timing=Timing())
        outbox = Listening(clock)
        table.join(WATCHER, outbox)
        playing = asyncio.ensure_future(play_rounds(table))
        while table.move < 3:
            await asyncio.sleep(0)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        states = [json.loads(text) for _, text in outbox.heard]
        told = {(state["move"], state["view"]["drawn"] == 100): state["redealt"] for state in states}
        assert told[1, False] == told[1, True] == told[2, True] == ""
        assert told[2, False] == "no_bid"
        assert {state["view"]["match_round"] for state in states} == {1}

    run(scenario)


def test_a_rebellion_says_so_and_a_substitute_that_rebels_is_named():
    rules = as_rules("two_deck(rebellion=redeal, rebellion_points=200)")
    board, bot = Board(rules, 1, PERSONS), make_player("heuristic")
    while board.phase != Phase.REBEL:
        board.show(board.ask(bot), "heuristic")
    board.show(board.actions_of(REBEL), "heuristic")
    assert board.redealt == "rebellion"
    while board.finished is None:
        board.show(board.actions_of(PASS) if board.phase == Phase.REBEL else board.ask(bot))
    (deal,) = board.finished["abandoned"]
    assert {step["by"] for step in deal["decisions"]} == {"heuristic"}
    assert not any("by" in step for step in board.finished["decisions"])
    record = {name: value for name, value in board.finished.items() if name != "match_round"}
    lines = [record_line(record_header(rules, PERSONS, None)), record_line(record)]
    assert len(list(RecordReader(lines))) == 1
    board.next_round()
    assert board.redealt == ""
