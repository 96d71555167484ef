"""A round replayed through the engine to write its record: actions become whole plays.

| phase | in ``decisions`` |
|---|---|
| BID | ``{"seat": 1, "drawn": 7, "bid": "S2"}``: after 7 cards were dealt; null for a pass |
| NAME | ``{"seat": 0, "name": "S"}``, ``"NT"`` for no trump |
| BURY, LEAD, FORCED, FOLLOW | ``{"seat": 1, "lead": "HA HK HK"}``: leads as attempted; forced if a seat had to choose |
| REBEL | ``{"seat": 1, "rebel": false}`` |

A transcript is of one deal, the round's last; those that rebellions have ended before it are given as a record has
them.

Source: docs/records.md.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, NAME, NUM_ACTIONS, PASS, REBEL, TRUMP_TEXTS, action_text
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import CARD_TEXTS, RANKS, format_cards, parse_card_list
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import write_mask
from shengji_env.engine.opening import begin_given
from shengji_env.engine.rebellion import drawn_lot
from shengji_env.engine.referee import Trump
from shengji_env.engine.referee.values import to_cards
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import NOBODY, STATE_DTYPE, UNNAMED, WORKSPACE_DTYPE, Phase
from shengji_env.errors import RecordError
from shengji_env.render.round_record import (
    AbandonedDeal,
    DecisionKind,
    PublicRound,
    RecordedResult,
    Round,
    RoundDecision,
    RoundSoFar,
    RoundTrick,
)
from shengji_env.tables.infos import result_info, with_nulls

KINDS: dict[Phase, DecisionKind] = {
    Phase.BID: "bid",
    Phase.NAME: "name",
    Phase.BURY: "bury",
    Phase.LEAD: "lead",
    Phase.FORCED: "forced",
    Phase.FOLLOW: "follow",
    Phase.REBEL: "rebel",
}
"""What a decision of each phase is called in a record."""


class Transcript:
    """A round under way, and its record so far.

    Args:
        rules: its rules.
        start: fields of the state with which the round begins: deal, levels, declarer, first_drawer, round_index, and
            trump if it is given with the deal.
        redeals: how many deals of this round came before this one: those without a bid, and those abandoned.
        rebellions: how many of these were abandoned; `start` is then how this deal begins.
        abandoned: instead of `rebellions`, these deals, checked; `start` is then how the round began, with this deal.
        match_round: which round of its match it is; None if it belongs to no match.

    Attributes:
        states: the state, shape (1,) STATE_DTYPE.
        decisions: the decisions made so far, as in a record.
        actions: the actions that make up these decisions.
        abandoned: the deals that rebellions have ended, as in a record.
        opening: who declared and who drew first when the round began, as in the state.
        buried: what was buried last, as text; empty before.
        tricks: the tricks begun so far, as in a record.

    Raises:
        RecordError: the cards cannot have been dealt again so often.
    """

    def __init__(
        self,
        rules: RuleSet,
        start: Mapping[str, Any],
        *,
        redeals: int = 0,
        rebellions: int = 0,
        abandoned: Sequence[AbandonedDeal] = (),
        match_round: int | None = None,
    ) -> None:
        self.states: NDArray[Any] = np.zeros(1, STATE_DTYPE)
        self._before = self.states.copy()
        self.rules = rules
        self.match_round = match_round
        self.redeals = redeals
        self.abandoned = list(abandoned)
        self.decisions: list[RoundDecision] = []
        self.actions: list[int] = []
        self.tricks: list[RoundTrick] = []
        self._record = rules.record()
        self._work = np.zeros(1, WORKSPACE_DTYPE)
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        self.buried = ""
        self.states["trump"] = UNNAMED
        for name, value in start.items():
            self.states[name][0] = value
        self.states["deal_given"] = 1
        self.states["match_round"] = match_round or 0
        self._levels = self.states["levels"][0].tolist()
        self.opening = {name: int(self.states[name][0]) for name in ("declarer", "first_drawer")}
        if self.opening["declarer"] != NOBODY:
            self.opening["first_drawer"] = self.opening["declarer"]
        for name, value in start_after(rules, self.abandoned).items():
            self.states[name] = value
        self._begin(len(self.abandoned) or rebellions)

    def _begin(self, rebellions: int) -> None:
        """Deal; refuse a number of earlier deals that is not possible."""
        redeals, most = self.redeals, self.rules.max_redeals
        if not begin_given(self.states[0], self._record[0], redeals, rebellions):
            raise RecordError(f"redeals={redeals}: cards are dealt again without declarer or bid, at most {most} times")
        write_mask(self.states[0], self._record[0], self._work[0], self._mask)

    @property
    def phase(self) -> Phase:
        """The phase of the next decision."""
        return Phase(int(self.states["phase"][0]))

    @property
    def seat(self) -> int:
        """The seat that decides next."""
        return int(self.states["seat"][0])

    def legal_actions(self) -> NDArray[np.int64]:
        """Return the legal actions, ascending."""
        return np.flatnonzero(self._mask)

    def is_legal(self, action: int) -> bool:
        """Return whether an action, 0..82, is legal."""
        return bool(self._mask[action])

    def make(self, action: int) -> None:
        """Make a legal action, and note the decision if that ends it.

        Raises:
            RecordError: the round is over, or the cards are dealt again more often than `redeals`.
        """
        phase = self.phase
        if phase == Phase.OVER:
            raise RecordError(f"action {action} after the end of the round")
        _make(self._before, self.states, self._record, self._work, self._mask, action)
        self.actions.append(action)
        if phase == Phase.REBEL:
            self.decisions.append({"seat": int(self._before["seat"][0]), "rebel": action == REBEL})
        elif self.states["redeals"][0] != self.redeals:
            raise RecordError(f"nobody has bid, so the cards are dealt again; redeals={self.redeals} says otherwise")
        elif phase in (Phase.BID, Phase.NAME):
            self.decisions.append(_choice(self._before, phase, action))
        elif (self.phase, self.seat) != (phase, self._before["seat"][0]):
            self._note_play(phase, action)

    def _note_play(self, phase: Phase, action: int) -> None:
        """Note the cards of a decision that has ended, and the trick if it has begun or ended."""
        states, before = self.states, self._before
        if phase == Phase.FORCED:
            cards = states["trick"][0, before["leader"][0]]
        else:
            cards = before["taken"][0].copy()
            if action != DONE:
                cards[action] += 1
        text = self.text(cards)
        decision: RoundDecision = {"seat": int(before["seat"][0])}
        decision[KINDS[phase]] = text
        self.decisions.append(decision)
        if phase == Phase.BURY:
            self.buried = text
        elif phase == Phase.FOLLOW and self.phase != Phase.FOLLOW:
            winner = states["winning" if self.phase == Phase.OVER else "leader"][0]
            points = int(before["trick_points"][0]) + int(cards @ before["slot_points"][0])
            self.tricks[-1] |= {"winner": int(winner), "points": points}
        elif phase != Phase.FOLLOW and self.phase == Phase.FOLLOW:
            leader = int(states["leader"][0])
            self.tricks.append({"leader": leader, "led": self.text(states["trick"][0, leader])})

    def text(self, by_slot: NDArray[np.int8]) -> str:
        """Return cards counted by slot, shape (54,), as text with ascending card ids; trumps must be named."""
        trump = Trump.of(int(self.states["trump"][0]), int(self.states["level_rank"][0]))
        return format_cards(to_cards(by_slot, trump))

    def public_record(self) -> PublicRound:
        """Return what everybody has seen of the round so far, in the form of a record's line.

        Passes are left out, since only seats that could bid are asked; so are the buried cards (``"bury": None``).
        ``trump`` and ``level_rank`` are None until trumps are named; ``turned`` are the kitty cards turned up.
        """
        state = self.states[0]
        is_named = int(state["trump"]) != UNNAMED
        heard = [_heard(decision) for decision in self.decisions if decision.get("bid", "") is not None]
        if self.rules.failed_throw == "lowest_card":  # nobody sees what was tried
            leads = (decision for decision in heard if "lead" in decision)
            for decision, trick in zip(leads, self.tricks, strict=True):
                decision["lead"] = trick["led"]
        return {
            "round": int(state["round_index"]),
            "redeals": self.redeals,
            "decisions": heard,
            "trump": TRUMP_TEXTS[int(state["trump"])] if is_named else None,
            "level_rank": RANKS[int(state["level_rank"])] if is_named else None,
            "turned": self.text(state["turned"]) if is_named else "",
            "tricks": [trick.copy() for trick in self.tricks],
        }

    def so_far(self) -> RoundSoFar:
        """Return the beginning of the round's line: how it started, and its decisions so far."""
        state = self.states[0]
        record: RoundSoFar = {
            "round": int(state["round_index"]),
            "match_round": self.match_round or 0,
            "levels": [RANKS[level] for level in self._levels],
            "declarer": None if self.opening["declarer"] == NOBODY else self.opening["declarer"],
            "first_drawer": self.opening["first_drawer"],
            "redeals": self.redeals,
            "abandoned": self.abandoned,
            "deal": self._deal_text(0),
            "decisions": self.decisions,
        }
        if self.match_round is None:
            del record["match_round"]
        if not self.abandoned:
            del record["abandoned"]
        if self.rules.bidding == "fixed":
            record["trump"] = TRUMP_TEXTS[int(state["trump"])]
        return record

    @property
    def is_abandoned(self) -> bool:
        """Whether a rebellion has ended the deal."""
        return bool(self.decisions) and self.decisions[-1].get("rebel", False)

    def as_abandoned(self) -> AbandonedDeal:
        """Return the deal as a record has it once a rebellion has ended it."""
        return {"deal": self._deal_text(0), "redeals": self.redeals, "decisions": self.decisions}

    def record(self) -> Round:
        """Return the round's line, once the round is over."""
        state = self.states[0]
        return {
            **self.so_far(),
            "trump": TRUMP_TEXTS[int(state["trump"])],
            "level_rank": RANKS[int(state["level_rank"])],
            "kitty": self._deal_text(NUM_SEATS * self.rules.hand),
            "buried": self.buried,
            "tricks": self.tricks,
            "result": _result_of(state["result"]),
        }

    def _deal_text(self, first: int) -> str:
        """Return the cards of the deal from one on."""
        return " ".join(CARD_TEXTS[card] for card in self.states["deal"][0, first : self.rules.total])


def start_after(rules: RuleSet, abandoned: Sequence[AbandonedDeal]) -> dict[str, int]:
    """Return the fields of the state with which a deal begins otherwise than its round, after abandoned deals (§4)."""
    if not abandoned:
        return {}
    if rules.rebellion == "no_declarer":
        cards = np.array(parse_card_list(abandoned[-1]["deal"]), np.int8)
        return {"declarer": NOBODY, "first_drawer": int(drawn_lot(cards, cards.size))}
    rebel = abandoned[-1]["decisions"][-1]["seat"]
    return {"declarer": rebel, "first_drawer": rebel} if rules.rebellion == "new_declarer" else {}


def _heard(decision: RoundDecision) -> RoundDecision:
    return {**decision, "bury": None} if "bury" in decision else decision.copy()


def _result_of(result: Any) -> RecordedResult:
    """Return a RESULT_DTYPE value as a record has it."""
    values = with_nulls(result_info(result))
    return cast("RecordedResult", {name: values[name] for name in RecordedResult.__annotations__ if name in values})


@jit
def _make(
    before: NDArray[Any],
    states: NDArray[Any],
    rules: NDArray[Any],
    works: NDArray[Any],
    mask: NDArray[np.int8],
    action: int,
) -> None:
    """Make an action in a state, shape (1,), and write what is legal then; keep the state as it was before."""
    before[0] = states[0]
    apply_action(states[0], rules[0], works[0], SAME_CARDS, action)
    write_mask(states[0], rules[0], works[0], mask)


def _choice(before: NDArray[Any], phase: Phase, action: int) -> RoundDecision:
    """Return the decision that bids, passes or names trumps."""
    seat = int(before["seat"][0])
    if phase == Phase.NAME:
        return {"seat": seat, "name": TRUMP_TEXTS[action - NAME]}
    bid = None
    if action != PASS:
        bid = action_text(action, trump=NO_TRUMP, level=reading_of(before[0], seat)[1]).removeprefix("bid ")
    return {"seat": seat, "drawn": int(before["drawn"][0]), "bid": bid}
