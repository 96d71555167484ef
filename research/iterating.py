"""Expert iteration, one step: a network is fitted to what a search makes of its decisions.

``python -m research.iterating champion --minutes 20 --out runs/iterated``. The network plays rounds with itself; at a
share of its decisions `champion:N` searches, and the scores of the choices that were played out are the labels. Others
keep their values. The control is the same processor time of ordinary labels: ``train.py --set network.start=champion``.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.display import Display
from agents.selfplay.batches import LabelledDecisions
from agents.selfplay.fitting import PolicyFitting
from shengji_env.cli.exit_codes import run_command
from shengji_env.cli.option_types import file_path, whole_number
from shengji_env.cli.parser import OnceParser
from shengji_env.datasets.labelling import written
from shengji_env.datasets.selfplay.label_kernels import (
    COUNTED,
    LabelArrays,
    LabelSettings,
    add_choice,
    add_decision,
    make_labels,
)
from shengji_env.engine.compile import jit
from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, parse_rules
from shengji_env.engine.state import Rules, State
from shengji_env.errors import ConfigError
from shengji_env.players.decisions import Decisions, num_plays
from shengji_env.players.networks.selfplay import SelfplayPlayer
from shengji_env.players.networks.selfplay.choices import (
    SelfplayMemory,
    find_choices,
    make_selfplay_memory,
    value_choices,
)
from shengji_env.players.networks.selfplay.selfplay_file import SELFPLAY_FILE, SelfplayFile, write_selfplay
from shengji_env.players.networks.selfplay.selfplay_inputs import NUM_GROUPS, rule_rows
from shengji_env.players.registry import make_player
from shengji_env.players.search.correcting import CorrectingPlayer
from shengji_env.players.search.judging import Judge, PriorJudge
from shengji_env.vector import BatchEnv

TABLES, MOST = 64, 10
"""Tables at once; choices of a decision that are compared at most."""
PART = 2000
"""Searched decisions of a part, which is learned from at once."""
MINIBATCH, HORIZON, FALL = 256, 200.0, 0.95
"""Decisions of a gradient step; steps over which the mean of weights is taken; how much smaller steps get."""


class _Recorder(CorrectingPlayer):
    """A search that keeps the judge of its last decision."""

    judge: "_ScoringJudge"

    def _make_proposer(self, rules: RuleSet) -> Callable[[NDArray[Any], int], tuple[Plays, Judge]]:
        proposer, (weight, growth, margin, _) = self._player.proposer(rules), self._prior

        def propose(start: NDArray[Any], most: int) -> tuple[Plays, Judge]:
            plays, values = proposer(start, most)
            self.judge = _ScoringJudge(values, weight, growth, margin, rules)
            return plays, self.judge

        return propose


class _ScoringJudge(PriorJudge):
    """A judge that keeps the scores of the C choices, None if none was played out."""

    kept: NDArray[np.float64] | None = None

    def choose(self, values: NDArray[np.float64], is_open: NDArray[np.bool_]) -> int:
        """Choose the best; choices that were given up are taken to be worth what they seemed before."""
        if values.shape[1]:
            outcomes = np.where(is_open, values.mean(axis=1), 0.0)
            lead = (outcomes - self._prior)[is_open].mean()
            self.kept = self.scores(np.where(is_open[:, None], values, (self._prior + lead)[:, None]))
        return super().choose(values, is_open)


@jit
def _find(s: State, r: Rules, memory: SelfplayMemory) -> None:
    """Find and value the choices of a decision."""
    if find_choices(s, r, memory.works[0], memory) > 1:
        value_choices(memory)


@jit
def _write(memory: SelfplayMemory, rules: NDArray[np.int16], chosen: NDArray[np.int64], labels: LabelArrays) -> None:
    """Write the decision that has been found, and those of its choices that are chosen, in this order."""
    add_decision(memory.decision[0], rules, labels)
    for index in chosen:
        add_choice(memory.decision[0], index, labels)


class Searching:
    """Searches decisions of a network's own rounds, and writes labels.

    Args:
        player: the network.
        rules: what is played.
        worlds: deals of a search.
        share: of decisions that are searched.
        seed: of rounds, and of which decisions.
    """

    def __init__(self, player: SelfplayPlayer, rules: RuleSet, worlds: int, share: float, seed: int) -> None:
        self._player, self._rules, self._share = player, rules, share
        self._recorder = _Recorder(player, worlds, seed=seed, candidates=MOST)
        self._memory = make_selfplay_memory(player.file.network, player.file.proposals, rules)
        self._env = BatchEnv(TABLES, rules, seed=seed, start="any", history=num_plays(rules))
        self._generator = np.random.default_rng(seed)
        self.searched = self.overridden = 0
        """Decisions that were searched with a result; those at which another choice was best."""

    def label(self, most: int, until: float) -> LabelArrays:
        """Label so many decisions, or fewer once so much processor time, in seconds, has been spent."""
        settings = LabelSettings(np.zeros(NUM_GROUPS), np.zeros(1), np.zeros(1), MOST, np.zeros(1), tricks=0)
        rows, shape = rule_rows(self._rules, self._player.file.network.shape.chances), self._player.file.network.shape
        labels, record = make_labels(most, settings, rows.shape[1], shape.suit > 0), self._rules.record()
        tables = np.arange(TABLES)
        while labels.filled[0] < most and time.process_time() < until:
            asked = Decisions.at(self._env.tables, tables)
            begins = (self._env.states["taken_size"] == 0) & (asked.action_mask.sum(axis=1) > 1)
            for row in np.flatnonzero(begins & (self._generator.random(TABLES) < self._share)):
                if labels.filled[0] < most:
                    self._search(asked.states[row : row + 1], asked.plays[row], record, rows, labels)
            self._env.step(self._player.decide(asked))
        return written(labels, COUNTED)

    def _search(
        self,
        start: NDArray[Any],
        plays: NDArray[np.int8],
        record: NDArray[Any],
        rows: NDArray[np.int16],
        to: LabelArrays,
    ) -> None:
        self._recorder.find_play(start, plays, self._rules)
        scores = self._recorder.judge.kept
        if scores is None:
            return
        _find(start[0], record[0], self._memory)
        d, first = self._memory.decision[0], int(to.filled[COUNTED["levels"]])
        best = np.argsort(-d["values"][: d["number"]], kind="stable")[: len(scores)]
        _write(self._memory, rows, best, to)
        to.smooth[first : first + len(scores)] = scores
        self.searched += 1
        self.overridden += int(scores.argmax()) != 0


def fitted(file: SelfplayFile, parts: Sequence[LabelArrays], learning_rate: float, seed: int) -> SelfplayFile:
    """Return a file whose policy has learned from labels, once; the smaller network is as it was."""
    fitting = PolicyFitting(seed, HORIZON, reads_rules=True, shape=file.network.shape)
    fitting.start_as(file.network)
    for number, part in enumerate(parts):
        fitting.fit([LabelledDecisions.of(part)], MINIBATCH, learning_rate * (1 - FALL * number / len(parts)))
    return SelfplayFile(fitting.network(), file.proposals, {**file.made, "iterated": len(parts)}, file.playouts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return run_command("python -m research.iterating", lambda: _run(_parser().parse_args(arguments)))


def _run(options: argparse.Namespace) -> None:
    player = make_player(options.player)
    if not isinstance(player, SelfplayPlayer):
        raise ConfigError(f"{options.player} is no network of self-play; name champion or selfplay:PATH")
    if not (0 < options.share <= 1 and options.minutes > 0 and 0 < options.learning_rate < 1):
        raise ConfigError("--share, --minutes and --learning-rate must be above 0, --share and --learning-rate up to 1")
    searching = Searching(player, parse_rules(options.rules), options.worlds, options.share, options.seed)
    parts: list[LabelArrays] = []
    began = time.process_time()
    until = began + 60 * options.minutes
    with Display() as display:
        display.begin("searching")
        while time.process_time() < until:
            parts.append(searching.label(PART, until))
            done = min(1.0, (time.process_time() - began) / (until - began))
            display.update(done, {"searched": f"{searching.searched:,}", "overridden": f"{searching.overridden:,}"})
        display.end()
        options.out.mkdir(parents=True, exist_ok=True)
        file = fitted(player.file, [part for part in parts if len(part.groups)], options.learning_rate, options.seed)
        write_selfplay(options.out / SELFPLAY_FILE, file)
        display.line(f"{searching.searched:,} decisions, {searching.overridden:,} overridden: selfplay:{options.out}")


def _parser() -> argparse.ArgumentParser:
    parser = OnceParser(
        prog="python -m research.iterating", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "player", nargs="?", default="champion", help="champion or selfplay:PATH (default: %(default)s)"
    )
    parser.add_argument("--rules", default=DEFAULT_RULES, help="rule set (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=20.0, help="of processor time (default: %(default)s)")
    parser.add_argument("--worlds", type=whole_number, default=100, help="deals of a search (default: %(default)s)")
    parser.add_argument("--share", type=float, default=0.02, help="of decisions searched (default: %(default)s)")
    parser.add_argument("--learning-rate", type=float, default=3e-4, help="Adam's at first (default: %(default)s)")
    parser.add_argument("--seed", type=whole_number, default=1, help="of rounds (default: %(default)s)")
    parser.add_argument("--out", type=file_path, required=True, metavar="DIR", help="the folder of selfplay.npz")
    return parser


if __name__ == "__main__":
    sys.exit(main())
