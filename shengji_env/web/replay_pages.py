"""Replay pages of rounds that have ended, for those who sit at the table.

A round that has ended has no secrets left. Its page is made when somebody asks for it, and is then found under an
address that cannot be guessed; only the newest few are kept.
"""

import asyncio
import secrets
from collections import OrderedDict
from concurrent.futures import Executor

from shengji_env.arena.review.reviewing import review_replay
from shengji_env.arena.review.valuers import as_valuer
from shengji_env.records.replays import Replay
from shengji_env.records.writing import record_header, record_line
from shengji_env.web.table import Table

_MAX_PAGES = 32
_BYTES = 18


class ReplayShelf:
    """The newest replay pages."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, str] = OrderedDict()
        self._paths: dict[tuple[int, int], str] = {}

    async def page(self, table: Table, executor: Executor) -> str | None:
        """Return the path of the page of the round that has just ended; None if no round has."""
        lines = _lines_of(table)
        if lines is None:
            return None
        round_end = (id(table), table.move)
        if round_end not in self._paths:
            text = await asyncio.get_running_loop().run_in_executor(executor, _page_of, lines)
            self._paths[round_end] = f"/replay/{self._keep(text)}"
        return self._paths[round_end]

    def _keep(self, text: str) -> str:
        name = secrets.token_urlsafe(_BYTES)
        self._pages[name] = text
        while len(self._pages) > _MAX_PAGES:
            old, _ = self._pages.popitem(last=False)
            self._paths = {key: path for key, path in self._paths.items() if not path.endswith(old)}
        return name

    def find(self, name: str) -> str | None:
        """Return a page by the last part of its path."""
        return self._pages.get(name)


def _lines_of(table: Table) -> list[str] | None:
    record = table.board.finished
    if record is None:
        return None
    alone = {name: value for name, value in record.items() if name != "match_round"}
    return [record_line(record_header(table.rules, table.board.names, None)), record_line(alone)]


def _page_of(lines: list[str]) -> str:
    replay = Replay.of(lines)
    return review_replay(replay, as_valuer(None, replay.rules)).html()
