"""Belief models of the hidden cards: sampled deals, and others named by ``module:callable``."""

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.beliefs.belief_positions import NUM_HOLDERS, hidden_cards
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NUM_SLOTS, TRUMP, suit_of_slot
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.errors import PlayerError, show
from shengji_env.players import Decisions
from shengji_env.players.callables import call_named, check_takes, find_callable, read_arguments
from shengji_env.players.identity import identity_of_code, paths_in
from shengji_env.players.networks.selfplay import SelfplayPlayer
from shengji_env.players.search.replaying import MAX_PROPOSALS, ReplayingSampler
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.players.whole_plays import begin_decisions
from shengji_env.support.arguments import check_index

NUM_DEALS = 200
"""Deals that are sampled for a position."""
MAX_DEALS = 10_000
"""Most deals that are sampled for a position."""
NUM_REPLAYED, NUM_PROPOSALS = 50, 16
"""Deals that `replayed` samples for a position, and of how many each is taken."""
_METHODS = ("believe",)
_TRUMPS_BURIED = np.log(0.01)
"""Logarithm of how much less a deal with trumps in the kitty counts for `no_trumps_buried`."""


def _name_with(name: str, **arguments: tuple[int, int]) -> str:
    """Return a name with those arguments, each given with its default, that differ from it."""
    changed = "&".join(f"{key}={value}" for key, (value, usual) in arguments.items() if value != usual)
    return f"{name}?{changed}" if changed else name


@runtime_checkable
class BeliefModel(Protocol):
    """Says where hidden cards are.

    It may have ``weigh(decisions, deals)``, too: how likely whole deals are. ``deals`` are (K,) `STATE_DTYPE`, tables
    that agree with all that the seat knows of a single decision; it returns (K,) logarithms, up to a constant. Without
    it, what `believe` says of the single cards counts.
    """

    name: str

    def believe(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return where hidden cards are.

        Args:
            decisions: B decisions, as a player sees them.

        Returns:
            (B, 54, 4), at least 0: for each slot, how the hidden cards of it are shared out among the next seat, the
            partner, the previous seat and the kitty. Each row counts up to a factor; rows without hidden cards, and the
            kitty where the seat knows it, count nothing.
        """


class Uniform:
    """Deals the hidden cards again, all ways that agree with what is known equally likely.

    Args:
        deals: how many, for a position, 1 to MAX_DEALS.
        trumps_buried: whether the kitty may hold trumps where it need not.

    Raises:
        PlayerError: an argument is out of range.
    """

    def __init__(self, deals: int = NUM_DEALS, *, trumps_buried: bool = True) -> None:
        deals = check_index("deals", deals, 1, MAX_DEALS, error=PlayerError)
        if not isinstance(trumps_buried, bool):
            raise PlayerError(f"trumps_buried={show(trumps_buried)} must be true or false")
        self.name = _name_with("uniform" if trumps_buried else "no_trumps_buried", deals=(deals, NUM_DEALS))
        self._trumps_buried = trumps_buried
        self._samples: NDArray[Any] = np.zeros(deals, STATE_DTYPE)
        self._rules: RuleSet | None = None
        self._sampler: Sampler | None = None

    def believe(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the mean of the sampled deals."""
        found = np.zeros((len(decisions), NUM_SLOTS, NUM_HOLDERS))
        for index, samples in enumerate(self._sampled(decisions)):
            found[index] = np.mean([hidden_cards(samples[row : row + 1]) for row in range(len(samples))], axis=0)
        return found

    def weigh(self, decisions: Decisions, deals: NDArray[Any]) -> NDArray[np.float64]:
        """All deals alike, but those with trumps in the kitty if these are not to be there."""
        weights = np.zeros(len(deals))
        if not self._trumps_buried:
            trump = int(deals["trump"][0])
            of_trumps = np.array([suit_of_slot(slot, trump) == TRUMP for slot in range(NUM_SLOTS)])
            weights[(deals["buried"][:, of_trumps] > 0).any(axis=1)] = _TRUMPS_BURIED
        return weights

    def _sampled(self, decisions: Decisions) -> Iterator[NDArray[Any]]:
        for row, (start, sampler) in enumerate(self._prepared(decisions)):
            sampler.draw(start, row, 0, self._samples)
            yield self._samples

    def _prepared(self, decisions: Decisions) -> Iterator[tuple[NDArray[Any], Sampler]]:
        """Yield where each decision begins, (1,), and the sampler, prepared for it."""
        if self._sampler is None or decisions.rules is not self._rules:
            self._rules = decisions.rules
            self._sampler = self._make_sampler(decisions.rules)
        states = decisions.states.copy()
        begin_decisions(states)
        for row, plays in enumerate(decisions.plays):
            start = states[row : row + 1]
            self._sampler.prepare(start, plays)
            yield start, self._sampler

    def _make_sampler(self, rules: RuleSet) -> Sampler:
        return Sampler(rules.record(), trumps_buried=self._trumps_buried)


class ReplayedDeals(Uniform):
    """Deals the hidden cards again, more often so that they explain what the others have played.

    How likely plays are says the champion's network for playouts.

    Args:
        deals: how many, for a position, 1 to MAX_DEALS.
        proposals: of how many deals each is taken, 1 to MAX_PROPOSALS of `search.replaying`.

    Raises:
        PlayerError: an argument is out of range.
    """

    def __init__(self, deals: int = NUM_REPLAYED, *, proposals: int = NUM_PROPOSALS) -> None:
        super().__init__(deals, trumps_buried=False)
        self._proposals = check_index("proposals", proposals, 1, MAX_PROPOSALS, error=PlayerError)
        self.name = _name_with("replayed", deals=(deals, NUM_REPLAYED), proposals=(proposals, NUM_PROPOSALS))

    def weigh(self, decisions: Decisions, deals: NDArray[Any]) -> NDArray[np.float64]:
        """How likely the deals make what the others have played, and less for those with trumps in the kitty."""
        weights = super().weigh(decisions, deals)
        for _, sampler in self._prepared(decisions):
            assert isinstance(sampler, ReplayingSampler)
            weights += sampler.log_likelihoods(deals)
        return weights

    def _make_sampler(self, rules: RuleSet) -> Sampler:
        return ReplayingSampler(rules, SelfplayPlayer.champion().playing_on, proposals=self._proposals)


BUILT_IN: Mapping[str, Callable[..., BeliefModel]] = {
    "uniform": Uniform,
    "no_trumps_buried": functools.partial(Uniform, trumps_buried=False),
    "replayed": ReplayedDeals,
}


def identity_of_belief_model(text: str) -> tuple[str, ...]:
    """Return the digests of a belief model, as of players (`players.identity`): nothing for one of BUILT_IN."""
    head, _, query = text.strip().partition("?")
    module, colon, name = head.partition(":")
    if not colon:
        return ()
    made = find_callable(text, module, name, methods=_METHODS)
    return identity_of_code(made, paths_in(read_arguments(text, query).values()))


def make_belief_model(text: str) -> BeliefModel:
    """Make a belief model: one of BUILT_IN, or ``module:callable``, with ``?name=value&…`` for arguments.

    Raises:
        PlayerError: there is no such model, or it does not believe.
    """
    made = call_named(text, BUILT_IN, methods=_METHODS)
    if not isinstance(made, BeliefModel):
        raise PlayerError(f"{show(text)} made something of type {type(made).__name__}: it needs `name` and `believe`")
    check_takes(made, "believe", ("decisions",))
    if hasattr(made, "weigh"):
        check_takes(made, "weigh", ("decisions", "deals"))
    return made
