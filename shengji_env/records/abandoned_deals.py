"""The deals of a round that rebellions have ended, made again from what a table's log keeps of them.

Source: docs/records.md; docs/rules.md §4.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import PASS
from shengji_env.engine.cards import MAX_TOTAL
from shengji_env.engine.deal import Deals, deal_cards, stream_key
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import State
from shengji_env.errors import RecordError
from shengji_env.records.transcript import Transcript
from shengji_env.render.round_record import AbandonedDeal


@dataclass(frozen=True)
class KeptDeals:
    """What is kept of a round's abandoned deals."""

    kept: Any
    """An ABANDONED_DTYPE record."""
    deals: Deals
    """Where the round's deals come from."""

    def played(self, rules: RuleSet, state: State, levels: Any) -> list[AbandonedDeal]:
        """Play the deals again that were abandoned before a state; return them as a record has them.

        Raises:
            RecordError: an action is not legal, or ends no deal.
        """
        start = {"levels": levels, "round_index": state["round_index"], **self.opening()}
        made: list[AbandonedDeal] = []
        for number in range(int(state["rebellions"])):
            redeals = int(self.kept["redeals"][number])
            deal = self._deal(rules, int(state["round_index"]), redeals)
            transcript = Transcript(rules, {**start, "deal": deal}, redeals=redeals, abandoned=made)
            for action in self._actions(number):
                if transcript.is_abandoned or action not in transcript.legal_actions():
                    raise RecordError(f"action {action} of abandoned deal {number} is not legal")
                transcript.make(action)
            if not transcript.is_abandoned:
                raise RecordError(f"abandoned deal {number} has no rebellion at its end")
            made.append(transcript.as_abandoned())
        return made

    def opening(self) -> dict[str, int]:
        """Return the fields of the state that say who declared and who drew first when the round began."""
        return {name: int(self.kept[name]) for name in ("declarer", "first_drawer")}

    def _deal(self, rules: RuleSet, round_index: int, redeals: int) -> NDArray[np.int8]:
        deal = np.zeros(MAX_TOTAL, np.int8)
        key = np.uint64(stream_key(self.deals.seed, self.deals.table, round_index, redeals))
        deal_cards(deal, rules.record()[0], key)
        return deal

    def _actions(self, number: int) -> list[int]:
        kept = self.kept
        actions = np.full(max(int(kept["sizes"][number]), 0), PASS)
        chosen = int(kept["chosen"][number])
        actions[kept["places"][number, :chosen]] = kept["actions"][number, :chosen]
        return [int(action) for action in actions]
