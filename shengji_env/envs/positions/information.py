"""What a seat knows of a round, as text: everything that it has seen, in order.

Two positions have the same text exactly if the seat cannot tell them apart, even with a perfect memory. The text has
the seat's own cards in the order in which they were drawn, its own decisions, and what can be seen of the others'. That
another seat was asked for a bid or a rebellion and passed cannot be seen.

Source: docs/environments/positions.md.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import TRUMP_TEXTS, action_text
from shengji_env.engine.bids import bid_level, reading_of
from shengji_env.engine.cards import CARD_TEXTS, RANKS
from shengji_env.engine.components import top_slot_of
from shengji_env.engine.play import CARDS
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, card_of_slot, suit_of_slot
from shengji_env.engine.state import UNNAMED, Phase
from shengji_env.envs.positions.histories import History

_WORDS = {
    Phase.BID: "",
    Phase.NAME: "",
    Phase.BURY: "bury ",
    Phase.LEAD: "lead ",
    Phase.FORCED: "choose ",
    Phase.REBEL: "",
}
"""What a decision is called; those of FOLLOW are told by the plays."""


def information_text(history: History, seat: int) -> str:
    """Return what a seat knows, one fact a line."""
    replayed = history.seen_by(seat)
    state = replayed.states[0]
    facts = [
        *_start_facts(history, state, seat),
        *(_decision(state, decision, seat) for decision in replayed.decisions if decision["phase"] != Phase.FOLLOW),
        *_taken_again(history, state, seat),
        *(f"{play[0] - 1} played {_by_slot(state, play[1:])}" for play in replayed.plays if play[0]),
        *_points(history.game.rules, state),
        *_now(state, seat),
    ]
    return "\n".join(facts)


def _start_facts(history: History, state: Any, seat: int) -> list[str]:
    """Return the rules, how the round began, and the cards that the seat has got."""
    start, rules = history.deal_state[0], history.game.rules
    declarer = f"seat {start['declarer']}" if start["had_declarer"] else "nobody"
    levels = " ".join(RANKS[level] for level in start["levels"].tolist())
    dealt = NUM_SEATS * rules.hand
    facts = [
        f"seat {seat} of {rules}",
        f"levels {levels}, declarer {declarer}, first drawer {start['first_drawer']}",
        f"match round {start['match_round']}, dealt again {start['redeals']} times" + _rebelled(start),
        f"drew {_texts(state['deal'][(seat - state['first_drawer']) % NUM_SEATS : state['drawn'] : NUM_SEATS])}",
    ]
    if state["trump"] != UNNAMED:
        facts += [f"trump {TRUMP_TEXTS[state['trump']]}, level {RANKS[state['level_rank']]}"]
        facts += [f"turned up {_by_slot(state, state['turned'])}"] if state["turned"].any() else []
        first = state["takers"][0]
        facts += [f"took up {_texts(state['deal'][dealt : rules.total])}"] if first == seat else []
    return facts


def _points(rules: RuleSet, state: Any) -> list[str]:
    """Return the attackers' points where they do not follow from what is seen played: penalties show no throw."""
    return [f"attackers have {state['attackers_points']} points"] if rules.failed_throw == "lowest_card" else []


def _rebelled(start: Any) -> str:
    return f", {start['rebellions']} by rebellion" if start["rebellions"] else ""


def _decision(state: Any, decision: Any, seat: int) -> str:
    """Return a decision that the seat has made or seen."""
    phase, who, action = Phase(int(decision["phase"])), int(decision["seat"]), int(decision["action"])
    if action == CARDS:
        text = (
            _by_slot(state, decision["cards"], int(decision["trump"]))
            if phase != Phase.BURY or who == seat
            else "hidden"
        )
    elif phase == Phase.FORCED:
        text = _slot_texts(int(state["trump"]), int(state["level_rank"]))[action]
    else:
        level = reading_of(state, who)[1] if decision["trump"] != UNNAMED else int(bid_level(state, who))
        text = action_text(action, trump=NO_TRUMP, level=level, is_bid=phase in (Phase.BID, Phase.REBEL))
    after = f" after {decision['drawn']} cards" + " and more bids" * bool(decision["is_circle"])
    return f"{who} {_WORDS[phase]}{text}{after if phase == Phase.BID else ''}"


def _taken_again(history: History, state: Any, seat: int) -> list[str]:
    """Return what the seat has taken up that others had buried."""
    takers = state["takers"][: state["num_takers"]].tolist()
    if takers.count(seat) == takers[:1].count(seat):
        return []
    buried = [decision for decision in history.seen_by().decisions if decision["phase"] == Phase.BURY]
    texts = (_by_slot(state, decision["cards"], int(decision["trump"])) for decision in buried)
    return [f"took up again {text}" for taker, text in zip(takers[1:], texts, strict=False) if taker == seat]


def _now(state: Any, seat: int) -> list[str]:
    """Return who is to move, if the seat can know that, and the decision under way as far as it can see it."""
    phase = Phase(int(state["phase"]))
    if phase == Phase.OVER:
        return ["the round is over", f"buried {_by_slot(state, state['buried'])}"]
    is_hidden = phase in (Phase.BID, Phase.REBEL) and state["seat"] != seat
    facts = [] if is_hidden else [f"seat {state['seat']} is to {phase.name}"]
    if state["seat"] == seat and state["taken_size"]:
        facts.append(f"took {_by_slot(state, state['taken'])}")
    if phase == Phase.FORCED:
        suit = suit_of_slot(int(state["last_slot"]), int(state["trump"]))
        codes = state["choices"][: state["num_choices"]].tolist()
        slots = [int(top_slot_of(code, suit, int(state["trump"]))) for code in codes]
        texts = _slot_texts(int(state["trump"]), int(state["level_rank"]))
        facts.append(f"beaten {' '.join(texts[slot] for slot in slots)}")
    return facts


def _texts(cards: NDArray[np.int8]) -> str:
    """Return the texts of card ids."""
    return " ".join(CARD_TEXTS[card] for card in cards.tolist())


def _by_slot(state: Any, counts: NDArray[np.int8], trump: int | None = None) -> str:
    """Return the texts of cards counted by slot, once trumps are named; None: with the trumps of now."""
    texts = _slot_texts(int(state["trump"]) if trump is None else trump, int(state["level_rank"]))
    return " ".join(texts[slot] for slot in np.flatnonzero(counts).tolist() for _ in range(counts[slot]))


@cache
def _slot_texts(trump: int, level: int) -> tuple[str, ...]:
    return tuple(CARD_TEXTS[card_of_slot(slot, trump, level)] for slot in range(NUM_SLOTS))
