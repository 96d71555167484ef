"""The menu of rules in the page: options that people quarrel about, and their values in words.

``python -m tools.rules_menu`` writes `rules_menu.json` beside the page's modules: the presets' values of these options,
and by number of decks for each option its meaning and its values, in English and Chinese. What a value means is the
sentence that the rules in words (`explain_rules`) have for it, and for no other value; "" where they have none.
"""

import contextlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shengji_env.engine.rule_options import CHOICES
from shengji_env.engine.rule_sets import PRESETS, RULE_SETS, RuleSet, rule_set
from shengji_env.errors import RuleSetError
from shengji_env.render.chinese_rules import chinese_rules
from shengji_env.render.rule_words import SECTIONS
from shengji_env.render.shown_values import has_effect
from shengji_env.render.text import Language
from tools.option_words import option_words

FILE = Path(__file__).resolve().parent.parent / "shengji_table" / "web" / "page" / "rules_menu.json"
OPTIONS: Mapping[str, tuple[Any, ...]] = {
    "no_trump_bids": (True, False), "overturn": (True, False), "first_declarer": CHOICES["first_declarer"],
    "no_bid": CHOICES["no_bid"], "rebellion": CHOICES["rebellion"], "kitty_retake": CHOICES["kitty_retake"],
    "throws": (True, False), "failed_throw": CHOICES["failed_throw"], "throw_penalty": (0, 5, 10),
    "kitty_multiplier": CHOICES["kitty_multiplier"], "last_trick_points": (True, False),
    "match_end": CHOICES["match_end"], "must_defend": ("", "5TK", "25TK"),
    "last_trick_demotion": CHOICES["last_trick_demotion"],
}  # fmt: skip
"""The options of the menu, each with its values."""
BASES = ("one_deck", "two_deck", "three_deck", "four_deck")
"""The rule sets whose words are taken, by number of decks."""
_MOST = 0.75
"""Share of an option's values that begin alike."""
LANGUAGES: tuple[Language, ...] = ("en", "zh")


def rules_menu() -> dict[str, Any]:
    """Return the menu."""
    presets = {name: {option: RULE_SETS[name].options[option] for option in ("decks", *OPTIONS)} for name in PRESETS}
    return {"presets": presets, "decks": {str(RULE_SETS[base].decks): _options(base) for base in BASES}}


def _options(base: str) -> list[dict[str, Any]]:
    """Return those options that change something, or may, in a rule set."""
    rows = []
    for option, values in OPTIONS.items():
        played: list[RuleSet] = []
        for value in values:
            with contextlib.suppress(RuleSetError):  # one deck has no pair of jokers
                played.append(rule_set(base, **{option: value}))
        if any(has_effect(rules, option) for rules in played):
            said = [_said(played, option, language) for language in LANGUAGES]
            meaning = [_meaning(option, language) for language in LANGUAGES]
            of = [rules.options[option] for rules in played]
            rows.append({"option": option, "meaning": meaning, "values": list(zip(of, *said, strict=True))})
    return rows


def _said(played: list[RuleSet], option: str, language: Language) -> list[str]:
    """Return for each rule set what is said of it alone, for a value that is more than yes or no.

    Of several sentences it is the one that is like the others' up to a colon, and what they share is left out.
    """
    colon = "：" if language == "zh" else ": "
    sentences = [_sentences(rules, language) for rules in played]
    alone = [[each for each in own if sum(each in other for other in sentences) == 1] for own in sentences]
    parts = Counter(part for own in alone for each in own for part in each.split(colon))
    found = []
    for rules, own in zip(played, alone, strict=True):
        is_plain = isinstance(rules.options[option], bool) or rules.options[option] == 0
        said = max(own, key=lambda each: max(parts[part] for part in each.split(colon)), default="")
        found.append("" if is_plain else colon.join(part for part in said.split(colon) if parts[part] == 1))
    return [_without_shared(each, [other for other in found if other]) for each in found]


def _without_shared(said: str, labels: list[str]) -> str:
    """Leave out what most labels begin with, up to a comma."""
    heads = [said[: comma.end()] for comma in re.finditer("[,，] ?", said)]
    shared = [head for head in heads if sum(each.startswith(head) for each in labels) >= _MOST * len(labels)]
    short = said.removeprefix(max(shared, key=len, default="")) if len(labels) > 1 else said
    return short[:1].upper() + short[1:]


def _sentences(rules: RuleSet, language: Language) -> list[str]:
    if language == "zh":
        return [each.strip() for each in re.findall(r"[^。；\n]+", chinese_rules(rules))]
    paragraphs = (paragraph for _, section in SECTIONS for paragraph in section(rules))
    return [each.strip("• .;") for text in paragraphs for each in re.findall(r".+?[.;](?: |$)", text)]


def _meaning(option: str, language: Language) -> str:
    text = re.sub(r" ?[（(]§\d+[）)]", "", option_words(language)[option].meaning).rstrip(".。")
    return text[0].upper() + text[1:].replace("`", "")


if __name__ == "__main__":
    FILE.write_text(json.dumps(rules_menu(), ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
