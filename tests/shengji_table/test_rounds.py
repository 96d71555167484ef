"""The play server, round by round: the arena's records, nothing hidden on the wire, evenings that go on."""

import asyncio
import contextlib
import gzip
import json
import os
import stat

import numpy as np
import pytest

from shengji_env.arena.deal_batch import DealBatch
from shengji_env.cli import main
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.state import Phase
from shengji_env.errors import ShengjiError
from shengji_env.players.player import Needs, Player
from shengji_env.players.registry import make_player
from shengji_env.records.reading import RecordReader
from shengji_env.records.writing import record_header, record_line, round_line
from shengji_env.render.view import WATCHER
from shengji_table.web.messages import write_message
from shengji_table.web.round_loop import play_rounds
from shengji_table.web.session_log import PRIVATE, SessionLog, new_plan
from shengji_table.web.table_timing import Clock, Timing
from tests.helpers.hidden_cards import deal_again
from tests.helpers.web_clients import (
    AT_ONCE,
    PERSONS,
    Client,
    FastClock,
    House,
    Listening,
    ServiceLimits,
    given_deal,
    new_table,
    replace,
    run,
)  # fmt: skip

BOTS = ("heuristic", "greedy", "heuristic", "greedy")


class BySeat(Player):
    """An adviser that plays like another player in each seat."""

    name = "by seat"
    needs = Needs.NOTHING

    def __init__(self, *texts):
        self.players = [make_player(text) for text in texts]

    def decide(self, decisions):
        return self.players[int(decisions.states["seat"][0])].decide(decisions)


class PatientClock(Clock):
    """A clock that waits until every client has done what it wants at the state that was last published."""

    def __init__(self):
        self.clients, self.published = [], None

    def now(self):
        return 0.0

    def watch(self, table):
        publish = table.publish

        def noted():
            self.published = (table.move, table.board.opening.shown, table.window is not None)
            publish()

        table.publish = noted

    async def until(self, moment):
        while not self.clients or any(client.handled != self.published for client in self.clients):
            await asyncio.sleep(0)


class Advised(Client):
    """A client that does what the adviser would, bids included."""

    handled = None
    size = 0

    async def play(self, num_rounds):
        await self.say("auto", on=False)
        done = set()
        while len(done) < num_rounds:
            state = self.state
            view, ask = state["view"], state["ask"]
            stamp = (state["move"], view["drawn"], state["window"] is not None)
            if ask is not None and (state["move"], ask["kind"]) not in done and stamp != self.handled:
                if ask["kind"] == "bid":
                    await self.bid(state, ask)
                elif ask["kind"] == "next":
                    done.add((state["move"], "next"))
                    await self.say("done", move=state["move"])
                else:
                    reply = await self.follow_hint()
                    assert reply["type"] == "accepted", reply
                self.handled = stamp
            elif self.state is state:
                await self.read()

    async def bid(self, state, ask):
        """Ask the adviser when the seat has just drawn a card, or at the last chance; pass otherwise."""
        view, move = state["view"], state["move"]
        size, cards = view["hands"][str(self.welcome["seat"])]["size"], ""
        if ask["options"] and (state["window"] is not None or size != self.size):
            cards = (await self.say("hint", move=move))["cards"]
        self.size = size
        if cards != ask["wish"]:
            reply = await self.say("bid", move=move, standing=len(view["bids"]), cards=cards)
            assert reply["type"] == "accepted", reply
        if state["window"] is not None:
            await self.say("done", move=move)


def arena_rounds(players, rules, seed, num_rounds):
    batch = DealBatch(
        tuple(make_player(text) for text in players), as_rules(rules), seed, range(1), is_match=True,
        lineup=np.arange(4)[None], names=PERSONS,
    )  # fmt: skip
    lines = []
    for _, finished in batch.play():
        lines += [round_line(batch.env, int(row), batch.names(int(row))) for row in finished]
        if len(lines) >= num_rounds:
            break
    return lines[:num_rounds]


def play_evening(path, rules, num_rounds, *, players=BOTS):
    """Let four clients play, each as a player would; return the seed and the record's rounds."""
    evening = SessionLog(path, new_plan(as_rules(rules), PERSONS, "heuristic"))

    async def scenario(executor):
        clock = PatientClock()
        table = new_table(
            *PERSONS, rules=rules, seed=evening.plan.seed, executor=executor, log=evening, clock=clock,
            timing=replace(AT_ONCE, last_bids=1),
        )  # fmt: skip
        clock.watch(table)
        house = House(table, executor=executor, limits=ServiceLimits(burst=10**9))
        house.service.adviser = BySeat(*players)
        async with house, contextlib.AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(house.client(seat)) for seat in range(4)]
            for client in clients:
                client.__class__ = Advised
            clock.clients = clients
            await asyncio.gather(*(client.play(num_rounds) for client in clients))

    run(scenario, timeout=3600)
    evening.close()
    return evening.plan.seed, path.read_text().splitlines(keepends=True)[1:]


def test_clients_make_the_record_that_the_arena_makes(tmp_path):
    seed, lines = play_evening(tmp_path / "evening.jsonl", "one_deck", 1)
    assert lines[:1] == arena_rounds(BOTS, "one_deck", seed, 1)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["two_deck", "one_deck", "three_deck", "competition"])
def test_a_hundred_rounds_of_clients_are_those_of_the_arena(rules, tmp_path):
    num_compared = 0
    while num_compared < 25:
        seed, lines = play_evening(tmp_path / f"{num_compared}.jsonl", rules, 8)
        expected = arena_rounds(BOTS, rules, seed, 8)  # fewer, if the match ends
        assert lines[: len(expected)] == expected
        num_compared += len(expected)


def opening_heard(table, clock, viewer):
    """What a viewer hears of a table's first deal, and when, if nobody bids."""
    outbox = Listening(clock)
    table.join(viewer, outbox)

    async def deal():
        task = asyncio.ensure_future(play_rounds(table))
        while table.move < 2 and table.is_opening:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.get_running_loop()
    return outbox, deal


@pytest.mark.parametrize("rules", ["two_deck", "one_deck", "competition"])
@pytest.mark.parametrize("viewer", [0, 2, WATCHER])
def test_neither_words_nor_time_tell_who_can_bid(rules, viewer):
    """The same cards for the viewer, other cards for everybody else: the same bytes at the same moments."""
    rng = np.random.default_rng(viewer + 5)
    worlds, asked = [], []

    async def scenario(executor):
        for world in range(4):
            clock = FastClock()
            table = new_table(*PERSONS, rules=rules, executor=executor, clock=clock, timing=Timing())
            deal = table.board.opening.deal.copy()
            start = int(table.board.transcript.states["first_drawer"][0])
            cards = as_rules(rules).decks * 54
            places = np.array([place for place in range(cards) if place >= table.board.opening.total or viewer < 0
                               or (start + place) % 4 != viewer])  # fmt: skip
            if world:
                deal[places] = deal[rng.permutation(places)]
            given_deal(table, deal)
            asked.append(table.board.asked_at)
            outbox, play = opening_heard(table, clock, viewer)
            await play()
            worlds.append(outbox.heard)

    run(scenario)
    assert len(worlds[0]) > as_rules(rules).hand * 4
    assert all(heard == worlds[0] for heard in worlds[1:])
    assert len(set(asked)) > 1 or rules == "competition"


@pytest.mark.parametrize("rules", ["two_deck", "three_deck"])
def test_no_message_depends_on_what_its_viewer_cannot_know(rules):
    rng = np.random.default_rng(2)

    async def scenario(executor):
        table = new_table(*PERSONS, rules=rules, seed=3, executor=executor)
        table.is_opening = False
        board, bot, phases = table.board, make_player("heuristic"), set()
        while board.phase != Phase.OVER:
            board.show(board.ask(bot))
            if board.phase in (Phase.BID, Phase.OVER) or rng.random() < 0.6:
                continue
            phases.add(board.phase)
            real = board.transcript.states.copy()
            for viewer in (0, 1, 2, 3, WATCHER):
                seat = viewer if viewer >= 0 else int(rng.integers(4))
                expected = write_message(table.state_for(viewer))
                world = deal_again(real, seat, board.rules, rng)
                world["taken"], world["taken_size"] = 0, 0  # no cards of a play under choice reach the server's state
                board.transcript.states[:] = world
                assert write_message(table.state_for(viewer)) == expected
                board.transcript.states[:] = real
        assert phases >= {Phase.LEAD, Phase.FOLLOW}

    run(scenario)


def test_a_killed_server_goes_on_from_what_it_kept(tmp_path):
    """The whole evening in one go, and the same evening broken off after each few decisions."""
    path, rules = tmp_path / "evening.jsonl", as_rules("one_deck")
    plan = new_plan(rules, PERSONS, "heuristic")
    bot = make_player("heuristic")
    decided = 0

    async def scenario(executor):
        nonlocal decided
        whole = new_table(*PERSONS, seed=plan.seed, executor=executor)
        while True:
            evening = SessionLog(path, plan)
            table = new_table(*PERSONS, seed=evening.plan.seed, executor=executor, log=evening)
            assert table.board.view(0, is_opening=False) == whole.board.view(0, is_opening=False)
            assert table.board.finished == whole.board.finished
            assert len(table.sheet) == len(path.read_text().splitlines()) - 1
            for line, ended in zip(table.sheet, table.rounds, strict=True):
                assert sum(line["taken"]) == sum(trick["points"] for trick in ended.record["tricks"]) > 0
            if decided > 130:
                evening.close()
                return
            for _ in range(17):
                for each in (whole, table):
                    if each.board.phase == Phase.OVER:
                        each.board.next_round()
                actions = whole.board.ask(bot)
                whole.board.show(actions)
                table.make(table.board.actions_of(actions[0]) if len(actions) == 1 else table.board.ask(bot))
                table.note_round()
                decided += 1
            evening._private.write("[7")  # a line that was not written whole
            evening.close()

    run(scenario)
    header, *lines = path.read_text().splitlines(keepends=True)
    assert json.loads(header)["seed"] is None
    assert lines == arena_rounds(["heuristic"] * 4, rules, plan.seed, len(lines))
    assert len(lines) >= 2
    assert len(list(RecordReader([header, *lines]))) == len(lines)


def test_what_is_kept_is_for_its_owner_only(tmp_path):
    path = tmp_path / "evening.jsonl"
    plan = new_plan(as_rules("one_deck"), PERSONS, "heuristic")
    evening = SessionLog(path, plan)
    for file in (path, path.with_name(path.name + PRIVATE)):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with path.with_name(path.name + PRIVATE).open("ab") as file:
        file.write(b"[7")  # being written
    with pytest.raises(ShengjiError, match="another server has"):
        SessionLog(path, plan)
    assert path.with_name(path.name + PRIVATE).read_bytes().endswith(b"[7")
    evening.close()
    assert SessionLog(path, new_plan(as_rules("two_deck"), BOTS, "greedy")).plan == plan


def test_a_record_without_its_private_file_is_not_lost(tmp_path):
    path = tmp_path / "evening.jsonl"
    path.write_text("precious\n")
    with pytest.raises(ShengjiError, match="would be lost"):
        SessionLog(path, new_plan(as_rules("one_deck"), PERSONS, "heuristic"))
    assert path.read_text() == "precious\n"


_PLAN = new_plan(as_rules("one_deck"), PERSONS, "heuristic")
_KEPT = json.dumps({"format": "shengji-evening/2", **vars(_PLAN)}).encode() + b'\n{"came":0}\n'
_RECORD = record_line(record_header(as_rules("one_deck"), PERSONS, 7)).encode()
_DAMAGED = (b"{}\n", b"[]\n", b"no\n", b'{"format":"shengji-evening/1"}\n', b"mine\nto the last", b"mine", b"\xff\n")


@pytest.mark.parametrize(
    ("kept", "record"),
    [
        *((text, b"") for text in (*_DAMAGED, gzip.compress(_KEPT), _KEPT + b"[8.5]\n[7")),
        *((_KEPT + b"[7", record) for record in (b"mine", _RECORD, gzip.compress(_RECORD), b'{"format":')),
    ],
)
def test_files_that_are_none_of_a_session_stay_as_they_are(kept, record, tmp_path):
    path = tmp_path / "evening.jsonl"
    private = path.with_name(path.name + PRIVATE)
    private.write_bytes(kept)
    path.write_bytes(record)
    with pytest.raises(ShengjiError):
        SessionLog(path, _PLAN)
    assert (private.read_bytes(), path.read_bytes()) == (kept, record)


def test_a_session_that_is_not_gone_on_with_stays_as_it_is(tmp_path, capsys):
    """A last line that is not whole is cut off once everything has been checked, and the record is written again."""
    path = tmp_path / "evening.jsonl"
    private = path.with_name(path.name + PRIVATE)
    record = record_line(record_header(as_rules("one_deck"), BOTS, None)) + "a round\n"
    for kept in (b"\xef\xbb\xbf" + _KEPT, _KEPT.replace(b"\n", b"\r\n"), _KEPT):  # as editors may save it
        private.write_bytes(kept + b'{"substituted":1,"on"')
        path.write_text(record)
        assert main(["serve", "--rules", "two_deck", "--record", str(path), "--port", "0"]) == 2
        assert "resumes with --rules one_deck" in capsys.readouterr().err
        assert (private.read_bytes(), path.read_text()) == (kept + b'{"substituted":1,"on"', record)
        log = SessionLog(path, _PLAN)
        log.begin_record(as_rules("one_deck"), PERSONS)
        log.begin()
        log.note(log.kept[0])
        log.close()
        assert private.read_bytes() == kept + b'{"came": 0}\n'
        assert RecordReader(path).players == list(PERSONS)


def test_a_link_that_leads_nowhere_is_refused_and_an_empty_file_is_none(tmp_path):
    path = tmp_path / "evening.jsonl"
    private = path.with_name(path.name + PRIVATE)
    for dead in (path, private):
        dead.symlink_to(tmp_path / "none" / "there")
        with pytest.raises(ShengjiError, match="a link that leads to none"):
            SessionLog(path, _PLAN)
        assert os.listdir(tmp_path) == [dead.name]
        dead.unlink()
    private.touch()  # what a full disk leaves
    SessionLog(path, _PLAN).close()
    assert SessionLog(path, new_plan(as_rules("two_deck"), BOTS, "greedy")).plan == _PLAN


def test_a_failing_player_stops_its_own_table_only():
    async def scenario(executor):
        good, bad = (new_table(*PERSONS[:1], *BOTS[1:], executor=executor, timing=AT_ONCE) for _ in range(2))

        class Broken(Player):
            name, needs = "broken", Needs.NOTHING

            def decide(self, decisions):
                raise ValueError("no idea")

        bad.players = (good.players[0], *[Broken()] * 3)
        async with House(good, bad, executor=executor) as house:
            async with house.client(0, 1) as client:
                assert (await client.until(lambda state: state["fault"]))["fault"] == "player"
            async with house.client(0, 0) as client:
                await client.say("auto", on=False)
                await client.until(lambda state: state["ask"] and state["ask"]["kind"] in ("bury", "lead", "follow"))
                assert not client.state["fault"]

    run(scenario)
