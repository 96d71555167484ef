"""The routes of the play server.

| path | what |
|---|---|
| ``/`` | the page, without any data |
| ``/page/VERSION/NAME``, ``/page/NAME`` | its modules and style, those that the replay page shares with it; the sheet |
| ``/sheet.json`` | the card sheet |
| ``/rules`` | the rules of the tables, in both languages |
| ``/replay/NAME`` | the replay page of a round that has ended |
| ``/evening/SECRET`` | the page of a table's rounds; ``/rounds.json`` after it are its data |
| ``/evening/SECRET/replay/NUMBER`` | leads to the replay page of a round, ``review`` to that with its review |
| ``/socket`` | everything else, as messages |

Where puzzles are shown, there are the page, its files, and the paths of `puzzle_routes.py`.
"""

from functools import partial
from html import escape

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.render.chinese_rules import chinese_rules
from shengji_env.render.rule_words import explain_rules
from shengji_table.web.connections import Service, serve_connection
from shengji_table.web.evening import evening_of, find_evening
from shengji_table.web.guard import Guard
from shengji_table.web.newcomers import Newcomers
from shengji_table.web.puzzle_routes import PuzzleRoutes
from shengji_table.web.static_files import SHEET, PageFiles

_KINDS = ("replay", "review")
_NO_EVENING = "this address belongs to no table: open it from the table\n"
_STYLES = ("page.css", "play.css", "lobby.css")
_PAGE = """\
<!DOCTYPE html>
<html lang="en"><head>
{head}</head>
<body><div id="page"></div></body></html>
"""


_RULES = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>升级 Shengji</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="page/page.css"><link rel="stylesheet" href="page/lobby.css"></head>
<body><main class="rules"><section lang="zh-Hans">{chinese}</section><section>{english}</section></main></body></html>
"""
_COMPILING = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>升级 Shengji</title></head>
<body><p>What reviews need is being compiled, once for this version: {done} of {total} parts are there.</p>
<p lang="zh-Hans">点评程序正在编译，每个版本只需一次：已完成 {done} / {total}。</p></body></html>
"""
"""Loads itself again until the review can be made."""


def make_app(service: Service, *, is_local: bool = True) -> Guard:
    """Return the application that serves the tables of a service, or its puzzles.

    Args:
        service: the tables.
        is_local: whether the server listens on the loopback interface only.
    """
    files, limits = PageFiles(service.prefix), service.limits
    shown = _table_routes(service, files) if service.puzzles is None else _puzzle_routes(service, files)
    routes = [
        Route("/page/{name}", partial(_file, files=files)),
        Route("/page/{version}/{name}", partial(_file, files=files)),
        Route("/sheet.json", partial(_sheet, files=files)),
        *shown,
    ]
    # All that comes through a proxy has the proxy's address.
    of_address = limits.newcomers if service.public else limits.newcomers_of_address
    newcomers = Newcomers(limits.newcomers, of_address)
    return Guard(Starlette(routes=routes), newcomers, is_local=is_local, public=service.public)


def _page_of(files: PageFiles, module: str) -> str:
    return _PAGE.format(head=files.head("升级 Shengji", module, _STYLES, "icon.svg"))


def _table_routes(service: Service, files: PageFiles) -> list[BaseRoute]:
    evening = _page_of(files, "evening")
    return [
        Route("/", partial(_page, text=_page_of(files, "play"))),
        Route("/rules", partial(_page, text=_rules_page(service.tables[0].rules))),
        Route("/replay/{name}", partial(_replay, service=service)),
        Route("/evening/{secret}", partial(_evening, service=service, text=evening)),
        Route("/evening/{secret}/rounds.json", partial(_rounds, service=service)),
        Route("/evening/{secret}/{kind}/{number:int}", partial(_ended_round, service=service)),
        WebSocketRoute("/socket", partial(_socket, service=service)),
    ]


def _rules_page(rules: RuleSet) -> str:
    chinese = (f"<p>{escape(line)}</p>" for line in chinese_rules(rules).splitlines())
    return _RULES.format(chinese="".join(chinese), english=f"<pre>{escape(explain_rules(rules))}</pre>")


def _puzzle_routes(service: Service, files: PageFiles) -> list[BaseRoute]:
    assert service.puzzles is not None
    puzzles = PuzzleRoutes(service.puzzles, service.executor, service.review_code)
    return [Route("/", partial(_page, text=_page_of(files, "puzzles"))), *puzzles.routes()]


async def _page(_: Request, text: str) -> Response:
    return HTMLResponse(text)


async def _file(request: Request, files: PageFiles) -> Response:
    return files.answer(request, request.path_params["name"], request.path_params.get("version", ""))


async def _sheet(request: Request, files: PageFiles) -> Response:
    return files.answer(request, SHEET)


async def _replay(request: Request, service: Service) -> Response:
    text = service.replays.find(request.path_params["name"])
    if text is None:
        return PlainTextResponse("this replay is no longer kept: ask for it again at the table\n", 404)
    # The page forbids itself everything but its own script and style, known by their hashes.
    return HTMLResponse(text, headers={"content-security-policy": "frame-ancestors 'none'"})


async def _evening(request: Request, service: Service, text: str) -> Response:
    if find_evening(request.path_params["secret"], service.tables) is None:
        return PlainTextResponse(_NO_EVENING, 404)
    return HTMLResponse(text)


async def _rounds(request: Request, service: Service) -> Response:
    table = find_evening(request.path_params["secret"], service.tables)
    return (
        PlainTextResponse(_NO_EVENING, 404)
        if table is None
        else JSONResponse(evening_of(table, service.replays.summaries(table)))
    )


async def _ended_round(request: Request, service: Service) -> Response:
    """Make the page of a round, and lead to it: its own address can be given to others."""
    table = find_evening(request.path_params["secret"], service.tables)
    kind, number = request.path_params["kind"], request.path_params["number"]
    ended = None if table is None else next((each for each in table.rounds if each.number == number), None)
    if table is None or ended is None or kind not in _KINDS:
        return PlainTextResponse("no such round has ended at this table\n", 404)
    code = service.review_code
    if kind == "review" and not code.is_ready:
        return HTMLResponse(_COMPILING.format(done=code.done, total=code.total))
    path = await service.replays.page(table, ended, service.executor, is_reviewed=kind == "review")
    return RedirectResponse(service.prefix + path, 303)


async def _socket(socket: WebSocket, service: Service) -> None:
    await serve_connection(socket, service)
