"""Figures have one home: elsewhere they are cited by a link, whose text begins with the figure."""

import re
from pathlib import Path

from tests.helpers.paths import ROOT
from tools.markdown import DOCS, find, shown

PAGES = {
    page.relative_to(ROOT).as_posix(): page for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
}
GENERATED = re.compile(r"<!-- (?:\w+ |rows .*?\n)-->\n.*?<!-- end -->", re.DOTALL)
INTERVAL = re.compile(r"[+−]\d+\.\d{3} \([+−]\d+\.\d{3} to [+−]\d+\.\d{3}\)")
CITED = re.compile(r"\[([+−]?\d[^]]*)\]\(([\w/.-]+\.md)(?:#([\w-]+))?\)")
NUMBER = re.compile(r"([+−]?)(\d[\d,]*)(\.\d+)?")


def numbers(text: str) -> list[tuple[float, float]]:
    """The numbers of a text, with half a unit of the last digit."""
    return [
        (float(f"{sign.replace('−', '-')}{whole.replace(',', '')}{rest}"), 0.5 / 10 ** len(rest[1:]))
        for sign, whole, rest in NUMBER.findall(text)
    ]


def section(page: Path, anchor: str) -> str:
    """The part of a page that a link leads to, up to the next heading; without an anchor, all of it."""
    text = page.read_text(encoding="utf-8")
    parts = re.split(r"^#+ (.*)$", text, flags=re.MULTILINE)
    slugs = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in parts[1::2]]
    return "\n".join(parts[2 * slugs.index(anchor) + 1 :][:2]) if anchor else text


def stands_in(said: str, home: str) -> bool:
    """Whether the numbers of a text stand in another one, in this order and beside each other, perhaps less rounded."""
    unit = 1e6 if " million" in said else 1.0
    ours, theirs = numbers(said), [value for value, _ in numbers(home)]
    parts = (theirs[first : first + len(ours)] for first in range(len(theirs) - len(ours) + 1))
    return any(
        all(abs(exact - unit * value) <= unit * half + 1e-9 for exact, (value, half) in zip(part, ours, strict=True))
        for part in parts
    )


def test_figures_that_are_cited_stand_where_the_link_leads() -> None:
    found = 0
    for name, page in PAGES.items():
        for said, target, anchor in CITED.findall(page.read_text(encoding="utf-8")):
            assert stands_in(said, section(page.parent / target, anchor)), f"{name}: {said} is not in {target}"
            found += 1
    assert found >= 15


def test_intervals_stand_on_one_page() -> None:
    pages = {name: page.read_text(encoding="utf-8") for name, page in PAGES.items()}
    match_ups = find(DOCS, "results/match_ups").values()
    homes = {shown(each["levels"], "+.3f"): "docs/results.json" for each in match_ups if "levels" in each}
    for name, text in pages.items():
        homes |= dict.fromkeys((i for table in GENERATED.findall(text) for i in INTERVAL.findall(table)), name)
    for name, text in pages.items():
        for interval in set(INTERVAL.findall(" ".join(GENERATED.sub("", text).split()))):
            first = homes.setdefault(interval, name)
            assert first == name, f"{interval} stands in {first} and {name}: leave one, and link to it"
