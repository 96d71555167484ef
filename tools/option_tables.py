"""The tables of docs/rules.md: which value each preset has, where it comes from, where an option changes nothing.

Everything is taken from the options (`engine.rule_options`) and the presets (`engine.rule_sets`), the words from
`option_words.py`.

Source: docs/rules.md §14.
"""

from collections.abc import Sequence
from typing import Any

from shengji_env.engine.cards import MAX_DECKS, RANKS, SUITS
from shengji_env.engine.frozen_rules import FROZEN_VALUES
from shengji_env.engine.rule_options import (
    CARD_SETS,
    CHOICES,
    DEFAULTS,
    REQUIRABLE_RANKS,
    TYPES,
)
from shengji_env.engine.rule_sets import PRESETS, RULE_SETS, RuleSet, rule_set
from shengji_env.errors import RuleSetError
from shengji_env.render.shown_values import shown_value
from shengji_env.render.text import Language
from tools.option_words import TABLE_WORDS, TableWords, option_words

_PROBED = range(-1, 1200)
"""Numbers that are tried to find out which of them an option takes."""


def presets_table(language: Language = "en") -> str:
    """Return the table of presets × options, and where the values come from, in Markdown."""
    words = TABLE_WORDS[language]
    rows = [[words.option, *PRESETS, words.source]]
    for option, said in option_words(language).items():
        cells = [_value_in(words, option, shown_value(RULE_SETS[preset], option)) for preset in PRESETS]
        sources = (f"{_value_in(words, option, value)}{words.colon}{said.sources[value]}" for value in said.sources)
        rows.append([f"`{option}`", *cells, words.semicolon.join(sources)])
    return _markdown(rows)


def options_table(language: Language = "en") -> str:
    """Return the table of what each option means, which values it takes and where it changes nothing, in Markdown."""
    words = TABLE_WORDS[language]
    rows = [[words.option, words.meaning, words.values, words.idle]]
    for option, said in option_words(language).items():
        rows.append([f"`{option}`", said.meaning, _allowed_text(option, words), said.idle])
    return _markdown(rows)


def never_learned_table() -> str:
    """Return the table of values that networks for all rules have never learned, in Markdown."""
    rows = [["option", "values never learned"]]
    for option, words in CHOICES.items():
        known = FROZEN_VALUES.get(option, (DEFAULTS[option],))
        new = [f"`{word}`" for word in words if word not in known]
        rows += [[f"`{option}`", ", ".join(new)]] if new else []
    return _markdown(rows)


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---" * len(rows[0]) + "|")
    return "\n".join(lines) + "\n"


def _value_in(words: TableWords, option: str, value: str) -> str:
    """Return a value's text in a table's language. An option's own words, such as ``none``, are never translated."""
    return value if option in CHOICES else words.value_texts.get(value, value)


def _allowed_text(option: str, words: TableWords) -> str:
    """Return the values that an option takes."""
    if option in CHOICES:
        return words.comma.join(f"`{value}`" for value in CHOICES[option])
    if option in CARD_SETS:
        return words.cards.format(SUITS, RANKS)
    if TYPES[option] is str:
        return words.ranks.format(REQUIRABLE_RANKS)
    if TYPES[option] is bool:
        return words.yes_or_no
    if option == "kitty":
        by_decks = (
            words.with_decks.format(_numbers(words, _allowed("kitty", decks)), decks)
            for decks in range(1, MAX_DECKS + 1)
        )
        return words.by_decks.format(words.semicolon.join(by_decks))
    return _numbers(words, sorted({value for decks in range(1, MAX_DECKS + 1) for value in _allowed(option, decks)}))


def _allowed(option: str, decks: int) -> list[int]:
    """Return the numbers that an option takes with a number of decks."""
    base = next(rules for rules in RULE_SETS.values() if rules.decks == decks)
    return [value for value in _PROBED if _is_possible(base, option, value)]


def _is_possible(base: RuleSet, option: str, value: int) -> bool:
    changed: dict[str, Any] = {option: value}
    try:
        rule_set(base.preset, **changed)
    except RuleSetError:
        return False
    return True


def _numbers(words: TableWords, values: Sequence[int]) -> str:
    """Return numbers at equal distances as text."""
    first, second, *_, last = values
    if last - first == len(values) - 1:
        return words.span.format(first, last)
    return words.comma.join([f"{first}", f"{second}", *(["…"] if len(values) > 3 else []), f"{last}"])
