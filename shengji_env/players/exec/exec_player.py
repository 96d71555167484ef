"""Another program as a player: a process for each seat at each table, which speaks the protocol of docs/protocol.md.

A process is asked for whole plays, and hears what its seat may know (`hearing.py`). What it answers is checked
as a whole; its cards are then taken one by one. A process that goes wrong is ended, and the deal with it: `decide`
raises `PlayerError` for this decision whenever it is asked again.

A copy of a player, or one from a pickle, has the same program and no processes: it starts its own where it is asked.
They hear the round under way from its beginning, so a program that answers by what it has heard goes on as before.
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
from shengji_env.players.compiled import announce
from shengji_env.players.decisions import AtTables, Decisions, tables_behind
from shengji_env.players.exec.company import Asked, Company, Deal
from shengji_env.players.exec.exec_answers import question_of, read_answer
from shengji_env.players.exec.hearing import Hearing, Told
from shengji_env.players.exec.messages import PROTOCOL, Hello, ProtocolError, line_of
from shengji_env.players.exec.process import BotProcess, Limits, Program
from shengji_env.players.player import Needs, Player
from shengji_env.players.whole_plays import begin_decision, find_legal_play, is_legal_play, next_action
from shengji_env.support.arguments import check_index
from shengji_env.support.cores import num_cores
from shengji_env.tables.tables import Tables

MOST_SECONDS, MOST_PROCESSES, MOST_MEMORY, MOST_FILES = 86_400.0, 10_000, 1 << 20, 1 << 16
"""Upper bounds: anything larger is a mistake."""

_OF_PROCESSES = ("_companies", "_rooms", "_left", "_lock")
"""Attributes of a player that hold its processes."""

Ply = list[int]
"""When a decision began: number of the round, and decisions made in it before, card by card."""


@dataclass
class _Chair:
    """A seat at a table, and the process that sits there."""

    process: BotProcess
    told: Told = field(default_factory=Told)
    thought: float = 0.0
    """Seconds that it has thought in this round."""
    move: int = 0
    ply: Ply | None = None
    """The decision that it was asked for last."""
    asked: Asked | None = None
    """What it was asked, until it has answered."""
    answer: Answer | None = None
    fault: str = ""
    """Why its last decision has no answer."""


@dataclass
class _Room:
    """The tables of one environment, as far as the player sits there."""

    company: Company
    rules: NDArray[Any]
    """The rules as compiled code reads them, shape (1,)."""
    hearings: dict[int, Hearing] = field(default_factory=dict)
    chairs: dict[int, dict[int, _Chair]] = field(default_factory=dict)
    """By table, then by seat."""


class ExecPlayer(Player):
    """A player that asks processes.

    Args:
        command: the command that starts one.
        shell: whether a shell reads the command; otherwise it is split into words here.
        name: its name in reports; None: the command.
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
    """

    needs = Needs.RECORDS | Needs.PROCESSES

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
        self.name = command if name is None else str(name)
        self._seconds = _check_seconds("seconds", seconds)
        self._round_seconds = None if round_seconds is None else _check_seconds("round_seconds", round_seconds)
        self._start_seconds = _check_seconds("start_seconds", start_seconds)
        self._most = check_index("processes", processes, 1, MOST_PROCESSES, error=PlayerError)
        limits = Limits(
            memory=check_index("memory", memory, 0, MOST_MEMORY, error=PlayerError) or None,
            files=check_index("files", files, 3, MOST_FILES, error=PlayerError),
            cpu=None if cpu is None else check_index("cpu", cpu, 1, int(MOST_SECONDS), error=PlayerError),
        )
        self._program = Program(command, shell, tuple(str(env).split(",")) if env else (), limits)
        self._program.words  # noqa: B018  # raises an error for a command that cannot be read
        self.num_decisions = 0
        announce("exec", compile_exec)
        self._make_room()

    def _make_room(self) -> None:
        """Make what holds the processes, of which there are none yet."""
        self._companies: dict[str, Company] = {}
        self._rooms: weakref.WeakKeyDictionary[Tables, _Room] = weakref.WeakKeyDictionary()
        self._left: list[_Room] = []
        self._lock = threading.Lock()
        weakref.finalize(self, _end_all, self._companies)

    def __getstate__(self) -> dict[str, Any]:
        """Without processes."""
        return {name: value for name, value in self.__dict__.items() if name not in _OF_PROCESSES}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_room()

    def __repr__(self) -> str:
        return f"ExecPlayer({self._program.command!r}, shell={self._program.is_shell})"

    @property
    def companies(self) -> tuple[Company, ...]:
        """Its processes, for each rule set under which it has played."""
        return tuple(self._companies.values())

    def close(self) -> None:
        """End all processes. It may play on, with new ones."""
        with self._lock:
            _end_all(self._companies)
            self._rooms.clear()

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose actions, shape (B,).

        Raises:
            PlayerError: a process cannot be started, or goes wrong.
        """
        with self._lock:
            self._take_back()
            room = self._room(tables_behind(decisions)[0])
            chairs = self._chairs(room, decisions)
            asked = {place: chair.asked for place, chair in enumerate(chairs) if chair.asked is not None}
            if asked:
                room.company.ask(list(asked.values()))
            for place in asked:
                _settle(chairs[place], room, decisions, place)
            for chair in chairs:
                if chair.fault:
                    room.company.drop(chair.process)
            faults = [chair.fault for chair in chairs if chair.fault]
            if faults:
                raise PlayerError(faults[0])
            return np.array([_action(chair, decisions, place) for place, chair in enumerate(chairs)], np.int64)

    def end_rounds(self, ended: AtTables) -> None:
        """Tell the processes at some tables how their rounds have ended."""
        tables, rows = tables_behind(ended)
        with self._lock:
            room = self._rooms.get(tables)
            if room is not None:
                for row in set(rows.tolist()) & set(room.hearings):
                    _finish(room, tables, row)

    def _take_back(self) -> None:
        """Take back the processes of tables that are gone."""
        while self._left:
            room = self._left.pop()
            room.company.give_back(chair.process for chairs in room.chairs.values() for chair in chairs.values())

    def _room(self, tables: Tables) -> _Room:
        room = self._rooms.get(tables)
        if room is None:
            rules = tables.shared["rules"].astype(RULES_DTYPE)
            room = self._rooms[tables] = _Room(self._company(tables.rules), rules)
            weakref.finalize(tables, self._left.append, room)
        return room

    def _company(self, rules: RuleSet) -> Company:
        if rules.fingerprint not in self._companies:
            hello = Hello(PROTOCOL, __version__, rules.to_json(), self._seconds, self._round_seconds)
            self._companies[rules.fingerprint] = Company(
                self._program, hello, most=self._most, start_seconds=self._start_seconds, cores=num_cores()
            )
        return self._companies[rules.fingerprint]

    def _chairs(self, room: _Room, decisions: Decisions) -> list[_Chair]:
        """Return the chair that makes each decision; ask it, unless it has been asked for this decision before."""
        tables, rows = tables_behind(decisions)
        states, seats = tables.states, tables.seats[rows].tolist()
        rounds, plies = states["round_index"][rows].tolist(), tables.progress["ply"][rows] - states["taken_size"][rows]
        chairs = []
        for place, (row, seat, *ply) in enumerate(zip(rows.tolist(), seats, rounds, plies.tolist(), strict=True)):
            chair = room.chairs.get(row, {}).get(seat)
            if chair is None or chair.ply != ply:
                hearing = self._hearing(room, tables, row)
                hearing.follow(tables, row)
                chair = self._chair(room, tables, row, seat)
                chair.ply, chair.answer, chair.fault = ply, None, chair.process.fault
                self._ask(chair, hearing.tell(seat, chair.told), room, decisions, place)
            chairs.append(chair)
        return chairs

    def _chair(self, room: _Room, tables: Tables, row: int, seat: int) -> _Chair:
        """Return a seat's chair, in which a process sits."""
        chairs = room.chairs.setdefault(row, {})
        if seat not in chairs:
            process = room.company.take(_deal(tables, row))
            process.begin_round()
            process.send(room.hearings[row].begin(seat))
            chairs[seat] = _Chair(process)
        return chairs[seat]

    def _hearing(self, room: _Room, tables: Tables, row: int) -> Hearing:
        """Return the hearing of the deal at a table; begin one if it is new."""
        hearing = room.hearings.get(row)
        if hearing is None or not hearing.is_at(tables, row):
            if hearing is not None:
                _finish(room, tables, row)
            hearing = room.hearings[row] = Hearing(tables, row)
            for seat, chair in list(room.chairs.get(row, {}).items()):
                self._begin(room, tables, row, seat, chair)
        return hearing

    def _begin(self, room: _Room, tables: Tables, row: int, seat: int, chair: _Chair) -> None:
        """Begin the next deal with a chair; a process that has failed, or knows this deal, is replaced."""
        process, deal = chair.process, _deal(tables, row)
        is_again = bool(tables.states["redeals"][row])
        if process.fault or (deal in process.seen and not is_again):
            room.company.give_back([process])
            process = room.company.take(deal)
        process.seen.add(deal)
        process.begin_round()
        process.send(room.hearings[row].begin(seat))
        thought = chair.thought if is_again else 0.0
        room.chairs[row][seat] = _Chair(process, thought=thought, move=chair.move)

    def _ask(self, chair: _Chair, lines: bytes, room: _Room, decisions: Decisions, place: int) -> None:
        if chair.fault:
            return
        chair.move += 1
        self.num_decisions += 1
        question = line_of(question_of(chair.move, decisions, place, room.rules))
        limits = [self._seconds]
        if decisions.time_limit is not None:
            limits.append(decisions.time_limit)
        if self._round_seconds is not None:
            limits.append(max(self._round_seconds - chair.thought, 0.0))
        chair.asked = Asked(chair.process, lines + question, min(limits))


def _finish(room: _Room, tables: Tables, row: int) -> None:
    """Hear a round to its end, and tell the processes."""
    hearing = room.hearings[row]
    hearing.finish(tables, row)
    for seat, chair in room.chairs.get(row, {}).items() if hearing.is_over else []:
        chair.process.send(hearing.tell(seat, chair.told))


def _deal(tables: Tables, row: int) -> Deal:
    number, round_index = tables.progress["number"][row], tables.states["round_index"][row]
    return int(tables.shared["seed"][0]), int(number), int(round_index)


def _settle(chair: _Chair, room: _Room, decisions: Decisions, place: int) -> None:
    """Read a process's answer; note why it has none."""
    asked, chair.asked = chair.asked, None
    assert asked is not None
    chair.thought += asked.took
    if asked.answer is None:
        chair.fault = asked.process.fault
        return
    try:
        chair.answer = read_answer(asked.answer, chair.move, decisions, place, room.rules)
    except (ProtocolError, NotationError) as error:
        asked.process.fail(f"its answer {show(asked.answer.decode(errors='replace'))}: {error}")
    except IllegalActionError as error:
        legal = f"; legal: {', '.join(error.legal)}" if error.legal else ""
        asked.process.fail(f"its play {show(error.action)} is refused: {error.reason}{legal}")
    chair.fault = asked.process.fault


def _action(chair: _Chair, decisions: Decisions, place: int) -> int:
    """Return the next action of a chair's answer."""
    answer, (tables, rows) = chair.answer, tables_behind(decisions)
    assert answer is not None
    row = int(rows[place])
    return int(next_action(tables.states[row : row + 1], decisions.action_mask[place], as_play(answer)))


def _end_all(companies: dict[str, Company]) -> None:
    while companies:
        companies.popitem()[1].end()


def _check_seconds(name: str, seconds: float) -> float:
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not (is_number and 0 < seconds <= MOST_SECONDS):
        raise PlayerError(f"{name}={show(seconds)} must be a number above 0, and at most {MOST_SECONDS:g}")
    return float(seconds)


def compile_exec() -> None:
    """Compile what an answer needs, or load it from the cache."""
    states: NDArray[Any] = np.zeros(1, STATE_DTYPE)
    begin_decision(states, 0, states.copy())
    rules = rule_set().record().astype(RULES_DTYPE)
    works, cards = np.zeros(1, WORKSPACE_DTYPE), np.zeros(NUM_SLOTS, np.int8)
    is_legal_play(states, rules, works, cards)
    states["phase"], states["lead_size"] = Phase.FOLLOW, 0
    find_legal_play(states, rules, works, cards)
    next_action(states, np.ones(NUM_ACTIONS, np.int8), as_play(cards))
