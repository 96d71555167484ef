"""The processes of one bot: one for each seat at each table, all asked at once.

A process that has sat at a deal never sits at it again, in no seat and at no other table, since it would know hidden
hands. When a table is left, its processes go on to other deals.

Lines are first written to all processes that are asked, and then their answers are waited for, as they come. The time
to think is counted as if each core of this machine let one of them think at a time: n processes asked at once on c
cores have n / c times as long, rounded up.
"""

import math
import selectors
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from shengji_env.errors import PlayerError
from shengji_env.players.exec.bot_messages import PROTOCOL, BotHello, End, ProtocolError, Ready, line_of, read_line
from shengji_env.players.exec.bot_process import GRACE, BotProcess, Program
from shengji_env.players.exec.watchdog import Watchdog

DealKey = tuple[int, int, int]
"""The cards of a round, the same at every table that plays them: seed, number of the table, number of the round."""


@dataclass
class Question:
    """What a process is asked: it is to answer with a line."""

    process: BotProcess
    lines: bytes
    """Lines to send: messages, and the question; nothing once they were sent."""
    seconds: float
    """How long it may think."""
    answer: bytes | None = None
    """Its line; None until it has come."""
    took: float = 0.0
    """How long it has thought."""


class ProcessPool:
    """The processes of one bot under one rule set.

    Args:
        program: what they are started from.
        hello: the first line to each.
        most: most processes at once.
        start_seconds: how long a process may take to answer `hello`.
        cores: how many of them can think at a time.

    Attributes:
        num_started: how many processes were started.
        num_killed: how many did not end by themselves when they were told to.
    """

    def __init__(self, program: Program, hello: BotHello, *, most: int, start_seconds: float, cores: int) -> None:
        self._program, self._hello, self._most = program, line_of(hello), most
        self._start_seconds, self._cores = start_seconds, cores
        self._selector = selectors.DefaultSelector()
        self._watchdog = Watchdog()
        self._idle: list[BotProcess] = []
        self._busy: set[BotProcess] = set()
        self.num_started = self.num_killed = 0

    def take(self, deal: DealKey) -> BotProcess:
        """Return a process for a seat at a deal, started if need be.

        Raises:
            PlayerError: it cannot be started, or there are too many.
        """
        for failed in [each for each in self._idle if each.fault]:
            self._idle.remove(failed)
            self._dismiss(failed)
        process = next((each for each in self._idle if deal not in each.seen), None)
        if process is None:
            process = self._start()
        else:
            self._idle.remove(process)
        process.seen.add(deal)
        self._busy.add(process)
        return process

    def _start(self) -> BotProcess:
        if len(self._busy) >= self._most:
            raise PlayerError(
                f"{self._most} processes of {self._program.command!r} play already: play fewer tables at once, or allow"
                f" more with ?processes={2 * self._most}"
            )
        if len(self._busy) + len(self._idle) >= self._most:
            self._dismiss(self._idle.pop(0))
        process = BotProcess(self._program)
        self.num_started += 1
        self._watchdog.watch(process.group)
        self._selector.register(process.stdout, selectors.EVENT_READ, (process, self._read_stdout))
        self._selector.register(process.stderr, selectors.EVENT_READ, (process, self._read_stderr))
        process.send(self._hello, asks=True)
        return process

    def give_back(self, processes: Iterable[BotProcess]) -> None:
        """Take back processes whose tables were left."""
        for process in processes:
            if process in self._busy:
                self._busy.discard(process)
                self._idle.append(process)

    def drop(self, process: BotProcess) -> None:
        """End a process that has failed."""
        if process in self._busy:
            self._busy.remove(process)
            self._dismiss(process)

    def end(self) -> None:
        """End all processes."""
        everyone = [*self._idle, *self._busy]
        for process in everyone:
            process.send(line_of(End()))
            process.close_input()
        until = time.monotonic() + GRACE
        for process in everyone:
            self.num_killed += not self._dismiss(process, grace=max(0.0, until - time.monotonic()))
        self._idle, self._busy = [], set()
        self._watchdog.end()
        self._selector.close()

    def _dismiss(self, process: BotProcess, *, grace: float = 0.0) -> bool:
        """End a process; return whether it has ended by itself within the grace period."""
        for pipe in (process.stdin, process.stdout, process.stderr):
            self._ignore(pipe)
        has_ended = process.end(grace=grace)
        self._watchdog.forget(process.group)
        return has_ended

    def _ignore(self, pipe: int) -> None:
        if pipe in self._selector.get_map():
            self._selector.unregister(pipe)

    def ask(self, questions: list[Question]) -> None:
        """Ask some processes, and wait for one line of each; those that give none have a fault.

        If this is interrupted, it may be called again.
        """
        for each in questions:
            lines, each.lines = each.lines, b""
            if lines:
                each.process.send(lines, asks=True)
        share = max(1, math.ceil(len(questions) / self._cores))
        unready = [each for each in questions if not each.process.is_ready]
        self._wait(unready, self._start_seconds * share, self._is_ready, time.monotonic())
        began = time.monotonic()
        for seconds in sorted({each.seconds for each in questions}):
            self._wait([each for each in questions if each.seconds == seconds], seconds * share, _has_answered, began)
        for each in questions:
            each.took /= share

    def _wait(
        self, questions: list[Question], seconds: float, is_done: Callable[[Question, float], bool], began: float
    ) -> None:
        """Wait until `is_done` holds for all that are asked; those for which it does not have a fault."""
        waiting = {each.process: each for each in questions if not is_done(each, 0.0)}
        behind = [process for process in waiting if process.has_unsent]
        for process in behind:
            self._selector.register(process.stdin, selectors.EVENT_WRITE, (process, self._send_on))
        left = math.inf
        while waiting and left > 0:
            left = began + seconds - time.monotonic()
            events = self._selector.select(max(left, 0.0))
            took = time.monotonic() - began
            for key, _ in events:
                process, do = key.data
                do(process)
                if process in waiting and is_done(waiting[process], took):
                    del waiting[process]
        for process in waiting:
            what = "answered" if process.is_ready else "begun to play: no ready has come"
            process.fail(process.why_ended(f"it has not {what} within {seconds:.3g} s", 0.0))
        for process in behind:
            self._ignore(process.stdin)

    def _send_on(self, process: BotProcess) -> None:
        """Send what a process has not taken yet."""
        process.send()
        if process.fault or not process.has_unsent:
            self._ignore(process.stdin)

    def _is_ready(self, question: Question, took: float) -> bool:
        """Whether a process has answered ``hello``, or cannot."""
        process = question.process
        if process.is_ready or process.fault:
            return True
        line = process.take_line()
        if line is None:
            return False
        try:
            message = read_line(line)
            if not isinstance(message, Ready):
                process.fail(f"its first line {process.shown(line)} is not a ready")
            elif message.protocol != PROTOCOL:
                process.fail(f"it speaks protocol {message.protocol}; protocol {PROTOCOL} is spoken here")
            else:
                process.is_ready = True
        except ProtocolError as error:
            process.fail(f"its first line {process.shown(line)} is not a ready: {error}")
        return True

    def _read_stdout(self, process: BotProcess) -> None:
        process.read_stdout()
        if process.fault:
            self._ignore(process.stdout)

    def _read_stderr(self, process: BotProcess) -> None:
        if not process.read_stderr() or process.fault:
            self._ignore(process.stderr)


def _has_answered(question: Question, took: float) -> bool:
    """Whether a process has answered, or cannot."""
    if question.answer is None and not question.process.fault:
        question.answer = question.process.take_line()
        question.took = took
    return question.answer is not None or bool(question.process.fault)
