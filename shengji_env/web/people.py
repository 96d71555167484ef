"""The persons at a table, and the browsers in which it is seen."""

from dataclasses import dataclass, field

from shengji_env.web.outbox import Outbox
from shengji_env.web.table_timing import ResponseTimes

_MAX_WATCHERS = 32


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


@dataclass
class People:
    """Everybody at a table who is not a player of the arena."""

    persons: dict[int, Person]
    """Who sits at the table, by seat."""
    watchers: list[Outbox] = field(default_factory=list)
    """Browsers that watch."""

    def join(self, viewer: int, outbox: Outbox) -> str:
        """Let a browser in; return why not, or nothing. A seat's newest browser takes the place of an older one."""
        if viewer in self.persons:
            person = self.persons[viewer]
            if person.outbox is not None:
                person.outbox.close("the seat was opened in another window")
            person.outbox = outbox
        elif viewer >= 0:
            return "no person sits in this seat"
        elif len(self.watchers) >= _MAX_WATCHERS:
            return "too many watch this table"
        else:
            self.watchers.append(outbox)
        return ""

    def leave(self, viewer: int, outbox: Outbox) -> None:
        """Let a browser go."""
        if viewer in self.persons and self.persons[viewer].outbox is outbox:
            self.persons[viewer].outbox = None
        elif outbox in self.watchers:
            self.watchers.remove(outbox)

    def away(self) -> tuple[int, ...]:
        """Return the seats of persons who are not connected."""
        return tuple(seat for seat, person in self.persons.items() if person.outbox is None)

    def are_done(self) -> bool:
        """Return whether all persons have said that they are done; those who are away are waited for."""
        return all(person.is_done for person in self.persons.values())

    def begin(self) -> None:
        """Forget bid intents, and who was done."""
        for person in self.persons.values():
            person.bid_intent, person.is_done = "", False
