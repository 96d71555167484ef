"""Rule sets as text: the game as a person would explain it to somebody who sits down at the table.

`explain_rules` returns paragraphs, each written from the options (`opening_words.py`, `order_words.py`,
`play_words.py`, `result_words.py`); an option that changes nothing in a rule set is not mentioned, nor are cards that
are not dealt. `list_rules` has one line for each preset.

Source: docs/rules.md.
"""

import os
from collections.abc import Callable, Sequence

from shengji_env.engine.rule_options import OPTION_NAMES
from shengji_env.engine.rule_sets import DEFAULT_RULES, PRESETS, RULE_SETS, RuleSet
from shengji_env.render import opening_words, order_words, play_words, result_words
from shengji_env.render.chinese_rules import chinese_rules
from shengji_env.render.shown_values import has_effect, shown_value
from shengji_env.render.text import Language, pad, width, wrap

COLUMNS = 96
_INDENT = "  "
_TEXT_COLUMNS = COLUMNS - len(_INDENT)
_GAP = 2

SECTIONS: tuple[tuple[str, Callable[[RuleSet], list[str]]], ...] = (
    ("Cards, seats and deal 发牌", opening_words.cards_and_deal),
    ("Bidding for trumps 亮主", opening_words.bidding),
    ("Nobody bids 无人亮主", opening_words.nobody_bids),
    ("Weak hands 造反", opening_words.weak_hands),
    ("Burying 扣底", opening_words.burying),
    ("Trumps and their order 主牌", order_words.order),
    ("Leading and throws 出牌、甩牌", play_words.leading),
    ("Following 跟牌", play_words.following),
    ("Winning a trick 比大小", play_words.winning),
    ("The last trick and the kitty 抠底", result_words.kitty),
    ("The result 升级", result_words.result),
    ("The match 整场", result_words.match),
)
"""Headings, and what returns the paragraphs under each; a heading without paragraphs is left out."""


def own_language() -> Language:
    """Return the language of the locale: of the first of these variables that is set, in gettext's order."""
    values = (os.environ.get(name) for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"))
    return "zh" if next(filter(None, values), "").startswith("zh") else "en"


def explain_rules(rules: RuleSet, language: Language = "en") -> str:
    """Explain a rule set as a person would: plain text in sections, lines of at most COLUMNS.

    The first line is the rule set's text and fingerprint, followed by what differs from the preset. In Chinese, each
    paragraph is one line, however long.
    """
    if language == "zh":
        return f"升级 · {rules} · 指纹 {rules.fingerprint}\n\n{chinese_rules(rules)}"
    head = f"升级 Shengji · {rules} · fingerprint {rules.fingerprint}"
    lines = [line for text in (head, *_differences(rules)) for line in wrap(text, COLUMNS)]
    for heading, section in SECTIONS:
        paragraphs = section(rules)
        if paragraphs:
            lines += ["", heading, *(_INDENT + line for text in paragraphs for line in wrap(text, _TEXT_COLUMNS))]
    return "\n".join(lines)


def _differences(rules: RuleSet) -> list[str]:
    """Return what was overridden, and which of it changes nothing."""
    base = RULE_SETS[rules.preset].options
    changed = [name for name in OPTION_NAMES if base[name] != rules.options[name]]
    felt = [name for name in changed if has_effect(rules, name)]
    idle = [name for name in changed if name not in felt]
    said = []
    if felt:
        values = ", ".join(f"{name}={rules.options[name]} (there {base[name]})" for name in felt)
        said.append(f"Unlike {rules.preset}: {values}.")
    if idle:
        said.append(f"Changing nothing in this game: {', '.join(idle)}.")
    return said


def list_rules() -> str:
    """List all presets, one line each, with the options that distinguish them at a glance."""
    rows = [["preset", "decks", "hand", "kitty", "bidding", "no trump", "throws", "kitty ×", "points", "match end"]]
    for preset in PRESETS:
        rules = RULE_SETS[preset]
        name = f"{preset} *" if preset == DEFAULT_RULES else preset
        sizes = [str(rules.decks), str(rules.hand), str(rules.kitty), rules.bidding]
        options = [shown_value(rules, option) for option in ("no_trump_bids", "throws", "kitty_multiplier")]
        rows.append([name, *sizes, *options, str(rules.table.threshold), rules.match_end])
    return "\n".join([*_aligned(rows), "* the default. Points: what the attackers need to take over."])


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    columns = [max(map(width, column)) + _GAP for column in zip(*rows, strict=True)]
    return ["".join(pad(cell, size) for cell, size in zip(row, columns, strict=True)).rstrip() for row in rows]
