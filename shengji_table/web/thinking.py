"""Where players think, and whatever else takes long: in threads, or between messages where there are none."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

_PAUSE = 0.01
"""Seconds in which messages are sent before something takes long in their thread."""

T = TypeVar("T")


async def think(executor: Executor | None, function: Callable[..., T], *arguments: object) -> T:
    """Return what a function returns, called in a thread; without threads (None), once others have had their turn."""
    if executor is None:
        await asyncio.sleep(_PAUSE)
        return function(*arguments)
    return await asyncio.get_running_loop().run_in_executor(executor, function, *arguments)
