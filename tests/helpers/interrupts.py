"""Ctrl-C for processes that tests start."""

import signal


def heed_interrupts() -> None:
    """Undo, as a `preexec_fn`, what a script hands on to tests that it runs in the background: ignored interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
