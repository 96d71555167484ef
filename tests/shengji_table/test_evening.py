"""An evening's page: its rounds, who has won them, and their replays, for those at the table."""

import asyncio
import http.client
import json
import queue
import threading
from importlib import resources

import pytest

from shengji_env.players.registry import make_player
from shengji_table.web.evening import Evening, EveningPlayer, EveningRound, evening_of, evening_path
from shengji_table.web.messages import ScoreLine
from tests.helpers.web_clients import WATCHER, House, new_table, run
from tests.render.test_page_modules import fields_of

PLAYERS = ("human?name=Ann", "greedy", "human?name=<b>Bo</b>", "greedy")


def fetch(host, path):
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, dict(answer.getheaders()), body


def played(executor, *, num_rounds=1, by=""):
    """A table at which rounds have been played; seat 0 was substituted if somebody is named."""
    table, bot = new_table(*PLAYERS, executor=executor), make_player("heuristic")
    while len(table.rounds) < num_rounds:
        if table.board.finished is not None:
            table.board.next_round()
        seat = table.board.seat
        table.make(table.board.ask(bot), by if seat == 0 else "")
        table.note_round()
    table.is_opening = False
    return table


def test_the_page_and_the_replays_are_for_those_at_the_table():
    async def scenario(executor):
        table = played(executor)
        async with (
            House(table, executor=executor) as house,
            house.client(0) as client,
            house.client(WATCHER) as watcher,
        ):
            path = client.welcome["evening"]
            assert watcher.welcome["evening"] == path

            async def get(address):
                return await asyncio.to_thread(fetch, house.host, address)

            status, headers, body = await get(path)
            assert (status, "/evening.all.js" in body, "Ann" in body) == (200, True, False)
            assert "script-src 'self'" in headers["content-security-policy"]
            (shown,) = json.loads((await get(f"{path}/rounds.json"))[2])["rounds"]
            assert shown["names"] == ["Ann", "greedy 1", "<b>Bo</b>", "greedy 3"]
            status, headers, _ = await get(f"{path}/replay/1")
            assert (status, headers["location"].startswith("/replay/")) == (303, True)
            assert path.rpartition("/")[2] not in headers["location"]
            status, _, body = await get(headers["location"])
            assert (status, '"review":null' in body, "<b>Bo" in body) == (200, True, False)
            assert (await get(f"{path}/replay/1"))[1]["location"] == headers["location"]
            wrong = ("/evening/", "/evening/x", "/evening/x/rounds.json", "/evening/x/replay/1", f"{path}/replay/2")
            for address in (*wrong, f"{path}/admin/1", f"{path}/replay/x", f"{path}/replay/-1"):
                assert (await get(address))[0] == 404, address

    run(scenario)


def test_a_review_is_made_once_however_often_it_is_asked_for():
    async def scenario(executor):
        table = played(executor)
        async with House(table, executor=executor) as house:
            path = f"/evening/{table.seating.keys.evening}/review/1"
            answers = await asyncio.gather(*(asyncio.to_thread(fetch, house.host, path) for _ in range(4)))
            assert len({headers["location"] for _, headers, _ in answers}) == 1
            assert '"review":{' in (await asyncio.to_thread(fetch, house.host, answers[0][1]["location"]))[2]
            shown = json.loads((await asyncio.to_thread(fetch, house.host, f"{evening_path(table)}/rounds.json"))[2])
            assert len(shown["rounds"][0]["lost"]) == 4
            assert all(0 <= each["accuracy"] <= 1 for each in shown["players"])

    run(scenario)


def test_one_table_does_not_open_another_tables_evening():
    async def scenario(executor):
        tables = played(executor), new_table(*PLAYERS, executor=executor)
        async with House(*tables, executor=executor) as house:
            shown = [
                json.loads(
                    (await asyncio.to_thread(fetch, house.host, f"/evening/{table.seating.keys.evening}/rounds.json"))[
                        2
                    ]
                )
                for table in tables
            ]
            assert [len(evening["rounds"]) for evening in shown] == [1, 0]

    run(scenario)


def test_the_score_is_kept_by_names_and_substitutes_are_counted():
    async def scenario(executor):
        table = played(executor, num_rounds=3, by="heuristic")
        evening = evening_of(table, {})
        assert [each["lost"] for each in evening["rounds"]] == [None] * 3
        assert [each["number"] for each in evening["rounds"]] == [1, 2, 3]
        decisions = [sum(step["seat"] == 0 for step in each.record["decisions"]) for each in table.rounds]
        assert [each["substituted"] for each in evening["rounds"]] == [{"0": number} for number in decisions]
        players = evening["players"]
        assert sorted(each["name"] for each in players) == ["<b>Bo</b>", "Ann", "greedy 1", "greedy 3"]
        by_name = {each["name"]: each for each in players}
        assert by_name["Ann"] == {**by_name["<b>Bo</b>"], "name": "Ann"}
        draws = sum(each["winner"] is None for each in evening["rounds"])
        assert by_name["Ann"]["won"] + by_name["greedy 1"]["won"] == 3 - draws

    run(scenario)


def seat_summary(seat, lost, accuracy, decisions=10):
    return {"seat": seat, "decisions": decisions, "accuracy": accuracy, "lost": {"bid": 0.0, "lead": lost}}


def test_what_decisions_have_cost_is_the_mean_of_the_rounds_that_were_reviewed():
    async def scenario(executor):
        table = played(executor, num_rounds=3)
        none = [seat_summary(seat, 0.0, 1.0) for seat in (1, 2, 3)]
        summaries = {1: [seat_summary(0, 0.4, 0.5), *none], 3: [seat_summary(0, 0.1, 1.0, decisions=30), *none]}
        evening = evening_of(table, summaries)
        assert [each["lost"] and each["lost"][0] for each in evening["rounds"]] == [0.4, None, 0.1]
        (ann,) = (each for each in evening["players"] if each["name"] == "Ann")
        assert (ann["lost"], ann["accuracy"]) == (0.25, 0.875)

    run(scenario)


def test_the_page_draws_a_line_for_each_name(browser):
    async def scenario(executor):
        table = played(executor, num_rounds=3)
        async with House(table, executor=executor) as house:
            ready.put(f"http://{house.host}{evening_path(table)}")
            while not done.is_set():
                await asyncio.sleep(0.05)

    ready, done = queue.Queue(), threading.Event()
    thread = threading.Thread(target=run, args=(scenario,))
    thread.start()
    try:
        page = browser.new_context(locale="en-US").new_page()
        page.goto(ready.get(timeout=60))
        page.click("text=Review all rounds")
        page.wait_for_selector(".losses", timeout=60_000)
        # The curve appears with the second reviewed round; the third may still be under way.
        page.locator(".losses circle").nth(11).wait_for(timeout=60_000)
        assert page.locator(".losses circle").count() == 12
        assert page.locator(".losses polyline").count() == 4
        page.context.close()
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize(("name", "kind"), [("Evening", Evening), ("EveningPlayer", EveningPlayer)])
def test_the_types_have_the_keys_of_what_is_written(name, kind):
    assert set(fields_of("web", name)) == set(kind.__annotations__)


def test_a_round_of_an_evening_is_a_line_of_the_score_sheet_and_more():
    text = resources.files("shengji_table.web.page").joinpath("messages.d.ts").read_text(encoding="utf-8")
    more = text.partition("export interface EveningRound extends Score {\n")[2].partition("}")[0]
    own = set(EveningRound.__annotations__) - set(ScoreLine.__annotations__)
    assert {line.split(":")[0].strip() for line in more.splitlines() if line.startswith("  ")} == own
