"""The play server against whoever connects: rude, silent, slow, at the wrong seat, gone and back again."""

import asyncio
import contextlib
import gzip
import http.client
import json
import logging
import re
from statistics import median

import pytest
import websockets

from shengji_table.web.guard import is_own_host
from shengji_table.web.links import GUEST, Keys, link_of, read_link
from shengji_table.web.messages import MAX_BYTES, VERSION, MessageError, read_message
from shengji_table.web.outbox import Outbox
from shengji_table.web.refusals import Closed
from tests.helpers.web_clients import WATCHER, House, ServiceLimits, Timing, new_table, run

ONE = ("human", "greedy", "greedy", "greedy")
TWO = ("human", "human", "greedy", "greedy")


def hello(link, version=VERSION):
    return json.dumps({"type": "hello", "version": version, "link": link})


def is_asked(state):
    return state["ask"] is not None and state["ask"]["kind"] in ("bury", "lead", "follow", "forced")


@contextlib.asynccontextmanager
async def playing(executor, *players, **options):
    """A server at whose table the person of seat 0 is asked for a play."""
    table = new_table(*players, executor=executor, **options)
    async with House(table, executor=executor) as house, house.client(0) as client:
        await client.say("auto", on=False)
        await client.until(is_asked)
        yield house, client


RUDE_FIRST = {
    "no JSON": "hello",
    "an array": "[]",
    "nested": "[" * 1000,
    "no type": "{}",
    "another type": '{"type":"play","move":0,"cards":""}',
    "an unknown type": '{"type":"admin"}',
    "another version": hello("0.0.x", 99),
    "a number as link": '{"type":"hello","version":1,"link":5}',
    "a wrong secret": hello("0.0.AAAAAAAAAAAAAAAAAAAAAAAA"),
    "no table": hello("7.0.x"),
    "a strange link": hello("\u0660.0.\ud83d\ude00"),
    "more fields": '{"type":"hello","version":1,"link":"","name":"<b>"}',
    "bytes": b"\x00\xff",
}


RUDE_CODES = {
    "another version": Closed.VERSION,
    **dict.fromkeys(("a wrong secret", "no table", "a strange link"), Closed.LINK),
}


@pytest.mark.parametrize("what", RUDE_FIRST)
def test_a_rude_first_message_closes_the_connection_and_is_logged(what, caplog):
    async def scenario(executor):
        async with House(new_table(*ONE, executor=executor), executor=executor) as house:
            async with house.socket() as socket:
                await socket.send(RUDE_FIRST[what])
                with pytest.raises(websockets.ConnectionClosed) as closed:
                    await socket.recv()
                assert closed.value.rcvd.code == RUDE_CODES.get(what, Closed.RUDE)
            assert not house.service.lookers

    with caplog.at_level(logging.INFO, logger="shengji_table.web"):
        run(scenario)
    (line,) = [record.getMessage() for record in caplog.records if record.name.startswith("shengji_table.web")]
    assert "is refused" in line
    assert "\n" not in line


def test_another_seats_secret_opens_no_other_seat():
    keys = Keys(seats={0: "s" * 24, 2: "t" * 24})
    for viewer in (0, 2, WATCHER, GUEST):
        assert read_link(link_of(0, viewer, keys), [keys]) == (0, viewer)
    for link in (
        f"0.2.{keys.seats[0]}", f"0.w.{keys.seats[0]}", f"1.0.{keys.seats[0]}", f"0.1.{keys.seats[0]}", "0.1.None",
        f"0.1.{keys.invite}", f"0.0.{keys.invite}", f"0.w.{keys.invite}", f"0.t.{keys.watch}", f"0.t.{keys.evening}",
        f"0.4.{keys.invite}", f"0.-1.{keys.watch}", "", "..", "0.0.", "0.1.", f"0.0.{keys.seats[0]}x",
    ):  # fmt: skip
        assert read_link(link, [keys]) is None


RUDE_LATER = {
    "malformed": "{",
    "oversized": json.dumps({"type": "choose", "move": 1, "cards": "x" * MAX_BYTES}),
    "bytes": b"{}",
    "a huge frame": "x" * 100_000,
}


@pytest.mark.parametrize("what", RUDE_LATER)
def test_a_rude_later_message_closes_the_connection_and_the_table_goes_on(what):
    async def scenario(executor):
        async with playing(executor, *ONE) as (house, client):
            before = client.state
            await client.socket.send(RUDE_LATER[what])
            await client.until_closed()
            async with house.client(0) as again:
                state = await again.until(is_asked)
                assert {**state, "auto": None} == {**before, "auto": None}
                assert (await again.follow_hint())["type"] == "accepted"

    run(scenario)


def test_messages_out_of_turn_late_or_twice_are_refused():
    async def scenario(executor):
        async with playing(executor, *TWO) as (house, client), house.client(1) as other:
            move = client.state["move"]
            cards = (await client.say("hint", move=move))["cards"]
            for refused, code in (
                (other.say("play", move=move, cards=cards), "not_now"),
                (other.say("choose", move=move, cards=""), "not_now"),
                (other.say("hint", move=move), "not_now"),
                (client.say("play", move=move - 1, cards=cards), "not_now"),
                (client.say("bid", move=move, standing=0, cards=""), "no_bids"),
                (client.say("done", move=move), "not_now"),
                (client.say("hello", version=1, link=""), "unknown"),
                (client.say("replay", move=move), "no_round"),
            ):
                reply = await refused
                assert (reply["type"], reply["code"]) == ("refused", code)
            assert (await client.say("play", move=move, cards=cards))["type"] == "accepted"
            assert (await client.say("play", move=move, cards=cards))["type"] == "refused"

    run(scenario)


def test_persons_say_fixed_phrases_and_not_too_often():
    async def scenario(executor):
        table = new_table(*TWO, executor=executor)
        async with House(table, executor=executor) as house, house.client(0) as ann, house.client(1) as bo:
            assert (await ann.say("say", phrase=8))["code"] == "unknown"
            assert (await ann.say("say", phrase=1))["type"] == "accepted"
            state = await bo.until(lambda state: state["said"])
            assert state["said"] == [[0, 1, 1]]
            assert (await ann.say("say", phrase=1))["code"] == "too_often"
            table.people.persons[0].may_say_at = 0
            assert (await ann.say("say", phrase=2))["type"] == "accepted"
            await bo.until(lambda state: state["said"] == [[0, 2, 2]])
            async with house.client(WATCHER) as watcher:
                assert (await watcher.say("say", phrase=1))["code"] == "watching"

    run(scenario)


def test_an_illegal_play_is_refused_with_the_reason_and_the_person_asked_again():
    async def scenario(executor):
        async with playing(executor, *ONE, seed=2) as (_, client):
            while client.state["ask"]["kind"] != "follow":
                move = client.state["move"]
                await client.follow_hint()
                await client.until(lambda state, move=move: is_asked(state) and state["move"] > move)
            move = client.state["move"]
            groups = client.state["view"]["hands"]["0"]["cards"]
            hand = " ".join(cards for cards in groups.values() if cards)
            reply = await client.say("play", move=move, cards=hand)
            assert (reply["type"], "the lead" in reply["reason"]) == ("refused", True)
            assert reply["code"] in ("enough", "owes", "owes_suit")
            assert reply["cards"] in hand.split()
            for wrong in ("XX", "BJ BJ BJ", "<script>", "H2 " * 200, ""):
                reply = await client.say("play", move=move, cards=wrong)
                assert (reply["type"], reply["code"]) == ("refused", "unread")
            extend = await client.say("choose", move=move, cards="")
            joins = [card for card, reason in extend["reasons"].items() if reason is None]
            assert set(joins) <= set(hand.split())
            assert extend["wrong"] == []
            dead = await client.say("choose", move=move, cards=hand)
            assert len(dead["wrong"]) == len(hand.split()) - dead["size"]
            assert set(extend["reasons"]) == set(hand.split())
            assert extend["size"] == client.state["ask"]["size"]
            assert (await client.follow_hint())["type"] == "accepted"

    run(scenario)


def test_a_watcher_sees_only_public_things_and_may_not_play():
    async def scenario(executor):
        async with playing(executor, *ONE) as (house, client), house.client(WATCHER) as watcher:
            state = await watcher.until(lambda state: state["move"] == client.state["move"])
            assert state["ask"] is None
            assert all(hand["cards"] is None for hand in state["view"]["hands"].values())
            assert (state["view"]["kitty"], state["view"]["buried"], state["view"]["taken"]) == (None, None, "")
            assert (await watcher.say("hint", move=state["move"]))["type"] == "refused"

    run(scenario)


def test_a_newer_window_takes_the_seat_and_a_lost_one_finds_everything_again():
    async def scenario(executor):
        async with playing(executor, *TWO) as (house, client):
            async with house.client(0) as newer:
                state = await newer.until(is_asked)
                assert state["view"] == client.state["view"]
                assert (await client.until_closed()).code == 4409
            async with house.client(1) as other:
                await other.until(lambda state: 0 in state["away"])
                async with house.client(0) as again:
                    assert (await again.until(is_asked))["view"] == state["view"]
                    await other.until(lambda state: 0 not in state["away"])

    run(scenario)


def test_too_many_messages_close_the_connection(caplog):
    async def scenario(executor):
        table = new_table(*ONE, executor=executor)
        limits = ServiceLimits(hello=60, burst=5, rate=0.001)
        async with House(table, executor=executor, limits=limits) as house, house.client(0) as client:
            for _ in range(50):
                await client.socket.send('{"type":"auto","on":true}')
            assert (await client.until_closed()).code == Closed.BUSY

    with caplog.at_level(logging.INFO, logger="shengji_table.web"):
        run(scenario)
    assert "it sends too many messages" in caplog.text


def test_what_waits_for_a_slow_browser_is_bounded():
    async def scenario(_):
        outbox = Outbox()
        for number in range(1000):
            outbox.put_state(f"state {number}")
        outbox.put_reply("reply")
        assert [await outbox.take() for _ in range(2)] == ["reply", "state 999"]
        for number in range(1000):
            outbox.put_reply(f"reply {number}")
        assert await outbox.take() is None
        assert outbox.reason == "it does not read its messages"

    run(scenario)


def test_a_persons_only_play_is_made_after_a_while_and_not_at_once():
    async def scenario(executor):
        timing = Timing(draw=0, last_bids=0, play=0.05, trick=0.05, round=0)
        table = new_table(*ONE, executor=executor, timing=timing)
        async with House(table, executor=executor) as house, house.client(0) as client:
            loop, waits, forced = asyncio.get_running_loop(), [], None
            while client.state is None or client.state["view"]["phase"] != "over":
                message = await client.read()
                if message["type"] != "state" or not is_asked(message):
                    continue
                if not message["ask"]["is_forced"]:
                    await client.follow_hint()
                elif message["move"] != forced:
                    forced, began = message["move"], loop.time()
                    while client.state["move"] == forced:
                        await client.read()
                    waits.append(loop.time() - began)
            assert waits
            assert median(waits) > 0.01  # one alone may be heard late

    run(scenario)


def fetch(host, path, **headers):
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), body


def test_pages_have_their_policy_and_strangers_get_none():
    async def scenario(executor):
        async with House(new_table(*ONE, executor=executor), executor=executor) as house:

            async def get(path, **headers):
                return await asyncio.to_thread(fetch, house.host, path, **headers)

            status, headers, body = await get("/")
            assert status == 200
            assert b"<script" in body
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
            assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
            assert "server" not in {name.lower() for name in headers}
            assert (await get("/sheet.json"))[0] == 200
            for path in ("/page/dom.js", "/page/play.js", "/page/page.css"):
                assert (await get(path))[0] == 200, path
            hidden = ("/page/__init__.py", "/page/../app.py", "/page/..%2fapp.py")
            for path in (*hidden, "/replay/x", "/evenings", "/docs"):
                assert (await get(path))[0] == 404, path
            assert (await get("/", Host="evil.example"))[0] == 403
            assert (await get("/", Origin="http://evil.example"))[0] == 403
            with pytest.raises(websockets.InvalidStatus):
                async with house.socket(origin="http://evil.example"):
                    pass
            with pytest.raises(websockets.InvalidStatus):
                async with house.socket(origin=None):
                    pass

    run(scenario)


def test_browsers_may_keep_the_files_of_the_page_and_nothing_else():
    async def scenario(executor):
        async with House(new_table(*ONE, executor=executor), executor=executor) as house:

            async def get(path, **headers):
                return await asyncio.to_thread(fetch, house.host, path, **headers)

            _, headers, body = await get("/")
            assert headers["cache-control"] == "no-store"
            addresses = re.findall(r'(?:href|src)="(/page/[^"]+)"', body.decode())
            assert {address.rpartition("/")[2] for address in addresses} == {
                "page.css", "play.css", "lobby.css", "icon.svg", "sheet.json", "play.all.js"
            }  # fmt: skip
            for address in addresses:
                status, headers, body = await get(address)
                assert (status, headers["cache-control"]) == (200, "private, max-age=31536000, immutable"), address
                status, zipped, small = await get(address, **{"Accept-Encoding": "gzip"})
                assert (zipped["content-encoding"], gzip.decompress(small)) == ("gzip", body)
                assert zipped["etag"] != headers["etag"]
            for address in ("/page/dom.js", "/sheet.json"):
                _, headers, _ = await get(address)
                assert headers["cache-control"] == "private, no-cache"
                status, _, body = await get(address, **{"If-None-Match": headers["etag"]})
                assert (status, body) == (304, b"")
                assert (await get(address, **{"If-None-Match": '"another"'}))[0] == 200
            assert (await get("/page/0123456789abcdef/dom.js"))[0] == 404

    run(scenario)


@pytest.mark.parametrize(
    ("host", "local", "open_to_all"),
    [
        ("127.0.0.1:8010", True, True), ("localhost", True, True), ("[::1]:80", True, True),
        ("192.168.1.7:8010", False, True), ("evil.example", False, False), ("", False, False),
        ("127.0.0.1.evil.example", False, False), ("127.0.0.1:x", False, False), ("a b", False, False),
    ],
)  # fmt: skip
def test_only_hosts_of_this_machine_are_answered(host, local, open_to_all):
    assert is_own_host(host, is_local=True) == local
    assert is_own_host(host, is_local=False) == open_to_all


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"done","move":-1}', '{"type":"done","move":true}', '{"type":"done","move":1e3}', '{"type":"done"}',
        '{"type":"done","move":99999999999}', '{"type":"auto","on":1}', '{"type":["done"],"move":1}',
        '{"type":"done","move":' + "9" * 5000 + "}", '{"type":"done","move":NaN}', "\ud800",
    ],
)  # fmt: skip
def test_messages_of_another_form_are_refused(text):
    with pytest.raises(MessageError):
        read_message(text)
