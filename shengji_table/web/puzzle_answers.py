"""What is answered to a browser that asks for puzzles.

| path | what |
|---|---|
| ``/puzzles.json`` | all puzzles: key, rules, level, theme |
| ``/puzzles/NUMBER`` | what its seat sees and is asked, a `TableState` |
| ``/puzzles/NUMBER/choose?cards=…`` | which cards may join these: an `Extend` |
| ``/puzzles/NUMBER/answer?cards=…`` | a `Solution`; nothing is kept, and an answer may be asked for again |

What is not possible is answered with a `Refused`.
"""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from shengji_env.errors import IllegalActionError, NotationError
from shengji_env.support.wire import write_message
from shengji_table.web.answer import Handler, HttpAnswer, json_answer, not_found
from shengji_table.web.messages import Refused, TableState
from shengji_table.web.puzzle_desk import PuzzleDesk
from shengji_table.web.questions import objection
from shengji_table.web.refusals import REFUSALS
from shengji_table.web.review_code import ReviewCode
from shengji_table.web.thinking import think

_NUMBER = r"/puzzles/(?P<number>\d{1,9})"


@dataclass
class PuzzleAnswers:
    """Answers what pages ask about puzzles."""

    desk: PuzzleDesk
    executor: Executor | None
    """Where answers are valued, one at a time."""
    code: ReviewCode
    has_playouts: bool
    """Whether there is time for playouts, which value answers that nobody has valued yet."""
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def patterns(self) -> dict[str, Handler]:
        """What answers by pattern of the path, but for that of the page."""
        return {
            "/puzzles.json": self._list, _NUMBER: self._show, f"{_NUMBER}/choose": self._choose,
            f"{_NUMBER}/answer": self._answer,
        }  # fmt: skip

    async def _list(self, **_: Any) -> HttpAnswer:
        return json_answer(self.desk.listed)

    async def _show(self, number: str, query: Mapping[str, str]) -> HttpAnswer:
        return self._told(int(number), query, lambda number, _: write_message(self._state(number)))

    async def _choose(self, number: str, query: Mapping[str, str]) -> HttpAnswer:
        return self._told(int(number), query, lambda number, cards: write_message(self.desk.extend(number, cards)))

    async def _answer(self, number: str, query: Mapping[str, str]) -> HttpAnswer:
        read = self._told(int(number), query, self.desk.read)
        if read.status != 200:
            return read
        if not self.desk.is_known(int(number), read.text):
            if not self.has_playouts:
                return _refused(int(number), REFUSALS["unvalued"], "unvalued")
            while not self.code.is_ready:
                await self.code.until_changed()
        async with self._turn:
            return json_answer(await think(self.executor, self.desk.solve, int(number), read.text))

    def _told(self, number: int, query: Mapping[str, str], tell: Callable[[int, str], str]) -> HttpAnswer:
        """Answer with what is told of a puzzle and the cards of a query, or with why that is not possible."""
        cards = query.get("cards", "")
        if number >= len(self.desk.listed):
            return not_found(f"there is no puzzle {number}: the last one is {len(self.desk.listed) - 1}\n")
        try:
            return HttpAnswer(tell(number, cards), media_type="text/plain")
        except IllegalActionError as error:
            reason, about = error.reason, objection(self.desk.shown(number).decision, cards)
        except NotationError as error:
            reason, about = str(error), ("unread", "")
        return _refused(number, reason, *about)

    def _state(self, number: int) -> TableState:
        """Return a puzzle as the page of a table would see it."""
        shown = self.desk.shown(number)
        seat = shown.decision.seat
        nobody: Any = dict.fromkeys(("away", "free", "waiting", "substituted", "done"), ())
        return TableState(
            move=number, view=shown.view.to_json(), ask=shown.ask, window=None, persons=(seat,), redealt="",
            auto=False, sheet=[], fault="", **nobody,
        )  # fmt: skip


def _refused(number: int, reason: str, code: str, cards: str = "") -> HttpAnswer:
    return HttpAnswer(write_message(Refused(number, reason, code, cards)), 400, "text/plain")
