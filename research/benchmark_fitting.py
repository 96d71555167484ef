"""How fast a value network learns: ``python -m research.benchmark_fitting``.

Decisions a second, in turn in float32 and in bfloat16, with the default's layers and with the champion's, from shuffled
minibatches whose labels are made first and not counted. The ratio says which one ``precision = "auto"`` should take on
a machine.
"""

import argparse
import statistics
import time

import torch

from agents.precision import AUTO, PRECISIONS, resolve_precision
from agents.values.fitting import Fitting, make_optimizer
from agents.values.minibatches import Minibatch, minibatches
from agents.values.value_config import FittingConfig, ValueNetworkConfig
from agents.values.value_network import ValueNetwork
from agents.values.weighting import equal_weighting
from shengji_env.cli.option_types import whole_number
from shengji_env.datasets.rollouts import RolloutSettings, expand, generate
from shengji_env.engine.rule_sets import DEFAULT_RULES, rule_set
from shengji_env.errors import ShengjiError
from shengji_env.players.networks.champion.champion_player import named_weights
from shengji_env.players.networks.champion.compiled_network import widths_of

_SEED = 0


def learning_times(widths: tuple[int, int, int, int], batches: list[Minibatch], repetitions: int) -> dict[str, float]:
    """Return the seconds of a pass over some minibatches in each precision, medians of passes in turn."""
    config = FittingConfig()
    networks = {precision: ValueNetwork(widths, precision) for precision in PRECISIONS}
    passes: dict[str, list[float]] = {precision: [] for precision in PRECISIONS}
    fittings = {
        precision: Fitting(network, make_optimizer(network, config), equal_weighting(), config.auxiliary)
        for precision, network in networks.items()
    }
    for _ in range(repetitions + 1):
        for precision, fitting in fittings.items():
            started = time.perf_counter()
            for batch in batches:
                fitting.step(batch, config.learning_rate)
            passes[precision].append(time.perf_counter() - started)
    return {precision: statistics.median(seconds[1:]) for precision, seconds in passes.items()}


def main(argv: list[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default=DEFAULT_RULES, help="rule set (default: %(default)s)")
    parser.add_argument("--rounds", type=_at_least_one, default=1000, help="rounds with labels (default: %(default)s)")
    parser.add_argument("--repetitions", type=_at_least_one, default=5, help="passes timed (default: %(default)s)")
    parser.add_argument("--threads", type=_at_least_one, default=1, help="threads of torch (default: %(default)s)")
    args = parser.parse_args(argv)
    try:
        settings = RolloutSettings(rules=args.rules, seed=_SEED)
    except ShengjiError as error:
        parser.error(str(error))
    torch.set_num_threads(args.threads)
    decisions = expand(generate(settings, 0, args.rounds))
    batches = list(minibatches(decisions, FittingConfig().minibatch, (_SEED,)))
    auto = resolve_precision(AUTO)
    print(f"{len(decisions):,} decisions of {settings.rules} in {len(batches)} minibatches; auto: {auto}")
    print(f"{'layers':<22}{'float32':>12}{'bfloat16':>12}{'ratio':>8}   decisions/s")
    champion = widths_of(named_weights("champion", rule_set(DEFAULT_RULES)))
    for widths in (ValueNetworkConfig().widths, champion):
        times = learning_times(widths, batches, args.repetitions)
        speeds = [len(decisions) / times[precision] for precision in PRECISIONS]
        layers = ", ".join(map(str, widths))
        print(f"{layers:<22}{speeds[0]:>12,.0f}{speeds[1]:>12,.0f}{speeds[1] / speeds[0]:>8.2f}")
    return 0


def _at_least_one(text: str) -> int:
    number = whole_number(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


if __name__ == "__main__":
    raise SystemExit(main())
