"""``shengji collect PLAYER…``: rounds of any players as records, into a folder."""

import argparse
import sys
import time

from shengji_env.arena.chunks import known_player
from shengji_env.cli.commands import (
    PLAYERS_HELP,
    RULES_HELP,
    add_keep,
    add_workers,
    note_other_rules,
    workers_on_rounds,
)
from shengji_env.cli.option_types import file_path, whole_number
from shengji_env.cli.saved_rules import named_rules
from shengji_env.datasets.recorded.collecting import (
    COLLECTION_FILE,
    FILE_ROUNDS,
    SLOW_FILE_ROUNDS,
    collect,
    who_collected,
)
from shengji_env.datasets.recorded.collection import Collection
from shengji_env.datasets.recorded.loading import FILES
from shengji_env.engine.rule_sets import DEFAULT_RULES

DESCRIPTION = """\
Play rounds to learn from, and keep them as records: what was dealt, every decision, and the result.

One player sits in all four seats, two play side against side, four sit in seats 0 to 3; from round to round everybody
moves on by a seat. All deals are different, and levels and declarers are drawn. docs/offline.md says how a network
learns from them.
"""
EPILOG = f"""\
{PLAYERS_HELP}

{RULES_HELP}

DIR:
  {COLLECTION_FILE:<28} players, rules, seed; a folder of others, or of something else, is refused
  rounds-FIRST-END.jsonl.gz    records, half a kilobyte a round, each there only if whole

  The same command resumes what was stopped, and plays more rounds if --rounds is larger. The bytes depend on the
  options and on nothing else: not on --workers or --ray, and not on interruptions. (A player that looks at the clock,
  as search:200:0.5 does, or draws words of its own plays otherwise every time.) If a player raises or answers
  illegally, the run ends with its error; finished files stay.

in Python:
  from shengji_env.datasets.recorded import RecordedRounds
  for batch in RecordedRounds("rounds/club", part="training").batches(1024, seed=1):
      batch.observation, batch.action_mask, batch.action, batch.returns

examples:
  shengji collect heuristic --rounds 1000 --out rounds/trial
  shengji collect heuristic greedy --rounds 20000 --out rounds/mixed --seed 1
  shengji collect champion --rounds 20000 --out rounds/one --rules one_deck --workers 4
  shengji replay rounds/trial/rounds-0000000000-0000001000.jsonl.gz --line 2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("players", metavar="PLAYER", nargs="+", help="one, two or four players")
    parser.add_argument("--rounds", type=whole_number, required=True, metavar="N", help="rounds that DIR is to have")
    parser.add_argument("--out", type=file_path, required=True, metavar="DIR", help="folder of the records")
    group = parser.add_argument_group("what is played")
    group.add_argument("--rules", default=DEFAULT_RULES, metavar="P", help=f"rule set ({DEFAULT_RULES})")
    group.add_argument(
        "--seed", type=whole_number, default=0, metavar="S", help="seed of deals, starts and random words (0)"
    )
    group.add_argument(
        "--file", type=whole_number, metavar="N",
        help=f"rounds of a file, kept once they are finished ({FILE_ROUNDS}; with search {SLOW_FILE_ROUNDS})",
    )  # fmt: skip
    add_keep(group)
    add_workers(parser.add_argument_group("who plays; the bytes do not depend on it"))


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    collection = Collection(tuple(arguments.players), named_rules(arguments.rules), arguments.seed)
    note_other_rules(map(known_player, collection.players), collection.rules)
    began = time.perf_counter()
    with workers_on_rounds(arguments, collection.players, collection.rules) as (executor, watch):
        files = collect(
            arguments.out, collection, arguments.rounds, file_rounds=arguments.file, keeps_changed=arguments.keep,
            executor=executor, watch=watch,
        )  # fmt: skip
    seconds = time.perf_counter() - began
    size = sum(path.stat().st_size for path in files)
    number = sum(end - first for first, end in FILES.found(arguments.out).values())
    ending = "" if len(files) == 1 else "s"
    print(
        f"{arguments.out} has {number:,} rounds in {len(files):,} file{ending}, {size / 2**20:.1f} MiB",
        *who_collected(arguments.out),
        sep="\n",
    )
    rules = f"{collection.rules} ({collection.rules.fingerprint})"
    print(f"{', '.join(collection.players)}; rules {rules}, seed {collection.seed}, {seconds:.1f} s", file=sys.stderr)
