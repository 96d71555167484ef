"""Why a program cannot be started, and what to do.

| fault | advice |
|---|---|
| a file that is neither compiled nor executable | compile it, make it executable, or name what runs it |
| a whole command in one word | leave out the quotes |
"""

import errno
import os

from shengji_env.support.text_files import reason_of


def why_not_started(program: str, error: OSError | ValueError) -> str:
    """Return why the system has not started a program, the first word of a command, and what to do."""
    why, code = reason_of(error), getattr(error, "errno", None)
    if code == errno.ENOENT and len(program.split()) > 1:
        return f"{why}; if these are several words, leave out the quotes around them"
    if code in (errno.EACCES, errno.ENOEXEC) and os.path.isfile(program):
        name = os.path.basename(program)
        return f"{why}; {name} is no program: compile it, make it executable, or name before it what runs it"
    return why
