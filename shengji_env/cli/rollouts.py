"""``shengji rollouts``: labelled decisions for learners, into a folder."""

import argparse
import sys
import time

from shengji_env.cli.commands import Commands, add_workers, workers_on_rounds
from shengji_env.cli.option_types import file_path, number, whole_number
from shengji_env.datasets.rollouts.running import SETTINGS_FILE, SHARD_ROUNDS, Folder, get_ready, write_rollouts
from shengji_env.datasets.rollouts.settings import POLICIES, RolloutSettings
from shengji_env.datasets.rollouts.shards import read_header
from shengji_env.engine.rule_sets import DEFAULT_RULES, RULE_SETS, parse_rules

_DEFAULTS = RolloutSettings()

_DESCRIPTION = """\
Make rollout values: labelled decisions from which a network learns to play better than the player that made them.

In each round one random seat explores. At its decisions, every candidate (the few plays that `search` compares, the
heuristic player's first) is played in a copy of the real deal, and the policy in all four seats plays the round to
its end: `heuristic`, or a network for a trick or more and then `heuristic`. The label is what the seat's team won:
levels, and points. docs/rollouts.md says why this is unbiased.
"""
_EPILOG = f"""\
rules:
  {", ".join(RULE_SETS)}
  options are overridden in brackets: 'two_deck(throws=False, kitty=12)'

DIR:
  {SETTINGS_FILE:<29} the settings; a folder of other settings is refused
  rounds-FIRST-END.rollouts     shards, 33 bytes a decision, each there only if whole

  The same command goes on where it was stopped, and makes more rounds if --rounds is larger. The bytes depend on the
  options and on nothing else: not on --workers or --ray, and not on interruptions.

in Python:
  from shengji_env.datasets.rollouts import expand, read_folder
  for shard in read_folder(Path("rollouts/train")):
      decisions = expand(shard)   # observations, candidates, features, labels

examples:
  shengji rollouts --rounds 1000 --out rollouts/trial
  shengji rollouts --rounds 80000 --out rollouts/train --seed 1       about 1.2 million decisions
  shengji rollouts --rounds 80000 --out rollouts/one --rules one_deck --workers 4
  shengji rollouts --rounds 80000 --out rollouts/second --policy values:runs/first
"""


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "rollouts", help="make labelled decisions for learners", description=_DESCRIPTION, epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=_run)
    parser.add_argument("--rounds", type=whole_number, required=True, metavar="N", help="rounds that DIR is to have")
    parser.add_argument("--out", type=file_path, required=True, metavar="DIR", help="folder of the shards")
    group = parser.add_argument_group("what is made")
    group.add_argument("--rules", default=DEFAULT_RULES, metavar="P", help=f"rule set ({DEFAULT_RULES})")
    group.add_argument("--seed", type=whole_number, default=0, metavar="S", help="seed of deals and noise (0)")
    group.add_argument(
        "--policy", default=_DEFAULTS.policy, metavar="P",
        help=f"who plays: {', '.join(POLICIES)} ({_DEFAULTS.policy})",
    )  # fmt: skip
    group.add_argument(
        "--network-tricks", type=whole_number, default=_DEFAULTS.network_tricks, metavar="N",
        help=f"tricks that a network plays on for before heuristic does ({_DEFAULTS.network_tricks})",
    )  # fmt: skip
    group.add_argument(
        "--candidates", type=whole_number, default=_DEFAULTS.candidates, metavar="N",
        help=f"most candidates of a decision ({_DEFAULTS.candidates})",
    )  # fmt: skip
    group.add_argument(
        "--noise", type=number, nargs="+", default=_DEFAULTS.noise, metavar="X",
        help="how often the exploring seat takes another candidate than the policy's, 0 to 1: each round draws one of"
        f" these ({' '.join(f'{noise:g}' for noise in _DEFAULTS.noise)})",
    )  # fmt: skip
    group.add_argument(
        "--label-share", type=number, default=_DEFAULTS.label_share, metavar="X",
        help=f"share of its decisions that are labelled ({_DEFAULTS.label_share:g})",
    )  # fmt: skip
    group.add_argument(
        "--others-share", type=number, default=_DEFAULTS.others_share, metavar="X",
        help="share of the rounds with other players in the other seats: greedy, or heuristic with noise"
        f" ({_DEFAULTS.others_share:g})",
    )  # fmt: skip
    group.add_argument(
        "--opponents-share", type=number, default=_DEFAULTS.opponents_share, metavar="X",
        help="share of the remaining rounds with greedy in both opponents' seats, where it plays on, too"
        f" ({_DEFAULTS.opponents_share:g})",
    )  # fmt: skip
    group.add_argument(
        "--heuristic-opponents-share", type=number, default=_DEFAULTS.heuristic_opponents_share, metavar="X",
        help=f"the same with heuristic in their seats ({_DEFAULTS.heuristic_opponents_share:g})",
    )  # fmt: skip
    group.add_argument(
        "--shard", type=whole_number, default=SHARD_ROUNDS, metavar="N",
        help=f"rounds of a file, kept once they are finished ({SHARD_ROUNDS})",
    )  # fmt: skip
    add_workers(parser.add_argument_group("who works; the bytes do not depend on it"))


def _run(arguments: argparse.Namespace) -> None:
    settings = RolloutSettings(
        rules=parse_rules(arguments.rules),
        seed=arguments.seed,
        policy=arguments.policy,
        network_tricks=arguments.network_tricks,
        candidates=arguments.candidates,
        noise=tuple(arguments.noise),
        label_share=arguments.label_share,
        others_share=arguments.others_share,
        opponents_share=arguments.opponents_share,
        heuristic_opponents_share=arguments.heuristic_opponents_share,
    )
    if arguments.ray is None:  # otherwise other machines work, which compile by themselves
        get_ready()
    began = time.perf_counter()
    with workers_on_rounds(arguments) as (executor, watch):
        folder = write_rollouts(
            arguments.out, settings, arguments.rounds, shard_rounds=arguments.shard, executor=executor, watch=watch
        )
    _show(folder, time.perf_counter() - began)


def _show(folder: Folder, seconds: float) -> None:
    headers = [read_header(path) for path in folder.shards]
    rounds, decisions, candidates = (
        sum(header.sizes[name] for header in headers) for name in ("rounds", "decisions", "candidates")
    )
    size = sum(path.stat().st_size for path in folder.shards)
    print(
        f"{folder.path} has {rounds:,} rounds, {decisions:,} labelled decisions, {candidates:,} candidates, "
        f"{size / 2**20:.1f} MiB"
    )
    settings = folder.settings
    made_of = f"rules {settings.rules} ({settings.rules.fingerprint}), policy {settings.policy}, seed {settings.seed}"
    print(f"{made_of}, {seconds:.1f} s", file=sys.stderr)
