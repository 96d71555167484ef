"""A stand-in for an endpoint of chat JSON, which answers by letters and misbehaves as it is told."""

import contextlib
import http.server
import json
import re
import threading
import time

FAULTS = ("slow", "trickle", "wrong", "empty", "endless", "refused", "limited", "500", "cut", "no_choices")


class ChatEndpoint:
    """An endpoint in this process; `with` starts and ends it.

    Args:
        answer: returns what the model says to a prompt and the number of the request.
        fault: how every third request that offers plays goes wrong; "" for none.

    Attributes:
        requests: the bodies of all requests.
    """

    def __init__(self, answer=lambda prompt, number: first_letter(prompt), fault=""):
        endpoint = self
        self.requests, self.answer, self.fault = [], answer, fault

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append(body)
                number = len(endpoint.requests)
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    endpoint.respond(self, body, number)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def respond(self, handler, body, number):
        asked = body["messages"][-1]["content"]
        fault = self.fault if number % 3 == 0 and is_offered(asked) else ""
        said = self.answer(asked, number)
        said = {"wrong": "I lead the queen of cups [Q9]", "empty": ""}.get(fault, said)
        status = {"limited": 429, "500": 500, "refused": 403}.get(fault, 200)
        choices = [] if fault == "no_choices" else [{"message": {"role": "assistant", "content": said}}]
        data = json.dumps({"choices": choices, "usage": {"prompt_tokens": 100, "completion_tokens": 7}}).encode()
        if fault == "slow":
            time.sleep(3.0)
        handler.send_response(status)
        if fault == "limited":
            handler.send_header("Retry-After", "0.1")
        if fault not in ("endless", "trickle"):
            handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        if fault == "endless":
            for _ in range(40):
                handler.wfile.write(b" " * 65_536)
        elif fault == "trickle":
            for _ in range(40):
                handler.wfile.write(b" ")
                time.sleep(0.1)
        else:
            handler.wfile.write(data[: len(data) // 2] if fault == "cut" else data)


def first_letter(prompt):
    """Answer with the first play that is offered."""
    return "I take the first. [A]" if "[A]" in prompt else "[pass]"


def is_offered(prompt):
    """Whether a prompt offers plays; one that says why an answer is refused does not."""
    return re.search(r"^A: ", prompt, re.MULTILINE) is not None
