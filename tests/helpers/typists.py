"""Standard input and output for tests in which a person plays at the terminal."""

import io

_MAX_LINES = 5000


class Screen(io.StringIO):
    """What has been printed."""

    def __init__(self, *, is_terminal=False):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal


class Typist:
    """Types lines, the last ones for ever if they are a function of the screen."""

    def __init__(self, screen, *lines, then=None):
        self.screen, self.lines, self.then = screen, list(lines), then
        self.num_lines = 0

    def isatty(self):
        return self.screen.is_terminal

    def fileno(self):
        raise io.UnsupportedOperation("fileno")

    def readline(self):
        self.num_lines += 1
        assert self.num_lines < _MAX_LINES, self.screen.getvalue()[-2000:]
        if self.lines:
            return self.lines.pop(0) + "\n"
        return self.then(self.screen.getvalue()) + "\n" if self.then else ""


def follow_hints(text):
    """Ask for a hint; with one on the screen, do what it says; a pass holds for once only."""
    *_, before, _ = ["", *text.splitlines()]
    _, is_hint, hint = before.partition("  heuristic: ")
    if not is_hint:
        return "hint"
    return "wait" if hint == "pass" else hint


def sit_down(monkeypatch, *lines, then=None, is_terminal=False):
    """Put a typist at the process's own terminal; returns the screen."""
    screen = Screen(is_terminal=is_terminal)
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setattr("sys.stdin", Typist(screen, *lines, then=then))
    return screen
