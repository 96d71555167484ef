"""Inputs of the arena: players' texts and answers, tournaments, chunks, lines that people type."""

import io

import numpy as np
from hypothesis import strategies as st

from shengji_env.arena import make_player, play_matchup
from shengji_env.arena.chunks import Chunk, play_chunk
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.arena.faults import FaultKeeper
from shengji_env.arena.running import play_tournament
from shengji_env.arena.tournament import Tournament
from shengji_env.engine.cards import CARD_TEXTS
from shengji_env.engine.rule_sets import rule_set
from shengji_env.envs.seat import SeatEnv
from shengji_env.players.human import HumanPlayer
from shengji_env.players.human.terminal import Terminal
from shengji_env.players.player import Adapter
from shengji_env.players.random import RandomPlayer
from tests.fuzz.alterations import altered
from tests.fuzz.players import Answering
from tests.fuzz.target import target
from tests.fuzz.values import anything, pick, sometimes

# ---- players by text

_texts = st.sampled_from(
    [
        *(
            "random",
            "greedy",
            "heuristic",
            "search",
            "search:3",
            "search:3:0.5",
            "search:10?threads=1",
            "human?name=Ann",
        ),
        *("policy:runs/none", "policy:?sample=true", "policy:/", "policy:\0", "policy:~/x?sample=1"),
        *("champion", "champion?part=playouts", "selfplay:runs/none", "selfplay:/?part=playouts", "selfplay:\0"),
        *("tests.fuzz.players:made", "tests.fuzz.players:made?answer=3&other=x", "tests.fuzz.players:fails"),
        *(
            "tests.fuzz.players:leaves",
            "tests.fuzz.players:interrupts",
            "tests.fuzz.players:wants",
            "tests.fuzz.broken:x",
        ),
        *("sys:exit", "json:loads", "builtins:print", "math:pi", "nowhere:x", ".players:made", ":made", "json:"),
        *("tests.fuzz.", "search:-1", "search:99999999999999999999", "search:1e400", "search:5:nan", "search:5:-1"),
        *("human?name=", "random?x=1", "greedy?name=\ud800", "heuristic?=1", "search?worlds=true", "human?terminal=1"),
        "search:" + "9" * 5000,
    ]
)


@target(weight=40, text=_texts | altered(_texts))
def test_player_texts(text):
    """Make the player that a text names."""
    make_player(text)


# ---- players' answers

_errors = (
    *(RuntimeError("x\ny"), SystemExit(3), MemoryError(), RecursionError(), StopIteration()),
    UnicodeDecodeError("u", b"", 0, 1, "r"),
)
_answer = sometimes(st.just(...), st.just(...) | anything | st.sampled_from(_errors))


@target(
    weight=20, where=st.sampled_from(["matchup", "chunk", "single"]), answers=st.lists(_answer, min_size=1, max_size=6)
)
def test_player_answers(where, answers):
    """Let a player answer at a match-up, under a tournament's referee (all it loses is the deal), and at one table."""
    player, rules = Answering(*answers), rule_set("one_deck")
    if where == "matchup":
        play_matchup(player, "random", num_deals=2, rules=rules)
    elif where == "single":
        try:
            _play_single(SeatEnv(player, rules=rules))
        except BaseException as error:
            if not any(error is answer for answer in answers):  # what a player raises passes as it is
                raise
    else:
        batch = DealBatch((Adapter(player), RandomPlayer()), rules, 0, range(2), asker=FaultKeeper(5.0))
        for _ in batch.play():
            pass


def _play_single(env: SeatEnv) -> None:
    env.reset(seed=0)
    for _ in range(20):
        if env.step(int(np.flatnonzero(env.action_masks())[0]))[2]:
            return


# ---- tournaments and chunks

_number = st.integers(-2, 6)
_texts_of_two = st.lists(sometimes(st.just("random"), st.sampled_from(["greedy", "nobody"])), max_size=3)


@target(
    weight=15,
    named=st.fixed_dictionaries(
        {
            "players": sometimes(st.just(("random", "random")) | _texts_of_two.map(tuple)),
            "rules": sometimes(st.just(rule_set("one_deck"))),
            "num_deals": sometimes(
                st.integers(2, 4), st.integers(-3, 1) | pick([None, 1.5, "2", True, np.int64(3), np.nan])
            ),
        },
        optional={
            "seed": sometimes(_number | st.integers(0, 2**70)),
            "is_match": sometimes(st.just(False)),
            "start": sometimes(st.sampled_from(["any", "first"])),
            "time_limit": sometimes(st.none() | st.floats(1, 9)),
            "keeps_records": sometimes(st.booleans()),
            "batch_size": sometimes(st.none() | st.integers(1, 5)),
        },
    ),
)
def test_tournaments(named):
    """Play a small tournament."""
    play_tournament(Tournament(**named))


_chunk_player = st.sampled_from(["random", "tests.fuzz.players:made", "tests.fuzz.players:made?answer=99"])


@target(
    players=st.tuples(_chunk_player, _chunk_player),
    seed=st.integers(-(2**70), 2**70) | st.integers(0, 9),
    first=st.integers(0, 2**62),
    size=st.integers(1, 4),
    keeps=st.booleans(),
    limit=st.sampled_from([None, 1e-9, 0.01, 5.0, 1e300]),
)
def test_chunks(players, seed, first, size, keeps, limit):
    """Do a worker's task."""
    deals = first, first + size
    rules = rule_set("one_deck")
    played = play_chunk(Chunk(0, players, players, rules, seed, *deals, keeps_records=keeps, time_limit=limit))
    assert all(first <= fault["deal"] < first + size for fault in played.faults)


# ---- what people type

_COMMANDS = (
    "",
    "?",
    "hint",
    "table",
    "hand",
    "tricks",
    "rules",
    "wait",
    "pass",
    "quit",
    "S2",
    "nt",
    "10",
    "h 3 3",
    "♥ 3",
)
_line = (
    st.sampled_from([*_COMMANDS, *CARD_TEXTS])
    | st.text(max_size=12)
    | altered(st.sampled_from(["H3 H3", "h 3 4 5", "hint", "小王"]))
)


@target(lines=st.lists(_line, max_size=25))
def test_typed_lines(lines):
    """Sit down at a table and type lines, until they end."""
    reader = io.StringIO("".join(line.replace("\n", " ") + "\n" for line in lines))
    player = HumanPlayer(terminal=Terminal(reader, io.StringIO()))
    batch = DealBatch((player, RandomPlayer()), rule_set("one_deck"), 3, range(1), lineup=np.array([[0, 1, 1, 1]]))
    try:
        for _ in batch.play():
            pass
    except KeyboardInterrupt:
        return
