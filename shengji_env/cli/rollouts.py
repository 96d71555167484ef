"""``shengji rollouts``: labelled decisions for learners, into a folder."""

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import fields

from shengji_env.cli.commands import RULES_HELP, add_workers, workers_on_rounds
from shengji_env.cli.option_types import file_path, number, whole_number
from shengji_env.cli.saved_rules import named_rules
from shengji_env.datasets.rollouts.rollout_settings import BLOCK, RolloutOptions, RolloutSettings
from shengji_env.datasets.rollouts.shard_folder import SETTINGS_FILE, SHARD_ROUNDS, Folder, get_ready, write_rollouts
from shengji_env.datasets.rollouts.shards import read_header
from shengji_env.engine.rule_sets import DEFAULT_RULES
from shengji_env.errors import ShengjiError
from shengji_env.render.fields import field_docs

_DEFAULTS = RolloutSettings()
_SETTINGS = (
    *(option.name for option in fields(RolloutOptions) if option.name != "opponents"), "candidates", "label_share",
)  # fmt: skip
"""Options that are settings of their name."""
_TYPES: Mapping[type, tuple[Callable[[str], object], str]] = {
    str: (str, "P"),
    int: (whole_number, "N"),
    float: (number, "X"),
}

DESCRIPTION = """\
Make rollout values: labelled decisions from which a network learns to play better than the player that made them.

In each round one random seat explores. At its decisions, every candidate (the few plays that `search` compares, the
heuristic player's first) is played in a copy of the real deal, and the policy in all four seats plays the round to
its end: `heuristic`, or another one for a trick or more and then `heuristic`; or whoever --playouts puts in the place
of `heuristic` there. The label is what the seat's team won: levels, and points. docs/rollouts.md says why it is
unbiased.
"""
EPILOG = f"""\
{RULES_HELP}

PLAYER, who sits with --opponent in both opponents' seats of a share of the rounds, and plays on there; also who
--policy and --playouts name:
  greedy, random, heuristic, champion, selfplay:PATH, policy:PATH, or your own module:callable that has a policy
  (docs/tutorials/policy.md)

DIR:
  {SETTINGS_FILE:<29} the settings; a folder of other settings is refused
  rounds-FIRST-END.rollouts     shards, 33 bytes a decision, each there only if whole

  The same command resumes what was stopped, and makes more rounds if --rounds is larger. The bytes depend on the
  options and on nothing else: not on --workers or --ray, and not on interruptions.

in Python:
  from shengji_env.datasets.rollouts import expand, read_folder
  for shard in read_folder(Path("rollouts/train")):
      decisions = expand(shard)   # observations, candidates, features, labels

examples:
  shengji rollouts --rounds 1000 --out rollouts/trial
  shengji rollouts --rounds 80000 --out rollouts/train --seed 1       about 1.2 million decisions
  shengji rollouts --rounds 80000 --out rollouts/one --rules one_deck --workers 4
  shengji rollouts --rounds 80000 --out rollouts/second --policy selfplay:runs/first
  shengji rollouts --rounds 80000 --out rollouts/weak --opponent greedy=0.25 --opponent random=0.03
  shengji rollouts --rounds 80000 --out rollouts/any --draw-rules     for a network that plays all rules
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--rounds", type=whole_number, required=True, metavar="N", help="rounds that DIR is to have")
    parser.add_argument("--out", type=file_path, required=True, metavar="DIR", help="folder of the shards")
    group = parser.add_argument_group("what is made")
    group.add_argument("--rules", metavar="P", help=f"rule set ({DEFAULT_RULES})")
    group.add_argument(
        "--draw-rules", action="store_true",
        help=f"draw the rules of every {BLOCK} rounds: presets often, and combinations of options, decks and kitties",
    )  # fmt: skip
    group.add_argument("--seed", type=whole_number, default=0, metavar="S", help="seed of deals and noise (0)")
    docs = field_docs(RolloutSettings)
    for name in _SETTINGS:
        default = getattr(_DEFAULTS, name)
        kind, metavar = _TYPES[type(default)]
        meaning = f"{docs[name][0].lower()}{docs[name][1:].rstrip('.')} ({default})".replace("``", "`")
        group.add_argument(f"--{name.replace('_', '-')}", type=kind, default=default, metavar=metavar, help=meaning)
    group.add_argument(
        "--opponent", type=_share, action="append", default=[], metavar="PLAYER=X", dest="opponents",
        help="share of the remaining rounds with PLAYER in both opponents' seats; may be given several times",
    )  # fmt: skip
    group.add_argument(
        "--noise", type=number, nargs="+", default=_DEFAULTS.noise, metavar="X",
        help="how often the exploring seat takes another candidate than the policy's, 0 to 1: each round draws one of"
        f" these ({' '.join(f'{noise:g}' for noise in _DEFAULTS.noise)})",
    )  # fmt: skip
    group.add_argument(
        "--shard", type=whole_number, default=SHARD_ROUNDS, metavar="N",
        help=f"rounds of a file, kept once they are finished ({SHARD_ROUNDS})",
    )  # fmt: skip
    add_workers(parser.add_argument_group("who works; the bytes do not depend on it"))


def _share(text: str) -> tuple[str, float]:
    """Read ``PLAYER=SHARE``; the player's text may have an equals sign, too."""
    player, equals, share = text.rpartition("=")
    if not equals or not player:
        raise argparse.ArgumentTypeError(f"{text} names no player and share; write PLAYER=SHARE, such as greedy=0.25")
    return player, number(share)


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    given = {name: getattr(arguments, name) for name in _SETTINGS}
    noise = tuple(arguments.noise)
    if arguments.draw_rules and arguments.rules is not None:
        raise ShengjiError("--draw-rules draws the rules, and --rules names them: give one of the two")
    if len(opponents := dict(arguments.opponents)) < len(arguments.opponents):
        raise ShengjiError("--opponent names a player twice; give each of them one share")
    rules = named_rules(arguments.rules or DEFAULT_RULES)
    settings = RolloutSettings(
        rules=rules, draws_rules=arguments.draw_rules, seed=arguments.seed, noise=noise, opponents=opponents, **given
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
    rules = "rules drawn" if settings.draws_rules else f"rules {settings.rules} ({settings.rules.fingerprint})"
    print(f"{rules}, policy {settings.policy}, seed {settings.seed}, {seconds:.1f} s", file=sys.stderr)
