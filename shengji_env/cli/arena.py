"""``shengji arena A B``: two players against each other on duplicate deals."""

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from shengji_env import __version__
from shengji_env.arena import MatchupResult, Player, make_player, play_matchup
from shengji_env.arena.matchup import BATCH_SIZE
from shengji_env.arena.matchup import Progress as ProgressCall
from shengji_env.arena.policy import PolicyPlayer
from shengji_env.arena.recording import MatchupRecorder
from shengji_env.arena.statistics import Interval
from shengji_env.cli.commands import Commands
from shengji_env.engine.rules import DEFAULT_RULES, RULE_SETS, RuleSet, parse_rules

RESULT_FILE = "results.json"
_SECONDS_BETWEEN_LINES = 10.0

_DESCRIPTION = "Play two players against each other. Every deal is played twice, with the sides swapped."
_EPILOG = f"""\
players:
  random                any legal action
  greedy                a dozen lines of common sense
  policy:PATH           a trained network: policy.npz, or the folder of a training run
  policy:PATH?sample=true   the same, drawing its actions
  module:callable       your own: what the callable returns, e.g. my_players:Careful?depth=2

rules:
  {", ".join(RULE_SETS)}
  options are overridden in brackets: 'two_deck(throws=False, kitty=12)'

examples:
  shengji arena greedy random
  shengji arena policy:runs/quickstart greedy --deals 2000 --out results/
  shengji arena my_players:Careful greedy --rules three_deck --record rounds.jsonl
"""


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "arena", help="play two players against each other on duplicate deals", description=_DESCRIPTION,
        epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=_run)
    parser.add_argument("a", metavar="A", help="the player whose figures are shown")
    parser.add_argument("b", metavar="B", help="its opponent")
    parser.add_argument("--deals", type=int, default=1000, metavar="N", help="number of deals, two rounds each (1000)")
    parser.add_argument("--rules", default=DEFAULT_RULES, metavar="P", help=f"rule set ({DEFAULT_RULES})")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of deals and random words (0)")
    parser.add_argument("--out", type=Path, metavar="DIR", help=f"folder to write {RESULT_FILE} into")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write every round as a line of JSON")
    parser.add_argument(
        "--batch-size", type=int, default=BATCH_SIZE, metavar="N", help=f"deals played at once ({BATCH_SIZE})"
    )


def _run(arguments: argparse.Namespace) -> None:
    rules = parse_rules(arguments.rules)
    players = make_player(arguments.a), make_player(arguments.b)
    for player in players:
        _note_other_rules(player, rules)
    if arguments.out is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        recorder = None
        if arguments.record is not None:
            file = stack.enter_context(arguments.record.open("w", encoding="utf-8"))
            recorder = MatchupRecorder(file, rules, (players[0].name, players[1].name), arguments.seed)
        began = time.perf_counter()
        result = play_matchup(
            *players,
            num_deals=arguments.deals,
            rules=rules,
            seed=arguments.seed,
            batch_size=arguments.batch_size,
            progress=stack.enter_context(_progress(arguments.deals)),
            record=recorder,
        )
    _show(result, time.perf_counter() - began)
    if arguments.out is not None:
        text = json.dumps(result.to_json(), indent=2, ensure_ascii=False) + "\n"
        (arguments.out / RESULT_FILE).write_text(text, encoding="utf-8")
        print(f"written: {arguments.out / RESULT_FILE}", file=sys.stderr)


def _note_other_rules(player: Player, rules: RuleSet) -> None:
    if isinstance(player, PolicyPlayer) and player.rules_fingerprint not in ("", rules.fingerprint):
        trained = f"{player.header.get('rules', 'other rules')} ({player.rules_fingerprint})"
        print(f"note: {player.name} was trained on {trained}; this is {rules} ({rules.fingerprint})", file=sys.stderr)


@contextlib.contextmanager
def _progress(num_deals: int) -> Iterator[ProgressCall]:
    """A bar with the time left on a terminal, else a line now and then."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _LinesOfProgress()
        return
    columns = TextColumn("deals"), BarColumn(), MofNCompleteColumn(), TextColumn("left"), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("deals", total=num_deals)
        yield lambda done, _: bar.update(task, completed=int(done))


class _LinesOfProgress:
    """Says how far it is, every ten seconds."""

    def __init__(self) -> None:
        self.spoken = time.monotonic()

    def __call__(self, done: float, num_deals: int) -> None:
        """Say so if it is time."""
        if time.monotonic() - self.spoken >= _SECONDS_BETWEEN_LINES:
            self.spoken = time.monotonic()
            print(f"{int(done)} of {num_deals} deals", file=sys.stderr, flush=True)


def _show(result: MatchupResult, seconds: float) -> None:
    """Print the table."""
    player_a, player_b = result.players
    table = Table(box=box.SIMPLE_HEAD, title=f"{player_a} against {player_b}", title_justify="left", pad_edge=False)
    table.add_column("")
    table.add_column(player_a, justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_row("levels per round", f"{result.levels_per_round:+.3f}", _signed(result.interval, 3))
    table.add_row("level rate", f"{result.level_rate:.1%}", _percent(result.level_rate_interval))
    table.add_row("points per round", f"{result.points_per_round:+.1f}", _signed(result.points_interval, 1))
    table.add_row("rounds won", f"{result.round_win_rate:.1%}", _percent(result.round_win_rate_interval))
    table.add_row("deals won", f"{result.win_rate:.1%}", _percent(result.win_rate_interval))
    for name, split in (("as declarers", result.as_declarers), ("as attackers", result.as_attackers)):
        table.add_row(f"levels {name}", f"{split.levels_per_round:+.3f}", f"{split.rounds:,} rounds")
    console = Console()
    console.print(table)
    console.print(
        f"{result.num_deals:,} deals, each played twice with the sides swapped, in {seconds:.1f} s\n"
        f"rules {result.rules} ({result.rules.fingerprint}), seed {result.seed}, shengji-env {__version__}",
        highlight=False, soft_wrap=True,
    )  # fmt: skip


def _signed(interval: Interval, digits: int) -> str:
    return f"{interval[0]:+.{digits}f} … {interval[1]:+.{digits}f}"


def _percent(interval: Interval) -> str:
    return f"{interval[0]:.1%} … {interval[1]:.1%}"
