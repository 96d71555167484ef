"""The messages between the arena and a bot's process. Names and cards are written as in records.

| to the bot | means |
|---|---|
| ``hello`` | the first line: version of the protocol, rules, time to think |
| ``round`` | a round begins, or its cards are dealt again; a round before it that has no result was broken off |
| ``draw`` | the cards that the seat has drawn since |
| ``bid``, ``name`` | somebody has bid, or named trumps |
| ``trumps`` | trumps and declarer are settled |
| ``takes`` | a seat takes up the kitty: the declarer, or with `kitty_retake` whoever has bid over |
| ``kitty`` | to that seat alone: what was taken up |
| ``bury`` | that seat has buried; the cards are told to it alone |
| ``lead``, ``follow`` | a play as it was attempted; it stands unless ``led`` comes next |
| ``forced``, ``led`` | a throw has failed: what the next seat chose, if it had a choice; what is led |
| ``trick`` | a trick has ended |
| ``result`` | the round has ended |
| ``decide`` | the bot is asked: the only message but ``hello`` that is answered |
| ``prompt`` | the answer to ``words``: the decision as text |
| ``refused`` | the answer to a ``say`` that cannot be used |
| ``end`` | the process is to end |

| from the bot | means |
|---|---|
| ``ready`` | the answer to ``hello`` |
| ``play`` | the answer to ``decide``: a whole play |
| ``words`` | another answer to ``decide``: the decision is to be told as text |
| ``say`` | an answer to ``prompt`` as text, such as a language model writes |

A bot must ignore messages and fields that it does not know, since later versions may add some. `PROTOCOL` is raised
only if something changes that bots rely on.

Source: docs/protocol.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_args

from shengji_env.errors import PlayerError
from shengji_env.render.round_record import DecisionKind, RecordedResult
from shengji_env.support import wire

PROTOCOL = 2
"""Version of the protocol."""
MAX_BYTES = 2048
"""Longest line of a bot, in bytes."""


class ProtocolError(PlayerError):
    """A line that does not keep to the protocol."""


@dataclass(frozen=True)
class BotHello(wire.Message):
    """The first line to a process."""

    type = "hello"
    protocol: int
    """Version of the protocol."""
    version: str
    """Version of shengji-env, for information."""
    rules: dict[str, Any]
    """The rules of all rounds, as in the header of a record: preset, options, fingerprint."""
    seconds: float
    """Time to think for a decision."""
    round_seconds: float | None
    """Time to think for all decisions of a round; null: as much as they may take one by one."""


@dataclass(frozen=True)
class BotRound(wire.Message):
    """A round begins, or its cards are dealt again because nobody has bid, or a seat has rebelled."""

    type = "round"
    seat: int
    """The bot's seat, 0..3; its partner sits two seats on. It may be another one in the next round."""
    round: int
    """Number of the round at its table."""
    match_round: int
    """Number of the round in its match; 0 if no match is played."""
    redeals: int
    """How often the cards of this round were dealt again."""
    rebellions: int
    """How often of these because a seat had rebelled."""
    rebel: int | None
    """The seat that was the last to rebel in this round; null: none has."""
    levels: list[str]
    """The teams' levels, those of seats 0 and 2 first."""
    declarer: int | None
    """The declarer's seat; null: it is bid for. A rebel may have become declarer, or nobody be it any more."""
    first_drawer: int
    """The seat that draws the first card; the others follow in turn."""


@dataclass(frozen=True)
class Draw(wire.Message):
    """Cards that the seat has drawn since the last such message, in the order drawn."""

    drawn: int
    """How many cards all seats together have drawn."""
    cards: str
    """The cards."""


@dataclass(frozen=True)
class BotBid(wire.Message):
    """A seat has bid, or overbid after a burial. Passes are not told, since only seats that can bid are asked."""

    type = "bid"
    seat: int
    """Who."""
    drawn: int
    """How many cards all seats together had drawn."""
    bid: str
    """The cards that it shows."""


@dataclass(frozen=True)
class Name(wire.Message):
    """A seat has named trumps, since nobody had bid."""

    seat: int
    """Who."""
    name: str
    """C D H S, or NT for no trump."""


@dataclass(frozen=True)
class Trumps(wire.Message):
    """Trumps are settled, or have changed by an overbid."""

    trump: str
    """C D H S, or NT for no trump."""
    level_rank: str
    """The rank of the level cards."""
    declarer: int
    """The declarer's seat."""
    turned: str
    """Cards of the kitty that were turned up to find trumps; usually none."""


@dataclass(frozen=True)
class Takes(wire.Message):
    """A seat takes up the kitty: the declarer, or after an overbid the seat that has made it."""

    seat: int
    """Who."""


@dataclass(frozen=True)
class Kitty(wire.Message):
    """The kitty, told to the seat that takes it up alone."""

    cards: str
    """Its cards."""


@dataclass(frozen=True)
class Bury(wire.Message):
    """The seat that has taken up the kitty has buried cards."""

    seat: int
    """Who."""
    bury: str | None
    """The cards; null to the other seats."""


@dataclass(frozen=True)
class BotLead(wire.Message):
    """A seat has led, or tried to; with ``failed_throw=lowest_card`` others are told only what is led."""

    type = "lead"
    seat: int
    """Who."""
    lead: str
    """All its cards."""


@dataclass(frozen=True)
class Forced(wire.Message):
    """A throw has failed, and the next seat has chosen the component that is led."""

    seat: int
    """Who has chosen."""
    forced: str
    """The component."""


@dataclass(frozen=True)
class BotLed(wire.Message):
    """A throw has failed: what is led instead. With ``lowest_card`` and no penalty, only the thrower is told."""

    type = "led"
    seat: int
    """Who leads."""
    led: str
    """The component, or the only card of it; the other cards went back to the hand."""
    penalty: int
    """The points that the seat's side pays."""


@dataclass(frozen=True)
class Follow(wire.Message):
    """A seat has followed."""

    seat: int
    """Who."""
    follow: str
    """The cards."""


@dataclass(frozen=True)
class BotTrick(wire.Message):
    """A trick has ended."""

    type = "trick"
    leader: int
    """Who has led."""
    led: str
    """What was led."""
    winner: int
    """Who has won it, and leads next."""
    points: int
    """Points of its cards."""


@dataclass(frozen=True)
class BotResult(wire.Message):
    """The round has ended."""

    type = "result"
    result: RecordedResult
    """As in a record."""
    buried: str
    """What lay in the kitty."""
    match_over: bool
    """Whether the match is over; false if no match is played."""
    match_winner: int | None
    """The team that has won the match: 0 for seats 0 and 2, 1 for seats 1 and 3; null: nobody."""


@dataclass(frozen=True)
class Decide(wire.Message):
    """The bot is to decide."""

    move: int
    """Number of the decision; the answer repeats it."""
    kind: DecisionKind
    """bid, name, bury, lead, forced, follow or rebel."""
    size: int | None
    """How many cards are to be buried or played; null: any number that makes a play, or none for no bid."""
    options: list[str]
    """The answers, if they can be listed: bids, trumps, components, rebel; no cards, for a pass, come in addition."""
    legal: str
    """A legal answer, for a bot that has no better one."""
    last_call: bool
    """Whether all cards are drawn and the seats are asked for last bids or overbids, in turn."""


@dataclass(frozen=True)
class Prompt(wire.Message):
    """What the seat has seen and is asked, in words."""

    move: int
    """The number of the decision."""
    rules: str
    """The rules, and how to answer; empty if they have been told in this deal."""
    text: str
    """What has happened, the hand, what is owed, the plays that are offered."""


@dataclass(frozen=True)
class BotRefused(wire.Message):
    """What the program has said has no answer in it, or one that is not legal. It may say something else, or play."""

    type = "refused"
    move: int
    """The number of the decision."""
    text: str
    """Why, and what is legal."""


@dataclass(frozen=True)
class End(wire.Message):
    """The process is to end; standard input ends too."""


ToBot = (
    BotHello | BotRound | Draw | BotBid | Name | Trumps | Takes | Kitty | Bury | BotLead | Forced | BotLed | Follow
    | BotTrick | BotResult
    | Decide | Prompt | BotRefused | End
)  # fmt: skip
_TO_BOT: dict[str, type[ToBot]] = {kind.type: kind for kind in get_args(ToBot)}


@dataclass(frozen=True)
class Ready(wire.Message):
    """The process is ready."""

    protocol: int
    """The version that it speaks."""


@dataclass(frozen=True)
class BotPlay(wire.Message):
    """The answer to ``decide``."""

    type = "play"
    may_lack = ("own",)
    move: int
    """The number of the decision."""
    cards: str
    """The whole play, in any order; nothing for no bid; trumps ("C" … "S", "NT") to name; "rebel", or nothing."""
    own: bool = True
    """false: not the program's own decision, but one in its place, since its model has failed, say; may be left out."""


@dataclass(frozen=True)
class Words(wire.Message):
    """The decision is to be told in words: a ``prompt`` comes."""

    move: int
    """The number of the decision."""
    language: str
    """``en`` or ``zh``."""
    offer: str
    """Which plays are named: ``candidates``, ten at most; ``legal``, all if they are at most 60; ``free``, none."""
    history: str
    """What is told of the round: ``new``, since the last prompt; ``whole``."""


@dataclass(frozen=True)
class Say(wire.Message):
    """The answer to ``prompt`` in words. If it cannot be used, ``refused`` comes."""

    move: int
    """The number of the decision."""
    text: str
    """The text; its last ``[...]`` or JSON object counts."""


FromBot = Ready | BotPlay | Words | Say
_FROM_BOT: dict[str, type[FromBot]] = {kind.type: kind for kind in get_args(FromBot)}


def as_message(given: Mapping[str, Any]) -> ToBot | None:
    """Return the message to a bot that a JSON object holds; None if this version does not know its type.

    Raises:
        ProtocolError: a field is missing.
    """
    kind = _TO_BOT.get(given["type"])
    if kind is None:
        return None
    names = [field.name for field in fields(kind)]
    missing = [name for name in names if name not in given]
    if missing:
        raise ProtocolError(f"the message {given['type']} lacks {', '.join(missing)}")
    return kind(**{name: given[name] for name in names})


def read_line(line: bytes) -> FromBot:
    """Read a line of a bot.

    Raises:
        ProtocolError: it is not a message of a bot.
    """
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise ProtocolError("it is not UTF-8 text") from error
    return wire.read_message(text, _FROM_BOT, MAX_BYTES, ProtocolError)


def line_of(message: ToBot | FromBot) -> bytes:
    """Return a message as a line."""
    return wire.write_message(message).encode() + b"\n"
