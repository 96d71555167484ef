"""The terminal at which people play or watch: it asks for lines, and reports each event at a table once."""

import contextlib
import importlib
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TextIO

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.words.telling import Telling
from shengji_env.render import narrate_round, render_table
from shengji_env.render.round_record import PublicRound, Round
from shengji_env.render.rule_words import own_language
from shengji_env.render.text import Language
from shengji_env.render.view import view_table

_MARGIN = "  "


class Terminal:
    """Two streams, and what has been printed on them.

    Args:
        reader: where lines are read from; None: standard input.
        writer: where text is written to; None: standard output.

    Attributes:
        language: in which rounds are told, and rules explained.
        names: who sits in the four seats; empty if it is not to be shown.
        pause: seconds to wait after each line about the round.
        reveal: returns a table's whole state if all hands are to be shown; None: each person sees only their own hand.
        num_rounds: how many rounds have begun here.
    """

    def __init__(self, reader: TextIO | None = None, writer: TextIO | None = None) -> None:
        self._reader, self._writer = reader, writer
        self.language: Language = own_language()
        self.names: Sequence[str] = ()
        self.pause = 0.0
        self.reveal: Callable[[], Any] | None = None
        self.num_rounds = 0
        self._told: list[str] = []
        self._is_over = False

    @property
    def reader(self) -> TextIO:
        """Where lines are read from."""
        return self._reader or sys.stdin

    @property
    def writer(self) -> TextIO:
        """Where text is written to."""
        return self._writer or sys.stdout

    @property
    def is_interactive(self) -> bool:
        """Whether a person sits at it: both streams are a terminal's."""
        return self.reader.isatty() and self.writer.isatty()

    @property
    def color(self) -> bool:
        """Whether colours can be shown."""
        return self.writer.isatty()

    def say(self, text: str) -> None:
        """Write a paragraph."""
        print(text, file=self.writer, flush=True)

    def ask(self, prompt: str) -> str:
        """Ask for a line, and return it without blanks around it.

        What was typed on a keyboard before the prompt is dropped: it was meant for something else, and an empty line
        may be a decision.

        Raises:
            KeyboardInterrupt: the input has ended.
        """
        is_console = self.is_interactive and (self._reader, self._writer) == (None, None)
        try:
            return (self._ask_console(prompt) if is_console else self._ask_stream(prompt)).strip()
        except EOFError:
            self.say("")
            self.quit("the input has ended")

    def _ask_console(self, prompt: str) -> str:
        _forget_typed_ahead(self.reader)
        with contextlib.suppress(ImportError):
            importlib.import_module("readline")  # makes lines editable, and earlier ones available
        return input(prompt)

    def _ask_stream(self, prompt: str) -> str:
        print(prompt, end="", file=self.writer, flush=True)
        line = self.reader.readline()
        if not line:
            raise EOFError
        if not self.reader.isatty():
            print(line.rstrip("\n"), file=self.writer, flush=True)
        return line

    def quit(self, why: str = "") -> NoReturn:
        """Leave the game, as Ctrl-C does.

        Raises:
            KeyboardInterrupt: always.
        """
        raise KeyboardInterrupt(why)

    def tell(self, record: Round | PublicRound, rules: RuleSet) -> None:
        """Print what is new in a round, given its record so far (`Transcript.public_record`)."""
        lines = self._lines(record, rules)
        if lines[: len(self._told)] != self._told:
            self._told = []
            self._is_over = False
            self.num_rounds += 1
        for line in lines[len(self._told) :]:
            self.say(_MARGIN + line)
            time.sleep(self.pause)
        self._told = lines

    def _lines(self, record: Round | PublicRound, rules: RuleSet) -> list[str]:
        if self.language == "en":
            return narrate_round(record, rules, names=self.names, color=self.color)
        telling = Telling(self.language, None)
        telling.tell_record(record, rules)
        return [piece.strip("\n；。") for piece in telling.pieces]

    def show_table(self, state: Any, rules: RuleSet, viewer: int | None) -> None:
        """Draw a table as a seat may see it, or with all hands if they are to be shown."""
        if self.reveal is not None:
            state, viewer = self.reveal(), None
        self._draw(state, rules, viewer)

    def show_result(self, state: Any, record: Round, rules: RuleSet, viewer: int | None) -> None:
        """Print the end of a round, given its record and last state: only once, even if called several times."""
        self.tell(record, rules)
        if not self._is_over:
            self._is_over = True
            self._draw(state, rules, viewer)

    def _draw(self, state: Any, rules: RuleSet, viewer: int | None) -> None:
        view = view_table(state, rules, viewer=viewer, names=self.names)
        self.say("\n" + render_table(view, color=self.color) + "\n")


def _forget_typed_ahead(reader: TextIO) -> None:
    """Drop what has been typed and not been read."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        if sys.platform == "win32":
            import msvcrt

            while msvcrt.kbhit():
                msvcrt.getwch()
        else:
            import termios

            termios.tcflush(reader.fileno(), termios.TCIFLUSH)
