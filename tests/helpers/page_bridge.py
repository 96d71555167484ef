"""The page without a server, as it is built, with plain Python of this machine in place of that for WebAssembly."""

import contextlib
import functools
import http.server
import os
import socket
import subprocess
import sys
import threading

from websockets.sync.server import serve

from tests.helpers.paths import ROOT
from tools.build_page import build_page

WORKER = """
const socket = new WebSocket("ws://127.0.0.1:PORT/");
socket.onopen = () => postMessage({ type: "loaded" });
socket.onmessage = ({ data }) => postMessage(JSON.parse(data));
onmessage = ({ data }) => socket.send(JSON.stringify(data));
"""


class Files(http.server.SimpleHTTPRequestHandler):
    """Sends the files, unless the network `is_down`."""

    is_down = False

    def do_GET(self):
        if self.is_down:
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


def _answer(connection, command, environment):
    """Let a process be one page's Worker."""
    with subprocess.Popen(command, stdin=-1, stdout=-1, env=environment, text=True, encoding="utf-8") as process:

        def pass_on():
            with contextlib.suppress(Exception):
                for line in process.stdout:
                    connection.send(line)

        threading.Thread(target=pass_on, daemon=True).start()
        try:
            for text in connection:
                process.stdin.write(text + "\n")
                process.stdin.flush()
        finally:
            process.kill()


@contextlib.contextmanager
def served(server):
    """Let a server serve from a thread."""
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@contextlib.contextmanager
def served_files(folder):
    """Serve a folder; yield its address."""
    handler = functools.partial(Files, directory=str(folder))
    with served(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) as server:
        yield f"http://127.0.0.1:{server.server_address[1]}/"


@contextlib.contextmanager
def built_page(folder, packages):
    """Serve the page from a folder; yield its address. Python finds packages in another folder, and nowhere else.

    Where PAGE names a folder with a page that `make page` has built, that is served as it is, with its own Python.
    """
    if "PAGE" in os.environ:
        with served_files(os.environ["PAGE"]) as address:
            yield address
        return
    build_page(folder, None)
    command = [sys.executable, "-S", "-W", "error", str(ROOT / "tests/helpers/page_worker.py")]
    environment = {**os.environ, "PYTHONPATH": str(packages), "PYTHONDONTWRITEBYTECODE": "1"}
    answer = functools.partial(_answer, command=command, environment=environment)
    with served(serve(answer, "127.0.0.1", 0, max_size=None)) as bridge, served_files(folder) as address:
        (worker,) = folder.glob("page/*/worker.js")
        worker.write_text(WORKER.replace("PORT", str(bridge.socket.getsockname()[1])), encoding="utf-8")
        yield address
