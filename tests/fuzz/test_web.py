"""What reaches the play server: browsers' messages, and the files from which it goes on."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from hypothesis import strategies as st

from shengji_env.engine.rule_sets import parse_rules, rule_set
from shengji_env.engine.state import Phase
from shengji_env.players.registry import make_player
from shengji_table.web.app import read_club
from shengji_table.web.board import Board
from shengji_table.web.guest_names import MAX_NAME, read_name
from shengji_table.web.kept_events import Came, Decided, Substituted, Taken
from shengji_table.web.links import Keys, read_link
from shengji_table.web.messages import Choose, Hello, PlayCards, Take, read_message
from shengji_table.web.public_url import read_public_url
from shengji_table.web.questions import extend, read_answer
from shengji_table.web.session_log import PRIVATE, SessionLog, new_plan
from shengji_table.web.table import Table
from tests.fuzz.alterations import altered, splice, text_edits
from tests.fuzz.files import folder
from tests.fuzz.target import target

_PERSONS = ("human",) * 4
_SAMPLES = (
    {"type": "hello", "version": 2, "link": "0.0.AAAAAAAAAAAAAAAAAAAAAAAA"},
    {"type": "choose", "move": 3, "cards": "H4 H4"},
    {"type": "play", "move": 3, "cards": "H4 H4 S2"},
    {"type": "bid", "move": 1, "standing": 0, "cards": "S2"},
    {"type": "auto", "on": True},
    {"type": "take", "seat": 2, "name": "Ann"},
    {"type": "replace", "seat": 2},
)
_cards = st.text("CDHS23456789TJQKALB ", max_size=40)
_urls = st.sampled_from(["https://cards.example/a/b", "http://[::1]:8080", "https://h:443/", "https://me@h/?q#f"])


@target(weight=40, text=altered(st.just('{"name": "our club", "rules": "house(throws=False)"}')))
def test_rules_of_clubs(text):
    name, rules = read_club(text.encode("utf-8", "surrogatepass"))
    assert isinstance(name, str)
    assert parse_rules(str(rules)) == rules


@target(weight=40, text=altered(_urls))
def test_public_urls(text):
    """Read the address of a proxy; what is read can stand in a page and in a policy."""
    url = read_public_url(text)
    assert read_public_url(str(url)) == url
    assert not set(f"{url}{url.socket}") & set("\"'<>;, \n")


@cache
def _keys() -> Keys:
    return Keys()


@cache
def _board() -> Board:
    """A table at which a hand is to follow."""
    board, player = Board(rule_set("one_deck"), 1, _PERSONS), make_player("heuristic")
    while board.phase != Phase.FOLLOW:
        board.show(board.ask(player))
    return board


@target(weight=60, sample=st.sampled_from(_SAMPLES), cards=st.none() | _cards, edits=text_edits)
def test_web_messages(sample, cards, edits):
    """Read a message, some of whose letters are changed or whose cards are others, and do what it says."""
    text = json.dumps(sample if cards is None or "cards" not in sample else {**sample, "cards": cards})
    message = read_message(splice(text, edits) if cards is None else text)
    if isinstance(message, Hello):
        assert read_link(message.link, [_keys()]) is None
    elif isinstance(message, Take):
        assert len(read_name(message.name)) <= MAX_NAME
    elif isinstance(message, Choose):
        extend(_board().decision(), message.cards, message.move)
    elif isinstance(message, PlayCards):
        read_answer(_board().decision(), message.cards)


@cache
def _kept() -> str:
    """The private file of an evening of some decisions."""
    path = folder() / "kept.jsonl"
    log = SessionLog(path, new_plan(rule_set("one_deck"), _PERSONS, "heuristic"))
    board, player = Board(rule_set("one_deck"), log.plan.seed, _PERSONS), make_player("heuristic")
    for event in (Taken(0, "Ann", "s" * 24), Came(0), Substituted(1, is_on=True)):
        log.note(event)
    for _ in range(12):
        actions = board.ask(player)
        board.show(actions)
        log.note(Decided(actions, "heuristic" if board.transcript.seat == 1 else ""))
    log.close()
    return path.with_name(path.name + PRIVATE).read_text(encoding="utf-8")


@target(weight=20, edits=text_edits)
def test_web_evenings(edits):
    """Go on with an evening whose private file is altered."""
    path = folder() / "evening.jsonl"
    text = splice(_kept(), edits)
    path.with_name(path.name + PRIVATE).write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    log = SessionLog(path, new_plan(rule_set("one_deck"), _PERSONS, "heuristic"))
    try:
        plan = log.plan
        players = tuple(make_player(player) for player in plan.players)
        with ThreadPoolExecutor(1) as executor:
            Table(players, parse_rules(plan.rules), plan.seed, executor=executor, log=log)
    finally:
        log.close()
