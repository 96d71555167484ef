"""Another program as a player: a process for each seat at each table, which speaks the protocol of docs/protocol.md.

A process is asked for whole plays, and is told what its seat may know (`deal_feed.py`). What it answers is checked
as a whole; its cards are then taken one by one. A process that goes wrong is ended, and the deal with it: `decide`
raises `PlayerError` for this decision whenever it is asked again.

A copy of a player, or one from a pickle, has the same program and no processes: it starts its own where it is asked.
They are told the round under way from its beginning, so a program that answers by what it was told goes on as before.
"""

import sys
import threading
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env import __version__
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.play import as_play
from shengji_env.engine.rule_record import RULES_DTYPE
from shengji_env.engine.rule_sets import RuleSet, rule_set
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE, Phase
from shengji_env.errors import IllegalActionError, NotationError, PlayerError, show
from shengji_env.players.answers import Answer
from shengji_env.players.decisions import AtTables, Decisions, tables_behind
from shengji_env.players.exec.bot_messages import (
    PROTOCOL,
    BotHello,
    BotPlay,
    BotRefused,
    FromBot,
    Prompt,
    ProtocolError,
    Say,
    Words,
    line_of,
    read_line,
)
from shengji_env.players.exec.bot_process import BotProcess, Limits, Program
from shengji_env.players.exec.deal_feed import Cursor, DealFeed
from shengji_env.players.exec.exec_answers import question_of, read_answer
from shengji_env.players.exec.in_words import SeatInWords
from shengji_env.players.exec.process_pool import DealKey, ProcessPool, Question
from shengji_env.players.identity import identity_of_paths
from shengji_env.players.player import Needs, Player
from shengji_env.players.whole_plays import begin_decision, find_legal_play, is_legal_play, next_action
from shengji_env.support.announcing import part
from shengji_env.support.arguments import check_index, check_positive
from shengji_env.support.cores import num_cores
from shengji_env.tables.tables import Tables

MAX_SECONDS, MAX_PROCESSES, MAX_MEMORY, MAX_FILES = 86_400.0, 10_000, 1 << 20, 1 << 16
"""Upper bounds: anything larger is a mistake."""

_OF_PROCESSES = ("_pools", "_sessions", "_left", "_lock")
"""Attributes of a player that hold its processes."""

_Moment = list[int]
"""When a decision began: number of the round, and decisions made in it before, card by card."""


@dataclass
class _SeatSession:
    """A seat at a table, and the process that sits there."""

    process: BotProcess
    cursor: Cursor = field(default_factory=Cursor)
    thought: float = 0.0
    """Seconds that it has thought in this round."""
    move: int = 0
    moment: _Moment | None = None
    """The decision that it was asked for last."""
    question: Question | None = None
    """What it is asked, until it has answered."""
    answer: Answer | None = None
    fault: str = ""
    """Why its last decision has no answer."""
    is_own: bool = True
    """Whether the answer is its own decision."""
    limit: float = 0.0
    """Seconds that it has for this decision."""
    words: SeatInWords | None = None
    """How it is told in words, if it has asked for that in this deal."""


@dataclass
class _TableSessions:
    """The tables of one environment, as far as the player sits there."""

    pool: ProcessPool
    rules: NDArray[Any]
    """The rules as compiled code reads them, shape (1,)."""
    feeds: dict[int, DealFeed] = field(default_factory=dict)
    seats: dict[int, dict[int, _SeatSession]] = field(default_factory=dict)
    """By table, then by seat."""


class ExecPlayer(Player):
    """A player that asks processes.

    Args:
        command: the command that starts one.
        shell: whether a shell reads the command; otherwise it is split into words here.
        name: its name in reports; None: that of the file that it runs, or else the command.
        seconds: time to think for a decision.
        round_seconds: time to think for all decisions of a round; None: no limit of its own.
        start_seconds: time until a process has answered ``hello``.
        processes: most processes at once.
        memory: address space of a process in megabytes; 0: any.
        files: files that a process may open.
        cpu: seconds of processor time of a process's whole life; None: any.
        env: names of environment variables that a process finds besides the usual ones, with "," between them.

    Attributes:
        num_decisions: whole decisions that processes were asked for.
        num_not_own: actions of answers that processes called no decisions of their own.
    """

    needs = Needs.RECORDS | Needs.PROCESSES
    num_not_own: int = 0

    def __init__(
        self,
        command: str,
        *,
        shell: bool = False,
        name: str | None = None,
        seconds: float = 60.0,
        round_seconds: float | None = None,
        start_seconds: float = 60.0,
        processes: int = 256,
        memory: int = 4096,
        files: int = 256,
        cpu: int | None = None,
        env: str = "",
    ) -> None:
        if sys.platform == "win32":
            raise PlayerError("exec: needs a system with process groups, such as Linux or macOS")
        self._seconds = check_positive("seconds", seconds, MAX_SECONDS, PlayerError)
        self._round_seconds = round_seconds
        if round_seconds is not None:
            self._round_seconds = check_positive("round_seconds", round_seconds, MAX_SECONDS, PlayerError)
        self._start_seconds = check_positive("start_seconds", start_seconds, MAX_SECONDS, PlayerError)
        self._most = check_index("processes", processes, 1, MAX_PROCESSES, error=PlayerError)
        limits = Limits(
            memory=check_index("memory", memory, 0, MAX_MEMORY, error=PlayerError) or None,
            files=check_index("files", files, 3, MAX_FILES, error=PlayerError),
            cpu=None if cpu is None else check_index("cpu", cpu, 1, int(MAX_SECONDS), error=PlayerError),
        )
        self._program = Program(command, shell, tuple(str(env).split(",")) if env else (), limits)
        self._program.words  # noqa: B018  # raises an error for a command that cannot be read
        self.name = self._program.title if name is None else str(name)
        self.num_decisions = 0
        _compile_exec()
        self._forget_processes()

    def _forget_processes(self) -> None:
        """Make what holds the processes, of which there are none yet."""
        self._pools: dict[str, ProcessPool] = {}
        self._sessions: weakref.WeakKeyDictionary[Tables, _TableSessions] = weakref.WeakKeyDictionary()
        self._left: list[_TableSessions] = []
        self._lock = threading.Lock()
        weakref.finalize(self, _end_all, self._pools)

    def __getstate__(self) -> dict[str, Any]:
        """Without processes."""
        return {name: value for name, value in self.__dict__.items() if name not in _OF_PROCESSES}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget_processes()

    def __repr__(self) -> str:
        return f"ExecPlayer({self._program.command!r}, shell={self._program.is_shell})"

    @property
    def pools(self) -> tuple[ProcessPool, ...]:
        """Its processes, for each rule set under which it has played."""
        return tuple(self._pools.values())

    def identity(self, rules: RuleSet) -> tuple[str, ...]:
        """Return a digest of the files that its command names; "unknown" if it names none."""
        return identity_of_paths(self._program.files)

    def close(self) -> None:
        """End all processes. It may play on, with new ones."""
        with self._lock:
            _end_all(self._pools)
            self._sessions.clear()

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose actions, shape (B,).

        Raises:
            PlayerError: a process cannot be started, or goes wrong.
        """
        with self._lock:
            self._take_back()
            sessions = self._sessions_at(tables_behind(decisions)[0])
            seated = self._seats(sessions, decisions)
            while asked := {index: each.question for index, each in enumerate(seated) if each.question is not None}:
                sessions.pool.ask(list(asked.values()))
                for index in asked:
                    _settle(seated[index], sessions, decisions, index)
            for session in seated:
                if session.fault:
                    sessions.pool.drop(session.process)
            faults = [session.fault for session in seated if session.fault]
            if faults:
                raise PlayerError(faults[0])
            self.num_not_own += sum(not session.is_own for session in seated)
            return np.array([_action(session, decisions, index) for index, session in enumerate(seated)], np.int64)

    def end_rounds(self, ended: AtTables) -> None:
        """Tell the processes at some tables how their rounds have ended."""
        tables, rows = tables_behind(ended)
        with self._lock:
            sessions = self._sessions.get(tables)
            if sessions is not None:
                for row in set(rows.tolist()) & set(sessions.feeds):
                    _finish(sessions, tables, row)

    def _take_back(self) -> None:
        """Take back the processes of tables that are gone."""
        while self._left:
            sessions = self._left.pop()
            sessions.pool.give_back(
                session.process for seated in sessions.seats.values() for session in seated.values()
            )

    def _sessions_at(self, tables: Tables) -> _TableSessions:
        sessions = self._sessions.get(tables)
        if sessions is None:
            rules = tables.shared["rules"].astype(RULES_DTYPE)
            sessions = self._sessions[tables] = _TableSessions(self._pool(tables.rules), rules)
            weakref.finalize(tables, self._left.append, sessions)
        return sessions

    def _pool(self, rules: RuleSet) -> ProcessPool:
        if rules.fingerprint not in self._pools:
            hello = BotHello(PROTOCOL, __version__, rules.to_json(), self._seconds, self._round_seconds)
            self._pools[rules.fingerprint] = ProcessPool(
                self._program, hello, most=self._most, start_seconds=self._start_seconds, cores=num_cores()
            )
        return self._pools[rules.fingerprint]

    def _seats(self, sessions: _TableSessions, decisions: Decisions) -> list[_SeatSession]:
        """Return the session that makes each decision; ask it, unless it has been asked for this decision before."""
        tables, rows = tables_behind(decisions)
        states, seats = tables.states, tables.seats[rows].tolist()
        rounds, plies = states["round_index"][rows].tolist(), tables.progress["ply"][rows] - states["taken_size"][rows]
        seated = []
        for index, (row, seat, *moment) in enumerate(zip(rows.tolist(), seats, rounds, plies.tolist(), strict=True)):
            session = sessions.seats.get(row, {}).get(seat)
            if session is None or session.moment != moment:
                feed = self._feed(sessions, tables, row)
                feed.follow(tables, row)
                if seat not in sessions.seats.get(row, {}):
                    self._begin(sessions, tables, row, seat)
                session = sessions.seats[row][seat]
                session.moment, session.answer, session.fault = moment, None, session.process.fault
                self._ask(session, feed.messages_for(seat, session.cursor), sessions, decisions, index)
            seated.append(session)
        return seated

    def _feed(self, sessions: _TableSessions, tables: Tables, row: int) -> DealFeed:
        """Return the feed of the deal at a table; begin one if it is new."""
        feed = sessions.feeds.get(row)
        if feed is None or not feed.is_at(tables, row):
            if feed is not None:
                _finish(sessions, tables, row)
            feed = sessions.feeds[row] = DealFeed(tables, row)
            for seat in sessions.seats.get(row, {}):
                self._begin(sessions, tables, row, seat)
        return feed

    def _begin(self, sessions: _TableSessions, tables: Tables, row: int, seat: int) -> None:
        """Begin a deal at a seat; a process that has failed, or knows this deal, is replaced."""
        seated, deal = sessions.seats.setdefault(row, {}), _deal(tables, row)
        before, is_again = seated.get(seat), bool(tables.states["redeals"][row])
        if before is None or before.process.fault or (deal in before.process.seen and not is_again):
            sessions.pool.give_back([] if before is None else [before.process])
            process = sessions.pool.take(deal)
        else:
            process = before.process
            process.seen.add(deal)
        process.begin_round()
        process.send(sessions.feeds[row].begin(seat))
        seated[seat] = _SeatSession(process)
        if before is not None:
            seated[seat].move, seated[seat].thought = before.move, before.thought if is_again else 0.0

    def _ask(
        self, session: _SeatSession, lines: bytes, sessions: _TableSessions, decisions: Decisions, index: int
    ) -> None:
        if session.fault:
            return
        session.move += 1
        self.num_decisions += 1
        question = line_of(question_of(session.move, decisions, index, sessions.rules))
        limits = [self._seconds]
        if decisions.time_limit is not None:
            limits.append(decisions.time_limit)
        if self._round_seconds is not None:
            limits.append(max(self._round_seconds - session.thought, 0.0))
        session.limit = min(limits)
        session.question = Question(session.process, lines + question, session.limit)


def _finish(sessions: _TableSessions, tables: Tables, row: int) -> None:
    """Follow a round to its end, and tell the processes."""
    feed = sessions.feeds[row]
    feed.finish(tables, row)
    for seat, session in sessions.seats.get(row, {}).items() if feed.is_over else []:
        session.process.send(feed.messages_for(seat, session.cursor))


def _deal(tables: Tables, row: int) -> DealKey:
    number, round_index = tables.progress["number"][row], tables.states["round_index"][row]
    return int(tables.shared["seed"][0]), int(number), int(round_index)


def _settle(session: _SeatSession, sessions: _TableSessions, decisions: Decisions, index: int) -> None:
    """Read a process's answer; note why it has none."""
    asked, session.question = session.question, None
    assert asked is not None
    session.thought += asked.took
    if asked.answer is None:
        session.fault = asked.process.fault
        return
    try:
        said: FromBot | None = read_line(asked.answer)
        if isinstance(said, Words | Say):
            said = _talk(session, said, sessions, decisions, index, asked.took)
        if said is not None:
            session.answer = read_answer(said, session.move, decisions, index, sessions.rules)
            session.is_own = not isinstance(said, BotPlay) or said.own
    except (ProtocolError, NotationError) as error:
        asked.process.fail(f"its answer {asked.process.shown(asked.answer)}: {error}")
    except IllegalActionError as error:
        legal = f"; legal: {', '.join(error.legal)}" if error.legal else ""
        asked.process.fail(f"its play {show(error.action)} is refused: {error.reason}{legal}")
    session.fault = asked.process.fault


def _talk(
    session: _SeatSession, message: Words | Say, sessions: _TableSessions, decisions: Decisions, index: int, took: float
) -> BotPlay | None:
    """Handle what a process asks or says in words; return its play, None if it is to answer once more."""
    tables, rows = tables_behind(decisions)
    row = int(rows[index])
    feed, seat = sessions.feeds[row], int(tables.seats[row])
    if message.move != session.move:
        raise ProtocolError(f"move {session.move} is asked for")
    if isinstance(message, Words):
        if session.words is None or not session.words.suits(message):
            session.words = SeatInWords(tables.rules, message)
        question = question_of(session.move, decisions, index, sessions.rules)
        reply: Prompt | BotRefused | BotPlay = session.words.prompt(feed, seat, question)
    elif session.words is None:
        raise ProtocolError("say answers a prompt: ask for one with words first")
    else:
        reply = session.words.reply(message)
    if isinstance(reply, BotPlay):
        return reply
    session.limit -= took
    if session.limit <= 0:
        raise ProtocolError("its time for this decision is over")
    session.question = Question(session.process, line_of(reply), session.limit)
    return None


def _action(session: _SeatSession, decisions: Decisions, index: int) -> int:
    """Return the next action of a session's answer."""
    answer, (tables, rows) = session.answer, tables_behind(decisions)
    assert answer is not None
    row = int(rows[index])
    return int(next_action(tables.states[row : row + 1], decisions.action_mask[index], as_play(answer)))


def _end_all(pools: dict[str, ProcessPool]) -> None:
    while pools:
        pools.popitem()[1].end()


@part("exec", "the exec player: exec:COMMAND")
def _compile_exec() -> None:
    states: NDArray[Any] = np.zeros(1, STATE_DTYPE)
    begin_decision(states, 0, states.copy())
    rules = rule_set().record().astype(RULES_DTYPE)
    works, cards = np.zeros(1, WORKSPACE_DTYPE), np.zeros(NUM_SLOTS, np.int8)
    is_legal_play(states, rules, works, cards)
    states["phase"], states["lead_size"] = Phase.FOLLOW, 0
    find_legal_play(states, rules, works, cards)
    next_action(states, np.ones(NUM_ACTIONS, np.int8), as_play(cards))
