"""The application of the play server: files, the socket, and everything else by `answers.py`.

| path | what |
|---|---|
| ``/page/VERSION/NAME``, ``/page/NAME`` | modules and style of the pages; the sheet |
| ``/sheet.json`` | the card sheet |
| ``/socket`` | messages (`messages.py`) |
| ``/club`` | on a server for this machine alone: rules by a menu, and where they are saved |
"""

from functools import partial

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from shengji_env.cli.saved_rules import named_rules, save_rules
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import ShengjiError, show
from shengji_env.support.text_files import parse_json
from shengji_table.web.answers import Answers
from shengji_table.web.connections import Service
from shengji_table.web.guard import Guard
from shengji_table.web.newcomers import Newcomers
from shengji_table.web.sockets import serve_socket
from shengji_table.web.static_files import SHEET, PageFiles

_FOR_GOOD = "private, max-age=31536000, immutable"
_ASK_AGAIN = "private, no-cache"
_MOST_BYTES = 10_000
"""Bytes of a request at most: a name and the text of a rule set."""


def make_app(service: Service, *, is_local: bool = True) -> Guard:
    """Return the application that serves the tables of a service, or its puzzles.

    Args:
        service: the tables.
        is_local: whether the server listens on the loopback interface only.
    """
    files, limits = PageFiles(service.prefix), service.limits
    routes = [
        Route("/page/{name}", partial(_file, files=files)),
        Route("/page/{version}/{name}", partial(_file, files=files)),
        Route(f"/{SHEET}", partial(_file, files=files)),
        Route("/{path:path}", partial(_answer, answers=Answers(service, files))),
        WebSocketRoute("/socket", partial(_socket, service=service)),
    ]
    if is_local and service.public is None:
        routes[:0] = [Route("/club", partial(_club, files=files)), Route("/club", _save_rules, methods=["POST"])]
    # All that comes through a proxy has the proxy's address.
    of_address = limits.newcomers if service.public else limits.newcomers_of_address
    newcomers = Newcomers(limits.newcomers, of_address)
    return Guard(Starlette(routes=routes), newcomers, is_local=is_local, public=service.public)


async def _file(request: Request, files: PageFiles) -> Response:
    """Answer a request for a file; a version that is not this server's is found no more."""
    version = request.path_params.get("version", "")
    file = files.file(request.path_params.get("name", SHEET))
    if file is None or version not in ("", files.version):
        return PlainTextResponse("no such file\n", 404)
    is_packed = "gzip" in request.headers.get("accept-encoding", "")
    tag = f'"{file.tag}{"-gz" if is_packed else ""}"'
    headers = {"etag": tag, "cache-control": _FOR_GOOD if version else _ASK_AGAIN, "vary": "accept-encoding"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if is_packed:
        headers["content-encoding"] = "gzip"
    return Response(file.packed if is_packed else file.body, media_type=file.media_type, headers=headers)


async def _club(_: Request, files: PageFiles) -> Response:
    return HTMLResponse(files.page("club"))


async def _save_rules(request: Request) -> Response:
    """Save rules under a name, as ``shengji rules --save`` does."""
    try:
        return PlainTextResponse(str(save_rules(*read_club(await _short_body(request)))))
    except ShengjiError as error:
        return PlainTextResponse(str(error), 400)


async def _short_body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            raise ShengjiError(f"a club's name and rules are at most {_MOST_BYTES:,} bytes")
    return body


def read_club(body: bytes) -> tuple[str, RuleSet]:
    """Return the name and the rules that a page wants saved.

    Raises:
        ShengjiError: there are none.
    """
    said = parse_json(body, ShengjiError)
    if not isinstance(said, dict) or not all(isinstance(said.get(name), str) for name in ("name", "rules")):
        raise ShengjiError(f"{show(said)} has no name and rules, which are texts")
    return said["name"], named_rules(said["rules"])


async def _answer(request: Request, answers: Answers) -> Response:
    answer = await answers.answer(f"/{request.path_params['path']}", request.query_params)
    headers = {"location": answer.location} if answer.location else {}
    if answer.file:
        headers["content-disposition"] = f"attachment; filename={answer.file}"
    if answer.policy:
        headers["content-security-policy"] = answer.policy
    return Response(answer.text, answer.status, headers, answer.media_type)


async def _socket(socket: WebSocket, service: Service) -> None:
    await serve_socket(socket, service)
