"""How well belief models know where the hidden cards are: ``python -m research.score_beliefs MODEL …``."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.beliefs.belief_models import BUILT_IN, make_belief_model
from shengji_env.arena.beliefs.belief_positions import PLAYERS, ROUNDS, SEED, VERSION, BeliefSet
from shengji_env.arena.beliefs.belief_scores import NAMES, Scores, score_all
from shengji_env.arena.beliefs.belief_tables import mean_with_error, round_indices
from shengji_env.cli.exit_codes import run_command
from shengji_env.cli.option_types import output_file, whole_number
from shengji_env.cli.parser import OnceParser
from shengji_env.cli.progress import shown_count
from shengji_env.cli.saved_rules import named_rules
from shengji_env.engine.rule_sets import DEFAULT_RULES
from shengji_env.engine.state import Phase
from shengji_env.errors import ShengjiError
from shengji_env.support.whole_files import write_json

DESCRIPTION = "Score how well somebody knows where the hidden cards are, on positions that are the same for everybody."
EPILOG = f"""\
Positions are leads and follows of rounds that {", ".join(PLAYERS)} play, a function of --seed.
A belief model says for each hidden card how likely each other seat and the kitty have it; docs/tracks.md says how to
write one. Differences are to the first one named.

examples:
  python -m research.score_beliefs uniform no_trumps_buried replayed
  python -m research.score_beliefs uniform my_beliefs:Network?path=net.npz --json scores.json
  python -m research.score_beliefs uniform my_beliefs:Network --seed 1 --rounds 20        # while you work on it
"""


_TRICKS = {"trick 1": (0, 1), "tricks 2 to 5": (1, 5), "6 to 10": (5, 10), "11 to 15": (10, 15), "from 16": (15, 1000)}
"""Groups of tricks: tricks that are finished, first and one past the last."""


def main(argv: list[str] | None = None) -> int:
    """Score, and print the tables; return the exit code."""
    return run_command("python -m research.score_beliefs", lambda: _run(_parser().parse_args(argv)))


def _parser() -> argparse.ArgumentParser:
    parser = OnceParser(
        prog="python -m research.score_beliefs", description=DESCRIPTION, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    known = ", ".join(BUILT_IN)
    parser.add_argument("models", metavar="MODEL", nargs="+", help=f"{known}, or your own module:callable")
    parser.add_argument("--rules", default=DEFAULT_RULES, help="the rules (default: %(default)s)")
    parser.add_argument(
        "--rounds", type=whole_number, default=ROUNDS, help="rounds that each of them plays (default: %(default)s)"
    )
    parser.add_argument("--seed", type=whole_number, default=SEED, help="of the positions (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", type=output_file, help="write the scores of all positions, too")
    return parser


def _run(arguments: argparse.Namespace) -> None:
    if len(set(arguments.models)) < len(arguments.models):
        raise ShengjiError("a belief model is named twice")
    models = [make_belief_model(text) for text in arguments.models]
    positions = BeliefSet(named_rules(arguments.rules), arguments.rounds, arguments.seed)
    with shown_count("% of the rounds") as count:
        scores = score_all(positions, models, lambda done: count(100 * done, 100))
    if arguments.json:
        _write(arguments.json, positions, scores)
    said = f"{positions.rules}, {positions.rounds} rounds each, seed {positions.seed}, version {VERSION}"
    print(said, file=sys.stderr)
    print(report(scores))


def _write(path: Path, positions: BeliefSet, scores: Scores) -> None:
    about = {
        "version": VERSION, "rules": str(positions.rules), "rounds": positions.rounds, "seed": positions.seed,
        "believers": list(scores.models),
    }  # fmt: skip
    columns = {
        "players": scores.players.tolist(), "round": scores.rounds.tolist(), "phase": scores.phases.tolist(),
        "tricks": scores.tricks.tolist(),
    }  # fmt: skip
    found: dict[str, Any] = {
        name: dict(zip(NAMES, np.round(own, 6).T.tolist(), strict=True))
        for name, own in zip(scores.models, scores.scores, strict=True)
    }
    write_json(path, {**about, "positions": columns, "scores": found}, indent=None, ensure_ascii=True)


def report(scores: Scores) -> str:
    """Return all tables, in Markdown: scores, and differences to the first model on the same positions."""
    rounds = round_indices(scores)
    lines = [f"{len(rounds):,} positions of {rounds.max() + 1:,} rounds; a lower score is better", ""]
    lines += [_row("", *NAMES), f"|---|{'---|' * len(NAMES)}"]
    for name, own in zip(scores.models, scores.scores, strict=True):
        lines.append(_row(name, *(_text(own[:, column], rounds) for column in range(len(NAMES)))))
    for name, own in zip(scores.models[1:], scores.scores[1:], strict=True):
        less = own - scores.scores[0]
        cells = (_text(less[:, column], rounds, "+") for column in range(len(NAMES)))
        lines.append(_row(f"{name} − {scores.models[0]}", *cells))
    perfect = (_text(scores.knowing_all[:, column], rounds) for column in range(scores.knowing_all.shape[1]))
    lines.append(_row("*knowing all*", *perfect, "0.000"))
    lines += ["", _row("log loss", *scores.models), f"|---|{'---|' * len(scores.models)}"]
    for name, chosen in _groups(scores):
        if chosen.any():
            cells = (_text(own[chosen, 0], rounds[chosen]) for own in scores.scores)
            lines.append(_row(f"{name} ({chosen.sum():,})", *cells))
    return "\n".join(lines)


def _groups(scores: Scores) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    for player in dict.fromkeys(scores.players.tolist()):
        yield f"rounds of {player}", scores.players == player
    for phase in (Phase.LEAD, Phase.FOLLOW):
        yield f"before a {phase.name.lower()}", scores.phases == phase
    for name, (first, end) in _TRICKS.items():
        yield name, (scores.tricks >= first) & (scores.tricks < end)


def _text(values: NDArray[np.float64], rounds: NDArray[np.int64], sign: str = "") -> str:
    mean, error = mean_with_error(values, rounds)
    return f"{mean:{sign}.3f} ± {error:.3f}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
