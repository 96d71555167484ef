"""Replay pages of rounds that have ended, for those who sit at the table.

A round that has ended has no secrets left. Its page is made when somebody asks for it, and is then found under an
address that cannot be guessed; only the newest few are kept.
"""

import asyncio
import secrets
from collections import OrderedDict
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from shengji_env.records.replays import Replay
from shengji_table.review.reviewing import review_replay
from shengji_table.valuing.valuers import as_valuer
from shengji_table.web.ended_rounds import EndedRound
from shengji_table.web.table import Table
from shengji_table.web.thinking import think

_MAX_PAGES = 32
_MAX_MAKING = 2
"""Pages that are made at once."""
_BYTES = 18

_Key = tuple[int, int, bool]
_Made = tuple[str, list[dict[str, Any]] | None]
"""A page, and what decisions came to for each seat, if they were reviewed (`shengji_table.review.summarising`)."""


class ReplayShelf:
    """The newest replay pages.

    Args:
        has_playouts: whether there is time for playouts in reviews.
    """

    def __init__(self, *, has_playouts: bool = True) -> None:
        self._has_playouts = has_playouts
        self._pages: OrderedDict[str, str] = OrderedDict()
        self._paths: dict[_Key, str] = {}
        self._summaries: dict[tuple[int, int], list[dict[str, Any]]] = {}
        self._making: dict[_Key, asyncio.Task[str]] = {}
        self._room = asyncio.Semaphore(_MAX_MAKING)

    async def page(self, table: Table, ended: EndedRound, executor: Executor | None, *, is_reviewed: bool) -> str:
        """Return the path of the page of a round, with the decisions that cost most marked or without.

        Who asks while it is being made gets the same page.
        """
        key = (id(table), ended.number, is_reviewed)
        if key not in self._paths:
            if key not in self._making:
                lines = ended.lines(table.rules)
                self._making[key] = asyncio.ensure_future(self._make(key, lines, executor))
            return await asyncio.shield(self._making[key])
        return self._paths[key]

    async def _make(self, key: _Key, lines: list[str], executor: Executor | None) -> str:
        try:
            async with self._room:
                text, summary = await think(executor, self._page_of, lines, key[1:])
            if summary is not None:
                self._summaries[key[:2]] = summary
            self._paths[key] = f"/replay/{self._keep(text)}"
            return self._paths[key]
        finally:
            del self._making[key]

    def _page_of(self, lines: list[str], key: tuple[int, bool]) -> _Made:
        number, is_reviewed = key
        replay = replace(Replay.of(lines), first_number=number)
        if not is_reviewed:
            return replay.html(), None
        reviewed = review_replay(replay, as_valuer(None, replay.rules), playouts=self._has_playouts)
        (review,) = reviewed.reviews.values()
        return reviewed.html(), review["summary"]

    def _keep(self, text: str) -> str:
        name = secrets.token_urlsafe(_BYTES)
        self._pages[name] = text
        while len(self._pages) > _MAX_PAGES:
            old, _ = self._pages.popitem(last=False)
            self._paths = {key: path for key, path in self._paths.items() if not path.endswith(old)}
        return name

    def summaries(self, table: Table) -> dict[int, list[dict[str, Any]]]:
        """Return the summaries of a table's rounds that were reviewed, by the number of the round."""
        return {number: summary for (which, number), summary in self._summaries.items() if which == id(table)}

    def find(self, name: str) -> str | None:
        """Return a page by the last part of its path."""
        return self._pages.get(name)
