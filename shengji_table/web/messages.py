"""What goes over the wire: one JSON object a message, ``type`` says which.

``move`` names the decision that a message is about: the one of the state it answers. So a message that comes too late,
or twice, is refused. docs/web.md says in which order they come.
"""

from dataclasses import dataclass
from typing import Any, TypedDict, get_args

from shengji_env.errors import ShengjiError
from shengji_env.support import wire

VERSION = 3
NUM_PHRASES = 8
"""What persons may say to one another: `PHRASES` of ``page/phrases.js``."""
MAX_BYTES = 2048
"""Longest message that a browser may send, in bytes."""


class MessageError(ShengjiError):
    """A message that no page of this server sends."""


@dataclass(frozen=True)
class Hello(wire.Message):
    """The first message: the version, and the fragment of a link."""

    version: int
    link: str


@dataclass(frozen=True)
class Choose(wire.Message):
    """Which cards may join these?"""

    move: int
    cards: str


@dataclass(frozen=True)
class PlayCards(wire.Message):
    """A whole answer: cards to bury, lead or follow with, the component that is led, trumps to name ("C" … "NT")."""

    type = "play"
    move: int
    cards: str


@dataclass(frozen=True)
class BidIntent(wire.Message):
    """What to bid as soon as the seat's turn comes, or ``rebel``; no cards: nothing after all."""

    type = "bid"
    move: int
    standing: int
    """The number of bids that the person has seen."""
    cards: str


@dataclass(frozen=True)
class Done(wire.Message):
    """No more bids or rebellions; or, at the end of a round, on with the next one."""

    move: int


@dataclass(frozen=True)
class AskHint(wire.Message):
    """What would the adviser do?"""

    type = "hint"
    move: int


@dataclass(frozen=True)
class Auto(wire.Message):
    """Whether forced plays are made for the seat."""

    on: bool


@dataclass(frozen=True)
class AskReplay(wire.Message):
    """The link to the replay of the round that has ended."""

    type = "replay"
    move: int


@dataclass(frozen=True)
class SayPhrase(wire.Message):
    """One of the page's fixed phrases, to all at the table."""

    type = "say"
    phrase: int
    """Its number, below `NUM_PHRASES`."""


@dataclass(frozen=True)
class StartMatch(wire.Message):
    """Begin without those who have not come: a player decides for them until they do."""

    type = "start"


@dataclass(frozen=True)
class Replace(wire.Message):
    """Let a player decide for a person who is not connected."""

    seat: int


@dataclass(frozen=True)
class Release(wire.Message):
    """Free the seat of a person who is not connected: a guest may take it, and its link opens nothing any more."""

    seat: int


@dataclass(frozen=True)
class Back(wire.Message):
    """Decide for oneself again."""


@dataclass(frozen=True)
class Take(wire.Message):
    """A guest takes a seat; no name for a seat that has one."""

    seat: int
    name: str


@dataclass(frozen=True)
class AskWatch(wire.Message):
    """A guest wants to watch."""

    type = "watch"


FromPage = (
    Hello | Choose | PlayCards | BidIntent | Done | AskHint | Auto | AskReplay | SayPhrase | StartMatch | Replace
    | Release | Back | Take | AskWatch
)  # fmt: skip
_KINDS: dict[str, type[FromPage]] = {kind.type: kind for kind in get_args(FromPage)}


def read_message(text: str) -> FromPage:
    """Read a message.

    Raises:
        MessageError: it is too long, not a JSON object, of no known type, or has other fields or values.
    """
    return wire.read_message(text, _KINDS, MAX_BYTES, MessageError)


@dataclass(frozen=True)
class Welcome(wire.Message):
    """The first message to a browser: where it sits, and what does not change."""

    version: int
    seat: int
    """Seat 0..3, or -1 for one who watches."""
    names: tuple[str, ...]
    rules: str
    adviser: str
    substitute: str
    """Who decides for persons who are not there."""
    evening: str
    """The path of the page about the rounds that have ended."""
    threshold: tuple[int, int]
    """Points with which the attackers take over, and the levels by which they rise then."""
    lesson: bool
    """Whether the first rounds teach the game."""


@dataclass(frozen=True)
class Ask:
    """What a person is asked."""

    kind: str
    """bid (an overbid too), name, rebel, bury, lead, forced, follow; or next, at the end of a round."""
    size: int | None = None
    """How many cards are to be chosen; None: any number, or none."""
    options: tuple[str, ...] = ()
    """The answers, if they can be listed: bids, trumps, components, rebel."""
    wish: str = ""
    """The bid, or the rebellion, that will be made as soon as possible."""
    is_done: bool = False
    """Whether the person has said that nothing more is to come."""
    is_forced: bool = False
    """Whether there is only one legal play, which is made for the person after a while."""
    kitty: str = ""
    """The cards that the seat has taken up, while it is to bury."""
    components: tuple[tuple[int, int], ...] = ()
    """Width and length of each component of the lead that is followed."""


class ScoreLine(TypedDict):
    """A line of the score sheet: a round that has ended."""

    round: int
    levels: list[str]
    trump: str
    level_rank: str
    declarer: int
    points: int
    taken: list[int]
    """Points in the tricks that each seat has won."""
    winner: str | None
    rise: int
    new_levels: list[str]
    match_winner: int | None
    match_over: bool


@dataclass(frozen=True)
class TableState(wire.Message):
    """Everything that a viewer sees now."""

    type = "state"
    move: int
    """The step that the table is at, which answers repeat."""
    view: dict[str, Any]
    """What the viewer sees of it (`render.view.View`)."""
    ask: Ask | None
    """What the viewer is asked; None while others are."""
    window: int | None
    """Seconds for last bids; None at other times."""
    persons: tuple[int, ...]
    """Seats in which persons sit."""
    away: tuple[int, ...]
    """Those of them who are not connected."""
    free: tuple[int, ...]
    """Those of them that nobody has taken yet, and that are kept for nobody."""
    waiting: tuple[int, ...]
    """Those whom the first round waits for; none once it has begun."""
    substituted: tuple[int, ...]
    """Those for whom a player decides."""
    done: tuple[int, ...]
    """At the end of a round, those who want to go on; none at other times."""
    redealt: str
    """While cards are drawn: why they are dealt again (no_bid, rebellion); no text if they are not."""
    auto: bool
    """Whether forced plays are made for the viewer."""
    sheet: list[ScoreLine]
    """The score sheet, newest round last."""
    fault: str
    """Why the table has stopped, a key of `refusals.FAULTS`; empty while it goes on."""
    unseen: str | None = None
    """The cards that the viewer's seat has not seen, while cards are played; None where nobody may count them."""
    said: tuple[tuple[int, int, int], ...] = ()
    """What persons have said last: the seat, the phrase, and how many the person has said by then."""


@dataclass(frozen=True)
class Extend(wire.Message):
    """Which cards may join those chosen."""

    move: int
    cards: str
    """The chosen cards."""
    is_whole: bool
    """Whether they are a legal play."""
    reasons: dict[str, str | None]
    """For each card of which the hand holds another copy: why it may not join, or null."""
    owed: list[tuple[int, int]]
    """The components that a follower owes: width and length."""
    size: int | None
    """How many cards the play has; null for a lead."""
    wrong: list[tuple[str, str]]
    """If no legal play holds the chosen cards: those that could not join the ones chosen before them, and why."""
    forced: str = ""
    """The cards that every legal follow holds."""


@dataclass(frozen=True)
class Hint(wire.Message):
    """What the adviser would do."""

    move: int
    cards: str
    """Cards, trumps, or nothing for no bid."""
    why: dict[str, str] | None = None
    """What the cards say of it, by language, with ``{A}`` for the hint; None if there is nothing to bid."""
    components: tuple[tuple[int, int], ...] = ()
    """Width and length of each component of a lead."""


@dataclass(frozen=True)
class Accepted(wire.Message):
    """A message has been understood, and has had its effect."""

    move: int


@dataclass(frozen=True)
class Refused(wire.Message):
    """A message has been refused; nothing has changed."""

    move: int
    reason: str
    """In English."""
    code: str
    """The reason for pages: a key of `refusals.REFUSALS`, or why a card may not join a play."""
    cards: str = ""
    """The cards that it is about."""


@dataclass(frozen=True)
class ReplayLink(wire.Message):
    """Where the replay of the last round is."""

    type = "replay"
    path: str


@dataclass(frozen=True)
class Compiling(wire.Message):
    """The replay that was asked for is made once what reviews need is compiled."""

    done: int
    """Parts that are there."""
    total: int


@dataclass(frozen=True)
class LobbySeat:
    """A seat, as guests see it."""

    seat: int
    name: str
    """Who sits there, or for whom it is kept; no text for a free seat."""
    is_free: bool
    """Whether a guest may take it."""
    is_here: bool
    """Whether who sits there is there; players always are."""
    is_person: bool
    """Whether the seat is a person's."""


@dataclass(frozen=True)
class Lobby(wire.Message):
    """What guests see of a table."""

    rules: str
    substitute: str
    """Who decides for persons who are not there."""
    seats: tuple[LobbySeat, ...]
    has_begun: bool


@dataclass(frozen=True)
class Seated(wire.Message):
    """A guest has a link of its own now: to a seat, or to watch."""

    link: str


ToPage = Welcome | TableState | Extend | Hint | Accepted | Refused | ReplayLink | Compiling | Lobby | Seated


def write_message(reply: ToPage) -> str:
    """Return a message to a browser as text: the same bytes for the same message."""
    return wire.write_message(reply)
