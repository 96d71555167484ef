"""The options of a rule set, each defined once: type, default, meaning, values with their sources, where it is idle.

| derived from the fields of `Options` | by |
|---|---|
| the values that an option may have, and their numbers in compiled code | `CHOICES`, `code_of`, `number_of` |
| the record that compiled code reads, and what observations say of the rules | `rule_record.py` |
| checks, texts, JSON and fingerprints | `rule_sets.py` |
| the tables of docs/rules.md and docs/environments/observation.md | `render/presets.py`, `tables/observation.py` |

Sources are named as in docs/rules.md: A1 to A5 and B, and *ours* where neither says it.

Source: docs/rules.md §14.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from shengji_env.engine.card_sets import has_word
from shengji_env.engine.cards import ACE, JOKERS, RANKS

MAX_REBELLIONS = 20
"""Most deals of a round that may be abandoned (§4)."""
NO_RANKS = "none"
"""How an empty set of ranks is written in tables."""
REQUIRABLE_RANKS = RANKS[:ACE]
ALL_CARDS = "all"
"""How an empty set of cards, which stands for all of them, is written in tables."""

_NO_STRONGER_BIDS = "with one deck or `bidding=fixed`"


def _everywhere(rules: "Options") -> bool:
    return True


def _has_bidding(rules: "Options") -> bool:
    return rules.bidding != "fixed"


def _has_stronger_bids(rules: "Options") -> bool:
    return _has_bidding(rules) and rules.decks > 1


def _has_ranked_bids(rules: "Options") -> bool:
    return _has_stronger_bids(rules) and rules.bid_ladder == "strength"


def _has_both_jokers(rules: "Options") -> bool:
    return not rules.cards or all(has_word(rules.cards, joker) for joker in JOKERS)


def _has_throws(rules: "Options") -> bool:
    return rules.throws


def _may_rebel(rules: "Options") -> bool:
    return _has_bidding(rules) and rules.rebellion != "none"


def _counts_shapes(rules: "Options") -> bool:
    return (
        rules.throws
        and rules.decks > 1
        and rules.kitty_multiplier
        in (
            "exponential",
            "pattern",
            "component",
        )
    )


@dataclass(frozen=True)
class About:
    """What is known of an option besides its type, default and meaning.

    An option or a value that was added later has a higher edition. Such an option is written into JSON and fingerprints
    only where it is set, so that what was written before it existed stays readable; and in observations it comes after
    all that was there before.
    """

    sources: Mapping[str, str]
    """Where each value comes from, by its text in tables."""
    idle: str
    """Where the option changes nothing, in words."""
    has_effect: Callable[["Options"], bool]
    """Whether it can change a round or a match of a rule set."""
    unit: int
    """What a number is divided by in observations."""
    edition: int
    """Which edition of the options brought it."""
    later: Mapping[str, int]
    """Editions of values that came later than the option."""


def _option(
    default: Any,
    sources: Mapping[str, str],
    idle: str = "",
    has_effect: Callable[["Options"], bool] = _everywhere,
    *,
    unit: int = 1,
    edition: int = 1,
    later: Mapping[str, int] | None = None,
) -> Any:
    about = About(sources, idle, has_effect, unit, edition, later or {})
    return dataclasses.field(default=default, metadata={"about": about})


@dataclass(frozen=True, kw_only=True)
class Options:
    """All options of docs/rules.md §14.

    A text that is not a choice of words is a set of ranks, such as ``5TK``, or of cards (`CARD_SETS`).
    """

    decks: int = _option(2, {"1": "A1 A2 A3 B", "2": "A1 A3 B", "3": "A1 A4 B", "4": "named by A1 and B"})
    """Number of decks, 1..4 (§1)."""
    kitty: int = _option(
        8, {"6": "A1 A2 A3 B, with three decks A1 B", "8": "A1 A3 B, with four decks *ours*", "0": "*ours*"}
    )
    """Cards in the kitty; the rest must divide by four (§2)."""
    bidding: Literal["streaming", "sequential", "fixed", "drawing"] = _option(
        "streaming",
        {
            "streaming": "A2 A4 B",
            "sequential": "B for given declarers, in a match *ours*",
            "fixed": "B, duplicate play",
            "drawing": "Botzone",
        },
        later={"drawing": 5},
    )
    """When trumps are bid for (§4)."""
    no_trump_bids: bool = _option(
        True,
        {"yes": "A4 B", "no": "B, as some rules have it"},
        "with one deck: there are no two equal jokers",
        lambda rules: rules.decks > 1,
    )
    """Whether there is no trump: two or more equal jokers bid it, a partner may name it, a deal may bring it (§4)."""
    joker_bids: Literal["ranked", "equal"] = _option(
        "ranked",
        {"ranked": "B", "equal": "A4"},
        "where not both jokers can be bid: `no_trump_bids=False`, `bidding=fixed`, or `cards` without one; with "
        "`bid_ladder=call_snatch`",
        lambda rules: rules.no_trump_bids and _has_ranked_bids(rules) and _has_both_jokers(rules),
    )
    """Whether big jokers outbid as many little ones (§4)."""
    no_bid: Literal["flip_kitty", "partner_names", "no_trump", "random"] = _option(
        "flip_kitty",
        {
            "flip_kitty": "B for the first card, what follows *ours*",
            "partner_names": "B",
            "no_trump": "the public contest",
            "random": "Botzone",
        },
        "with `bidding=fixed`",
        _has_bidding,
        later={"no_trump": 4, "random": 5},
    )
    """What names trumps where nobody bids (§4)."""
    max_redeals: int = _option(
        8,
        {"8": "*ours*; that cards are dealt again: B", "0": "the public contest, Botzone"},
        "with `bidding=fixed`",
        _has_bidding,
    )
    """Further deals at most when a first round brings no bid, 0..100 (§4)."""
    throws: bool = _option(True, {"yes": "A5 B", "no": "A2, which knows none"})
    """Whether several components of one suit may be led together (§8)."""
    failed_throw: Literal["next_seat_chooses", "smallest", "lowest", "lowest_card"] = _option(
        "smallest",
        {
            "next_seat_chooses": "B",
            "smallest": "*ours*, common",
            "lowest": "the public contest",
            "lowest_card": "Botzone",
        },
        "without `throws`",
        _has_throws,
        later={"lowest": 4, "lowest_card": 5},
    )
    """What is led when a throw fails (§8)."""
    throw_penalty: int = _option(
        0, {"0": "*ours*; B allows one and names no figure", "10": "Botzone"}, "without `throws`", _has_throws, unit=5
    )
    """Points that a failed throw costs, a multiple of 5 (§8)."""
    follow_priority: Literal["width_first", "triples_then_tractors", "tractors_first"] = _option(
        "width_first",
        {"width_first": "B", "triples_then_tractors": "A4, B's first alternative", "tractors_first": "B's second"},
        "with one or two decks: all orders agree up to pairs (§9)",
        lambda rules: rules.decks > 2,
    )
    """In which order a follower's duty falls back (§9)."""
    kitty_multiplier: Literal["exponential", "pattern", "double", "none", "cards", "component"] = _option(
        "exponential",
        {
            "exponential": "A1",
            "pattern": "A3 A4",
            "double": "B",
            "none": "A2",
            "cards": "*ours*, usual in Shanghai",
            "component": "Botzone",
        },
        later={"cards": 2, "component": 5},
    )
    """What the kitty's points are multiplied by (§11)."""
    kitty_shape: Literal["winner", "lead"] = _option(
        "winner",
        {"winner": "A1 A3", "lead": "*ours*, common; Botzone"},
        "with one deck, without `throws`, or where the multiplier is `double`, `cards` or `none`: both shapes count "
        "alike",
        _counts_shapes,
    )
    """Whose decomposition the multiplier is taken on (§11)."""
    last_trick_points: bool = _option(True, {"yes": "A1 A3 A4 B, which except no trick", "no": "A2"})
    """Whether the points in the last trick count (§11)."""
    result_table: Literal[
        "one_deck", "one_deck_45", "two_deck", "competition", "three_deck", "four_deck", "share", "botzone"
    ] = _option(
        "two_deck",
        {
            "one_deck": "A1 A3, from 120 points on A3",
            "one_deck_45": "A2, who rises and declares next *ours*",
            "two_deck": "A1 A3",
            "competition": "*ours*, the usual one; the 80 B",
            "three_deck": "A4, the +1 below 120 *ours*",
            "four_deck": "*ours*",
            "share": "*ours*",
            "botzone": "Botzone",
        },
        later={"share": 3, "botzone": 5},
    )
    """Name of the table from points to levels (§12)."""
    match_end: Literal["reach_ace", "pass_ace", "rounds", "beyond_ace"] = _option(
        "reach_ace",
        {
            "reach_ace": "A1 A2",
            "pass_ace": "*ours*, usual in clubs",
            "rounds": "A3",
            "beyond_ace": "the public contest, rbtying's server",
        },
        later={"beyond_ace": 4},
    )
    """When a match is over (§13)."""
    match_rounds: int = _option(
        16, {"16": "*ours*"}, "unless `match_end=rounds`", lambda rules: rules.match_end == "rounds"
    )
    """Rounds of a match that ends by `rounds` (§13)."""
    must_defend: str = _option(
        "",
        {NO_RANKS: "A1 to A4 B, which name none", "5TK": "*ours*, usual in clubs", "25TK": "the public contest"},
        edition=2,
    )
    """Levels that no team passes before it has won a round there as declarers, ranks from 2 to K (§13)."""
    cards: str = _option("", {ALL_CARDS: "A1 to A4 B", "suits and ranks": "*ours*"}, edition=3)
    """Which cards a deck has: suits, ranks and jokers, such as `HS 9TJ` or `CDHS 3456789TJQKA LJ BJ` (§1)."""
    bid_suits: Literal["equal", "ranked"] = _option(
        "equal",
        {"equal": "A1 to A4 B", "ranked": "usual in 炒地皮"},
        "with one deck, `bidding=fixed` or `bid_ladder=call_snatch`",
        _has_ranked_bids,
        edition=3,
    )
    """Whether a bid of one suit is stronger than one of another: D < C < H < S, from two cards on (§4)."""
    overturn: bool = _option(
        True, {"yes": "A1 to A4 B", "no": "*ours*, some clubs"}, _NO_STRONGER_BIDS, _has_stronger_bids, edition=3
    )
    """Whether a bid may be made over another's (§4)."""
    first_declarer: Literal["winning_bid", "first_bid"] = _option(
        "winning_bid",
        {"winning_bid": "A1 to A4 B", "first_bid": "rbtying's server"},
        "with one deck or `bidding=fixed`, or without `overturn`",
        lambda rules: _has_stronger_bids(rules) and rules.overturn,
        edition=3,
    )
    """Who declares in a round that begins without a declarer (§4)."""
    rebellion: Literal["none", "redeal", "new_declarer", "no_declarer"] = _option(
        "none",
        {
            "none": "A1 to A4 B",
            "redeal": "usual in clubs",
            "new_declarer": "*ours*",
            "no_declarer": "the public contest",
        },
        "with `bidding=fixed`",
        _has_bidding,
        edition=3,
        later={"no_declarer": 4},
    )
    """What an attacker's weak hand may bring about once trumps are named (§4)."""
    rebellion_points: int = _option(
        15, {"15": "the public contest"}, "without `rebellion`", _may_rebel, unit=5, edition=3
    )
    """Points at most in a hand that may rebel, -1..400; -1: points are no reason (§4)."""
    rebellion_trumps: int = _option(3, {"3": "the public contest"}, "without `rebellion`", _may_rebel, edition=3)
    """Trumps at most in a hand that may rebel, -1..54; -1: trumps are no reason (§4)."""
    max_rebellions: int = _option(3, {"3": "the public contest"}, "without `rebellion`", _may_rebel, edition=3)
    """Deals of a round that are abandoned by rebellion at most, 1..20 (§4)."""
    kitty_retake: Literal["none", "overbid"] = _option(
        "none", {"none": "A1 to A4 B", "overbid": "炒地皮"}, _NO_STRONGER_BIDS, _has_stronger_bids, edition=3
    )
    """Whether a stronger bid takes the kitty again after it is buried (§5)."""
    throw_contest: Literal["principal", "all", "highest"] = _option(
        "principal",
        {"principal": "B", "all": "rbtying's server", "highest": "the public contest, rbtying's server"},
        "without `throws`",
        _has_throws,
        edition=3,
        later={"highest": 4},
    )
    """What a ruff of a throw must beat to win over another ruff (§10)."""
    last_trick_demotion: Literal["none", "jack_single", "jack_suit", "jack_ace"] = _option(
        "none",
        {"none": "A1 to A4 B", "jack_single": "rbtying's server", "jack_suit": "*ours*", "jack_ace": "*ours*"},
        edition=3,
    )
    """Which cards cost the declarers levels if the attackers win the last trick with them (§13)."""
    bid_ladder: Literal["strength", "call_snatch"] = _option(
        "strength",
        {"strength": "A1 to A4 B", "call_snatch": "Botzone"},
        _NO_STRONGER_BIDS,
        _has_stronger_bids,
        edition=5,
    )
    """Which bids may follow which: any stronger one, or one level card and then one pair (§4)."""
    throw_penalty_per: Literal["throw", "card"] = _option(
        "throw",
        {"throw": "B", "card": "Botzone"},
        "without `throws` or `throw_penalty`",
        lambda rules: rules.throws and rules.throw_penalty > 0,
        edition=5,
    )
    """What costs the penalty: a failed throw, or each card of its beaten components (§8)."""


_FIELDS = {field.name: field for field in dataclasses.fields(Options)}
OPTION_NAMES = tuple(_FIELDS)
TYPES: Mapping[str, Any] = {name: field.type for name, field in _FIELDS.items()}
ABOUT: Mapping[str, About] = {name: field.metadata["about"] for name, field in _FIELDS.items()}
DEFAULTS: Mapping[str, Any] = {name: field.default for name, field in _FIELDS.items()}
CARD_SETS = ("cards",)
"""Options that are sets of cards: suits, ranks and jokers as words; the empty text stands for all cards."""
CHOICES: dict[str, tuple[str, ...]] = {
    name: get_args(kind) for name, kind in TYPES.items() if get_origin(kind) is Literal
}
"""Values of the options that are words; an option's number in compiled code is its index here."""


def code_of(option: str, value: str) -> int:
    """Return the number of an option's word in compiled code."""
    return CHOICES[option].index(value)


def number_of(option: str, value: Any) -> int:
    """Return an option's value as compiled code reads it: a word's index, a set of ranks as bits, 0 or 1, a number.

    A set of cards is 1 if it leaves out any.
    """
    if option in CHOICES:
        return code_of(option, value)
    if option in CARD_SETS:
        return int(value != "")
    if isinstance(value, str):
        return sum(1 << RANKS.index(rank) for rank in value)
    return int(value)
