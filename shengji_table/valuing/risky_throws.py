"""Throws that may fail: what a seat that leads one must expect, from what it knows.

A network has learned throws that nobody can beat, since those are the only ones among the candidates; of another one it
thinks that it stands. So deals are sampled that may be the real one. Where the throw stands, it is worth what the
network says; where it fails, what the component is worth that is led then, less the penalty. If the opponents may
choose the component, they choose the one that is worth least.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.play import CARDS
from shengji_env.engine.referee import Component, Trump, beaten_components, led_after_throw
from shengji_env.engine.referee.values import to_cards, to_slots
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import STATE_DTYPE, Phase
from shengji_env.players.search.sampled_deals import Sampler
from shengji_table.valuing.reviewed_decisions import Choice

NUM_DEALS = 100
"""Sampled deals of a throw."""

ValueOf = Callable[[list[NDArray[np.int8]]], NDArray[np.float64]]
"""Returns what leads are worth, given their cards by slot."""


class RiskyThrows:
    """Values throws that may fail.

    Args:
        rules: the rules.
        points_weight: levels that a point counts for.
    """

    def __init__(self, rules: RuleSet, points_weight: float) -> None:
        self.rules = rules
        self._penalty = rules.throw_penalty * points_weight
        self._sampler = Sampler(rules.record())
        self._samples: NDArray[np.void] = np.zeros(NUM_DEALS, STATE_DTYPE)

    def value(self, choice: Choice, index: int, value_of: ValueOf) -> float:
        """Return what a candidate is worth that is led by a seat that does not know whether it stands."""
        cards = choice.candidates.cards[index].copy()
        outcomes = self._outcomes(choice, cards)
        leads = list({each.tobytes(): each for outcome, _ in outcomes for each in outcome}.values())
        values = dict(zip((lead.tobytes() for lead in leads), value_of(leads).tolist(), strict=True))
        total = 0.0
        for outcome, price in outcomes:
            total += min(values[each.tobytes()] for each in outcome) - price
        return total / len(outcomes)

    def _outcomes(self, choice: Choice, cards: NDArray[np.int8]) -> list[tuple[list[NDArray[np.int8]], float]]:
        """Return for each sampled deal the leads that may come of it, cards by slot, and the penalty in levels."""
        self._sampler.prepare(choice.seen, choice.plays)
        self._sampler.draw(choice.seen, choice.ply, 0, self._samples)
        state = choice.truth[0]
        trump = Trump.of(int(state["trump"]), int(state["level_rank"]))
        thrown, others = to_cards(cards, trump), [(choice.seat + step) % NUM_SEATS for step in range(1, NUM_SEATS)]
        outcomes = []
        for sample in self._samples:
            hands = [to_cards(sample["hands"][seat], trump) for seat in others]
            beaten = beaten_components(thrown, hands, trump)
            leads = [to_slots(lead, trump) for lead in self._leads(thrown, hands, trump, beaten)]
            outcomes.append((leads, self._price(beaten)))
        return outcomes

    def _price(self, beaten: Sequence[Component]) -> float:
        """Return the penalty, in levels, of a throw with these beaten components."""
        num_cards = sum(component.width * component.length for component in beaten)
        return self._penalty * (num_cards if self.rules.throw_penalty_per == "card" else min(num_cards, 1))

    def _leads(
        self, thrown: NDArray[np.int8], hands: list[NDArray[np.int8]], trump: Trump, beaten: Sequence[Component]
    ) -> list[NDArray[np.int8]]:
        """Return what may be led, as counts of cards."""
        if len(beaten) > 1 and self.rules.failed_throw == "next_seat_chooses":
            return [component.cards for component in beaten]
        return [led_after_throw(thrown, hands, trump, self.rules)]


def is_risky(choice: Choice, index: int) -> bool:
    """Return whether a candidate is a lead of several cards that was added because it was played."""
    is_lead = choice.phase == Phase.LEAD and int(choice.candidates.actions[index]) == CARDS
    return is_lead and index >= choice.num_found and int(choice.candidates.cards[index].sum()) > 1
