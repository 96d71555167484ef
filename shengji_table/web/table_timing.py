"""How fast things happen at a table, in seconds.

Times depend on nothing that is hidden: every drawn card takes equally long, whoever could bid; the time for last bids
comes whether or not anybody could make one; and a person's forced play takes as long as that person's other plays.
"""

import asyncio
import random
import time
from collections import deque
from dataclasses import dataclass, replace

_REMEMBERED = 16
"""Times of a person that are remembered."""


@dataclass(frozen=True)
class Timing:
    """How long things take at least, in seconds."""

    draw: float = 0.3
    """Between two drawn cards."""
    last_bids: float = 15.0
    """Time for last bids once all cards are drawn; it ends early when every person is done."""
    play: float = 0.9
    """From one play to that of a player that is not a person."""
    trick: float = 1.6
    """From a trick's last play to the next lead."""
    round: float = 12.0
    """From a round's end to the next round, if nobody needs to agree."""
    plays_forced: bool = True
    """Whether forced plays are made for persons, until they say otherwise."""

    def faster(self, speed: float) -> "Timing":
        """Return a timing in which cards come, and others play, so many times as fast."""
        return replace(self, draw=self.draw / speed, play=self.play / speed, trick=self.trick / speed)


class Clock:
    """The time; tests have one of their own."""

    def now(self) -> float:
        """Return the time in seconds."""
        return time.monotonic()

    async def until(self, moment: float) -> None:
        """Wait for a moment; one that has passed lets others work first all the same."""
        await asyncio.sleep(max(0.0, moment - self.now()))


class ResponseTimes:
    """How long a person takes to play, so that a forced play made for that person takes as long as any other.

    Args:
        timing: the table's timing, from which times are drawn until some are known.
    """

    def __init__(self, timing: Timing) -> None:
        self._pace = timing
        self._times: deque[float] = deque(maxlen=_REMEMBERED)
        self._random = random.SystemRandom()

    def note(self, seconds: float) -> None:
        """Remember how long the person took for a play."""
        self._times.append(seconds)

    def draw(self) -> float:
        """Return how long a forced play is to take."""
        if not self._times:
            return self._pace.play * self._random.uniform(1.0, 3.0)
        return self._random.choice(self._times)
