"""How fast a value network learns: ``python -m agents.values.benchmark``.

Decisions a second, in turn in float32 and in bfloat16, for networks of several widths, from shuffled minibatches whose
labels are made first and not counted. The ratio says which one ``precision = "auto"`` should take on a machine.
"""

import argparse
import statistics
import time

import torch

from agents.precision import PRECISIONS, resolve_precision
from agents.values.config import FittingConfig, ValueNetworkConfig
from agents.values.fitting import fit, make_optimizer
from agents.values.network import ValueNetwork
from agents.values.samples import Minibatch, minibatches
from agents.values.weighting import equal_weighting
from shengji_env.rollouts import RolloutSettings, expand, generate

Widths = tuple[int, int, int, int]

_SEED = 0


def learning_times(widths: Widths, batches: list[Minibatch], repetitions: int) -> dict[str, float]:
    """Return the seconds of a pass over some minibatches in each precision, medians of passes in turn."""
    config = FittingConfig()
    networks = {precision: ValueNetwork(widths, precision) for precision in PRECISIONS}
    optimizers = {precision: make_optimizer(network, config) for precision, network in networks.items()}
    passes: dict[str, list[float]] = {precision: [] for precision in PRECISIONS}
    for repetition in range(repetitions + 1):
        for precision, network in networks.items():
            started = time.perf_counter()
            for batch in batches:
                fit(network, optimizers[precision], batch, config.learning_rate, equal_weighting(), config.auxiliary)
            if repetition > 0:
                passes[precision].append(time.perf_counter() - started)
    return {precision: statistics.median(seconds) for precision, seconds in passes.items()}


def main(argv: list[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="two_deck", help="rule set (default: %(default)s)")
    parser.add_argument(
        "--rounds", type=int, default=1000, help="rounds with labelled decisions (default: %(default)s)"
    )
    parser.add_argument("--repetitions", type=int, default=5, help="passes that are timed (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="threads of torch (default: %(default)s)")
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    decisions = expand(generate(RolloutSettings(rules=args.rules, seed=_SEED), 0, args.rounds))
    batches = list(minibatches(decisions, FittingConfig().minibatch, (_SEED,)))
    print(
        f"{len(decisions):,} decisions of {args.rules} in {len(batches)} minibatches; auto: {resolve_precision('auto')}"
    )
    print(f"{'widths':<22}{'float32':>12}{'bfloat16':>12}{'ratio':>8}   decisions/s")
    for name, widths in _networks().items():
        float32, bfloat16 = (
            len(decisions) / spent for spent in learning_times(widths, batches, args.repetitions).values()
        )
        print(f"{name:<22}{float32:>12,.0f}{bfloat16:>12,.0f}{bfloat16 / float32:>8.2f}")
    return 0


def _networks() -> dict[str, Widths]:
    default = ValueNetworkConfig().widths
    return {", ".join(map(str, widths)): widths for widths in (default, (192, 224, 512, 224))}


if __name__ == "__main__":
    raise SystemExit(main())
