"""Figures that stand on more than one page: each is what its home says, which is docs/results.json or the ladder."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.paths import ROOT
from tools import measured
from tools.ladder_results import read_results

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
GENERATED = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)
INTERVAL = re.compile(r"[+-]\d+\.\d{3} \([+-]\d+\.\d{3} to [+-]\d+\.\d{3}\)")

REPEATED = {
    "README.md": [
        "makes {speeds[batch].millions:.1f} million decisions a second on one core",
        "[{ratios[steps]:.0f} times](docs/performance.md) as many as the fastest other library",
        "by {levels[champion-heuristic]:.2f} levels a round",
        "Its network beats `heuristic` by {levels[selfplay-heuristic 1]:.3f} levels a round",
        "and beats it by [{levels[values-heuristic 1].value:.3f}]",
    ],
    "docs/arena.md": [
        "the gain is {ratios[pairing heuristic-greedy]} for heuristic–greedy and {ratios[pairing greedy-random]} for",
    ],
    "docs/champion.md": [
        "`heuristic` makes {levels[heuristic-greedy 14001]} against `greedy`",
        "takes {ladder[champion]:.2f} ms a decision, forced ones included, `search:100` {ladder[search:100]:.0f} ms",
    ],
    "docs/environments/plays.md": ["{speeds[plays].value:,} decisions a second of processor time"],
    "docs/faq.md": [
        "`champion` beats it by {levels[champion-heuristic].value:.2f} levels a round, and it beats `search:100` by "
        "{levels[champion-search].value:.2f}",
    ],
    "docs/offline.md": [
        "| `samples()` | {speeds[records in order].value:,} |",
        "| {speeds[records shuffled].value:,} |",
        "| {speeds[records checked].value:,} |",
    ],
    "docs/performance.md": [
        "makes **{ratios[steps]} times** as many steps",
        "plays {ratios[cards]} times as many cards",
        "two threads make {ratios[threads 64]} times as many steps as one with 64 tables, {ratios[threads 1024]} times "
        "with 1,024 and {ratios[threads 8192]} times with 8,192",
    ],
    "docs/trials/champion.md": [
        "| `search:100` | {levels[search-heuristic]} |",
        "| MaskablePPO, 50 minutes | {levels[standard-heuristic]} |",
    ],
    "docs/trials/champion_ideas.md": ["{levels[selfplay-champion]} against itself before"],
    "docs/trials/index.md": [
        "{ratios[engine 64]} to {ratios[engine 8192]} × as many steps, {ratios[playouts]} × as many playouts",
    ],
    "docs/trials/performance.md": [
        "| **two_deck, N = 1,024** | **{speeds[batch].value:,}**",
        "| AEC `raw_env` · `env()` | {speeds[aec].value:,} ·",
        "makes **{ratios[steps]} times** as many steps",
        "plays {ratios[cards]} times as many cards",
        "| {speeds[seat].value:,} · 144,000 steps/s",
        "| {speeds[plays]} |",
        "| {speeds[heuristic]}, 7,900 rounds/s |",
        "| {speeds[search].value}, 8,650, 38,000 ·",
        "| {speeds[network]} · 0.10 ms |",
        "| 2,060 · {speeds[labels].value:,} labelled decisions/s |",
        "· {speeds[duel]} · 496 s;",
        "| 0.14 s · {speeds[start]} |",
        "| 64 | {ratios[threads 64]} ×",
        "| 1,024 | {ratios[threads 1024]} ×",
        "| 8,192 | {ratios[threads 8192]} ×",
        "| {ratios[pairing greedy-random]} · {ratios[pairing heuristic-greedy]} · {ratios[pairing search-heuristic]} "
        "times smaller |",
        "| {speeds[records in order].value:,} · {speeds[records shuffled].value:,} decisions/s; "
        "{speeds[records checked].value:,} |",
        "makes {ratios[engine 64]} × as many steps at N = 64",
        "{ratios[engine 8192]} × at N = 8,192",
        "({ratios[playouts]} × as many playouts)",
    ],
    "docs/trials/ppo.md": [
        "| with bfloat16 (that table) | 29,100 | {levels[ppo-heuristic].value:.2f} |",
        "| against `random` | 2,000 | {levels[standard-random]} |",
        "| against `greedy` | 2,000 | **{levels[standard-greedy]}** |",
        "| against `heuristic` | 2,000 | {levels[standard-heuristic]} |",
    ],
    "docs/trials/selfplay.md": ["made it worse: {levels[selfplay-champion]}, 2,000 deals"],
}
"""What a page says by hand of figures that have their home elsewhere; a blank stands for any line break.

`levels` and the other measures, `speeds` and `ratios` are those of docs/results.json; `ladder` is ms a decision.
"""

EQUAL_BY_CHANCE = {("docs/trials/all_rules.md", "+0.267 (+0.230 to +0.304)")}
"""Intervals of a page that another measurement in docs/results.json happens to have, too."""


def plain(text: str) -> str:
    """A text with blanks for line breaks, and the minus of programs."""
    return re.sub(r"\s+", " ", text.replace("−", "-"))


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    results = measured.read()
    players = read_results(ROOT / "docs" / "ladder" / "season_2.json")["players"]
    return {
        **{name: results.measures(name) for name in measured.MEASURES},
        "speeds": results.speeds,
        "ratios": results.ratios,
        "ladder": {name: 1000 * each["seconds"] / each["decisions"] for name, each in players.items()},
    }


@pytest.mark.parametrize(("page", "sentence"), [(page, each) for page, all_ in REPEATED.items() for each in all_])
def test_a_repeated_figure_is_that_of_its_home(page: str, sentence: str, figures: dict[str, Any]) -> None:
    text = plain((ROOT / page).read_text(encoding="utf-8"))
    assert plain(sentence.format_map(figures)) in text, f"{page} does not say this; write it there, or change REPEATED"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_intervals_of_results_are_repeated_only_where_they_are_compared(page: Path, figures: dict[str, Any]) -> None:
    homes = {plain(format(each)): name for name, each in figures["levels"].items()}
    name, by_hand = page.relative_to(ROOT).as_posix(), plain(GENERATED.sub("", page.read_text(encoding="utf-8")))
    known = plain(" ".join(REPEATED.get(name, ())).format_map(figures))
    for interval in INTERVAL.findall(by_hand):
        if interval in homes and interval not in known:
            assert (name, interval) in EQUAL_BY_CHANCE, f"{interval} is {homes[interval]}: add it to REPEATED"


def test_an_interval_that_stands_on_two_pages_has_a_home(figures: dict[str, Any]) -> None:
    homes = {plain(format(each)) for each in figures["levels"].values()}
    seen: dict[str, Path] = {}
    for page in PAGES:
        for interval in set(INTERVAL.findall(plain(page.read_text(encoding="utf-8")))) - homes:
            first = seen.setdefault(interval, page)
            assert first == page, f"{interval} stands on {first} and {page}: give it a home in docs/results.json"
