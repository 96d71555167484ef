"""The compiled code of reviews: another process makes it while the first round is played, so that nothing waits for it.

Compiling here would keep the tables waiting, and whoever asks for the first review would wait for minutes.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class ReviewCode:
    """What reviews need, being compiled.

    Attributes:
        command: compiles it, and prints a line for each part that is there; empty: all is there.
        total: how many parts there are.
        done: how many of them are there.
    """

    command: Sequence[str] = ()
    total: int = 0
    done: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def is_ready(self) -> bool:
        """Whether nothing needs to be waited for; what has failed is compiled where it is needed."""
        return self.done >= self.total

    async def compile(self) -> None:
        """Compile everything; the process ends with the task."""
        if not self.is_ready:
            try:
                await self._run()
            finally:
                await self._note(self.total)

    async def _run(self) -> None:
        none, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        with contextlib.suppress(OSError):
            process = await asyncio.create_subprocess_exec(*self.command, stdin=none, stdout=pipe, stderr=none)
            assert process.stdout is not None
            try:
                async for _ in process.stdout:
                    await self._note(min(self.done + 1, self.total))
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
                await process.wait()

    async def _note(self, done: int) -> None:
        async with self._changed:
            self.done = done
            self._changed.notify_all()

    async def until_changed(self) -> None:
        """Wait until another part is there."""
        async with self._changed:
            if not self.is_ready:
                await self._changed.wait()
