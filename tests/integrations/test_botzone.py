"""Botzone's wire, both ways: its programs at our tables, our players at its."""

import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from shengji_botzone.bot_program import BotProgram, command_of
from shengji_botzone.local_ai import LocalAi
from shengji_botzone.match_seat import NEAREST, MatchSeat
from shengji_botzone.running import BotzoneBot
from shengji_botzone.seat_requests import SeatRequests
from shengji_botzone.wire import BotzoneError, cards_of, pick, read_request
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.arena.faults import FaultKeeper
from shengji_env.cli import main
from shengji_env.engine.referee import Trump, trick_winner
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import ShengjiError
from shengji_env.players.decisions import Decisions, num_plays, tables_behind
from shengji_env.players.exec.bot_messages import as_message
from shengji_env.players.registry import as_player, make_player
from shengji_env.records.writing import finished_round
from shengji_env.vector import BatchEnv
from tests.helpers.botzone_judge import is_legal
from tests.helpers.botzone_rounds import JudgedRound, text_of
from tests.helpers.botzone_wires import WiredSeat
from tests.helpers.conversations import Conversation
from tests.helpers.interrupts import heed_interrupts
from tests.helpers.paths import DATA, HELPERS, ROOT
from tests.helpers.thorough import every_third, thorough

SIMPLE = ROOT / "docs" / "bots" / "botzone_simple.py"
FAULTY = HELPERS / "botzone_bots.py"
PYTHON = [sys.executable, "-S", "-E"]
RULES = parse_rules(NEAREST)
ROUNDS = [json.loads(line) for line in (DATA / "botzone_rounds.jsonl").read_text().splitlines()]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")


class Throwing:
    """Makes the first legal action: it leads all that it has of a suit, so that most of its throws fail."""

    name = "throwing"

    def act(self, observation, action_mask, key):
        return action_mask.argmax(axis=1)


class Compared(Conversation):
    """Plays behind Botzone's wire, and compares every play with what the player answers at the table itself."""

    def __init__(self, player):
        super().__init__(as_player(player), speaker=WiredSeat)

    def decide(self, decisions):
        direct, wired = self.player.decide(decisions), super().decide(decisions)
        tables, rows = tables_behind(decisions)
        for place, row in enumerate(rows.tolist()):
            if tables.phases[row]:  # Botzone's calls are others
                assert direct[place] == wired[place]
                known = self.listeners[row, int(tables.seats[row])].speaker.story.requests[-1]["global"]
                assert known.get("total_score", 0) == tables.states["attackers_points"][row]
        return wired


def wired_seats(player, *, episode="round", tables=3, steps=400):
    env = BatchEnv(tables, RULES, seed=4, episode=episode, skip_forced=True, record=True, history=num_plays(RULES))
    compared = Compared(player)
    for _ in range(steps):
        env.step(compared.decide(Decisions.at(env.tables, np.arange(tables))))
    return [listener for _, listener in sorted(compared.listeners.items())]


@pytest.mark.parametrize("player", ["heuristic", *thorough(Throwing())])
@pytest.mark.parametrize("episode", ["match", *thorough("round")])
def test_a_player_behind_the_wire_plays_as_at_the_table(player, episode):
    listeners = wired_seats(player, episode=episode, steps=500)
    heard = [json.loads(line) for listener in listeners for line in listener.lines]
    begun = [each for each in heard if each["type"] == "round"]
    assert {each["first_drawer"] for each in begun} > {0}
    assert {each["declarer"] is None for each in begun} == {True, False} or episode == "round"
    assert sum(each["type"] == "led" for each in heard) > 4 * 10 or player == "heuristic"
    assert sum(listener.speaker.num_made_up for listener in listeners) > 10
    first = [story.requests[0] for listener in listeners for story, _ in listener.speaker.deals if story.requests]
    assert {each["playerpos"] for each in first} == {0, 1, 2, 3}


def test_the_requests_are_those_of_the_page():
    """The example of docs/botzone.md, with the table turned: seat 1 draws first, and is Botzone's seat 0."""
    begun = {"seat": 1, "round": 0, "match_round": 0, "redeals": 0, "rebellions": 0, "rebel": None}
    begun |= {"levels": ["2", "2"], "declarer": None, "first_drawer": 1}
    story = SeatRequests(as_message({"type": "round", **begun}), RULES)

    def hear(kind, **fields):
        story.handle(as_message({"type": kind, **fields}))

    def banking(**settled):
        return {"called": -1, "snatched": -1, "major": "", "banker": -1, **settled}

    hear("draw", drawn=1, cards="H2")
    known = {"level": "2", "first_round": True}
    assert story.requests == [
        {"stage": "deal", "deliver": [5], "playerpos": 0, "global": {**known, "banking": banking()}}
    ]
    story.ask("bid")
    story.responses.append([5])
    hear("bid", seat=1, drawn=1, bid="H2")
    hear("draw", drawn=97, cards="SA SA SQ C3 C3 D5 D5 C7 C7 H9")
    hear("bid", seat=3, drawn=100, bid="BJ BJ")
    assert story.requests[1]["global"]["banking"] == banking(called=0, major="h", banker=0)
    assert story.responses == [[5], *[[]] * 10]
    hear("trumps", trump="NT", level_rank="2", declarer=1, turned="")
    hear("takes", seat=1)
    hear("kitty", cards="CT DT ST HT CT DT ST HT")
    settled = banking(called=0, snatched=2, major="n", banker=0)
    assert story.requests[-1] == {
        "stage": "cover", "deliver": [38, 39, 36, 37, 92, 93, 90, 91], "global": {**known, "banking": settled},
    }  # fmt: skip
    story.ask("bury")
    story.responses.append([38, 39, 36, 37, 92, 93, 90, 91])
    hear("bury", seat=1, bury="CT DT ST HT CT DT ST HT")
    story.ask("lead")
    known["total_score"] = 0
    expected = {"stage": "play", "history": [[], [], 0, 0], "global": {**known, "banking": settled}}
    assert story.requests[-1] == expected
    story.responses.append([0, 54, 44])
    hear("lead", seat=1, lead="SA SA SQ")
    hear("led", seat=1, led="SQ", penalty=10)
    for seat, card in ((2, "SK"), (3, "S4"), (0, "S5")):
        hear("follow", seat=seat, follow=card)
    hear("trick", leader=1, led="SQ", winner=2, points=15)
    hear("lead", seat=2, lead="S3")
    hear("follow", seat=3, follow="S9")
    hear("follow", seat=0, follow="S6")
    hear("follow", seat=1, follow="SA")  # was not asked: the request is made up
    known["total_score"] = 25  # the throw cost ten
    assert story.requests[-1]["global"] == {**known, "banking": settled}
    assert story.requests[-1]["history"] == [[[44], [48], [12], [16]], [[8], [32], [20]], 0, 1]
    assert story.responses[-1] == [0]


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ("two_deck(kitty=12)", "it needs kitty=8, not 12"),
        ("three_deck", "it needs decks=2, not 3, and kitty=8, not 6"),
        ("chaodipi", "it needs kitty_retake=none, not overbid"),
        ("contest", "it needs rebellion=none, not no_declarer"),
        ("competition", "another bidding than sequential, and another no_bid than partner_names"),
        ("duplicate", "another bidding than fixed"),
        ("two_deck(throws=False)", "it needs throws=True, not False"),
        ("two_deck(failed_throw=next_seat_chooses)", "another failed_throw than next_seat_chooses"),
    ],
)
def test_rules_that_the_wire_cannot_tell_are_refused(rules, sentence):
    hello = {"type": "hello", "protocol": 2, "version": "0", "seconds": 1.0, "round_seconds": None}
    bot = BotzoneBot([str(SIMPLE)], note=print)
    with pytest.raises(BotzoneError, match=re.escape(sentence)):
        bot.handle({**hello, "rules": parse_rules(rules).to_json()})


def test_a_program_is_found_in_its_folder(tmp_path):
    def made(name, *files):
        folder = tmp_path / name
        folder.mkdir()
        for file in files:
            (folder / file).touch(0o755 if "." not in file else 0o644)
        return str(folder)

    with pytest.raises(BotzoneError, match=r"none has no __main__.py or main.py, no single file of Python"):
        command_of([made("none", "a.txt")])
    with pytest.raises(BotzoneError, match="no single file of Python and no single executable: name the file"):
        command_of([made("two", "a.py", "b.py")])
    for folder, entry in (
        (made("package", "__main__.py", "main.py", "a.py"), "__main__.py"),
        (made("main", "main.py", "a.py"), "main.py"),
        (made("one", "bot.py", "weights.bin"), "bot.py"),
    ):
        assert command_of([folder]) == ([sys.executable, f"{folder}/{entry}"], tmp_path / folder)
    compiled = made("compiled", "bot")
    assert command_of([compiled]) == ([f"{compiled}/bot"], tmp_path / compiled)
    assert command_of(["node", "bot.js", "-x"]) == (["node", "bot.js", "-x"], None)
    assert command_of([str(SIMPLE), "-x"]) == ([sys.executable, str(SIMPLE), "-x"], None)
    with pytest.raises(BotzoneError, match="'nothing here' cannot be started: No such file"):
        play_deal(["nothing", "here"])
    with pytest.raises(BotzoneError, match=r"source\.cpp is no program: compile it, make it executable, or name"):
        play_deal([f"{made('sources', 'source.cpp')}/source.cpp"])
    with pytest.raises(BotzoneError, match="if these are several words, leave out the quotes"):
        play_deal(["node bot.js"])


FAULTS = {
    "late": "it has not answered within 0.6 s",
    "shape": """its answer '{"answer": \\[5\\]}': an answer is a JSON object like {"response": \\[5\\]}""",
    "garbage": "its answer 'I lead hearts': no JSON at character 0",
    "text": r"response=\['H2'\] must be ids from 0 to 107: H2 is out of place",
    "crash": "it has ended, with exit code 1",
    "exit": "it has ended, with exit code 3",
    "endless": "it has printed more than 1 MiB, which begin .*xxx",
    "silent": "its answer '': no JSON",
    "closed": "its answer '': no JSON",
    "empty": r"it answers \[\]: one card or more are asked for",
    "not held": r"it answers \[\d+\], '..': it does not hold \d+, ..",
    "twice": "a card is there twice",
    "beyond": "108 is out of place",
    "two suits": "is not a legal lead: '..' is of .*, '..' of ",
    "kept and late": "it has not answered within 0.6 s",
    "kept and gone": "its answer '': no JSON",
}


def play_deal(words, *, seconds=None):
    """Let four programs of Botzone's play a deal; return its record."""
    rules = parse_rules("two_deck(max_redeals=0)")
    env = BatchEnv(1, rules, seed=4, skip_forced=True, record=True, history=num_plays(rules))
    bots = []

    def made(player, *, seed):
        bots.append(BotzoneBot(words, note=print, seconds=seconds))
        return bots[-1]

    player = Conversation(as_player("random"), speaker=made)
    try:
        while not env.terminated[0]:
            env.step(player.decide(Decisions.at(env.tables, np.arange(1))))
    finally:
        for bot in bots:
            bot.end()
    return finished_round(env)


@pytest.mark.parametrize("fault", every_third(FAULTS))
def test_a_fault_ends_the_program_with_a_sentence(fault, tmp_path):
    with pytest.raises(ShengjiError, match=FAULTS[fault]):
        play_deal([*PYTHON, str(FAULTY), fault, str(tmp_path / "turns")], seconds=0.6 if "late" in fault else None)


@pytest.mark.thorough
def test_a_program_that_is_kept_running_plays_as_one_that_is_started_each_turn(tmp_path):
    """So it is given every request, also those of turns at which our protocol asks nothing."""
    kept = play_deal([*PYTHON, str(FAULTY), "kept", str(tmp_path / "turns")])
    assert kept == play_deal([*PYTHON, str(FAULTY), "started"])
    turns = [line.split() for line in (tmp_path / "turns").read_text().splitlines()]
    heard = {process: [int(number) for each, number, _ in turns if each == process] for process, *_ in turns}
    assert len(heard) == 4
    assert all(numbers == list(range(numbers[0], numbers[-1] + 1)) for numbers in heard.values())
    assert sum(stage == "cover" for *_, stage in turns) == 1
    assert sum(len(numbers) > 25 + 10 for numbers in heard.values()) >= 1


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "known"), [("reads to the end", 0.0), ("kept slowly", 1.0), ("started", 0.5)])
def test_a_program_that_reads_its_input_to_the_end_answers_as_one_that_reads_a_line(name, known, deals, tmp_path):
    """Its input ends after a while; one that asks to stay only then begins its turn again, and misses nothing."""
    requests, turns = deals[0][0].requests, tmp_path / "turns"
    seconds = {"kept slowly": 2.0, "started": 20.0}.get(name, 4.0)
    line = BotProgram([*PYTHON, str(FAULTY), "exit", str(turns)], seconds=20.0)
    other = BotProgram([*PYTHON, str(FAULTY), name, str(turns)], seconds=seconds)
    responses = []
    for number in range(1, 5):
        assert other.respond(requests[:number], responses) == line.respond(requests[:number], responses)
        responses.append([])
    assert other._open_for == known
    other.end()
    if name == "kept slowly":
        (first, *_), *heard = (line.split() for line in turns.read_text().splitlines())
        assert [int(number) for _, number, _ in heard] == [1, 2, 3, 4]
        assert first not in {process for process, *_ in heard}


@pytest.mark.thorough
def test_a_call_that_is_no_bid_here_counts_as_none_and_is_said_once(capsys):
    record = play_deal([*PYTHON, str(FAULTY), "calls"])
    notes = capsys.readouterr().out.splitlines()
    assert 1 <= len(notes) <= 4
    assert all(re.fullmatch("it calls .., which counts as no bid .*; bids: .*", note) for note in notes)
    assert any("bid" in each for each in record["decisions"])


def run_of(words):
    """Play a deal of one program behind ``shengji botzone run`` among `greedy`; return rounds and faults."""
    text = f"exec:{sys.executable} -m shengji_env.cli botzone run {words}?env=PYTHONPATH&name=who"
    players, keeper, lineup = (make_player(text), make_player("greedy")), FaultKeeper(), np.array([[0, 1, 1, 1]])
    batch = DealBatch(players, parse_rules("two_deck"), 3, range(1), start="first", asker=keeper, lineup=lineup)
    try:
        rounds, _ = batch.play_out()
    finally:
        players[0].close()
    return rounds, keeper.faults


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (
            "crash",
            r"exit code 2; its last words: .*ZeroDivisionError.* \| shengji: error: it has ended, with exit code 1",
        ),
        ("two suits", "its play '.*' is refused: '.*' is of .*, '.*' of "),
    ],
)
def test_the_arena_counts_a_fault_and_says_why(fault, reason):
    (found,) = run_of(f"{' '.join(PYTHON)} {FAULTY} '{fault}'")[1]
    assert found["player"] == "who"
    assert re.search(reason, found["error"]), found["error"]


@pytest.mark.thorough
def test_a_program_of_botzones_keeps_to_the_protocol_under_its_rules(capsys, monkeypatch):
    monkeypatch.setattr("shengji_env.players.exec.process_pool.GRACE", 60.0)
    command = f"exec:shengji botzone run --preload json {SIMPLE}?env=PYTHONPATH"
    assert main(["protocol", "--check", command, "--rules", NEAREST, "--deals", "1"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"ok +botzone\(match_end=rounds, match_rounds=2\), a match: 4 rounds", said), said


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied")
def test_a_file_with_modules_loaded_beforehand_plays_and_fails_as_it_does_alone():
    alone, loaded = run_of(SIMPLE), run_of(f"--preload json,decimal {SIMPLE}")
    assert alone[0].size
    assert (alone[0] == loaded[0]).all()
    assert loaded[1] == []
    ((fault,), (same,)) = run_of(f"{FAULTY} exit")[1], run_of(f"--preload json {FAULTY} exit")[1]
    assert fault["error"].partition(";")[0] == same["error"].partition(";")[0]
    assert "it has ended, with exit code 3" in same["error"]


def test_only_what_can_be_loaded_is_loaded_beforehand():
    with pytest.raises(BotzoneError, match="--preload no_such_module: No module named 'no_such_module'"):
        BotProgram([str(SIMPLE)], preload=["no_such_module"])
    with pytest.raises(BotzoneError, match="for files of Python alone"):
        BotProgram(["node", "bot.js"], preload=["json"])


class Replayed(MatchSeat):
    """A seat in a round that has been played already: it says what it would bury, and buries what was buried."""

    def _ask(self, kind, size=None):
        answer = super()._ask(kind, size)
        if kind != "bury":
            return answer
        self.would_bury = answer
        return self.buried


def is_legal_call(ids, banking, level):
    if not ids:
        return True
    cards = cards_of(ids).split()
    if banking["called"] == -1:
        return len(cards) == 1 and cards[0][1] == level
    is_pair = len(cards) == 2 and cards[0] == cards[1]
    return banking["snatched"] == -1 and is_pair and (cards[0][1] == level or cards[0] in ("LJ", "BJ"))


@pytest.mark.parametrize("given", ROUNDS, ids=lambda given: given["what"])
def test_our_players_answer_legally_in_rounds_of_the_judge(given):
    """Rounds with what our rules do not have: failed throws that lead one card, and trumps by lot."""
    judged = JudgedRound(given)
    seats = [Replayed(make_player("heuristic"), seed=0) for _ in range(4)]
    seats[given["declarer"]].buried = given["buried"]
    for seat, stage, request, _ in judged.turns():
        ids, hand = seats[seat].respond(read_request(json.dumps(request))), judged.hands[seat]
        assert set(ids) <= set(hand)
        assert len(set(ids)) == len(ids)
        if stage == "deal":
            assert is_legal_call(ids, request["global"]["banking"], given["level"])
        elif stage == "cover":
            assert len(seats[seat].would_bury.split()) == 8
        else:
            led = [text_of(number) for number in (request["history"][1] or [[]])[0]]
            cards = [[text_of(number) for number in each] for each in (ids, hand)]
            assert is_legal(cards[0], led, cards[1], given["trump"], given["level"])
            assert seats[seat]._state["attackers_points"] == request["global"]["total_score"]


def test_who_has_won_a_trick_is_what_the_site_says():
    """C2 C2 LJ LJ is a tractor here alone: the pair that the judge's winner leads next is owed all the same."""
    seat, free = MatchSeat(as_player(Throwing()), seed=0), list(range(108))
    banking = {"called": -1, "snatched": -1, "major": "", "banker": 2}

    def take(cards):
        ids = pick(cards, free)
        free[:] = [each for each in free if each not in ids]
        return ids

    def respond(stage, **fields):
        known = {"level": "2", "first_round": False, "banking": banking, "total_score": 0}
        return cards_of(
            seat.respond(read_request(json.dumps({"stage": stage, "playerpos": 1, "global": known, **fields})))
        )

    hand = take("S7 S9 ST SJ SK SQ SA SA H3 H4 H5 H6 H7 HT HQ HQ C3 C4 C7 C8 C9 CT CJ CK CA")
    for card in hand:
        respond("deal", deliver=[card])
    banking |= {"called": 3, "major": "c"}
    trick = [take(cards) for cards in ("D3 D3 D4 D4", "C2 C2 LJ LJ", "C5 C5 C6 C6")]
    trick.append(pick(respond("play", history=[[], trick, 2, 2]), hand))
    assert trick_winner([cards_of(play) for play in trick], 2, Trump("C", "2"), RULES) == 3
    assert respond("play", history=[trick, [take("HJ HJ")], 2, 0]) == "HQ HQ"


NOTHING_NEW = "note: nothing new has come; asking again in 1 s, then after longer pauses"


class StandIn(http.server.ThreadingHTTPServer):
    """Stands in for Botzone's Local AI: hands out the requests of matches, and takes the responses."""

    def __init__(self, matches, *, troubles=()):
        super().__init__(("127.0.0.1", 0), Handler)
        self.matches = {name: list(requests) for name, requests in matches.items()}
        self.responses = {name: [] for name in matches}
        self.handed_out, self.troubles, self.ended, self.num_gets = set(), list(troubles), [], 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}/api/me/key/localai"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def take(self, headers):
        for name in self.matches:
            if f"X-Match-{name}" in headers and name in self.handed_out:
                self.responses[name].append(json.loads(headers[f"X-Match-{name}"]))
                self.handed_out.remove(name)

    def body(self):
        open_ones = [name for name, left in self.matches.items() if left and name not in self.handed_out]
        done = [name for name, left in self.matches.items() if not (left or name in self.handed_out | set(self.ended))]
        lines = [line for name in open_ones for line in (name, self.matches[name].pop(0))]
        self.handed_out |= set(open_ones)
        self.ended += done
        return "\n".join([f"{len(open_ones)} {len(done)}", *lines, *(f"{name} 2 4 3 0 3 0" for name in done)]) + "\n"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.take(self.headers)
        trouble = self.server.troubles.pop(0) if self.server.troubles else None
        if trouble == "drop":
            self.close_connection = True
            return
        self.server.num_gets += 1
        code = trouble if isinstance(trouble, int) else 404 if self.server.num_gets > 2000 else 200
        body = {"garbage": "<html>maintenance</html>", "end": "0 1\nbad 1 0\n"}.get(trouble)
        self.send_response(code)
        self.end_headers()
        self.wfile.write((self.server.body() if code == 200 and body is None else body or "").encode())

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def deals():
    """The requests of a deal to each seat, and what `heuristic` answers to them."""
    listeners = wired_seats("heuristic", tables=1, steps=140)
    return [listener.speaker.deals[0] for listener in listeners]


def test_our_player_plays_several_matches_by_the_local_ai(deals):
    matches = {
        f"m{index}": [json.dumps(request) for request in story.requests] for index, (story, _) in enumerate(deals)
    }
    matches["bad"] = [*matches["m0"][:3], '{"stage":"deal"}']
    said, waited = [], []
    troubles = [None, 502, "drop", "garbage", None, "drop"]
    with StandIn(matches, troubles=troubles) as there:
        LocalAi(make_player("heuristic"), there.url, seed=0, say=said.append, pause=waited.append).play(4)
    for index, (story, answers) in enumerate(deals):
        assert there.responses[f"m{index}"][: len(answers)] == answers
        assert len(there.responses[f"m{index}"]) == len(story.requests)
        assert f"match m{index} has ended: seat 2, scores 3 0 3 0" in said
    assert len(there.responses["bad"]) == 3
    assert sum(line.startswith("match bad is given up: ") for line in said) == 1
    assert waited == [1.0, 2.0, 4.0, 1.0]
    assert sum("trying again in" in line for line in said) == 4


def test_a_request_that_comes_again_is_answered_alike_after_a_pause(deals, monkeypatch):
    monkeypatch.setattr("shengji_botzone.local_ai.time.monotonic", lambda: 0.0)  # a slow answer is a pause, too
    story, answers = deals[0]
    times, said, waited = [5, *[2] * (len(story.requests) - 1)], [], []
    lines = [json.dumps(request) for request, number in zip(story.requests, times, strict=True) for _ in range(number)]
    with StandIn({"m": lines}) as there:
        LocalAi(make_player("heuristic"), there.url, seed=0, say=said.append, pause=waited.append).play(1)
    expected = [answer for answer, number in zip(answers, times, strict=False) for _ in range(number)]
    assert there.responses["m"][: len(expected)] == expected
    assert waited == [1.0, 2.0, 4.0, 8.0, *[1.0] * (len(story.requests) - 1)]
    assert said.count(NOTHING_NEW) == len(story.requests)


def test_the_command_says_what_happens(deals, capsys):
    with StandIn({"m": [json.dumps(deals[0][0].requests[0])]}, troubles=["end"]) as there:
        assert main(["botzone", "play", "heuristic", "--url", there.url, "--matches", "2"]) == 0
    said = ["match bad was broken off", "match m begins", "match m has ended: seat 2, scores 3 0 3 0"]
    assert capsys.readouterr().out.splitlines() == said
    with StandIn({}, troubles=[404]) as there:
        assert main(["botzone", "play", "heuristic", "--url", there.url]) == 2
    assert "the address is refused, with HTTP 404" in capsys.readouterr().err
    for arguments, sentence in (
        (["play", "human", "--url", there.url], "human cannot be a bot"),
        (["play", "greedy", "--url", "file:///etc/passwd"], "must begin with https://"),
        (["run", "--seconds", "0", "x"], "--seconds 0 must be above 0"),
    ):
        assert main(["botzone", *arguments]) == 2
        assert sentence in capsys.readouterr().err


def test_ctrl_c_ends_it_without_a_traceback():
    with StandIn({}) as there:
        command = [sys.executable, "-m", "shengji_env.cli", "botzone", "play", "heuristic", "--url", there.url]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
        )
        assert process.stdout.readline() == f"{NOTHING_NEW}\n"
        process.send_signal(signal.SIGINT)
        said, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (said, complaint) == ("", "shengji: interrupted\n")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda requests: requests[1:], "its first request names no seat"),
        (lambda requests: [requests[0], *requests[2:]], "the draws have not ended"),
        (lambda requests: [*requests[:5], requests[4]], "ids .* have been seen before"),
        (lambda requests: requests[:-2] + requests[-1:], "is not that of the request before"),
        (lambda requests: [*requests[:3], {**requests[3], "deliver": [108]}], "108 is out of place"),
        (lambda requests: [*requests[:3], {**requests[3], "stage": "auction"}], "'auction'"),
    ],
)  # fmt: skip
def test_a_request_that_does_not_fit_is_refused(change, sentence, deals):
    seat = MatchSeat(make_player("heuristic"), seed=0)
    texts = [json.dumps(request) for request in change(deals[0][0].requests)]
    with pytest.raises(BotzoneError, match=sentence):
        [seat.respond(read_request(text)) for text in texts]
