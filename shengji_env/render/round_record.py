"""A round as a record's line holds it: the types of its JSON values.

`records` writes and checks them; what is drawn of a round is read from them here. Cards are text (``HK HK``), seats
0..3, ranks and trumps as the page on environments explains them; None is JSON's null.

| type | what |
|---|---|
| `Round`, `RoundSoFar` | a finished round; one under way |
| `PublicRound` | what everybody has seen of a round so far |

Source: docs/records.md.
"""

from typing import Literal, NotRequired, Required, TypedDict

DecisionKind = Literal["bid", "name", "bury", "lead", "forced", "follow", "rebel"]


class RoundDecision(TypedDict, total=False):
    """A decision: its seat, and one of the other fields; ``drawn`` comes with ``bid``, ``by`` with any."""

    seat: Required[int]
    drawn: int
    """Cards that all seats have drawn by then."""
    bid: str | None
    """None: a pass."""
    name: str
    bury: str | None
    """None in a `PublicRound`."""
    lead: str
    """As it was attempted."""
    forced: str
    follow: str
    rebel: bool
    """Whether a weak hand has the cards dealt again."""
    by: str
    """Who decided in the place of the seat's own player; missing: that player did."""


class AbandonedDeal(TypedDict):
    """A deal that a rebellion has ended."""

    deal: str
    redeals: int
    decisions: list[RoundDecision]
    """The last one is the rebellion."""


class RoundTrick(TypedDict):
    """A trick; winner and points once it has ended."""

    leader: int
    led: str
    winner: NotRequired[int]
    points: NotRequired[int]


class RecordedResult(TypedDict):
    """How a round has ended."""

    attackers_points: int
    kitty_points: int
    kitty_multiplier: int
    winner: str | None
    """declarers or attackers; None: a draw."""
    levels: int
    levels_nominal: int
    levels_lost: NotRequired[int]
    """Levels by which the declarers fell; missing: none."""
    next_declarer: int | None
    new_levels: list[str]


class _RoundBegun(TypedDict):
    """A round's start, and the decisions made. A line of a record may say its table and players too."""

    table: NotRequired[int]
    players: NotRequired[list[str]]
    round: int
    match_round: NotRequired[int]
    """Missing: the round belongs to no match."""
    levels: list[str]
    declarer: int | None
    first_drawer: int
    redeals: int
    """Deals of the round before this one: those without a bid, and those abandoned."""
    abandoned: NotRequired[list[AbandonedDeal]]
    """The deals that rebellions have ended; missing if there are none."""
    deal: str
    decisions: list[RoundDecision]


class RoundSoFar(_RoundBegun):
    """A round under way."""

    trump: NotRequired[str]
    """Only if it is given with the deal."""


class Round(_RoundBegun):
    """A finished round."""

    trump: str
    level_rank: str
    kitty: str
    buried: str
    tricks: list[RoundTrick]
    result: RecordedResult


class PublicRound(TypedDict):
    """What everybody has seen of a round's last deal so far: no passes, no buried cards."""

    round: int
    redeals: int
    decisions: list[RoundDecision]
    trump: str | None
    """None until trumps are named, as is `level_rank`."""
    level_rank: str | None
    turned: str
    """Cards of the kitty that were turned up."""
    tricks: list[RoundTrick]
