"""What ``shengji arena`` shows: its progress, and the tables at the end."""

import contextlib
import sys
import time
from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from shengji_env import __version__
from shengji_env.arena.result import MatchupResult
from shengji_env.arena.running import TournamentWatch
from shengji_env.arena.sequential import DECISIVE, Verdict
from shengji_env.arena.standings import Standings, pair_result
from shengji_env.arena.statistics import percent, plus, signed
from shengji_env.arena.store import Store
from shengji_env.arena.svg import short
from shengji_env.cli.commands import show_who_played
from shengji_env.cli.exit_codes import OutputConsole
from shengji_env.cli.progress import SECONDS_BETWEEN_MOVES, LinesOfProgress, make_bar

MAX_FAULTS_SHOWN = 5
_NAME_COLUMNS = 25
_SECONDS_BETWEEN_TABLES = 1.0


@contextlib.contextmanager
def shown_progress() -> Iterator[TournamentWatch]:
    """Show progress: on a terminal a bar with the time left and the metrics so far, otherwise a line now and then."""
    console = Console(stderr=True)
    if not console.is_terminal:
        lines = LinesOfProgress("deals")
        yield lambda store, stop, unfinished: lines(*_progress(store, stop, unfinished))
        return
    bar = make_bar("deals", console)
    with Live(bar, console=console, transient=True, refresh_per_second=4) as live:
        yield _LiveProgress(bar, live)


class _LiveProgress:
    """Moves the bar, and updates the metrics every second if there are new results."""

    def __init__(self, bar: Progress, live: Live) -> None:
        self.bar, self.live = bar, live
        self.task = bar.add_task("deals", total=None)
        self.moved = 0.0
        self.shown = (0.0, 0)

    def __call__(self, store: Store, stop: list[int], unfinished: float) -> None:
        """Show the progress."""
        moment, chunks = time.monotonic(), sum(map(len, store.played))
        if moment - self.moved < SECONDS_BETWEEN_MOVES:
            return
        self.moved = moment
        done, total = _progress(store, stop, unfinished)
        self.bar.update(self.task, completed=int(done), total=total)
        if chunks != self.shown[1] and moment - self.shown[0] >= _SECONDS_BETWEEN_TABLES:
            self.shown = (moment, chunks)
            self.live.update(Group(self.bar, _table_so_far(store, stop)))


def _progress(store: Store, stop: list[int], unfinished: float) -> tuple[float, int]:
    """Count the deals of all pairs that have been played, and those to be played as far as is known."""
    done = sum(played.end - played.first for chunks in store.played for played in chunks)
    total = sum(stop)
    return min(done, total) + unfinished, total


def _table_so_far(store: Store, stop: list[int]) -> Table:
    table = _new_table(("", "deals", "levels per round", "95 % interval"))
    names = store.tournament.names
    for pair, (a, b) in enumerate(store.tournament.pairs):
        result = pair_result(store, pair, stop[pair])
        metrics = ("0", "", "")
        if result is not None:
            metrics = f"{result.num_deals:,}", f"{result.levels_per_round:+.3f}", signed(result.interval, 3)
        table.add_row(Text(f"{names[a]} – {names[b]}"), *metrics)
    return table


def _new_table(columns: Sequence[str | Text], title: str | Text | None = None, *, no_wrap: bool = False) -> Table:
    """Make a table: names on the left, metrics on the right."""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name else "left", no_wrap=no_wrap)
    return table


def show(standings: Standings, seconds: float, *, is_kept: bool) -> None:
    """Print the tables; `is_kept`: lost deals can be played again from a folder."""
    console = OutputConsole()
    if len(standings.tournament.players) == 2:
        for result in standings.results:
            if result is not None:
                console.print(_matchup_table(result, standings.shown_names))
    else:
        if standings.ratings or standings.unrated:
            console.print(_ratings_table(standings))
        console.print(_pairs_table(standings))
    if standings.test is not None:
        console.print(verdict_text(standings), highlight=False, markup=False, soft_wrap=True)
    console.print(_foot(standings, seconds), highlight=False, markup=False, soft_wrap=True)
    show_who_played(standings.who)
    _show_faults(standings, is_kept=is_kept)


def _matchup_table(result: MatchupResult, shown: Mapping[str, str]) -> Table:
    player_a, player_b = (shown[name] for name in result.players)
    title = Text(f"{player_a} against {player_b}")
    table = _new_table(("", Text(player_a), "95 % interval"), title)
    table.add_row("levels per round", f"{result.levels_per_round:+.3f}", signed(result.interval, 3))
    table.add_row("level rate", f"{result.level_rate:.1%}", percent(result.level_rate_interval))
    table.add_row("points per round", f"{result.points_per_round:+.1f}", signed(result.points_interval, 1))
    table.add_row("rounds won", f"{result.round_win_rate:.1%}", percent(result.round_win_rate_interval))
    what = "matches won" if result.is_match else "deals won"
    table.add_row(what, f"{result.win_rate:.1%}", percent(result.win_rate_interval))
    for name, split in (("as declarers", result.as_declarers), ("as attackers", result.as_attackers)):
        table.add_row(f"levels {name}", f"{split.levels_per_round:+.3f}", f"{split.rounds:,} rounds")
    if any(result.not_own):
        share_a, share_b = (f"{share:.1%}" for share in result.not_own)
        table.add_row("decisions not its own", share_a, Text(f"{player_b}: {share_b}"))
    return table


def _ratings_table(standings: Standings) -> Table:
    has_shares = any(done.not_own for done in standings.thinking.values())
    columns = ("", "Elo", "95 % interval", "ahead by", "rounds won", "ms per decision", *["not own"] * has_shares)
    table = _new_table(columns, "ratings")

    def add_row(player: str, *metrics: str) -> None:
        done = standings.thinking[player]
        pace = f"{1000 * done.seconds / done.decisions:.3f}" if done.decisions else ""
        table.add_row(_name(player, standings), *metrics, pace, *[f"{done.share_not_own:.1%}"] * has_shares)

    for each in standings.ratings:
        lead = "" if each.lead_interval is None else signed(each.lead_interval, 0)
        add_row(each.player, plus(each.rating, 0), signed(each.interval, 0), lead, f"{each.win_rate:.1%}")
    for name in standings.unrated:
        add_row(name, "–", "", "", "")
    return table


def _pairs_table(standings: Standings) -> Table:
    """Make the table of pairs, by their first players, at most 80 columns wide."""
    title = "pairs: each player's metrics against those named below it"
    columns = ("", "deals", "levels\na round", "95 % interval", "level\nrate", "points\na round")
    table = _new_table(columns, title, no_wrap=True)
    names, before = standings.tournament.names, None
    for (a, b), result in zip(standings.tournament.pairs, standings.results, strict=True):
        if a != before:
            table.add_row(_name(names[a], standings).append(":"))
            before = a
        metrics = ["0", "", "", "", ""]
        if result is not None:
            metrics = [
                f"{result.num_deals:,}", f"{result.levels_per_round:+.3f}", signed(result.interval, 3),
                f"{result.level_rate:.1%}", f"{result.points_per_round:+.1f}",
            ]  # fmt: skip
        table.add_row(Text("  ").append(_name(names[b], standings)), *metrics)
    return table


def _name(name: str, standings: Standings) -> Text:
    """Shorten a player's name so that it fits next to a table's metrics, and mark it as tables do."""
    mark = standings.shown_names[name].removeprefix(name)
    return Text(short(name, _NAME_COLUMNS - len(mark)) + mark)


def verdict_text(standings: Standings) -> str:
    """Return in words how the sequential test ended."""
    test, (a, b) = standings.test, standings.tournament.names
    assert test is not None
    bounds = f"{test.low:+g} and {test.high:+g} levels a round"
    ratio = f"log-likelihood ratio {test.log_ratio:+.2f}, decisive beyond ±{DECISIVE:.2f}"
    if test.verdict == Verdict.UNDECIDED:
        why = f"{test.num_lost:,} deals were lost" if test.num_lost else f"{test.num_deals:,} deals did not decide"
        if standings.unrated:
            why = f"too few decisions of {' and '.join(standings.unrated)} were its own"
        return f"undecided between {bounds}: {why} ({ratio})"
    return f"{a} is {test.verdict} than {b}: tested between {bounds}, {test.num_deals:,} deals ({ratio})"


def _foot(standings: Standings, seconds: float) -> str:
    tournament = standings.tournament
    deals = sum(result.num_deals for result in standings.results if result is not None)
    what = "played as two matches" if tournament.is_match else "played twice"
    lines = [f"{deals:,} deals, each {what} with the sides swapped, in {seconds:.1f} s"]
    gains = [result.gain_of_pairing for result in standings.results if result is not None and result.gain_of_pairing]
    if gains:
        many = " to ".join(dict.fromkeys(f"{gain:.2f}" for gain in (min(gains), max(gains))))
        lines.append(f"standard errors are {many} times smaller than those of as many rounds on deals of their own")
    if tournament.begins_first:
        lines.append("every round begins as a match does: at level 2, the declarer bid for")
    rules = tournament.rules
    lines.append(f"rules {rules} ({rules.fingerprint}), seed {tournament.seed}, shengji-env {__version__}")
    return "\n".join(lines)


def _show_faults(standings: Standings, *, is_kept: bool) -> None:
    for name in standings.unrated:
        print(f"no rank: {standings.thinking[name].why_not(name)}", file=sys.stderr)
    faults = standings.faults
    for fault in faults[:MAX_FAULTS_SHOWN]:
        print(f"lost: {fault['error']}", file=sys.stderr)
    if faults:
        more = f", {MAX_FAULTS_SHOWN} of them shown" if len(faults) > MAX_FAULTS_SHOWN else ""
        again = "; the same command with --retry-lost plays them again" if is_kept else ""
        print(
            f"{len(faults):,} deals were lost to players' faults{more}; no metric counts them{again}", file=sys.stderr
        )
