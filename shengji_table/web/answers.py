"""What is answered to a browser that asks for a path: everything but files and messages, whatever carries it.

| path | what |
|---|---|
| ``/`` | the page, without any data |
| ``/rules`` | the rules of the tables, in both languages |
| ``/replay/NAME`` | the replay page of a round that has ended |
| ``/evening/SECRET`` | the page of a table's rounds; below it ``rounds.json``, its data, and ``record.jsonl`` |
| ``/evening/SECRET/replay/NUMBER`` | leads to the replay page of a round, ``review`` to that with its review |

A table that plays a season has ``/season.json``, what was made so far, and ``/season.jsonl``, the file to keep.
Where puzzles are shown, there are the page and the paths of `puzzle_answers.py`.
"""

import re
from collections.abc import Mapping
from html import escape
from typing import Any

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.render.chinese_rules import chinese_rules
from shengji_env.render.rule_words import explain_rules
from shengji_table.season.verdict import name_of, record_of_person, season_shown
from shengji_table.web.answer import Handler, HttpAnswer, json_answer, not_found
from shengji_table.web.connections import Service
from shengji_table.web.ended_rounds import record_of
from shengji_table.web.evening import evening_of, find_evening
from shengji_table.web.puzzle_answers import PuzzleAnswers
from shengji_table.web.static_files import PageFiles

_NO_EVENING = "this address belongs to no table: open it from the table\n"
_RULES = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>升级 Shengji</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="{page}page.css"><link rel="stylesheet" href="{page}lobby.css"></head>
<body><main class="rules"><section lang="zh-Hans">{chinese}</section><section>{english}</section></main></body></html>
"""
_COMPILING = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>升级 Shengji</title></head>
<body><p>What reviews need is being compiled, once for this version: {done} of {total} parts are there.</p>
<p lang="zh-Hans">点评程序正在编译，每个版本只需一次：已完成 {done} / {total}。</p></body></html>
"""
"""Loads itself again until the review can be made."""


class Answers:
    """Answers what browsers ask.

    Args:
        service: the tables, or the puzzles.
        files: the files of the pages.
    """

    def __init__(self, service: Service, files: PageFiles) -> None:
        self._service, self._files = service, files
        patterns: dict[str, Handler] = {"/": self._page}
        if service.puzzles is None:
            patterns |= {
                "/rules": self._rules, "/replay/(?P<name>[^/]+)": self._replay,
                "/evening/(?P<secret>[^/]+)": self._evening, "/evening/(?P<secret>[^/]+)/rounds.json": self._rounds,
                "/evening/(?P<secret>[^/]+)/record.jsonl": self._record,
                r"/evening/(?P<secret>[^/]+)/(?P<kind>replay|review)/(?P<number>\d{1,9})": self._ended_round,
            }  # fmt: skip
            if service.season is not None:
                patterns |= {"/season.json": self._season, "/season.jsonl": self._deals}
        else:
            has_playouts = service.has_playouts
            puzzles = PuzzleAnswers(service.puzzles, service.executor, service.review_code, has_playouts)
            patterns |= puzzles.patterns
        self._patterns = [(re.compile(pattern), handler) for pattern, handler in patterns.items()]

    async def answer(self, path: str, query: Mapping[str, str]) -> HttpAnswer:
        """Return the answer to a path, which begins with a slash, and the fields of its query."""
        for pattern, handler in self._patterns:
            found = pattern.fullmatch(path)
            if found is not None:
                return await handler(query=query, **found.groupdict())
        return not_found("there is no such page\n")

    async def _page(self, **_: Any) -> HttpAnswer:
        return HttpAnswer(self._files.page("play" if self._service.puzzles is None else "puzzles"))

    async def _rules(self, **_: Any) -> HttpAnswer:
        return HttpAnswer(_rules_page(self._service.tables[0].rules, self._files.base))

    async def _replay(self, name: str, **_: Any) -> HttpAnswer:
        text = self._service.replays.find(name)
        if text is None:
            return not_found("this replay is no longer kept: ask for it again at the table\n")
        # The page forbids itself everything but its own script and style, known by their hashes.
        return HttpAnswer(text, policy="frame-ancestors 'none'")

    async def _evening(self, secret: str, **_: Any) -> HttpAnswer:
        is_known = find_evening(secret, self._service.tables) is not None
        return HttpAnswer(self._files.page("evening")) if is_known else not_found(_NO_EVENING)

    async def _rounds(self, secret: str, **_: Any) -> HttpAnswer:
        table = find_evening(secret, self._service.tables)
        if table is None:
            return not_found(_NO_EVENING)
        return json_answer(evening_of(table, self._service.replays.summaries(table)))

    async def _record(self, secret: str, **_: Any) -> HttpAnswer:
        table = find_evening(secret, self._service.tables)
        if table is None:
            return not_found(_NO_EVENING)
        return HttpAnswer(
            record_of(table.rounds, table.rules, table.board.names),
            media_type="application/jsonl",
            file="shengji.jsonl",
        )

    async def _season(self, **_: Any) -> HttpAnswer:
        assert self._service.season is not None
        records = [ended.record for ended in self._service.tables[0].rounds]
        return json_answer(season_shown(self._service.season, records))

    async def _deals(self, **_: Any) -> HttpAnswer:
        """Answer with the file that a person keeps."""
        assert self._service.season is not None
        table = self._service.tables[0]
        name, records = name_of(table.seating.keys.evening), [ended.record for ended in table.rounds]
        return HttpAnswer(record_of_person(self._service.season, name, records), media_type="application/jsonl")

    async def _ended_round(self, secret: str, kind: str, number: str, **_: Any) -> HttpAnswer:
        """Make the page of a round, and lead to it: its own address can be given to others."""
        service, table = self._service, find_evening(secret, self._service.tables)
        ended = None if table is None else next((each for each in table.rounds if each.number == int(number)), None)
        if table is None or ended is None:
            return not_found("no such round has ended at this table\n")
        code = service.review_code
        if kind == "review" and not code.is_ready:
            return HttpAnswer(_COMPILING.format(done=code.done, total=code.total))
        path = await service.replays.page(table, ended, service.executor, is_reviewed=kind == "review")
        return HttpAnswer(status=303, location=service.prefix + path)


def _rules_page(rules: RuleSet, page: str) -> str:
    chinese = (f"<p>{escape(line)}</p>" for line in chinese_rules(rules).splitlines())
    english = f"<pre>{escape(explain_rules(rules))}</pre>"
    return _RULES.format(page=page, chinese="".join(chinese), english=english)
