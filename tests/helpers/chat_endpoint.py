"""A stand-in for an endpoint of chat JSON, which answers by letters and misbehaves as it is told."""

import contextlib
import http.server
import json
import re
import threading
import time


class ChatEndpoint:
    """An endpoint in this process; `with` starts and ends it.

    Args:
        answer: returns what the model says to a prompt and the number of the request.
        fault: how a request goes wrong, a name in `FAULTS`.
        goes_wrong: whether that happens, given the prompt and the number of the request; as a rule to every third
            request that offers plays.

    Attributes:
        requests: the bodies of all requests.
        keys: the headers that have the key, of all requests.
        address: what a redirect names.
    """

    def __init__(
        self,
        answer=lambda prompt, number: first_letter(prompt),
        fault="",
        goes_wrong=lambda prompt, number: number % 3 == 0 and is_offered(prompt),
    ):
        endpoint = self
        self.requests, self.keys, self.address = [], [], ""
        self.answer, self.fault, self.goes_wrong = answer, fault, goes_wrong

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append(body)
                endpoint.keys.append(self.headers["Authorization"])
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    for piece in endpoint.respond(body, len(endpoint.requests)):
                        self.wfile.write(piece)

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

    def respond(self, body, number):
        """Yield the bytes of a response."""
        asked = body["messages"][-1]["content"]
        if self.fault and self.goes_wrong(asked, number):
            return FAULTS[self.fault](self, body)
        return said(self.answer(asked, number))


def whole(data, status="200 OK", *headers):
    """A response with a body."""
    head = "".join(f"{each}\r\n" for each in (f"HTTP/1.1 {status}", f"Content-Length: {len(data)}", *headers))
    return [head.encode() + b"\r\n" + data]


def said(content, finish="stop", **fields):
    """What a model says; `content` may also be parts, or None."""
    choices = [{"message": {"role": "assistant", "content": content, **fields}, "finish_reason": finish}]
    usage = {"prompt_tokens": 100, "completion_tokens": 7}
    return whole(json.dumps({"choices": choices, "usage": usage}).encode())


def refused(status, sentence, *headers):
    """A refusal, as endpoints write it; letters beyond ASCII are escaped, and "/" as well."""
    return whole(json.dumps({"error": {"message": sentence}}).replace("/", r"\/").encode(), status, *headers)


def slowly(pieces, seconds=0.1, times=600):
    """Some bytes again and again."""
    for piece in list(pieces) * times:
        yield piece
        time.sleep(seconds)


def stalled(endpoint, body):
    yield b"HTTP/1.1 400 Bad Request\r\nContent-Length: 50\r\n\r\n{"
    time.sleep(20.0)


def headers_for_ever(endpoint, body):
    yield b"HTTP/1.1 200 OK\r\nX: "
    yield from slowly([b"x"])


def body_for_ever(endpoint, body):
    yield b"HTTP/1.1 200 OK\r\n\r\n"
    yield from slowly([b" "])


def late(endpoint, body):
    time.sleep(3.0)
    yield from said("[A]")


def without_max_tokens(endpoint, body):
    """A newer model, which takes no `max_tokens`."""
    if "max_tokens" not in body:
        return said("[A]")
    return refused("400 Bad Request", "'max_tokens' is not supported with this model. Use 'max_completion_tokens'.")


PASSING = {
    "limited": lambda *_: refused("429 Too Many Requests", "slow down", "Retry-After: 0.1"),
    "limited for ever": lambda *_: refused("429 Too Many Requests", "slow down", "Retry-After: nan"),
    "500": lambda *_: refused("500 Internal Server Error", "sorry"),
    "error stalls": stalled,
    "cut": lambda *_: [said("[A]")[0][:-20]],
    "cut chunk": lambda *_: [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"],
    "no status": lambda *_: [b"HELLO\r\n\r\n"],
    "many headers": lambda *_: whole(b"{}", "200 OK", *["X: y"] * 101),
    "no JSON": lambda *_: whole(b"\xff<html>"),
    "deep": lambda *_: whole(b"[" * 100_000),
    "no choices": lambda *_: whole(b'{"choices": []}'),
    "a number": lambda *_: said(5),
    "half an emoji": lambda *_: said("\ud83d [A]"),
    "endless tokens": lambda *_: whole(
        b'{"usage": {"prompt_tokens": 1e999}, "choices": [{"message": {"content": "A"}}]}'
    ),
    "empty": lambda *_: said(""),
    "null": lambda *_: said(None),
    "open thought": lambda *_: said("<think>I could play [A], which is silly because"),
    "endless": lambda *_: [b"HTTP/1.1 200 OK\r\n\r\n" + b" " * (1 << 21)],
}
"""After these, another request is answered."""
REFUSALS = {
    status: lambda endpoint, body, status=status: refused(f"{status} No", f"no such thing, {endpoint.keys[-1]}")
    for status in ("400", "401", "402", "403", "404", "422")
}
REFUSALS["429"] = lambda endpoint, _: refused("429 No", f"no such thing, {endpoint.keys[-1]}: insufficient_quota")
"""These are said to every request."""
PARTS = ("text", "["), ("text", "A]")
FAULTS = {
    **PASSING,
    **REFUSALS,
    "elsewhere": lambda endpoint, _: whole(b"", "301 Moved", f"Location: {endpoint.address}"),
    "late": late,
    "headers for ever": headers_for_ever,
    "body for ever": body_for_ever,
    "wrong": lambda *_: said("I lead the queen of cups [Q9]"),
    "cut off": lambda *_: said(None, "length"),
    "thought is cut off": lambda *_: said("<think>" + 700 * "well " + "[A]", "length"),
    "parts": lambda *_: said([{"type": kind, kind: text} for kind, text in (("thinking", "[B]"), *PARTS)]),
    "other field": lambda *_: said("[A]", reasoning_content="maybe [B]"),
    "newer": without_max_tokens,
}  # fmt: skip


def first_letter(prompt):
    """Answer with the first play that is offered."""
    return "I take the first. [A]" if "[A]" in prompt else "[pass]"


def is_offered(prompt):
    """Whether a prompt offers plays; one that says why an answer is refused does not."""
    return re.search(r"^A: ", prompt, re.MULTILINE) is not None
