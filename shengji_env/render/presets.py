"""Presets and options for people: which value each preset has, where it comes from, where an option changes nothing.

| what | where it stands |
|---|---|
| an option's values in the presets | `engine.rule_sets.RULE_SETS` |
| its meaning | the docstring under its field of `RuleSet` |
| the values that it may take | whatever `RuleSet` accepts |
| the sources of its values, and where it changes nothing | `NOTES`, here |

Sources are named as in docs/rules.md: A1 to A5 and B, and *ours* where neither says it. The tables in docs/rules.md are
made here (`docs/write_tables.py` writes them).

Source: docs/rules.md §14.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shengji_env.engine.cards import MAX_DECKS
from shengji_env.engine.rule_options import CHOICES
from shengji_env.engine.rule_sets import OPTION_NAMES, PRESETS, RULE_SETS, RuleSet, rule_set
from shengji_env.errors import RuleSetError
from shengji_env.render.fields import field_docs

NO_EFFECT = "–"
_PROBED = range(-1, 1200)
"""Numbers that are tried to find out which of them an option takes."""


def _everywhere(rules: RuleSet) -> bool:
    return True


def _has_bidding(rules: RuleSet) -> bool:
    return rules.bidding != "fixed"


def _has_throws(rules: RuleSet) -> bool:
    return rules.throws


def _counts_shapes(rules: RuleSet) -> bool:
    return rules.throws and rules.decks > 1 and rules.kitty_multiplier in ("exponential", "pattern")


@dataclass(frozen=True)
class Note:
    """What the tables say about an option in addition to its meaning."""

    sources: Mapping[str, str]
    """Where each value comes from, by its text (`value_text`)."""
    idle: str = ""
    """Where the option changes nothing, in words."""
    has_effect: Callable[[RuleSet], bool] = _everywhere
    """Whether it can change a round or a match of a rule set."""


NOTES: dict[str, Note] = {
    "decks": Note({"1": "A1 A2 A3 B", "2": "A1 A3 B", "3": "A1 A4 B", "4": "named by A1 and B"}),
    "kitty": Note({"6": "A1 A2 A3 B, with three decks A1 B", "8": "A1 A3 B, with four decks *ours*"}),
    "bidding": Note(
        {"streaming": "A2 A4 B", "sequential": "B for given declarers, in a match *ours*", "fixed": "B, duplicate play"}
    ),
    "no_trump_bids": Note(
        {"yes": "A4 B", "no": "B, as some rules have it"},
        "with one deck: there are no two equal jokers",
        lambda rules: rules.decks > 1,
    ),
    "joker_bids": Note(
        {"ranked": "B", "equal": "A4"},
        "where no joker can be bid: `no_trump_bids=False` or `bidding=fixed`",
        lambda rules: rules.no_trump_bids and _has_bidding(rules),
    ),
    "no_bid": Note(
        {"flip_kitty": "B for the first card, what follows *ours*", "partner_names": "B"},
        "with `bidding=fixed`",
        _has_bidding,
    ),
    "max_redeals": Note({"8": "*ours*; that cards are dealt again: B"}, "with `bidding=fixed`", _has_bidding),
    "throws": Note({"yes": "A5 B", "no": "A2, which knows none"}),
    "failed_throw": Note({"next_seat_chooses": "B", "smallest": "*ours*, common"}, "without `throws`", _has_throws),
    "throw_penalty": Note({"0": "*ours*; B allows one and names no figure"}, "without `throws`", _has_throws),
    "follow_priority": Note(
        {"width_first": "B", "triples_then_tractors": "A4, B's first alternative", "tractors_first": "B's second"},
        "with one or two decks: all orders agree up to pairs (§9)",
        lambda rules: rules.decks > 2,
    ),
    "kitty_multiplier": Note({"exponential": "A1", "pattern": "A3 A4", "double": "B", "none": "A2"}),
    "kitty_shape": Note(
        {"winner": "A1 A3", "lead": "*ours*, common"},
        "with one deck, without `throws`, or where the multiplier is `double` or `none`: both shapes count alike",
        _counts_shapes,
    ),
    "last_trick_points": Note({"yes": "A1 A3 A4 B, which except no trick", "no": "A2"}),
    "result_table": Note(
        {
            "one_deck": "A1 A3, from 120 points on A3",
            "one_deck_45": "A2, who rises and declares next *ours*",
            "two_deck": "A1 A3",
            "competition": "*ours*, the usual one; the 80 B",
            "three_deck": "A4, the +1 below 120 *ours*",
            "four_deck": "*ours*",
        }
    ),
    "match_end": Note({"reach_ace": "A1 A2", "pass_ace": "*ours*, usual in clubs", "rounds": "A3"}),
    "match_rounds": Note(
        {"16": "*ours*"}, "unless `match_end=rounds`", lambda rules: rules.match_end == "rounds"
    ),
}  # fmt: skip
"""By option, in the order of `RuleSet`'s fields."""


def has_effect(rules: RuleSet, option: str) -> bool:
    """Return whether an option can change a round or a match of a rule set."""
    return NOTES[option].has_effect(rules)


def value_text(value: Any) -> str:
    """Return an option's value in the form for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def shown_value(rules: RuleSet, option: str) -> str:
    """Return an option's value in a rule set, or a dash where it changes nothing."""
    return value_text(rules.options[option]) if has_effect(rules, option) else NO_EFFECT


def presets_table() -> str:
    """Return the table of presets × options, and where the values come from, in Markdown."""
    rows = [["option", *PRESETS, "source"]]
    for option in OPTION_NAMES:
        cells = [shown_value(RULE_SETS[preset], option) for preset in PRESETS]
        rows.append([f"`{option}`", *cells, _sources(option)])
    return _markdown(rows)


def options_table() -> str:
    """Return the table of what each option means, which values it takes and where it changes nothing, in Markdown."""
    meanings = field_docs(RuleSet)
    rows = [["option", "meaning", "values", "changes nothing"]]
    for option in OPTION_NAMES:
        rows.append([f"`{option}`", meanings[option], _allowed_text(option), NOTES[option].idle])
    return _markdown(rows)


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---" * len(rows[0]) + "|")
    return "\n".join(lines) + "\n"


def _sources(option: str) -> str:
    return "; ".join(f"{value}: {source}" for value, source in NOTES[option].sources.items())


def _allowed_text(option: str) -> str:
    """Return the values that an option takes."""
    if option in CHOICES:
        return ", ".join(f"`{value}`" for value in CHOICES[option])
    if isinstance(RULE_SETS[PRESETS[0]].options[option], bool):
        return "`True` (yes), `False` (no)"
    if option == "kitty":
        by_decks = (f"{_numbers(_allowed('kitty', decks))} ({decks})" for decks in range(1, MAX_DECKS + 1))
        return "with (decks): " + "; ".join(by_decks)
    return _numbers(sorted({value for decks in range(1, MAX_DECKS + 1) for value in _allowed(option, decks)}))


def _allowed(option: str, decks: int) -> list[int]:
    """Return the numbers that an option takes with a number of decks."""
    base = next(rules for rules in RULE_SETS.values() if rules.decks == decks)
    return [value for value in _PROBED if _is_possible(base, option, value)]


def _is_possible(base: RuleSet, option: str, value: int) -> bool:
    try:
        rule_set(base.preset, **{option: value})
    except RuleSetError:
        return False
    return True


def _numbers(values: Sequence[int]) -> str:
    """Return numbers at equal distances as text."""
    first, second, *_, last = values
    if last - first == len(values) - 1:
        return f"{first} to {last}"
    return f"{first}, {second}, " + (f"{last}" if len(values) == 3 else f"…, {last}")
