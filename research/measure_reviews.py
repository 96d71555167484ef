"""How far reviews by the champion are off: the figures of research/trials/reviews.md.

``python -m research.measure_reviews ROUNDS`` compares what the champion charges with what playouts in sampled deals
say of the same two candidates.
"""

import argparse
import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import RuleSet, as_rules
from shengji_env.engine.state import Phase
from shengji_env.players.networks.selfplay import SelfplayPlayer
from shengji_env.players.registry import make_player
from shengji_env.records.replays import Replay
from shengji_env.records.writing import record_header, record_line
from shengji_table.valuing.network_valuer import NetworkValuer
from shengji_table.valuing.reviewed_decisions import Choice, choices_of
from shengji_table.valuing.valuers import SamplingValuer
from shengji_table.web.board import Board

LEAST = 0.03
"""Levels that the champion charges at least with a decision that is compared."""
DEALS = 400
PLAYERS = (("greedy", "heuristic", "random", "heuristic"), ("heuristic", "greedy", "heuristic", "greedy"))
"""By seat, of rounds with an even and an odd number."""
FIRST_SEED = 500
BOUNDS = (0.03, 0.06, 0.1, 0.15, 0.25, 0.5, np.inf)


def round_of(number: int, rules: RuleSet) -> Replay:
    """Return a round between simple players."""
    players = [make_player(text) for text in PLAYERS[number % 2]]
    board = Board(rules, FIRST_SEED + number, [player.name for player in players])
    while board.phase != Phase.OVER:
        board.show(board.ask(players[board.seat]))
    assert board.finished is not None
    header = record_header(rules, [player.name for player in players], None)
    return Replay.of([record_line(header), record_line(board.finished)])


def compared(choice: Choice, network: NetworkValuer, samplers: list[SamplingValuer]) -> Iterator[float]:
    """Yield what a decision has cost by the network, and by each kind of playouts with its standard error."""
    values = network.value(choice)
    best = int(values.argmax())
    cost = float(values[best] - values[choice.played])
    if cost < LEAST:
        return
    yield cost
    for sampler in samplers:
        worth = sampler.value(choice)
        yield float(worth[best] - worth[choice.played])
        yield float(sampler.errors_against(best)[choice.played])


def main() -> None:
    """Compare, and print a row for each range of costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", type=int)
    rules = as_rules("two_deck")
    network = NetworkValuer(SelfplayPlayer.champion(), rules)
    samplers = [SamplingValuer(DEALS, rules, playouts) for playouts in ("champion?part=playouts", "heuristic")]
    rows = []
    for number in range(parser.parse_args().rounds):
        replay = round_of(number, rules)
        found = (list(compared(choice, network, samplers)) for choice in choices_of(rules, replay.rounds[0]))
        rows += [row for row in found if row]
    print_table(np.array(rows))


def print_table(rows: NDArray[np.float64]) -> None:
    """Print for each range of costs how many there are; then for each kind of playouts mean, distance, and no cost."""
    for low, high in itertools.pairwise(BOUNDS):
        some = rows[(rows[:, 0] >= low) & (rows[:, 0] < high)]
        figures = [f"{low} to {high}", f"{len(some)}"]
        for place in (1, 3):
            squares = ((some[:, 0] - some[:, place]) ** 2).mean() - (some[:, place + 1] ** 2).mean()
            no_cost = (some[:, place] <= 0).mean()
            figures += [f"{some[:, place].mean():.3f}", f"{np.sqrt(max(0.0, squares)):.3f}", f"{no_cost:.0%}"]
        print(" | ".join(figures))


if __name__ == "__main__":
    main()
