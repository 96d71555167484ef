"""Distil the champion into a small network: ``python -m research.distilling``.

Rounds are played by the champion in all seats: a share of one preset, the others of all presets that it has learned.
The file is for players and playouts, such as ``distilled?path=FILE``. The same arguments make the same steps; weights
may differ in their last digits from machine to machine.
"""

import argparse
from dataclasses import asdict
from pathlib import Path

import torch

from agents.display import Display
from research.distilling.distilled_model import StepBatches
from research.distilling.distilling import DistillingConfig, quality_of, train
from research.distilling.steps import Steps, collect_steps
from shengji_env import __version__
from shengji_env.cli.exit_codes import run_command
from shengji_env.cli.option_types import number, output_file, whole_number
from shengji_env.cli.parser import OnceParser
from shengji_env.datasets.labelling import joined
from shengji_env.engine.rule_sets import DEFAULT_RULES, PRESETS, rule_set
from shengji_env.players.networks.distilled.distilled_file import DISTILLED_FILE, distilled_digest, write_distilled

_HELD_OUT = 50
"""One round of so many is kept to measure what was learned."""
_HELD_OUT_SEED = 2**63


def main(argv: list[str] | None = None) -> int:
    """Make the file, and print what its network does where it has not learned; return the exit code."""
    return run_command("python -m research.distilling", lambda: _run(_parser().parse_args(argv)))


def _new_file(text: str) -> Path:
    """Read a path that is no device or pipe: what is written there would be lost."""
    path = output_file(text)
    if path.exists() and not path.is_file():
        raise argparse.ArgumentTypeError(f"{text!r} is not a file that could be kept")
    return path


def _run(args: argparse.Namespace) -> None:
    torch.set_num_threads(args.threads)
    config = DistillingConfig(epochs=args.epochs, seed=args.seed)
    rounds = _rounds_of_presets(args.rounds, args.rules, args.share)
    with Display() as display:
        steps = joined([_collect(preset, args.seed, args.noise, count, display) for preset, count in rounds.items()])
        display.line(f"{len(steps.num_choices):,} cards chosen in {sum(rounds.values()):,} rounds")
        batches = StepBatches(steps)
        display.begin("learning")
        model = train(batches, config, lambda done, metrics: display.update(done, metrics))
        display.end()
        network = model.as_integers()
        digest = distilled_digest(network)
        made = {"package": __version__, "rounds": rounds, "noise": args.noise, "config": asdict(config)}
        write_distilled(args.out, network, made)
        display.line(f"{args.out}: {digest}")
        for preset, count in rounds.items():
            held_out = _collect(preset, args.seed + _HELD_OUT_SEED, 0.0, max(1, count // _HELD_OUT), display)
            quality = quality_of(model, StepBatches(held_out), config)
            learned = f"the champion's card {quality.agreement:.1%}, lost {quality.regret:.4f} levels a card"
            display.line(f"{preset}: {learned}")


def _rounds_of_presets(rounds: int, preset: str, share: float) -> dict[str, int]:
    """Return how many rounds of each preset are played."""
    first = max(1, round(rounds * share))
    others = [other for other in PRESETS if other != preset]
    return {preset: first, **{other: count for other in others if (count := (rounds - first) // len(others))}}


def _collect(preset: str, seed: int, noise: float, rounds: int, display: Display) -> Steps:
    """Return the steps of rounds of a preset."""
    display.begin(f"rounds of {preset}")
    rules = rule_set(preset)
    steps = collect_steps(
        rules, seed, noise, rounds, lambda done: display.update(done / rounds, {"rounds": f"{done:,}"})
    )
    display.end()
    return steps


def _parser() -> argparse.ArgumentParser:
    parser = OnceParser(
        prog="python -m research.distilling", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=_new_file, default=Path(DISTILLED_FILE), help="file (default: %(default)s)")
    parser.add_argument("--rounds", type=_at_least_one, default=80_000, help="rounds played (default: %(default)s)")
    parser.add_argument(
        "--rules", choices=PRESETS, default=DEFAULT_RULES, help="preset played most (default: %(default)s)"
    )
    parser.add_argument("--share", type=_share, default=0.5, help="its share of the rounds (default: %(default)s)")
    parser.add_argument(
        "--noise", type=_share, default=0.1, help="how often another candidate is played (default: %(default)s)"
    )
    parser.add_argument("--epochs", type=_at_least_one, default=6, help="passes over the steps (default: %(default)s)")
    parser.add_argument("--seed", type=_seed, default=0, help="of rounds and first weights (default: %(default)s)")
    parser.add_argument("--threads", type=_at_least_one, default=1, help="threads of torch (default: %(default)s)")
    return parser


def _at_least_one(text: str) -> int:
    count = whole_number(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"{count} is less than 1")
    return count


def _share(text: str) -> float:
    share = number(text)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return share


def _seed(text: str) -> int:
    seed = whole_number(text)
    if not 0 <= seed < _HELD_OUT_SEED:
        raise argparse.ArgumentTypeError(f"{text} is not a seed, 0 to {_HELD_OUT_SEED - 1}")
    return seed


if __name__ == "__main__":
    raise SystemExit(main())
