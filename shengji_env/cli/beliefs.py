"""``shengji beliefs BELIEVER …``: how well somebody knows where the hidden cards are."""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from shengji_env.arena.beliefs.belief_positions import PLAYERS, ROUNDS, SEED, VERSION, BeliefSet
from shengji_env.arena.beliefs.belief_scores import NAMES, Scores, score_all
from shengji_env.arena.beliefs.belief_tables import report
from shengji_env.arena.beliefs.believers import BUILT_IN, make_believer
from shengji_env.cli.option_types import output_file, whole_number
from shengji_env.cli.progress import shown_count
from shengji_env.cli.saved_rules import named_rules
from shengji_env.engine.rule_sets import DEFAULT_RULES
from shengji_env.errors import ShengjiError
from shengji_env.support.whole_files import write_json

DESCRIPTION = "Score how well somebody knows where the hidden cards are, on positions that are the same for everybody."
EPILOG = f"""\
Positions are leads and follows of rounds that {", ".join(PLAYERS)} play, a function of --seed.
A believer says for each hidden card how likely each other seat and the kitty have it; docs/tracks.md says how to
write one. Differences are to the first one named.

examples:
  shengji beliefs uniform no_trumps_buried replayed
  shengji beliefs uniform my_beliefs:Network?path=net.npz --json scores.json
  shengji beliefs uniform my_beliefs:Network --seed 1 --rounds 20        # while you work on it
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    known = ", ".join(BUILT_IN)
    parser.add_argument("believers", metavar="BELIEVER", nargs="+", help=f"{known}, or your own module:callable")
    parser.add_argument("--rules", default=DEFAULT_RULES, help="the rules (default: %(default)s)")
    parser.add_argument(
        "--rounds", type=whole_number, default=ROUNDS, help="rounds that each of them plays (default: %(default)s)"
    )
    parser.add_argument("--seed", type=whole_number, default=SEED, help="of the positions (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", type=output_file, help="write the scores of all positions, too")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    if len(set(arguments.believers)) < len(arguments.believers):
        raise ShengjiError("a believer is named twice")
    believers = [make_believer(text) for text in arguments.believers]
    positions = BeliefSet(named_rules(arguments.rules), arguments.rounds, arguments.seed)
    with shown_count("% of the rounds") as count:
        scores = score_all(positions, believers, lambda done: count(100 * done, 100))
    if arguments.json:
        _write(arguments.json, positions, scores)
    said = f"{positions.rules}, {positions.rounds} rounds each, seed {positions.seed}, version {VERSION}"
    print(said, file=sys.stderr)
    print(report(scores))


def _write(path: Path, positions: BeliefSet, scores: Scores) -> None:
    about = {
        "version": VERSION, "rules": str(positions.rules), "rounds": positions.rounds, "seed": positions.seed,
        "believers": list(scores.believers),
    }  # fmt: skip
    columns = {
        "players": scores.players.tolist(), "round": scores.rounds.tolist(), "phase": scores.phases.tolist(),
        "tricks": scores.tricks.tolist(),
    }  # fmt: skip
    found: dict[str, Any] = {
        name: dict(zip(NAMES, np.round(own, 6).T.tolist(), strict=True))
        for name, own in zip(scores.believers, scores.scores, strict=True)
    }
    write_json(path, {**about, "positions": columns, "scores": found}, indent=None, ensure_ascii=True)
