"""Botzone's wire: cards as ids, requests to a seat, responses of a program.

| there | here |
|---|---|
| ids 0 to 53 and 54 to 107, one deck each, by rank from A to K, then suit S H C D; jokers last | cards as text |
| majors ``s h c d n`` | trumps ``S H C D NT`` |
| the level ten is ``0`` | T |

A request that is read here has every field that its stage needs, of its kind; that it fits those before it is checked
in `match_seat.py`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shengji_env.engine.cards import JOKERS, RANKS
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.errors import PlayerError, show
from shengji_env.support.text_files import parse_json

_SUITS = "SHCD"
CARDS = (*(suit + rank for rank in "A23456789TJQK" for suit in _SUITS), *JOKERS)
"""The cards of one deck, by id."""
DECK = len(CARDS)
NUM_IDS = 2 * DECK
MAJORS = {suit: suit.lower() for suit in _SUITS} | {"NT": "n"}
"""Trumps as Botzone writes them."""
TRUMPS = {major: trump for trump, major in MAJORS.items()}
NOBODY = -1
_TEN = "0"


class BotzoneError(PlayerError):
    """A request or a response that cannot be used."""


def cards_of(ids: Iterable[int]) -> str:
    """Return cards as text, in the order of their ids' list."""
    return " ".join(CARDS[each % DECK] for each in ids)


def pick(cards: str, among: Iterable[int]) -> list[int]:
    """Return an id for each card of a text, out of those given; of two copies the one that is given first.

    Raises:
        BotzoneError: a card is not among them.
    """
    left, picked = list(among), []
    for card in cards.split():
        each = next((each for each in left if CARDS[each % DECK] == card), None)
        if each is None:
            raise BotzoneError(f"{card} is not among {show(cards_of(left))}")
        left.remove(each)
        picked.append(each)
    return picked


def level_text(rank: str) -> str:
    """Return a level rank as Botzone writes it."""
    return _TEN if rank == "T" else rank


@dataclass(frozen=True)
class Request:
    """A request to a seat."""

    stage: str
    """``deal``, ``cover`` or ``play``."""
    level: str
    """The level rank, as here."""
    is_first_round: bool
    """Whether the last to bid declares."""
    called: int
    """The seat that has called; -1: none."""
    snatched: int
    """The seat that has bid over it; -1: none."""
    major: str
    """``s h c d n``; empty while nobody has called."""
    banker: int
    """The declarer's seat; -1: none yet."""
    deliver: tuple[int, ...] = ()
    """The card drawn, or the kitty."""
    seat: int | None = None
    """The own seat; Botzone names it in the first request only."""
    tricks: tuple[tuple[tuple[int, ...], ...], ...] = ((), ())
    """The last trick and this one, in turn order."""
    leaders: tuple[int, int] = (0, 0)
    """Who led them."""
    total_score: int = 0
    """The attackers' points so far, penalties included."""


def read_request(text: str | bytes) -> Request:
    """Read a request.

    Raises:
        BotzoneError: it is not one.
    """
    given = parse_json(text, BotzoneError)
    try:
        return _request_of(given)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise BotzoneError(f"{show(given)} is not a request of Botzone's Tractor: {show(str(error))}") from error


def _request_of(given: Mapping[str, Any]) -> Request:
    known, banking = given["global"], given["global"]["banking"]
    level, stage = known["level"], given["stage"]
    history: Any = given["history"] if stage == "play" else [[], [], 0, 0]
    size = {"deal": 1, "cover": 8, "play": 0}[stage]
    deliver = _ids(given["deliver"]) if size else ()
    if len(deliver) != size:
        raise ValueError(f"{size} cards are delivered in {stage}")
    return Request(
        stage=stage,
        level=_one_of("T" if level == _TEN else level, (*RANKS,)),
        is_first_round=bool(known["first_round"]),
        **{name: _one_of(banking[name], range(NOBODY, NUM_SEATS)) for name in ("called", "snatched", "banker")},
        major=_one_of(banking["major"], ("", *TRUMPS)),
        deliver=deliver,
        seat=_one_of(given["playerpos"], range(NUM_SEATS)) if "playerpos" in given else None,
        tricks=tuple(tuple(_ids(play) for play in trick) for trick in history[:2]),
        leaders=(_one_of(history[2], range(NUM_SEATS)), _one_of(history[3], range(NUM_SEATS))),
        total_score=_one_of(known.get("total_score", 0), range(-10_000, 10_000)),
    )


def _one_of(value: Any, values: range | tuple[str, ...]) -> Any:
    if type(value) is not type(values[0]) or value not in values:
        raise ValueError(f"{value} is out of place")
    return value


def _ids(given: list[Any]) -> tuple[int, ...]:
    ids = tuple(_one_of(each, range(NUM_IDS)) for each in given)
    if len(set(ids)) < len(ids):
        raise ValueError("a card is there twice")
    return ids


def read_response(text: bytes) -> tuple[list[int], dict[str, Any]]:
    """Read what a program has printed: the ids of its response, and what it wants to be given back.

    Raises:
        BotzoneError: it is not a response.
    """
    given = parse_json(text, BotzoneError)
    response = given.get("response") if isinstance(given, dict) else None
    if not isinstance(response, list):
        raise BotzoneError('an answer is a JSON object like {"response": [5]}')
    try:
        ids = list(_ids(response))
    except (ValueError, TypeError) as error:
        raise BotzoneError(f"response={show(response)} must be ids from 0 to {NUM_IDS - 1}: {error}") from error
    return ids, {name: given[name] for name in ("data", "globaldata") if name in given}
