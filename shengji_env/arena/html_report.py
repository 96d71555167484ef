"""A tournament as one HTML page: tables, and charts as inline SVG. The page needs no other file or server."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, get_args
from urllib.parse import quote

import numpy as np

from shengji_env import __version__
from shengji_env.arena.faults import FaultField
from shengji_env.arena.paper_files import ratings_chart
from shengji_env.arena.result import MatchupResult, for_a
from shengji_env.arena.standings import Standings
from shengji_env.arena.statistics import Interval, percent, plus, signed
from shengji_env.arena.svg import STYLE, Bar, Shares, histogram, interval_chart
from shengji_env.arena.swings import swings_of

MAX_FAULTS = 50
"""Most lost deals that the page lists; the results list all."""
_CLASS_POINTS = 10
"""Width of the histogram's classes, in attackers' points."""
_MAX_POINTS = 3
"""The histogram ends at this multiple of the points at which attackers take over; its last class holds all above."""
_STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { overflow-wrap: anywhere; } h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
.wide { overflow-x: auto; }
figure { margin: .8rem 0; } figcaption { font-weight: 600; }
tbody tr:hover { background: var(--soft); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6rem 0; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child { text-align: left; }
td small, p.note { opacity: .75; font-size: .85em; }
svg { width: 100%; max-width: 45rem; }
dt { font-weight: 600; } dd { margin: 0 0 .3rem 1.2rem; overflow-wrap: anywhere; }
"""


def html_report(
    standings: Standings,
    links: Sequence[tuple[str, str]] = (),
    *,
    records: str | None = None,
    lost: str | None = None,
    swings: Mapping[tuple[int, int], str] | None = None,
) -> str:
    """Write the page.

    Args:
        standings: the results.
        links: other files to link to: a label and a relative path each.
        records: relative path of the rounds' records, in the order of `Store.record_lines` after a header.
        lost: relative path of the lost deals, one line each after a header.
        swings: links to the replays of deals that swung most, by pair and deal.
    """
    title = " · ".join(standings.tournament.names)
    parts = [
        f"<h1>{escape(title)}</h1>",
        _provenance(standings),
        *_ratings(standings),
        *_cross_table(standings),
        *_pairs(standings, records, swings or {}),
        *_thinking(standings),
        *_faults(standings, lost),
        *_links(links, records, lost),
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    head = f"<head>{head}<style>{_STYLE}{STYLE}</style></head>"
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html lang="en">{head}\n<body>\n{body}\n</body></html>\n'


def _provenance(standings: Standings) -> str:
    tournament = standings.tournament
    header = tournament.header()
    unit = "a pair of matches" if tournament.is_match else "two rounds"
    versions = ", ".join(f"{name} {value}" for name, value in header["versions"].items())
    deals = f"{tournament.num_deals:,} a pair"
    if tournament.sprt is not None:
        low, high = tournament.sprt
        deals = f"at most {deals}, until a sequential test decides between {low:+g} and {high:+g} levels a round"
    facts = {
        "Players": ", ".join(tournament.players),
        "Rules": f"{tournament.rules} ({tournament.rules.fingerprint})",
        "Deals": f"{deals}; each is {unit}, with the sides swapped",
        **({"Start": "as a match begins: level 2, the declarer bid for"} if tournament.begins_first else {}),
        "Seed": str(tournament.seed),
        "Versions": versions,
    }
    if standings.test is not None:
        facts["Test"] = f"{standings.test.verdict}, log-likelihood ratio {standings.test.log_ratio:+.2f}"
    if tournament.time_limit is not None:
        facts["Time limit"] = f"{tournament.time_limit:g} s a decision"
    if header["policies"]:
        facts["Identities"] = ", ".join(f"{text}: {digest}" for text, digest in header["policies"].items())
    if standings.who.lines:
        facts["Who played"] = f"†: {'; '.join(standings.who.lines)}"
    terms = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in facts.items())
    note = "All intervals are 95 %, over deals: Student’s t for means, Wilson’s for rates, the bootstrap for ratings."
    return f'<dl>{terms}</dl><p class="note">{note}</p>'


def _ratings(standings: Standings) -> list[str]:
    if not standings.ratings:
        return []
    rows = [
        [
            escape(standings.shown_names[each.player]),
            _plus(each.rating, 0),
            _signed(each.interval, 0),
            "" if each.lead_interval is None else _signed(each.lead_interval, 0),
            f"{each.win_rate:.1%}",
            f"{each.rounds:,}",
        ]
        for each in standings.ratings
    ]
    return [
        "<h2>Ratings</h2>",
        _figure("Ratings with their intervals", ratings_chart, standings.ratings),
        _table(["player", "rating", "95 %", "ahead of the next, 95 %", "rounds won", "rounds"], rows),
        '<p class="note">Bradley and Terry’s model of rounds won, in Elo points: 400 are odds of 10 to 1.</p>',
    ]


def _cross_table(standings: Standings) -> list[str]:
    names, shown = standings.tournament.names, list(standings.shown_names.values())
    cells = [["" for _ in names] for _ in names]
    for pair, ((a, b), result) in enumerate(zip(standings.tournament.pairs, standings.results, strict=True)):
        if result is not None:
            error = (result.interval[1] - result.interval[0]) / 2
            for row, column, sign in ((a, b, 1), (b, a, -1)):
                link = f'<a href="#pair-{pair}">{_plus(sign * result.levels_per_round, 3)}</a>'
                cells[row][column] = f"{link} <small>± {error:.3f}</small>"
    ranked = [names.index(each.player) for each in standings.ratings]
    indices = ranked + [index for index in range(len(names)) if index not in ranked]
    rows = [[escape(shown[row]), *(cells[row][column] for column in indices)] for row in indices]
    return [
        "<h2>Levels a round, row against column</h2>",
        _table(["", *(escape(shown[column]) for column in indices)], rows),
    ]


def _pairs(standings: Standings, records: str | None, swings: Mapping[tuple[int, int], str]) -> list[str]:
    parts, line = [], 2
    for pair, result in enumerate(standings.results):
        shown = list(standings.shown_names.values())
        a, b = (shown[index] for index in standings.tournament.pairs[pair])
        parts.append(f'<h2 id="pair-{pair}">{escape(a)} against {escape(b)}</h2>')
        if result is None:
            why = "Fewer than two deals were played to their end, or a player has decided nothing itself"
            parts.append(f"<p>{why}: there are no metrics.</p>")
        else:
            parts += [_figures(result), _roles(result), _points(standings, pair, result)]
            parts += _swings(standings, pair, swings)
        num_rounds = len(standings.rounds[pair])
        if records is not None and num_rounds:
            lines = f"lines {line} to {line + num_rounds - 1}"
            parts.append(f'<p class="note">Records: {lines} of <a href="{quote(records)}">{escape(records)}</a></p>')
            line += num_rounds
    return parts


def _swings(standings: Standings, pair: int, links: Mapping[tuple[int, int], str]) -> list[str]:
    """List the deals that swung most, each with a link to its replay."""
    rows = [
        [
            f"deal {swing.deal}",
            _plus(swing.levels, 0),
            f'<a href="{quote(links[pair, swing.deal], safe="#=")}">replay</a>',
        ]
        for swing in swings_of(standings, pair)
        if (pair, swing.deal) in links
    ]
    if not rows:
        return []
    a = escape(standings.tournament.names[standings.tournament.pairs[pair][0]])
    return ["<h3>Deals that swung most</h3>", _table(["", f"levels of {a}, both tables", ""], rows)]


def _figures(result: MatchupResult) -> str:
    gain = "–" if result.gain_of_pairing is None else f"{result.gain_of_pairing:.2f} times"
    what = "matches" if result.is_match else "deals"
    rows = [
        ["levels a round", _plus(result.levels_per_round, 3), _signed(result.interval, 3)],
        ["level rate", f"{result.level_rate:.1%}", percent(result.level_rate_interval)],
        ["points a round", _plus(result.points_per_round, 1), _signed(result.points_interval, 1)],
        ["rounds won", f"{result.round_win_rate:.1%}", percent(result.round_win_rate_interval)],
        [f"{what} won", f"{result.win_rate:.1%}", percent(result.win_rate_interval)],
        ["deals, rounds", f"{result.num_deals:,}", f"{result.num_rounds:,}"],
        ["standard error smaller by pairing", gain, ""],
    ]
    return _table([escape(result.players[0]), "", "95 %"], rows)


def _roles(result: MatchupResult) -> str:
    roles = (("as declarers", result.as_declarers), ("as attackers", result.as_attackers))
    bars = [Bar(role, split.levels_per_round, *split.interval, color=n) for n, (role, split) in enumerate(roles)]
    title = f"Levels a round of {result.players[0]} by role"
    rows = [
        [
            role,
            f"{split.rounds:,}",
            _plus(split.levels_per_round, 3),
            _signed(split.interval, 3),
            f"{split.win_rate:.1%}",
        ]
        for role, split in roles
    ]
    table = _table([escape(result.players[0]), "rounds", "levels a round", "95 %", "rounds won"], rows)
    return _figure(title, interval_chart, bars, "levels a round") + table


def _points(standings: Standings, pair: int, result: MatchupResult) -> str:
    """Show how attackers' points are distributed, with A and with B as attackers."""
    rounds, rules = standings.rounds[pair], standings.tournament.rules
    most = _MAX_POINTS * rules.table.threshold
    edges = np.arange(0, most + 2 * _CLASS_POINTS, _CLASS_POINTS, dtype=np.float64)
    is_attackers = ~for_a(rounds, rules).is_declarers
    series = []
    for name, chosen in zip(result.players, (is_attackers, ~is_attackers), strict=True):
        points = np.clip(rounds["attackers_points"][chosen], 0, edges[-1] - 1)
        counts = np.histogram(points, edges)[0].astype(np.float64)
        series.append((f"{name} attacks: {len(points):,} rounds", counts / max(1, len(points))))
    axis = f"attackers’ points, in classes of {_CLASS_POINTS}, the last {most:g} and more; dashed: they take over"
    title = f"Attackers’ points, {result.players[0]} and {result.players[1]} as attackers"
    return _figure(title, histogram, Shares(series, edges, float(rules.table.threshold), axis, "of rounds"))


def _thinking(standings: Standings) -> list[str]:
    has_shares = any(done.not_own for done in standings.thinking.values())
    rows = [
        [
            escape(name),
            f"{done.decisions:,}",
            f"{1000 * done.seconds / done.decisions:.3f}" if done.decisions else "–",
            *[f"{done.share_not_own:.1%}"] * has_shares,
        ]
        for name, done in standings.thinking.items()
    ]
    head = ["player", "decisions", "milliseconds each", *["not own"] * has_shares]
    notes = [f"<p>No rank: {escape(standings.thinking[name].why_not(name))}.</p>" for name in standings.unrated]
    return ["<h2>Thinking</h2>", _table(head, rows), *notes]


def _faults(standings: Standings, lost: str | None) -> list[str]:
    faults = standings.faults
    if not faults:
        return []
    keys: tuple[FaultField, ...] = get_args(FaultField)
    rows = [
        [
            " – ".join(map(escape, fault["pair"])),
            *(escape(str(dict(fault)[key])) for key in keys),
            _line_link(lost, line),
        ]
        for line, fault in enumerate(faults[:MAX_FAULTS], start=2)
    ]
    more = f"<p>… and {len(faults) - MAX_FAULTS:,} more.</p>" if len(faults) > MAX_FAULTS else ""
    return [f"<h2>{len(faults):,} deals lost</h2>", _table(["pair", *keys, ""], rows) + more]


def _line_link(path: str | None, line: int) -> str:
    return "" if path is None else f'<a href="{quote(path)}">line {line}</a>'


def _links(links: Sequence[tuple[str, str]], records: str | None, lost: str | None) -> list[str]:
    every = [*links, ("Lost deals, with the round so far", lost), ("Records of all rounds", records)]
    items = "".join(f'<li><a href="{quote(path)}">{escape(label)}</a></li>' for label, path in every if path)
    for path, what in ((records, "prints a record’s round"), (lost, "shows a table as it broke off")):
        if path is not None:
            items += f"<li><code>shengji replay {escape(shlex.quote(path))} --line N</code> {what}</li>"
    files = f"<h2>Files</h2><ul>{items}</ul>" if items else ""
    return [files, f'<p class="note">shengji-env {__version__}</p>']


def _figure(title: str, chart: Callable[..., str], *arguments: Any) -> str:
    """Put a chart under its title."""
    return f"<figure><figcaption>{escape(title)}</figcaption>{chart(title, *arguments)}</figure>"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Make a table; cells are HTML."""
    first = "".join(f"<th>{cell}</th>" for cell in head)
    others = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{first}</tr></thead><tbody>{others}</tbody></table></div>'


def _plus(value: float, digits: int) -> str:
    return plus(value, digits).replace("-", "−")


def _signed(interval: Interval, digits: int) -> str:
    return signed(interval, digits).replace("-", "−")
