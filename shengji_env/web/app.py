"""The routes of the play server.

| path | what |
|---|---|
| ``/`` | the page, without any data |
| ``/page/NAME`` | its modules and style, and those that the replay page shares with it |
| ``/sheet.json`` | the card sheet |
| ``/replay/NAME`` | the replay page of a round that has ended |
| ``/socket`` | everything else, as messages |
"""

from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from shengji_env.render.page import whole_sheet
from shengji_env.web.connections import Service, serve_connection
from shengji_env.web.guard import Guard

_TYPES = {".js": "text/javascript", ".css": "text/css"}
_FOLDERS = ("shengji_env.web.page", "shengji_env.render.page")
_PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>升级 Shengji</title>
<link rel="stylesheet" href="/page/page.css"><link rel="stylesheet" href="/page/play.css"></head>
<body><div id="page"></div><script type="module" src="/page/play.js"></script>
</body></html>
"""


def make_app(service: Service, *, is_local: bool = True) -> Guard:
    """Return the application that serves the tables of a service.

    Args:
        service: the tables.
        is_local: whether the server listens on the loopback interface only.
    """
    files = page_files()
    routes = [
        Route("/", _page),
        Route("/page/{name}", partial(_file, files=files)),
        Route("/sheet.json", _sheet),
        Route("/replay/{name}", partial(_replay, service=service)),
        WebSocketRoute("/socket", partial(_socket, service=service)),
    ]
    return Guard(Starlette(routes=routes), is_local=is_local)


def page_files() -> dict[str, Traversable]:
    """Return the files of the page by name."""
    found = (file for folder in _FOLDERS for file in resources.files(folder).iterdir())
    return {file.name: file for file in found if file.name.endswith(tuple(_TYPES))}


async def _page(_: Request) -> Response:
    return HTMLResponse(_PAGE)


async def _file(request: Request, files: dict[str, Traversable]) -> Response:
    name = request.path_params["name"]
    if name not in files:
        return PlainTextResponse("no such file\n", 404)
    return Response(files[name].read_bytes(), media_type=_TYPES["." + name.rpartition(".")[2]])


async def _sheet(_: Request) -> Response:
    return JSONResponse(whole_sheet())


async def _replay(request: Request, service: Service) -> Response:
    text = service.replays.find(request.path_params["name"])
    if text is None:
        return PlainTextResponse("this replay is no longer kept: ask for it again at the table\n", 404)
    # The page forbids itself everything but its own script and style, known by their hashes.
    return HTMLResponse(text, headers={"content-security-policy": "frame-ancestors 'none'"})


async def _socket(socket: WebSocket, service: Service) -> None:
    await serve_connection(socket, service)
