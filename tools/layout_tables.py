"""The manual's tables of what agents see, observation and truth; and of the players' names."""

import itertools

from shengji_env.engine.rule_record import NUM_RULE_FEATURES, RULE_FEATURES, RuleFeature
from shengji_env.players.registry import KINDS
from shengji_env.tables.observation import LAYOUT, Segment
from shengji_env.tables.truth import HIDDEN, TRUTH_LAYOUT, TRUTH_SIZE


def layout_table(layout: tuple[Segment, ...] = LAYOUT) -> str:
    """Return the documentation table of a layout, in Markdown."""
    rows = ["| offset | segment | shape | meaning |", "|---|---|---|---|"]
    offset = 0
    for segment in layout:
        shape = " × ".join(map(str, segment.shape))
        rows.append(f"| {offset} | `{segment.name}` | {shape} | {segment.doc} |")
        offset += segment.size
    return "\n".join([*rows, f"| {offset} | | | total |"]) + "\n"


def rule_features_table() -> str:
    """Return the documentation table of the segment `rules`, in Markdown; values of one option share a row."""
    rows, first = ["| index | meaning |", "|---|---|"], 0
    for option, features in itertools.groupby(RULE_FEATURES, key=lambda feature: feature.option):
        values = [feature.value for feature in features]
        rows.append(f"| {_span(first, len(values))} | {RuleFeature(option, ', '.join(values)).doc} |")
        first += len(values)
    return "\n".join([*rows, f"| {_span(first, NUM_RULE_FEATURES - first)} | 0, for options to come |"]) + "\n"


def _span(first: int, number: int) -> str:
    return str(first) if number == 1 else f"{first} to {first + number - 1}"


def truth_table() -> str:
    """Return the documentation table of the layout, in Markdown; one row has all segments of the observation."""
    *own, _ = layout_table(HIDDEN).splitlines()
    names = ", ".join(f"`{segment.name}`" for segment in TRUTH_LAYOUT[len(HIDDEN) :])
    first = sum(segment.size for segment in HIDDEN)
    seen = f"| {first} | {names} | as there | as in the observation, in this order |"
    return "\n".join([*own, seen, f"| {TRUTH_SIZE} | | | total |"]) + "\n"


def players_table() -> str:
    """Return the kinds as a Markdown table."""
    rows = (f"| `{kind.form}` | {kind.help} |" for kind in KINDS)
    return "\n".join(["| text | player |", "|---|---|", *rows]) + "\n"
