"""Who sits where at a table: free seats that guests take, each with a name and a secret of its own."""

from collections.abc import Sequence

from shengji_env.players.human import DEFAULT_NAME
from shengji_env.players.player import Needs, Player
from shengji_table.web.guest_names import GuestError, is_same_name, read_name
from shengji_table.web.kept_events import Taken
from shengji_table.web.links import Keys, new_secret


class TableSeats:
    """The seats of a table.

    Args:
        players: by seat; those with `Needs.PERSON` stand for persons.
        keys: the table's secrets.

    Attributes:
        names: who sits in the four seats.
        persons: the seats for persons.
        keys: the table's secrets, those of taken seats among them.
    """

    def __init__(self, players: Sequence[Player], keys: Keys) -> None:
        self.names = tuple(player.name for player in players)
        self.persons = tuple(seat for seat, player in enumerate(players) if Needs.PERSON in player.needs)
        self.keys = keys
        self._given = {seat for seat in self.persons if self.names[seat] != DEFAULT_NAME}

    def free(self) -> tuple[int, ...]:
        """Return the seats that guests may take."""
        return tuple(seat for seat in self.persons if seat not in self.keys.seats)

    def shown_name(self, seat: int) -> str:
        """Return a seat's name as guests see it: none for a seat that is free for anybody."""
        return "" if seat in self.free() and seat not in self._given else self.names[seat]

    def check(self, seat: int, typed: str) -> Taken:
        """Return how a guest may take a seat, with a new secret.

        Args:
            seat: the seat.
            typed: the guest's name; none for a seat that is kept for somebody.

        Raises:
            GuestError: the seat or the name cannot be had.
        """
        if seat not in self.persons:
            raise GuestError("this seat is not for guests")
        if seat not in self.free():
            raise GuestError("somebody has taken this seat just now: choose another")
        if seat in self._given:
            if typed:
                raise GuestError("this seat is kept for somebody: take it without another name")
            return Taken(seat, "", new_secret())
        name = read_name(typed)
        if any(is_same_name(name, other) for at, other in enumerate(self.names) if at != seat and self._is_known(at)):
            raise GuestError("somebody at the table has this name: choose another")
        return Taken(seat, name, new_secret())

    def _is_known(self, seat: int) -> bool:
        """Return whether a seat's name is one that others know."""
        return bool(self.shown_name(seat))

    def release(self, seat: int) -> None:
        """Free a seat: a guest may take it under any name, and its link opens nothing any more."""
        self.keys.seats.pop(seat, None)
        self._given.discard(seat)

    def take(self, taken: Taken) -> None:
        """Let a seat be taken."""
        self.keys.seats[taken.seat] = taken.secret
        if taken.name:
            names = list(self.names)
            names[taken.seat] = taken.name
            self.names = tuple(names)
