"""The persons at a table, and the browsers in which it is seen."""

from collections.abc import Callable
from dataclasses import dataclass, field

from shengji_table.web.links import GUEST
from shengji_table.web.outbox import Outbox
from shengji_table.web.refusals import Closed
from shengji_table.web.table_timing import ResponseTimes

_MAX_OTHERS = 32
"""Most browsers of those who watch, and of those who look for a seat."""


@dataclass
class Person:
    """One who sits at a table, connected or not."""

    response_times: ResponseTimes
    """How long the person takes to play."""
    outbox: Outbox | None = None
    """Where messages go; None while no browser is connected."""
    auto: bool = True
    """Whether forced plays are made for the person."""
    bid_intent: str = ""
    """The bid to be made as soon as possible."""
    is_done: bool = False
    """Whether the person has no more bids, or wants to go on with the next round."""
    has_come: bool = False
    """Whether the person was ever connected."""
    said: tuple[int, int] | None = None
    """The phrase that the person has said last, and how many by then."""
    may_say_at: float = 0.0
    """When the person may say another one."""
    is_substituted: bool = False
    """Whether a player decides for the person."""


@dataclass
class People:
    """Everybody at a table who is not a player of the arena."""

    persons: dict[int, Person]
    """Who sits at the table, by seat."""
    watchers: list[Outbox] = field(default_factory=list)
    """Browsers that watch."""
    guests: list[Outbox] = field(default_factory=list)
    """Browsers of those who look for a seat."""

    def join(self, viewer: int, outbox: Outbox) -> str:
        """Let a browser in; return why not, or nothing. A seat's newest browser takes the place of an older one."""
        if viewer in self.persons:
            person = self.persons[viewer]
            if person.outbox is not None:
                person.outbox.close("the seat was opened in another window", Closed.TAKEN)
            person.outbox = outbox
        elif viewer >= 0:
            return "no person sits in this seat"
        elif len(self._others(viewer)) >= _MAX_OTHERS:
            return "too many look at this table"
        else:
            self._others(viewer).append(outbox)
        return ""

    def _others(self, viewer: int) -> list[Outbox]:
        """Return the browsers of those who have no seat."""
        return self.guests if viewer == GUEST else self.watchers

    def leave(self, viewer: int, outbox: Outbox) -> None:
        """Let a browser go."""
        if viewer in self.persons and self.persons[viewer].outbox is outbox:
            self.persons[viewer].outbox = None
        elif viewer < 0 and outbox in self._others(viewer):
            self._others(viewer).remove(outbox)

    def away(self) -> tuple[int, ...]:
        """Return the seats of persons who are not connected."""
        return self._seats(lambda person: person.outbox is None)

    def missing(self) -> tuple[int, ...]:
        """Return the seats of persons who have never come, and for whom nobody plays."""
        return self._seats(lambda person: not (person.has_come or person.is_substituted))

    def substituted(self) -> tuple[int, ...]:
        """Return the seats of persons for whom a player decides."""
        return self._seats(lambda person: person.is_substituted)

    def done(self) -> tuple[int, ...]:
        """Return the seats of persons who have said that they are done, and of those for whom a player decides."""
        return self._seats(lambda person: person.is_done or person.is_substituted)

    def are_done(self) -> bool:
        """Return whether all who decide for themselves are done, if there are any; who is away is waited for."""
        return len(self.done()) == len(self.persons) > len(self.substituted())

    def _seats(self, holds: Callable[[Person], bool]) -> tuple[int, ...]:
        return tuple(seat for seat, person in self.persons.items() if holds(person))

    def begin(self) -> None:
        """Forget bid intents, and who was done."""
        for person in self.persons.values():
            person.bid_intent, person.is_done = "", False
