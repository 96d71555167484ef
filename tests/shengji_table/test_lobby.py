"""Guests take seats by one link, and the table waits until everybody has come once."""

import asyncio
import json

import pytest

from shengji_env.cli import main
from shengji_env.engine.rule_sets import as_rules
from shengji_env.errors import RecordError, ShengjiError
from shengji_env.records.reading import RecordReader
from shengji_table.web.guest_names import GuestError, read_name
from shengji_table.web.links import GUEST
from shengji_table.web.messages import VERSION
from shengji_table.web.refusals import Closed
from shengji_table.web.session_log import PRIVATE, SessionLog, new_plan
from shengji_table.web.table_timing import Timing
from tests.helpers.web_clients import WATCHER, Client, House, new_table, run

GUESTS = ("human", "greedy", "human?name=Ann", "greedy")


def seats(client):
    return [(seat["name"], seat["is_free"], seat["is_here"]) for seat in client.lobby["seats"]]


def waiting_table(*players, executor, **options):
    return new_table(*(players or GUESTS), executor=executor, waits=True, **options)


def test_a_guest_takes_a_seat_under_a_name_and_gets_a_link_of_its_own():
    async def scenario(executor):
        table = waiting_table(executor=executor)
        async with House(table, executor=executor) as house, house.client(GUEST) as guest, house.client(GUEST) as other:
            free = [("", True, False), ("greedy", False, True), ("Ann", True, False), ("greedy", False, True)]
            assert table.seating.keys.seats == {}
            reply = await guest.say("take", seat=0, name="  小明 ")
            assert reply["type"] == "seated"
            assert reply["link"] == house.link(0) == f"0.0.{table.seating.keys.seats[0]}"
            assert seats(other) == free
            while seats(other) == free:
                await other.read()
            assert seats(other)[0] == ("小明", False, False)
            assert await other.say("take", seat=0, name="Bo") == {
                "type": "refused", "move": 0, "reason": "somebody has taken this seat just now: choose another",
                "code": "guest", "cards": "",
            }  # fmt: skip
            assert (await other.say("take", seat=1, name="Bo"))["reason"] == "this seat is not for guests"
            assert (await other.say("take", seat=2, name="Bo"))["reason"].startswith("this seat is kept for somebody")
            assert (await other.say("take", seat=2, name=""))["type"] == "seated"
            async with house.client(0) as seated, house.client(2) as ann:
                state = await ann.until(lambda state: 0 not in state["away"] and not state["waiting"])
                assert seated.welcome["seat"] == 0
                assert state["view"]["names"] == ["小明", "greedy", "Ann", "greedy"]
                assert state["free"] == []

    run(scenario)


def test_a_guest_may_watch_and_do_nothing_else_without_a_seat():
    async def scenario(executor):
        async with House(waiting_table(executor=executor), executor=executor) as house, house.client(GUEST) as guest:
            for kind, fields in (("start", {}), ("replace", {"seat": 0}), ("replay", {"move": 0}), ("back", {})):
                assert (await guest.say(kind, **fields))["reason"] == "take a seat first"
            assert (await guest.say("watch"))["link"] == house.link(WATCHER)

    run(scenario)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "a name is needed"), ("   ", "a name is needed"), ("x" * 25, "more than 24"), ("a\u202eb", "direction"),
        ("a\u2066b", "direction"), ("a\u200bb", "cannot be seen"), ("a\u200db", "cannot be seen"), ("a\nb", "control"),
        ("a\u2028b", "line break"), ("a\x7f", "control"), ("\ufeffa", "cannot be seen"), ("\u3164", "cannot be seen"),
        ("a" + "\u0301" * 8, "marks"), ("\u0301", "marks"), ("\ud800", "half a character"), ("\ue000", "no meaning"),
        ("Ann", "has this name"), ("ａｎｎ", "has this name"), ("GREEDY", "has this name"),
    ],
)  # fmt: skip
def test_names_that_deceive_are_refused(name, reason):
    async def scenario(executor):
        table = waiting_table(executor=executor)
        with pytest.raises(GuestError, match=reason):
            table.take_seat(0, name)
        assert table.seating.free() == (0, 2)

    run(scenario)


@pytest.mark.parametrize("name", ["<b>Bo</b>", "小明", "O'Neil & Söhne", "Zoë", "दीपक", "😀", "a" * 24, "null", "0"])
def test_any_other_name_is_taken_as_text(name):
    assert read_name(f" {name}  ") == name
    assert read_name("Mary   Ann") == "Mary Ann"


def test_nothing_is_drawn_before_everybody_has_come():
    async def scenario(executor):
        table = waiting_table(executor=executor, timing=Timing(0, 0, 0, 0, 0))
        async with House(table, executor=executor) as house, house.client(0) as first, house.client(WATCHER) as watcher:
            await asyncio.sleep(0.2)
            await first.say("auto", on=True)  # whatever was shown meanwhile has been read
            assert (first.state["waiting"], first.state["ask"], first.state["view"]["drawn"]) == ([2], None, 0)
            assert table.board.opening.shown == 0
            assert (await watcher.until(lambda state: True))["waiting"] == [2]
            async with house.client(2) as second:
                await second.until(lambda state: not state["waiting"] and state["view"]["drawn"] > 0)
            await first.until(lambda state: 2 in state["away"] and not state["waiting"])  # it goes on without her

    run(scenario)


def test_those_who_are_there_start_without_the_others_and_a_substitute_plays_until_they_come():
    async def scenario(executor):
        table = waiting_table(executor=executor)
        async with House(table, executor=executor) as house, house.client(0) as first:
            async with house.client(WATCHER) as watcher:
                assert (await watcher.say("start"))["type"] == "refused"
            assert (await first.say("start"))["type"] == "accepted"
            state = await first.until(lambda state: not state["waiting"])
            assert state["substituted"] == [2]
            assert (await first.say("start"))["reason"] == "the table has begun"
            async with house.client(2) as late:
                await late.until(lambda state: state["substituted"] == [])

    run(scenario)


def test_a_free_seat_can_still_be_taken_when_the_table_has_begun():
    async def scenario(executor):
        table = waiting_table(executor=executor)
        async with House(table, executor=executor) as house, house.client(2) as ann:
            await ann.say("start")
            async with house.client(GUEST) as guest:
                assert guest.lobby["has_begun"]
                await guest.say("take", seat=0, name="Bo")
            async with house.client(0):
                state = await ann.until(lambda state: not state["substituted"] and not state["free"])
                assert state["view"]["names"][0] == "Bo"

    run(scenario)


def test_a_seat_whose_browser_is_lost_is_freed_and_taken_from_another_one():
    async def scenario(executor):
        table = waiting_table(executor=executor)
        async with House(table, executor=executor) as house, house.client(2) as ann:
            assert (await ann.say("release", seat=0))["code"] == "is_free"
            async with house.client(GUEST) as guest:
                lost = (await guest.say("take", seat=0, name="Bo"))["link"]
            async with house.socket() as socket:
                await socket.send(json.dumps({"type": "hello", "version": VERSION, "link": lost}))
                bo = Client(socket)
                await bo.until(lambda state: state["view"]["drawn"] > 0)
                assert (await ann.say("release", seat=0))["code"] == "not_away"
            await ann.until(lambda state: 0 in state["away"])
            assert (await ann.say("release", seat=1))["code"] == "not_away"  # a player of the arena sits there
            async with house.client(WATCHER) as watcher:
                assert (await watcher.say("release", seat=0))["code"] == "watching"
            assert (await ann.say("release", seat=0))["type"] == "accepted"
            state = await ann.until(lambda state: state["free"] == [0])
            assert state["substituted"] == [0]  # the game goes on
            async with house.socket() as socket:
                await socket.send(json.dumps({"type": "hello", "version": VERSION, "link": lost}))
                assert (await Client(socket).until_closed()).code == Closed.LINK
            async with house.client(GUEST) as guest:
                assert guest.lobby["seats"][0]["is_free"]
                assert (await guest.say("take", seat=0, name="Bo"))["type"] == "seated"
            async with house.client(0):
                await ann.until(lambda state: not state["substituted"] and not state["away"])

    run(scenario)


def test_a_freed_seat_is_free_again_after_a_kill(tmp_path):
    path = tmp_path / "evening.jsonl"

    async def scenario(executor):
        log, table = kept(path, executor)
        table.take_seat(0, "Bo")
        async with House(table, executor=executor) as house:
            async with house.client(0), house.client(2):
                await asyncio.sleep(0)
            table.release(0)
            table.release(2)
        log.close()
        log, table = kept(path, executor)
        assert table.seating.free() == (0, 2)
        assert [table.seating.shown_name(seat) for seat in (0, 2)] == ["", ""]  # that of seat 2 was kept for Ann
        assert set(table.people.missing()) | set(table.people.substituted()) == {0, 2}
        log.close()

    run(scenario)


def kept(path, executor, **options):
    log = SessionLog(path, new_plan(as_rules("one_deck"), GUESTS, "heuristic"))
    return log, waiting_table(executor=executor, seed=log.plan.seed, log=log, keys=log.plan.keys(), **options)


def test_names_and_secrets_outlive_a_kill(tmp_path):
    path = tmp_path / "evening.jsonl"

    async def scenario(executor):
        log, table = kept(path, executor)
        table.take_seat(0, "小明")
        async with House(table, executor=executor) as house, house.client(0):
            link, invite = house.link(0), house.link(GUEST)
        log.close()
        log, table = kept(path, executor)
        async with House(table, executor=executor) as house:
            assert (house.link(0), house.link(GUEST)) == (link, invite)
            assert table.board.names == ("小明", "greedy", "Ann", "greedy")
            assert table.people.missing() == (2,)  # who had come is not waited for again
            async with house.client(2) as client:
                await client.until(lambda state: state["view"]["drawn"] > 0)
        log.close()
        log, table = kept(path, executor)
        assert table.people.missing() == ()
        log.close()

    run(scenario)
    with path.open(encoding="utf-8") as lines:
        assert RecordReader(lines).players == ["小明", "greedy", "Ann", "greedy"]


class FullDisk(SessionLog):
    """Files to which nothing can be written any longer."""

    is_full = False

    def note(self, event):
        if self.is_full:
            raise OSError("no space left")
        super().note(event)


def test_what_cannot_be_kept_does_not_happen(tmp_path):
    async def scenario(executor):
        log = FullDisk(tmp_path / "evening.jsonl", new_plan(as_rules("one_deck"), GUESTS, "heuristic"))
        table = waiting_table(executor=executor, log=log, keys=log.plan.keys())
        async with House(table, executor=executor) as house, house.client(GUEST) as guest, house.client(0) as first:
            log.is_full = True
            await guest.socket.send(json.dumps({"type": "take", "seat": 2, "name": ""}))
            await guest.until_closed()
            assert table.seating.free() == (2,)
            log.is_full = False
            link = house.link(2)
            log.is_full = True
            async with house.socket() as socket:
                await socket.send(json.dumps({"type": "hello", "version": VERSION, "link": link}))
                await Client(socket).until_closed()
            assert (table.people.away(), table.people.missing()) == ((2,), (2,))
            log.is_full = False
            async with house.client(2):
                await first.until(lambda state: not state["waiting"] and not state["away"])
        log.close()

    run(scenario)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"taken":1,"name":"Bo","secret":"aaaaaaaaaaaaaaaaaaaaaaaa"}', "no person sits in seat 1"),
        ('{"taken":0,"name":"a\\u202eb","secret":"aaaaaaaaaaaaaaaaaaaaaaaa"}', "line 2: .* is no name"),
        ('{"taken":0,"name":"Bo","secret":"short"}', "line 2: a seat's secret is damaged"),
        ('{"came":4}', "line 2: 4 is no seat"), ('{"came":true}', "line 2: True is no seat"),
        ('{"substituted":0,"on":1}', "is nothing that happens at a table"),
        ('{"actions":[],"by":"heuristic"}', "a decision is a list of actions"), ("{}", "is nothing that happens"),
    ],
)  # fmt: skip
def test_a_damaged_line_is_refused(line, message, tmp_path):
    path = tmp_path / "evening.jsonl"

    async def scenario(executor):
        log, _ = kept(path, executor)
        log.close()
        with path.with_name(path.name + PRIVATE).open("a") as file:
            file.write(line + "\n")
        with pytest.raises(RecordError, match=message):
            kept(path, executor)

    run(scenario)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", "1e999"), ("seed", "-1"), ("seed", "true"), ("seed", '"1"'), ("seed", "1.5"), ("seed", "1" + "0" * 30),
        ("players", '["human"]'), ("players", '"four"'), ("players", "[1, 2, 3, 4]"), ("players", "1e999"),
        ("rules", "3"), ("adviser", "null"), ("substitute", "[]"), ("secrets", "{}"), ("secrets", '["a", "b", "c"]'),
    ],
)  # fmt: skip
def test_a_damaged_beginning_is_refused(name, value, tmp_path, capsys):
    path = tmp_path / "evening.jsonl"
    SessionLog(path, new_plan(as_rules("one_deck"), GUESTS, "heuristic")).close()
    private = path.with_name(path.name + PRIVATE)
    plan = json.loads(private.read_text())
    plan[name] = "DAMAGED"
    private.write_text(json.dumps(plan).replace('"DAMAGED"', value) + "\n")
    assert main(["serve", "--no-browser", "--port", "0", "--record", str(path)]) == 2
    assert "line 1: " in capsys.readouterr().err


def test_an_evening_of_an_earlier_version_is_refused_by_its_format(tmp_path):
    path = tmp_path / "evening.jsonl"
    path.with_name(path.name + PRIVATE).write_text(
        json.dumps({"format": "shengji-evening/1", "rules": "two_deck"}) + "\n"
    )
    with pytest.raises(ShengjiError, match=r"of format 'shengji-evening/1'; this version goes on with .*evening/2"):
        SessionLog(path, new_plan(as_rules("one_deck"), GUESTS, "heuristic"))


def test_two_who_take_a_seat_at_once_do_not_both_get_it():
    async def scenario(executor):
        async with (
            House(waiting_table(executor=executor), executor=executor) as house,
            house.client(GUEST) as one, house.client(GUEST) as two,
        ):  # fmt: skip
            replies = await asyncio.gather(one.say("take", seat=0, name="Bo"), two.say("take", seat=0, name="Cy"))
            assert sorted(reply["type"] for reply in replies) == ["refused", "seated"]

    run(scenario)
