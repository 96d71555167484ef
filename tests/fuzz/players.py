"""Inputs of the arena: players' texts and answers, tournaments, chunks, lines that people type."""

import io
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shengji_env.arena import make_player, play_matchup
from shengji_env.arena.chunks import Chunk, known_player, play_chunk
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.arena.running import play_tournament
from shengji_env.arena.tournament import Tournament
from shengji_env.engine.cards import CARD_TEXTS
from shengji_env.engine.rule_sets import rule_set
from shengji_env.envs.seat import SeatEnv
from shengji_env.players.human import HumanPlayer
from shengji_env.players.human.terminal import Terminal
from shengji_env.players.player import Adapter
from shengji_env.players.random import RandomPlayer
from tests.fuzz.alterations import edit_text, text_edits
from tests.fuzz.values import anything, pick, sometimes

# ---- players by text

_TEXTS = (
    *("random", "greedy", "heuristic", "search", "search:3", "search:3:0.5", "search:10?threads=1", "human?name=Ann"),
    *("policy:runs/none", "policy:?sample=true", "policy:/", "policy:\0", "policy:~/x?sample=1"),
    *("champion", "champion?phases=bury+lead", "values:runs/none", "values:/?phases=bid", "values:\0"),
    *("tests.fuzz.players:made", "tests.fuzz.players:made?answer=3&other=x", "tests.fuzz.players:fails"),
    *("tests.fuzz.players:leaves", "tests.fuzz.players:interrupts", "tests.fuzz.players:wants", "tests.fuzz.broken:x"),
    *(
        "sys:exit",
        "json:loads",
        "builtins:print",
        "math:pi",
        "nowhere:x",
        ".players:made",
        ":made",
        "json:",
        "tests.fuzz.",
    ),
    *(
        "search:-1",
        "search:99999999999999999999",
        "search:1e400",
        "search:5:nan",
        "search:5:-1",
        "search:" + "9" * 5000,
    ),
    *("human?name=", "random?x=1", "greedy?name=\ud800", "heuristic?=1", "search?worlds=true", "human?terminal=1"),
)
texts = st.sampled_from(_TEXTS) | st.tuples(st.sampled_from(_TEXTS), text_edits).map(lambda made: edit_text(*made))


class Answering:
    """A player whose answers are given."""

    def __init__(self, *answers: Any) -> None:
        self.name, self.answers, self.number = "answering", answers, 0

    def act(self, observation: Any, action_mask: Any, key: Any) -> Any:
        """The next answer; `Ellipsis` is a legal one, an error is raised."""
        answer = self.answers[self.number % len(self.answers)]
        self.number += 1
        if answer is ...:
            return RandomPlayer().act(observation, action_mask, key)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def made(answer: Any = ..., **_: Any) -> Answering:
    """A player."""
    return Answering(answer)


def fails() -> None:
    """No player: an error of its own."""
    raise KeyError("tests")


def leaves() -> None:
    """No player: it leaves the process."""
    raise SystemExit


def interrupts() -> None:
    """No player: a timeout."""
    raise TimeoutError


def wants(more: int) -> Answering:
    """A player that needs an argument."""
    return Answering(more)


def make(text: str) -> None:
    """Make the player that a text names."""
    make_player(text)


# ---- players' answers

_answer = (
    st.just(...)
    | anything
    | st.sampled_from(
        [
            RuntimeError("x\ny"),
            SystemExit(3),
            MemoryError(),
            RecursionError(),
            StopIteration(),
            UnicodeDecodeError("u", b"", 0, 1, "r"),
        ]
    )
)
_good = st.just(...)
answers = st.tuples(
    st.sampled_from(["matchup", "chunk", "single"]), st.lists(sometimes(_good, _answer), min_size=1, max_size=6)
)


def play(case: tuple[str, list[Any]]) -> None:
    """Let a player answer at a match-up, under a tournament's referee (all it loses is the deal), and at one table."""
    where, given = case
    player = Answering(*given)
    rules = rule_set("one_deck")
    if where == "matchup":
        play_matchup(player, "random", num_deals=2, rules=rules)
    elif where == "single":
        env = SeatEnv(player, rules=rules)
        try:
            env.reset(seed=0)
            for _ in range(20):
                if env.step(int(np.flatnonzero(env.action_masks())[0]))[2]:
                    return
        except BaseException as error:
            if not any(error is answer for answer in given):  # what a player raises passes as it is
                raise
    else:
        from shengji_env.arena.faults import FaultKeeper

        batch = DealBatch((Adapter(player), RandomPlayer()), rules, 0, range(2), asker=FaultKeeper(5.0))
        for _ in batch.play():
            pass


# ---- tournaments and chunks

_number = st.integers(-2, 6)
tournaments = st.fixed_dictionaries(
    {
        "players": sometimes(
            st.lists(sometimes(st.just("random"), st.sampled_from(["greedy", "nobody"])), max_size=3).map(tuple)
        ),
        "rules": sometimes(st.just(rule_set("one_deck"))),
        "num_deals": sometimes(
            st.integers(2, 4), st.integers(-3, 1) | pick([None, 1.5, "2", True, np.int64(3), np.nan])
        ),
    },
    optional={
        "seed": sometimes(_number | st.integers(0, 2**70)),
        "is_match": sometimes(st.just(False)),
        "start": sometimes(st.sampled_from(["any", "first"])),
        "until": sometimes(st.none() | st.floats(0.01, 2)),
        "adaptive": sometimes(st.none(), st.integers(-3, 120) | pick([1.5, "2", True, np.nan])),
        "time_limit": sometimes(st.none() | st.floats(1, 9)),
        "keeps_records": sometimes(st.booleans()),
        "batch_size": sometimes(st.none() | st.integers(1, 5)),
    },
)


def hold_tournament(named: dict[str, Any]) -> None:
    """Play a small tournament."""
    play_tournament(Tournament(**named))


chunks = st.tuples(
    st.lists(
        st.sampled_from(["random", "tests.fuzz.players:made", "tests.fuzz.players:made?answer=99"]),
        min_size=2,
        max_size=2,
    ),
    st.integers(-(2**70), 2**70) | st.integers(0, 9),
    st.integers(0, 2**62),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from([None, 1e-9, 0.01, 5.0, 1e300]),
)


def play_one_chunk(case: tuple[list[str], int, int, int, bool, float | None]) -> None:
    """Do a worker's task."""
    texts_of, seed, first, size, keeps, limit = case
    rules = rule_set("one_deck")
    played = play_chunk(
        Chunk(
            0, tuple(texts_of), tuple(texts_of), rules, seed, first, first + size, keeps_records=keeps, time_limit=limit
        )
    )
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
    "h 3 3",
    "S2",
    "nt",
    "♥ 3",
    "10",
)
_line = (
    st.sampled_from(_COMMANDS)
    | st.sampled_from(CARD_TEXTS)
    | st.text(max_size=12)
    | st.tuples(st.sampled_from(["H3 H3", "h 3 4 5", "hint", "小王"]), text_edits).map(lambda both: edit_text(*both))
)
typed = st.lists(_line, max_size=25)


def type_lines(lines: list[str]) -> None:
    """Sit down at a table and type lines, until they end."""
    reader = io.StringIO("".join(line.replace("\n", " ") + "\n" for line in lines))
    player = HumanPlayer(terminal=Terminal(reader, io.StringIO()))
    table = np.array([[0, 1, 1, 1]])
    batch = DealBatch((player, RandomPlayer()), rule_set("one_deck"), 3, range(1), lineup=table)
    try:
        for _ in batch.play():
            pass
    except KeyboardInterrupt:
        return


@cache
def prepare() -> None:
    """Make every kind of player once, and a chunk."""
    for text in ("greedy", "heuristic", "search"):
        known_player(text)
    play_one_chunk((["random", "random"], 0, 0, 1, True, None))
    type_lines(["hint"])
