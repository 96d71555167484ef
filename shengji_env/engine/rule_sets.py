"""Rule sets: every point on which the sources differ is one option, every game that they describe one preset.

`RuleSet` is the value for people; `RuleSet.record()` is the same as numbers, for compiled code.

Source: docs/rules.md §14.
"""

import dataclasses
import functools
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ParamSpec, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.card_sets import cards_dealt, has_word, sorted_cards
from shengji_env.engine.cards import CARD_POINTS, JOKERS, MAX_DECKS, RANKS
from shengji_env.engine.presets import PRESET_OPTIONS
from shengji_env.engine.result_tables import RESULT_TABLES, SHARE, ResultTable, share_table
from shengji_env.engine.rule_options import (
    ABOUT,
    CARD_SETS,
    CHOICES,
    DEFAULTS,
    MAX_REBELLIONS,
    OPTION_NAMES,
    REQUIRABLE_RANKS,
    TYPES,
    Options,
)
from shengji_env.engine.rule_record import make_record
from shengji_env.errors import RuleSetError, show

NUM_SEATS = 4
PRESETS = tuple(PRESET_OPTIONS)
DEFAULT_RULES = "two_deck"


@dataclass(frozen=True, kw_only=True)
class RuleSet(Options):
    """One game of the family: a value for each of the `Options`. Build one with `rule_set`."""

    preset: str = "two_deck"
    """Name of the preset that the options started from; not part of the fingerprint."""

    def __post_init__(self) -> None:
        """Refuse values and combinations that make no sense, naming the option."""
        if not isinstance(self.preset, str) or self.preset not in PRESETS:
            raise RuleSetError(f"no preset is called {show(self.preset)}; there are {', '.join(PRESETS)}")
        _check_types(self)
        for name in OPTION_NAMES:
            if TYPES[name] is str:
                sort = sorted_cards if name in CARD_SETS else _sorted_ranks
                object.__setattr__(self, name, sort(name, getattr(self, name)))
        _check_sizes(self)
        _check_numbers(self)
        _check_bidding(self)

    @property
    def hand(self) -> int:
        """Cards dealt to each seat."""
        return (self.total - self.kitty) // NUM_SEATS

    @property
    def copies(self) -> tuple[int, ...]:
        """How often each card id is dealt."""
        return tuple(self.decks * dealt for dealt in cards_dealt(self.cards))

    @property
    def total(self) -> int:
        """Number of cards dealt, the kitty included."""
        return self.decks * sum(cards_dealt(self.cards))

    @property
    def points(self) -> int:
        """Points of all cards dealt."""
        return sum(int(points) * copies for points, copies in zip(CARD_POINTS, self.copies, strict=True))

    @property
    def table(self) -> ResultTable:
        """The table from points to levels."""
        return share_table(self.points) if self.result_table == SHARE else RESULT_TABLES[self.result_table]

    @property
    def options(self) -> dict[str, Any]:
        """Every option by name, in the order of the fields."""
        return {name: getattr(self, name) for name in OPTION_NAMES}

    @property
    def fingerprint(self) -> str:
        """Short hash of all options: equal only if every option is, even those that change nothing."""
        options = {name: value for name, value in self.options.items() if _is_first(name) or value != DEFAULTS[name]}
        return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()[:12]

    def to_json(self) -> dict[str, Any]:
        """Return the form that records, checkpoints and results carry; `from_json` reads it back."""
        usual = DEFAULTS, RULE_SETS[self.preset].options
        options = {
            name: value
            for name, value in self.options.items()
            if _is_first(name) or any(value != values[name] for values in usual)
        }
        return {"preset": self.preset, "options": options, "fingerprint": self.fingerprint}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "RuleSet":
        """Return the rule set that `to_json` wrote.

        Raises:
            RuleSetError: an option is unknown or impossible, or the fingerprint belongs to other options.
        """
        if not isinstance(data, Mapping):
            raise RuleSetError(f"{show(data)} is not a rule set; it is a mapping of preset, options and fingerprint")
        options = data.get("options", {})
        rules = _with_options(data.get("preset"), options)
        given = data.get("fingerprint", rules.fingerprint)
        if given != rules.fingerprint:
            # The preset may have been another one then: `to_json` had left out what it and the default agreed on.
            rules = dataclasses.replace(rules, **{**DEFAULTS, **options})
        if not isinstance(given, str) or given != rules.fingerprint:
            raise RuleSetError(f"fingerprint {show(given)} does not fit the options; theirs is {rules.fingerprint}")
        return rules

    def __str__(self) -> str:
        """Preset and what differs from it: ``two_deck(throws=False)``; `parse_rules` reads it back."""
        return text_of(self, RULE_SETS)

    def record(self) -> NDArray[np.void]:
        """Return the options as numbers, shape (1,), RULES_DTYPE: what compiled code reads."""
        return _record_of(self).copy()


@functools.lru_cache(maxsize=64)
def _record_of(rules: RuleSet) -> NDArray[np.void]:
    return make_record(rules.options, rules.hand, rules.table)


def _is_first(option: str) -> bool:
    """Return whether an option belongs to the first edition, which is always written."""
    return ABOUT[option].edition == 1


def _check_types(rules: RuleSet) -> None:
    for name, value in rules.options.items():
        if name in CHOICES:
            if not isinstance(value, str) or value not in CHOICES[name]:
                raise RuleSetError(f"{name}={show(value)} is unknown; it is one of {', '.join(CHOICES[name])}")
        elif type(value) is not TYPES[name]:
            raise RuleSetError(f"{name}={show(value)} must be of type {TYPES[name].__name__}")


def _sorted_ranks(name: str, text: str) -> str:
    """Return a set of ranks in ascending order."""
    ranks = text.upper()
    if len(set(ranks)) < len(ranks) or not set(ranks) <= set(REQUIRABLE_RANKS):
        hint = "; for the ace there is match_end=pass_ace" if "A" in ranks else ""
        raise RuleSetError(
            f"{name}={show(text)} is not a set of ranks; write some of {REQUIRABLE_RANKS}, each once, such as 5TK{hint}"
        )
    return "".join(sorted(ranks, key=REQUIRABLE_RANKS.index))


def _check_sizes(rules: RuleSet) -> None:
    if not 1 <= rules.decks <= MAX_DECKS:
        raise RuleSetError(f"decks={show(rules.decks)} must be 1..{MAX_DECKS}")
    total = rules.total
    least = 0 if rules.bidding == "fixed" else 1
    if rules.kitty == 0 and least:
        raise RuleSetError("kitty=0 needs bidding=fixed, since there is no card to turn up where nobody bids")
    if rules.kitty < least or (total - rules.kitty) % NUM_SEATS or not max(rules.kitty, 1) <= rules.hand:
        fitting = [
            kitty
            for kitty in range(least, total)
            if (total - kitty) % NUM_SEATS == 0 and max(kitty, 1) <= (total - kitty) // NUM_SEATS
        ]
        raise RuleSetError(
            f"kitty={show(rules.kitty)} does not divide {total} cards into four hands; it may be {fitting}"
        )
    if rules.cards and (rules.points < rules.table.threshold or rules.points == 0):
        raise RuleSetError(
            f"result_table={rules.result_table} needs {max(rules.table.threshold, 5)} points at least, but "
            f"cards={rules.cards} deals {rules.points}" + ("" if rules.points == 0 else "; result_table=share fits")
        )


def _check_numbers(rules: RuleSet) -> None:
    if not 0 <= rules.max_redeals <= 100:
        raise RuleSetError(f"max_redeals={show(rules.max_redeals)} must be 0..100")
    if rules.throw_penalty % 5 or not 0 <= rules.throw_penalty <= 100:
        raise RuleSetError(f"throw_penalty={show(rules.throw_penalty)} must be a multiple of 5 from 0 to 100")
    if not 1 <= rules.match_rounds <= 1000:
        raise RuleSetError(f"match_rounds={show(rules.match_rounds)} must be 1..1000")
    most_rebellions = ("max_rebellions", 1, MAX_REBELLIONS)
    for name, least, most in (("rebellion_points", -1, 400), ("rebellion_trumps", -1, 54), most_rebellions):
        if not least <= getattr(rules, name) <= most:
            raise RuleSetError(f"{name}={show(getattr(rules, name))} must be {least}..{most}")


def _check_bidding(rules: RuleSet) -> None:
    if rules.no_trump_bids and rules.decks < 2:
        raise RuleSetError("no_trump_bids=True needs a pair of equal jokers, so decks must be at least 2")
    if rules.no_trump_bids and rules.cards and not any(has_word(rules.cards, joker) for joker in JOKERS):
        raise RuleSetError(f"no_trump_bids=True needs a pair of equal jokers, but cards={rules.cards} has none")
    missing = [rank for rank in RANKS if rules.cards and not has_word(rules.cards, rank)]
    if missing and rules.bidding != "fixed":
        raise RuleSetError(
            f"cards={rules.cards} lacks level cards of {' '.join(missing)}, which bids of some level need; deal all "
            "ranks, or set bidding=fixed"
        )
    if rules.kitty_retake == "overbid" and not rules.overturn:
        raise RuleSetError("kitty_retake=overbid needs overturn=True: an overbid is a bid over another's")


RULE_SETS: dict[str, RuleSet] = {
    name: RuleSet(preset=name, **PRESET_OPTIONS[name])
    for name in (DEFAULT_RULES, *PRESETS)
}  # fmt: skip
"""The presets of docs/rules.md §14 by name, the default first."""

RulesLike: TypeAlias = RuleSet | str | Mapping[str, Any]
"""A rule set, its text, a mapping of `preset` and options, or what `RuleSet.to_json` returns (`as_rules`)."""
_OF_JSON = ("options", "fingerprint")
"""Keys that tell what `RuleSet.to_json` returns from a mapping of options."""
_Options = ParamSpec("_Options")
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_RULES_TEXT = re.compile(r"^\s*([\w .-]*\w)\s*(?:\((.*)\))?\s*$", re.DOTALL)


class _TakesOptions(Protocol[_Options]):
    """The type of `rule_set`, by which type checkers know the options."""

    def __call__(self, name: str = ..., *_: _Options.args, **overrides: _Options.kwargs) -> RuleSet: ...


def _takes(
    options: Callable[_Options, Options],
) -> Callable[[Callable[..., RuleSet]], _TakesOptions[_Options]]:
    """Let the type of a function name the options."""
    return lambda function: function


@_takes(Options)
def rule_set(name: str = DEFAULT_RULES, **overrides: Any) -> RuleSet:
    """Return a preset, with options overridden by name.

    Raises:
        RuleSetError: the preset or an option is unknown, or the options do not fit together.
    """
    return _with_options(name, overrides)


def text_of(rules: RuleSet, presets: Mapping[str, RuleSet]) -> str:
    """Return a rule set's preset and what differs from it, where presets are these; `parse_rules` reads it back."""
    base = presets[rules.preset].options
    changes = ", ".join(f"{name}={value}" for name, value in rules.options.items() if base[name] != value)
    return f"{rules.preset}({changes})" if changes else rules.preset


def _with_options(name: Any, options: Any, presets: Mapping[str, RuleSet] = RULE_SETS) -> RuleSet:
    if not isinstance(name, str) or name not in presets:
        raise RuleSetError(f"no rule set is called {show(name)}; there are {', '.join(presets)}")
    if not isinstance(options, Mapping):
        raise RuleSetError(f"options={show(options)} must be a mapping of options to values")
    unknown = [option for option in options if option not in OPTION_NAMES]
    if unknown:
        raise RuleSetError(f"no option is called {show(unknown[0])}; there are {', '.join(OPTION_NAMES)}")
    return dataclasses.replace(presets[name], **options)


def parse_rules(text: str, presets: Mapping[str, RuleSet] = RULE_SETS) -> RuleSet:
    """Return the rule set that a text names: ``two_deck`` or ``two_deck(throws=False, kitty=12)``.

    Args:
        text: the text.
        presets: the presets that it may begin with, by name.

    Raises:
        RuleSetError: the text is not of that form, or names no possible rule set.
    """
    if not isinstance(text, str):
        raise RuleSetError(f"{show(text)} is not text; as_rules reads mappings too")
    match = _RULES_TEXT.match(text)
    if match is None:
        raise RuleSetError(f"{show(text)} is not a rule set; write a preset, or preset(option=value, …)")
    overrides: dict[str, Any] = {}
    for part in (match[2] or "").split(","):
        if part.strip():
            name, value = _parse_option(part)
            if name in overrides:
                raise RuleSetError(f"{show(text)} sets {name} twice")
            overrides[name] = value
    return _with_options(match[1], overrides, presets)


def _parse_option(text: str) -> tuple[str, Any]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise RuleSetError(f"{show(text.strip())} sets no option; write option=value")
    if TYPES.get(name) is str:
        return name, value
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    return name, int(value) if _INTEGER.fullmatch(value) else value


def as_rules(rules: RulesLike) -> RuleSet:
    """Return the rule set given as a `RuleSet`, its text, a mapping of `preset` and options, or a record's ``"rules"``.

    Raises:
        RuleSetError: it is none of these, or no possible rule set.
    """
    if isinstance(rules, RuleSet):
        return rules
    if isinstance(rules, str):
        return parse_rules(rules)
    if not isinstance(rules, Mapping):
        raise RuleSetError(
            f"{show(rules)} is not a rule set; give a RuleSet, its text or a mapping of preset and options"
        )
    if any(key in rules for key in _OF_JSON):
        return RuleSet.from_json(rules)
    options = dict(rules)
    return _with_options(options.pop("preset", DEFAULT_RULES), options)
