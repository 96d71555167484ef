"""What predicts what the champion makes of a candidate: ``python -m research.screen_playouts --decisions 30000``.

The champion plays rounds in all four seats. At a share of its decisions with a choice, each candidate gets a label: the
champion plays on to the end of the round in the true deal, one playout, in smoothed levels. Predictors are the
champion's network without any playout, and means over sampled deals of playouts: by each policy, and in deals of which
each is one of some that explain what the others have played.

What is printed is the share of the labels' variance within decisions that a predictor explains, in per cent. The mean
over W deals is what is common to all deals, and noise that falls with 1 / W. Both are known from the deals that were
played, and so are the shares for any W. Intervals are bootstraps over rounds. Processor times of this run say how many
deals a policy plays in a given time. research/trials/playouts.md and research/trials/replaying.md have the results.
"""

import argparse
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.limits import MAX_DEALS
from shengji_env.cli.exit_codes import run_command
from shengji_env.cli.option_types import whole_number
from shengji_env.cli.parser import OnceParser
from shengji_env.datasets.rollouts import RolloutSettings, smooth_levels
from shengji_env.datasets.rollouts.generating import label
from shengji_env.engine.rule_sets import DEFAULT_RULES, PRESETS, RuleSet, rule_set
from shengji_env.engine.state import STATE_DTYPE, Phase
from shengji_env.players import Decisions, make_player, num_plays
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_list import CANDIDATE_LIST_DTYPE
from shengji_env.players.candidates.finding import find_candidates
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.networks.champion.champion_player import ValuePlayer, named_weights
from shengji_env.players.networks.champion.choosing import make_evaluator, value_candidates
from shengji_env.players.networks.champion.compiled_network import network_of
from shengji_env.players.networks.champion.conditioning import features_of, for_rules
from shengji_env.players.playing import DISTILLED, HEURISTIC, player_with_policy
from shengji_env.players.search.replaying import ReplayingSampler
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.support.arguments import check_index, check_seed
from shengji_env.vector import BatchEnv

Doubles = NDArray[np.float64]
ScreenShares = tuple[dict[str, Doubles], dict[str, Doubles]]
"""Shares by name: (1,) each, and (draws,) of bootstrap samples."""


class Predictor(NamedTuple):
    """Playouts in sampled deals."""

    name: str
    policy: str
    """Who plays them."""
    proposals: int = 0
    """Sampled deals of which one is taken by replaying (`ReplayingSampler`); 0: all ways are equally likely."""

    def sampler(self, rules: RuleSet) -> Sampler:
        """Return what samples its deals."""
        if self.proposals == 0:
            return Sampler(rules.record())
        return ReplayingSampler(rules, player_with_policy(self.policy), proposals=self.proposals)


PREDICTORS = (
    Predictor(HEURISTIC, HEURISTIC),
    Predictor(DISTILLED, DISTILLED),
    Predictor(f"{DISTILLED}, replayed", DISTILLED, ValuePlayer.prior.proposals),
)
"""What is compared, each with the one before."""
_TABLES = 64
_SHARE = 0.25
"""Share of the decisions with a choice that are labelled."""
_BUDGETS = (0.001, 0.01, 0.1)
"""Seconds a decision."""
_MANY = (16, 100, 1000, np.inf)
_HEADINGS = ("16 deals", "100", "1,000", "endless")
"""Numbers of sampled deals for which shares are printed."""
_DRAWS = 1000
"""Bootstrap samples."""


@dataclass(frozen=True)
class Screened:
    """One decision with C candidates."""

    round: int
    """Of which round."""
    labels: Doubles
    """(C,) what became of the candidates with the champion, in smoothed levels."""
    network: Doubles
    """(C,) what its network expected, in levels."""
    true: Doubles
    """(P, C) one playout by each predictor's policy in the true deal, in smoothed levels."""
    sampled: Doubles
    """(P, C, W) the same in each predictor's W sampled deals."""


@dataclass(frozen=True)
class Seconds:
    """Processor time of each predictor, in seconds."""

    sampling: tuple[float, ...]
    """A sampled deal."""
    playouts: tuple[float, ...]
    """A playout."""


class Screening:
    """Plays the champion's rounds and screens some of its decisions.

    Args:
        rules: a preset that the champion has learned.
        seed: of the rounds, of the sampled deals, and of which decisions are screened.
        deals: sampled deals of a decision.
    """

    def __init__(self, rules: str, seed: int, deals: int) -> None:
        self.rules = rule_set(rules)
        self._seed, self._chance = seed, np.random.default_rng(seed)
        self._env = BatchEnv(_TABLES, self.rules, seed=seed, start="any", history=num_plays(self.rules))
        self._champion = make_player("champion")
        self._evaluator = make_evaluator(
            network_of(for_rules(named_weights("champion", self.rules), features_of(self.rules)))
        )
        self._judge = RolloutSettings(rules=self.rules, seed=seed, policy="champion", network_tricks=self.rules.hand)
        self._policies = [RolloutSettings(rules=self.rules, seed=seed, playouts=each.policy) for each in PREDICTORS]
        self._samplers = [each.sampler(self.rules) for each in PREDICTORS]
        self._samples = np.zeros(deals, STATE_DTYPE)
        self._scratch = make_scratch(self.rules.record(), 1)
        self._found = np.zeros(1, CANDIDATE_LIST_DTYPE)
        self._sampling, self._playing = np.zeros(len(PREDICTORS)), np.zeros(len(PREDICTORS))
        self._num_samples = self._num_playouts = 0

    @property
    def seconds(self) -> Seconds:
        """The times so far."""
        sampling, playing = self._sampling / max(1, self._num_samples), self._playing / max(1, self._num_playouts)
        return Seconds(tuple(sampling.tolist()), tuple(playing.tolist()))

    def decisions(self) -> Iterator[Screened]:
        """Yield decisions, one after another, without end."""
        env, rows = self._env, np.arange(_TABLES)
        rounds = np.arange(_TABLES)
        while True:
            states = env.tables.states
            begins = (states["taken_size"] == 0) & (states["phase"] != Phase.OVER)
            chosen = np.flatnonzero(begins & (self._chance.random(_TABLES) < _SHARE))
            if len(chosen):
                yield from self._screen(chosen, rounds)
            env.step(self._champion.decide(Decisions.at(env.tables, rows)))
            rounds = np.where(env.terminated, rounds + _TABLES, rounds)

    def _screen(self, rows: NDArray[np.int64], rounds: NDArray[np.int64]) -> Iterator[Screened]:
        asked, truth = Decisions.at(self._env.tables, rows), self._env.tables.states[rows].copy()
        for index, row in enumerate(rows.tolist()):
            seen = asked.states[index : index + 1]
            number = find_candidates(seen[0], self._scratch[0], DEFAULT_CANDIDATES, self._found[0])
            if number > 1:
                values = value_candidates(seen[0], self._scratch[0], self._found[0], number, self._evaluator)
                deal = truth[index : index + 1]
                labels, *true = (self._outcomes(deal, each, number)[0] for each in (self._judge, *self._policies))
                sampled = self._sampled(seen, asked.plays[index], number)
                network = values.mean(axis=1, dtype=np.float64)
                yield Screened(int(rounds[row]), labels, network, np.array(true), sampled)

    def _sampled(self, seen: NDArray[np.void], plays: NDArray[np.int8], number: int) -> Doubles:
        """Return what becomes of the candidates in sampled deals, (P, C, W)."""
        values = np.zeros((len(PREDICTORS), number, len(self._samples)))
        key = int(self._chance.integers(2**63))
        self._num_samples += len(self._samples)
        self._num_playouts += len(self._samples) * number
        for index, (sampler, policy) in enumerate(zip(self._samplers, self._policies, strict=True)):
            began = time.process_time()
            sampler.prepare(seen, plays)
            sampler.draw(seen, key, 0, self._samples)
            drawn = time.process_time()
            values[index] = self._outcomes(self._samples, policy, number).T
            self._sampling[index] += drawn - began
            self._playing[index] += time.process_time() - drawn
        return values

    def _outcomes(self, states: NDArray[np.void], settings: RolloutSettings, number: int) -> Doubles:
        """Return what becomes of the candidates at some tables, (tables, C), in smoothed levels."""
        found = label(states, settings)[1]
        smooth = smooth_levels(found["levels"], found["points"], found["is_attacker"], self.rules)
        return smooth.reshape(len(states), number).astype(np.float64)


class ScreenSums:
    """Sums over the decisions of each round, from which shares follow.

    Args:
        screened: the decisions.
        predictor: index of the predictor, in PREDICTORS.
    """

    def __init__(self, screened: list[Screened], predictor: int) -> None:
        self.deals = screened[0].sampled.shape[2]
        rounds = np.unique([each.round for each in screened], return_inverse=True)[1]
        self._sums = np.zeros((rounds.max() + 1, 9))
        for row, each in zip(rounds.tolist(), screened, strict=True):
            self._sums[row] += _products(each, predictor)

    def shares(self, draws: NDArray[np.int64] | None = None, numbers: Sequence[float] = _MANY) -> dict[str, Doubles]:
        """Return shares in per cent, for each bootstrap sample if `draws` say how often it has each round.

        Means over W sampled deals are "W" by name, and "+W" is what they add to the network's share.
        """
        sums = self._sums.sum(axis=0, keepdims=True) if draws is None else draws @ self._sums
        yy, ny, nn, ty, tt, my, mm, nm, noise = sums.T
        found = {"network": ny**2 / nn / yy, "true": ty**2 / tt / yy}
        for many in numbers:
            spread = mm + noise * (1 / many - 1 / self.deals)
            both = (ny**2 * spread - 2 * ny * my * nm + my**2 * nn) / (nn * spread - nm**2)
            found[_name(many)] = my**2 / spread / yy
            found[f"+{_name(many)}"] = both / yy - found["network"]
        return {name: 100 * share for name, share in found.items()}

    def weight_of_network(self, deals: float = 100) -> float:
        """Return as how many sampled deals the network counts, by regression on it and the mean over so many deals."""
        _, ny, nn, _, _, my, mm, nm, noise = self._sums.sum(0)
        spread = mm + noise * (1 / deals - 1 / self.deals)
        return float(deals * (ny * spread - my * nm) / (my * nn - ny * nm))

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self._sums)


def _products(each: Screened, predictor: int) -> Doubles:
    """Return the sums of products of one decision; the last is the variance of single playouts."""
    y, n, t = (values - values.mean() for values in (each.labels, each.network, each.true[predictor]))
    worlds = each.sampled[predictor] - each.sampled[predictor].mean(axis=0)
    m = worlds.mean(axis=1)
    noise = worlds.var(axis=1, ddof=1).sum()
    return np.array([y @ y, n @ y, n @ n, t @ y, t @ t, m @ y, m @ m, n @ m, noise])


def report(screened: list[Screened], seconds: Seconds, seed: int) -> str:
    """Return the tables, in Markdown."""
    moments = [ScreenSums(screened, predictor) for predictor in range(len(PREDICTORS))]
    rounds = moments[0].rounds
    draws = np.random.default_rng(seed).multinomial(rounds, np.full(rounds, 1 / rounds), _DRAWS)
    names = [each.name for each in PREDICTORS]
    found = {name: (each.shares(), each.shares(draws)) for name, each in zip(names, moments, strict=True)}
    shares = dict(found)
    for one, other in itertools.pairwise(names):
        less = (_difference(second, first) for first, second in zip(found[one], found[other], strict=True))
        shares[f"{other} − {one}"] = next(less), next(less)
    candidates = float(np.mean([len(each.labels) for each in screened]))
    alone, added = ["true", *map(_name, _MANY)], [f"+{_name(many)}" for many in _MANY]
    lines = [f"{len(screened):,} decisions of {rounds:,} rounds, {candidates:.2f} candidates", ""]
    lines += _table(["playouts by", "true deal, one", *_HEADINGS], shares, alone)
    lines += [_row("network, no playout", _shown(found[names[0]], "network")), ""]
    lines += [*_table(["added to the network by", *_HEADINGS], shares, added), ""]
    budgets = [f"{1000 * budget:g} ms a decision" for budget in _BUDGETS]
    lines += [_row("added to the network in", *budgets), f"|{'---|' * (1 + len(budgets))}"]
    for name, each, sampling, playout in zip(names, moments, seconds.sampling, seconds.playouts, strict=True):
        deals = [budget / (sampling + candidates * playout) for budget in _BUDGETS]
        added_in = [each.shares(numbers=[number])[f"+{_name(number)}"].item() for number in deals]
        cells = [f"{share:.2f} ({number:.3g} deals)" for share, number in zip(added_in, deals, strict=True)]
        lines.append(_row(f"{name}: {1e6 * sampling:.0f} µs a deal, {1e6 * playout:.0f} µs a playout", *cells))
    counts = (f"{each.weight_of_network():.0f} with {name}" for name, each in zip(names, moments, strict=True))
    return "\n".join([*lines, "", f"Beside 100 sampled deals, the network counts as {'; '.join(counts)}."])


def _difference(one: dict[str, Doubles], other: dict[str, Doubles]) -> dict[str, Doubles]:
    return {name: one[name] - other[name] for name in one}


def _table(headings: list[str], shares: dict[str, ScreenShares], names: list[str]) -> list[str]:
    rows = (_row(policy, *(_shown(of, name) for name in names)) for policy, of in shares.items())
    return [_row(*headings), f"|{'---|' * len(headings)}", *rows]


def _name(many: float) -> str:
    return f"{many:g}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _shown(shares: ScreenShares, name: str) -> str:
    low, high = np.percentile(shares[1][name], [2.5, 97.5])
    return f"{shares[0][name].item():.2f} ({low:.2f} to {high:.2f})"


def main(argv: list[str] | None = None) -> int:
    """Screen, and print the tables; return the exit code."""
    return run_command("python -m research.screen_playouts", lambda: _run(_parser().parse_args(argv)))


def _parser() -> argparse.ArgumentParser:
    parser = OnceParser(
        prog="python -m research.screen_playouts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--decisions", type=whole_number, default=30_000, help="how many (default: %(default)s)")
    parser.add_argument("--deals", type=whole_number, default=16, help="sampled deals of each (default: %(default)s)")
    parser.add_argument("--rules", choices=sorted(PRESETS), default=DEFAULT_RULES, help="preset (default: %(default)s)")
    parser.add_argument("--seed", type=whole_number, default=7400, help="(default: %(default)s)")
    return parser


def _run(args: argparse.Namespace) -> None:
    for option, value in (("--decisions", args.decisions), ("--deals", args.deals)):
        check_index(option, value, 1, MAX_DEALS)
    check_seed(args.seed)
    screening = Screening(args.rules, args.seed, args.deals)
    screened: list[Screened] = []
    for each in screening.decisions():
        screened.append(each)
        if len(screened) % 500 == 0:
            print(f"{len(screened):,} of {args.decisions:,} decisions", end="\r", flush=True)
        if len(screened) >= args.decisions:
            break
    print(report(screened, screening.seconds, args.seed))


if __name__ == "__main__":
    raise SystemExit(main())
