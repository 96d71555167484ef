"""What waits to be sent to one browser: in bounded memory, however slowly it reads.

Each state message is whole, so a newer one replaces an older one that was not sent yet. Replies are kept in order; a
browser that lets too many of them wait is dropped.
"""

import asyncio
from collections import deque

from shengji_table.web.refusals import Closed

_MAX_REPLIES = 32


class Outbox:
    """Texts on their way to one browser.

    Attributes:
        is_closed: whether nothing more is to be sent.
        reason: why it was closed.
        code: the same for pages.
    """

    def __init__(self) -> None:
        self._replies: deque[str] = deque()
        self._state: str | None = None
        self._filled = asyncio.Event()
        self.is_closed = False
        self.reason, self.code = "", Closed.SILENT

    def put_state(self, text: str) -> None:
        """Send a state, instead of an older one that still waits."""
        self._state = text
        self._filled.set()

    def put_reply(self, text: str) -> None:
        """Send a reply, before any state that waits."""
        if len(self._replies) == _MAX_REPLIES:
            self.close("it does not read its messages")
        else:
            self._replies.append(text)
            self._filled.set()

    def close(self, reason: str, code: Closed = Closed.SILENT) -> None:
        """Send nothing more."""
        if not self.is_closed:
            self.is_closed, self.reason, self.code = True, reason, code
        self._filled.set()

    async def take(self) -> str | None:
        """Return the next text, once there is one; None when the outbox is closed."""
        while not (self.is_closed or self._replies or self._state is not None):
            self._filled.clear()
            await self._filled.wait()
        if self.is_closed:
            return None
        if self._replies:
            return self._replies.popleft()
        text, self._state = self._state, None
        return text
