"""The routes of puzzles.

| path | what |
|---|---|
| ``/`` | the page |
| ``/puzzles.json`` | all puzzles: key, rules, level, theme |
| ``/puzzles/NUMBER`` | what its seat sees and is asked, a `TableState` |
| ``/puzzles/NUMBER/choose?cards=…`` | which cards may join these: an `Extend` |
| ``/puzzles/NUMBER/answer?cards=…`` | a `Solution`; nothing is kept, and an answer may be asked for again |

What is not possible is answered with a `Refused`.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from shengji_env.errors import IllegalActionError, NotationError
from shengji_env.support.wire import write_message
from shengji_table.web.messages import Refused, TableState
from shengji_table.web.puzzle_desk import PuzzleDesk
from shengji_table.web.questions import objection
from shengji_table.web.review_code import ReviewCode


@dataclass
class PuzzleRoutes:
    """Answers what pages ask about puzzles."""

    desk: PuzzleDesk
    executor: Executor
    """Where answers are valued, one at a time."""
    code: ReviewCode
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def routes(self) -> list[Route]:
        """Return the routes, but for that of the page."""
        return [
            Route("/puzzles.json", self._list),
            Route("/puzzles/{number:int}", self._show),
            Route("/puzzles/{number:int}/choose", self._choose),
            Route("/puzzles/{number:int}/answer", self._answer),
        ]

    async def _list(self, _: Request) -> Response:
        return JSONResponse(self.desk.listed)

    async def _show(self, request: Request) -> Response:
        return self._told(request, lambda number, _: write_message(self._state(number)))

    async def _choose(self, request: Request) -> Response:
        return self._told(request, lambda number, cards: write_message(self.desk.extend(number, cards)))

    async def _answer(self, request: Request) -> Response:
        read = self._told(request, self.desk.read)
        if read.status_code != 200:
            return read
        number, text = request.path_params["number"], bytes(read.body).decode()
        while not self.desk.is_quick(number, text) and not self.code.is_ready:
            await self.code.until_changed()
        async with self._turn:
            loop = asyncio.get_running_loop()
            return JSONResponse(await loop.run_in_executor(self.executor, self.desk.solve, number, text))

    def _told(self, request: Request, tell: Callable[[int, str], str]) -> Response:
        """Answer with what is told of a puzzle and the cards of a request, or with why that is not possible."""
        number, cards = request.path_params["number"], request.query_params.get("cards", "")
        if number >= len(self.desk.listed):
            return PlainTextResponse(f"there is no puzzle {number}: the last one is {len(self.desk.listed) - 1}\n", 404)
        try:
            return PlainTextResponse(tell(number, cards))
        except IllegalActionError as error:
            reason, about = error.reason, objection(self.desk.shown[number].decision, cards)
        except NotationError as error:
            reason, about = str(error), ("unread", "")
        return PlainTextResponse(write_message(Refused(number, reason, *about)), 400)

    def _state(self, number: int) -> TableState:
        """Return a puzzle as the page of a table would see it."""
        shown = self.desk.shown[number]
        seat = shown.decision.seat
        nobody: Any = dict.fromkeys(("away", "free", "waiting", "substituted", "done"), ())
        return TableState(
            move=number, view=shown.view.to_json(), ask=shown.ask, window=None, persons=(seat,), redealt="",
            auto=False, sheet=[], fault="", **nobody,
        )  # fmt: skip
