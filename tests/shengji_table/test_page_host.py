"""The table of a page without a server: a round, what is kept, what is asked, puzzles; without threads or playouts."""

import asyncio
import json
import re

import pytest

from shengji_env.records.replays import Replay
from shengji_table.puzzles.known import in_order, key_of, known_answers
from shengji_table.puzzles.puzzle import shipped_puzzles
from shengji_table.season import shipped_season
from shengji_table.season.checking import read_person
from shengji_table.web import page_host
from shengji_table.web.messages import VERSION
from shengji_table.web.page_host import PERSON, PageHost
from shengji_table.web.refusals import Closed
from tests.helpers.web_clients import AT_ONCE
from tools.value_puzzles import valued

ADDRESS = "http://localhost:8000/cards/"


class Page:
    """What a page says to its Worker, and hears."""

    def __init__(self):
        self.kept, self.link, self.state, self.number = [], None, None, 0
        self.heard = asyncio.Queue()
        self.host = PageHost(self.take)

    def take(self, said):
        if said["type"] == "keep":
            self.kept.append(said["text"])
        else:
            self.heard.put_nowait(said)

    async def next(self):
        return await asyncio.wait_for(self.heard.get(), 60)

    async def begin(self, kind="table", rules="one_deck", kept=None):
        self.host.hear({"type": "begin", "address": ADDRESS, "kind": kind, "rules": rules, "speed": 20, "kept": kept})
        said = await self.next()
        self.link = said.get("link")
        return said

    def tell(self, kind, **fields):
        text = json.dumps({"type": kind, **fields})
        self.host.hear({"type": "text", "socket": self.number, "text": text})

    def connect(self, link=None):
        self.number += 1
        self.host.hear({"type": "open", "socket": self.number})
        self.tell("hello", version=VERSION, link=link or self.link)

    async def message(self):
        """The next message of the protocol, or the code with which the connection is closed."""
        while True:
            said = await self.next()
            if said.get("socket") == self.number:
                return said["code"] if said["type"] == "closed" else json.loads(said["text"])

    async def ask(self, path):
        self.number += 1
        self.host.hear({"type": "ask", "id": self.number, "path": path})
        while True:
            said = await self.next()
            if said["type"] == "answer" and said["id"] == self.number:
                return said

    async def until(self, accepts, *, asks="hint"):
        """Play until a state is accepted, as the hints say, or any cards that are legal; return it."""
        while True:
            message = await self.message()
            if message["type"] == "hint" or message.get("is_whole"):
                self.tell("play", move=message["move"], cards=message["cards"])
            elif message["type"] == "extend":
                card = next(card for card, reason in message["reasons"].items() if reason is None)
                self.tell("choose", move=message["move"], cards=f"{message['cards']} {card}".strip())
            elif message["type"] == "state":
                if accepts(message):
                    return message
                ask = message["ask"] or {"kind": ""}
                if ask["kind"] == "bid" and message["window"] is not None and not ask["is_done"]:
                    self.tell("done", move=message["move"])
                elif ask["kind"] in ("bury", "lead", "follow", "name", "forced"):
                    self.tell(asks, move=message["move"], **({"cards": ""} if asks == "choose" else {}))


def is_over(state):
    return state["view"]["phase"] == "over"


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setattr(page_host, "Timing", lambda: AT_ONCE)
    return lambda scenario: asyncio.run(scenario(Page()))


def test_a_round_is_played_kept_and_goes_on_where_it_was(run):
    async def scenario(page):
        await page.begin()
        page.connect()
        await page.until(lambda state: state["view"]["phase"] == "follow" and state["view"]["tricks"] == 3)
        again = Page()
        assert (await again.begin(kept="".join(page.kept)))["link"] == page.link
        again.connect()
        tricks = []
        end = await again.until(lambda state: tricks.append(state["view"]["tricks"]) or is_over(state))
        assert tricks[0] >= 3
        assert len(end["sheet"]) == 1

    run(scenario)


def test_what_pages_ask_is_answered_below_their_address(run):
    async def scenario(page):
        await page.begin()
        page.connect()
        welcome = await page.message()
        assert welcome["evening"].startswith("/cards/evening/")
        await page.until(is_over)
        page.tell("replay", move=0)
        while (message := await page.message())["type"] != "replay":
            pass
        replay = await page.ask(message["path"].removeprefix("/cards"))
        evening = welcome["evening"].removeprefix("/cards")
        rounds = json.loads((await page.ask(f"{evening}/rounds.json"))["text"])
        record = await page.ask(f"{evening}/record.jsonl")
        rules = await page.ask("/rules")
        nothing = await page.ask("/nothing")
        return replay, rounds, record, rules, nothing

    replay, rounds, record, rules, nothing = run(scenario)
    assert re.search(r'"by": ?"champion"', replay["text"])
    assert rounds["rounds"][0]["lost"] is not None
    assert len(Replay.of(record["text"].splitlines(keepends=True)).rounds) == 1
    assert "/cards/page/" in rules["text"]
    assert nothing["status"] == 404


def test_a_wrong_link_closes_the_connection_and_others_go_on(run):
    async def scenario(page):
        await page.begin()
        page.connect("0.0.none")
        assert await page.message() == Closed.LINK
        page.connect()
        assert (await page.message())["seat"] == PERSON

    run(scenario)


def test_a_season_says_what_was_made_and_gives_the_file_to_keep(run, tmp_path):
    async def scenario(page):
        await page.begin("season", rules="two_deck")
        before = json.loads((await page.ask("/season.json"))["text"])
        page.connect()
        await page.message()
        page.tell("hint", move=0)
        while (message := await page.message())["type"] == "state":
            pass
        assert message["code"] == "no_hint"
        end = await page.until(is_over, asks="choose")
        again = Page()
        await again.begin("season", kept="".join(page.kept))
        shown = [json.loads((await each.ask("/season.json"))["text"]) for each in (page, again)]
        return before, end, shown, (await again.ask("/season.jsonl"))["text"]

    before, end, shown, file = run(scenario)
    season = shipped_season()
    assert (before["made"], before["deals"]) == ([], season.num_deals)
    assert shown[0] == shown[1]
    assert abs(shown[0]["made"][0]) == end["sheet"][0]["rise"]
    assert [each["made"] for each in shown[0]["players"]] == [list(made[:1]) for made in season.made.values()]
    (tmp_path / "kept.jsonl").write_text(file, encoding="utf-8")
    assert read_person(season, tmp_path / "kept.jsonl").made == shown[0]["made"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"rules": "two_decks"}, "two_deck"),
        ({"kept": "nonsense\n"}, "what this browser keeps"),
        ({"kept": ""}, "what this browser keeps"),
    ],
)
def test_what_cannot_begin_says_why(run, said, reason):
    failed = run(lambda page: page.begin(**said))
    assert failed["type"] == "failed"
    assert reason in failed["reason"]


def test_puzzles_have_the_values_that_were_made_beforehand_and_no_others(run):
    puzzle = shipped_puzzles()[27]
    answers = known_answers()[key_of(puzzle)]
    text, value = puzzle.options[-1]

    async def scenario(page):
        await page.begin("puzzles")
        shown = json.loads((await page.ask("/puzzles/27"))["text"])
        known = await page.ask(f"/puzzles/27/answer?cards={text}")
        hand = [card for cards in shown["view"]["hands"][str(puzzle.seat)]["cards"].values() for card in cards.split()]
        other = next(card for card in hand if card not in answers)
        return json.loads(known["text"]), await page.ask(f"/puzzles/27/answer?cards={other}")

    known, other = run(scenario)
    assert known["options"][known["played"]] == [text, value]
    assert "{A}" in known["why"]["en"]
    assert (other["status"], json.loads(other["text"])["code"]) == (400, "unvalued")


def test_known_values_are_those_that_playouts_give():
    puzzles = [shipped_puzzles()[number] for number in (1, 4)]
    found = valued(puzzles)
    known = known_answers()
    for puzzle in puzzles:
        key = key_of(puzzle)
        assert {in_order(each.option[0]): each for each in found[key]} == known[key]
