"""The Chinese pages say what the English ones say: the same sections, options, figures and commands."""

import re
from collections import Counter
from pathlib import Path

import pytest

from shengji_env.engine.result_tables import RESULT_TABLES
from shengji_env.engine.rule_options import ABOUT, OPTION_NAMES
from shengji_env.engine.rule_sets import rule_set
from shengji_env.render.picture.sheet import sheet
from tests.helpers.paths import ROOT
from tools.option_words import CHINESE, option_words

DOCS = ROOT / "docs"
HAN = r"[\u4e00-\u9fff]"
CODE = re.compile(r"^```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = (
    ROOT / "README.zh-CN.md", DOCS / "rules.zh-CN.md", DOCS / "how_to_play.zh-CN.md", DOCS / "play_at_home.zh-CN.md"
)  # fmt: skip
BILINGUAL = (
    "narration", "opening_words", "order_words", "play_words", "record", "result_words", "rule_words", "table_text",
)  # fmt: skip
"""Modules of `shengji_env.render` that write Chinese terms beside the English ones."""


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def rules_anchors() -> dict[str, str]:
    """The anchors that code forges and MyST give the sections of the rules, and the sections' numbers."""
    headings = re.findall(r"^## (.*)$", read(DOCS / "rules.md"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"): text.split()[0] for text in headings}


def sections(text: str) -> dict[str, str]:
    """Sections by their numbers; what comes before them has none."""
    parts = re.split(r"^## (\d+) .*$", text, flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], [parts[0], *parts[2::2]], strict=True))


def without_marks(text: str) -> str:
    """A page without anchors, and without the marks of generated tables."""
    return re.sub(r"^<.*>$", "", text, flags=re.MULTILINE)


def figures(text: str) -> Counter[float]:
    """Numbers, as often as they occur, but for those in the targets of links. 450 万 is 4.5 million."""
    units = {"million": 1e6, "万": 1e4, "": 1}
    said = re.findall(r"(\d+(?:\.\d+)?)(?: (million|万))?", re.sub(r"\]\(.*?\)|(?<=\d),(?=\d{3})", "", text))
    return Counter(round(float(number) * units[unit], 6) for number, unit in said)


def cited(text: str) -> Counter[str]:
    """Sources, sections and numbers."""
    return Counter(re.findall(r"\b[AB]\d?\b|§?\d+", text, re.ASCII))


def names(text: str) -> Counter[str]:
    """What is in code font, and names such as two_deck anywhere."""
    return Counter(re.findall(r"`[^`\n]+`|[a-z]+_[a-z\d_]+", text))


def outline(text: str) -> list[str]:
    """Which lines begin a point of a list, at which depth, or a row of a table of how many cells."""
    return [
        f"{match[1]}|{line.count('|')}" if match[2] == "|" else match[0]
        for line in text.splitlines()
        if (match := re.match(r"( *)(\*(?= )|\|)", line))
    ]


ENGLISH_RULES, CHINESE_RULES = (sections(without_marks(read(DOCS / name))) for name in ("rules.md", "rules.zh-CN.md"))


# ---- the rules


def test_the_rules_have_the_same_anchors() -> None:
    chinese = re.findall(r'^<a id="(.*)"></a>\n\n## (\d+) ', read(DOCS / "rules.zh-CN.md"), flags=re.MULTILINE)
    assert chinese == list(rules_anchors().items())


def test_sections_have_the_same_figures_options_and_points() -> None:
    for number, english in ENGLISH_RULES.items():
        for found in (figures, names, outline):
            assert found(CHINESE_RULES[number]) == found(english), f"§{number}: {found.__name__}"


def test_14_options_have_chinese_words() -> None:
    assert set(CHINESE) == set(OPTION_NAMES), "tools/option_words.py has the Chinese words of options"
    for option in OPTION_NAMES:
        assert set(CHINESE[option].sources) <= set(ABOUT[option].sources), option
        english, chinese = (option_words(language)[option] for language in ("en", "zh"))
        assert chinese.sources.keys() == english.sources.keys(), option
        texts = [[words.meaning, words.idle, *words.sources.values()] for words in (english, chinese)]
        for theirs, ours in zip(*texts, strict=True):
            assert cited(ours) == cited(theirs), f"{option}: {ours}"
            assert names(ours) == names(theirs), f"{option}: {ours}"
            assert ours.count("*自定*") == theirs.count("*ours*"), f"{option}: {ours}"
            assert not re.search("[a-z]", re.sub("`[^`]*`|Botzone", "", ours)), f"{option}: {ours!r} is not Chinese"


# ---- the glossary


def glossary() -> list[list[str]]:
    rows = [line.strip("| ").split(" | ") for line in read(DOCS / "glossary.md").splitlines() if line.startswith("|")]
    return [row for row in rows if row[0] not in ("English", "word") and not row[0].startswith("---")]


def test_the_glossary_is_sorted() -> None:
    for table in (4, 3):
        terms = [row[0] for row in glossary() if len(row) == table]
        assert terms == sorted(terms, key=str.casefold)
        assert len(set(terms)) == len(terms) > 10


def test_the_glossary_links_to_the_rules() -> None:
    anchors = rules_anchors()
    links = re.findall(r"\[§(\d+)\]\(rules\.md#(.*?)\)", read(DOCS / "glossary.md"))
    assert len(links) == sum(len(row) == 4 for row in glossary())
    assert all(anchors[place] == number for number, place in links)


def test_the_glossary_has_the_terms_of_pictures_and_texts() -> None:
    modules = (read(ROOT / "shengji_env" / "render" / f"{name}.py") for name in BILINGUAL)
    texts = [*sheet("words")["zh"].values(), *modules]
    said = {term for text in texts for term in re.findall(f"{HAN}{{2,}}", text)}
    known = {term for row in glossary() for term in row[1].split("；")}
    assert said <= known, f"docs/glossary.md lacks {', '.join(sorted(said - known))}"


# ---- the pages


def test_no_line_breaks_between_two_characters() -> None:
    """Such a break would be shown as a blank."""
    for page in PAGES:
        assert not re.search(f"{HAN}\n *{HAN}", read(page)), page.name


def commands(text: str) -> list[str]:
    """Blocks of code without what is said beside it."""
    return [re.sub(r" +# .*", "", block) for block in CODE.findall(text)]


@pytest.mark.parametrize("name", ["README", "docs/play_at_home"])
def test_pages_have_the_same_commands_and_figures(name: str) -> None:
    english, chinese = (read(ROOT / f"{name}{language}.md") for language in ("", ".zh-CN"))
    chinese = chinese.replace("周五牌局", "our club")
    assert commands(chinese) == commands(english)
    english, chinese = CODE.sub("", english), CODE.sub("", chinese)
    assert figures(chinese) == figures(english)
    assert names(chinese) == names(english)
    assert outline(chinese) == outline(english)
    assert chinese.count("\n## ") == english.count("\n## ")


# ---- how to play


def test_how_to_play_has_the_result_table_of_the_default_rules() -> None:
    table = RESULT_TABLES[rule_set("two_deck").result_table]
    firsts = [0, *(-(-below // 5) * 5 for below, _ in table.declarers[:-1]), *(first for first, _ in table.attackers)]
    lasts = [*(first - 5 for first in firsts[1:]), firsts[-1] + table.step - 5]
    levels = [levels for _, levels in (*table.declarers, *table.attackers)]
    ranges = ([first] if first == last else [first, last] for first, last in zip(firsts, lasts, strict=True))
    expected = [[*points, rise] for points, rise in zip(ranges, levels, strict=True)]
    for page in (DOCS / "how_to_play.md", DOCS / "how_to_play.zh-CN.md"):
        rows = [line for line in read(page).splitlines() if re.match(r"\|.*\d", line)]
        assert [list(map(int, re.findall(r"\d+", row))) for row in rows] == [*expected, [table.step, 1]], page.name
