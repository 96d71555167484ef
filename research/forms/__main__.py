"""Compare forms of networks by what they can hold of a strong player's values: ``python -m research.forms``.

The player plays rounds with itself, with noise. Its values of the candidates of each decision about cards are the
labels, without playouts, so what a form does not explain it cannot hold. Each form learns from each decision once, in
one process, side by side; then it plays the player on duplicate deals, where bids are the player's. What a form learns
here is never shipped. research/trials/forms.md has the results.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict

import torch

from agents.display import Display
from research.forms.bench import FormResult, FormsPlan, judge, play
from research.forms.forms import FORMS
from shengji_env.cli.exit_codes import run_command
from shengji_env.cli.option_types import file_path, whole_number
from shengji_env.cli.parser import OnceParser
from shengji_env.engine.rule_sets import DEFAULT_RULES, parse_rules
from shengji_env.errors import ConfigError
from shengji_env.support.arguments import check_index
from shengji_env.support.whole_files import write_json

MAX_ROUNDS = 10_000_000
_KINDS = "bury", "lead", "one", "many", "all"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return run_command("python -m research.forms", lambda: _run(_parser().parse_args(arguments)))


def _run(options: argparse.Namespace) -> None:
    plan = _plan_of(options)
    torch.set_num_threads(1)
    with Display() as display:
        found, networks = judge(plan, display)
        display.line(f"{found[0].decisions:,} decisions; R² of held-out ones")
        display.line(_HEADER)
        for each in found:
            display.line(_row(each))
        if plan.deals:
            found = [play(plan, each, networks[each.form], display) for each in found]
            for each in found:
                display.line(_row(each))
    if options.out:
        said = asdict(plan) | {"rules": str(plan.rules)}
        write_json(options.out, {"plan": said, "forms": [each.as_json() for each in found]})


_HEADER = f"{'form':<18}{'weights':>10}{'s':>6}{'µs':>7}{'times':>6}" + "".join(f"{kind:>8}" for kind in _KINDS)


def _row(found: FormResult) -> str:
    shares = "".join(f"{found.explained.get(kind, float('nan')):8.4f}" for kind in _KINDS)
    levels = "   {:+.3f} ({:+.3f} to {:+.3f})".format(*found.levels) if found.levels else ""
    size = f"{found.form:<18}{found.weights:>10,}{found.seconds:>6.0f}{found.microseconds:>7.1f}{found.times:>6.2f}"
    return size + shares + levels


def _plan_of(options: argparse.Namespace) -> FormsPlan:
    forms = options.forms.split(",")
    unknown = [name for name in forms if name not in FORMS]
    if unknown:
        raise ConfigError(f"there is no form {', '.join(unknown)}; there are {', '.join(FORMS)}")
    for option in ("rounds", "held_out"):
        check_index(f"--{option.replace('_', '-')}", getattr(options, option), 1, MAX_ROUNDS, error=ConfigError)
    return FormsPlan(
        options.player, parse_rules(options.rules), forms, options.rounds, options.held_out, options.deals, options.seed
    )


def _parser() -> argparse.ArgumentParser:
    parser = OnceParser(
        prog="python -m research.forms", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--forms", default=",".join(FORMS), help="which, with commas between (default: all)")
    parser.add_argument("--player", default="champion", help="champion or selfplay:PATH (default: %(default)s)")
    parser.add_argument("--rules", default=DEFAULT_RULES, help="rule set (default: %(default)s)")
    for option, default, words in (
        ("--rounds", 20_000, "rounds that forms learn from"),
        ("--held-out", 1_000, "rounds by whose decisions they are judged"),
        ("--deals", 4_000, "duplicate deals against the player; 0: none"),
        ("--seed", 1, "of rounds, deals and first weights"),
    ):
        parser.add_argument(option, type=whole_number, default=default, help=f"{words} (default: %(default)s)")
    parser.add_argument("--out", type=file_path, help="file of JSON for what was found")
    return parser


if __name__ == "__main__":
    sys.exit(main())
