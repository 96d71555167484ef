"""The public history of a round (`view.PublicHistory`): from its record, or from the plays of an environment."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import format_cards
from shengji_env.engine.referee import Trump
from shengji_env.engine.referee.values import to_cards
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import Phase
from shengji_env.render.round_record import PublicRound
from shengji_env.render.view import PublicHistory, ShownBid, Trick, points_of

PLAYS_REMEMBERED = 2 * NUM_SEATS
"""Plays that an environment must keep so that the last trick is known, even when the round is over."""


def history_of_record(record: PublicRound, *, is_over: bool) -> PublicHistory:
    """Return the public history of a round, given its record so far (`Transcript.public_record`).

    Args:
        record: a round in the form of a record, as far as it has been played.
        is_over: whether the round is over, so that its last trick is still on the table.
    """
    steps, tricks = record["decisions"], record["tricks"]
    bids = tuple(ShownBid(step["seat"], bid) for step in steps if (bid := step.get("bid")))
    leads = [step["lead"] for step in steps if "lead" in step]
    thrown = [_thrown(lead, tricks[number]["led"] if number < len(tricks) else "") for number, lead in enumerate(leads)]
    num_finished = sum("winner" in trick for trick in tricks) - is_over
    is_under_way = len(leads) > num_finished
    last = _finished_trick(record, num_finished - 1, thrown[num_finished - 1]) if num_finished else None
    return PublicHistory(bids, thrown[-1] if is_under_way else "", last)


def _thrown(lead: str, led: str) -> str:
    return "" if sorted(lead.split()) == sorted(led.split()) else lead


def _finished_trick(record: PublicRound, number: int, thrown: str) -> Trick:
    trick = record["tricks"][number]
    follows = [step for step in record["decisions"] if "follow" in step]
    others = NUM_SEATS - 1
    plays = {str(step["seat"]): step["follow"] for step in follows[number * others : (number + 1) * others]}
    plays[str(trick["leader"])] = trick["led"]
    return Trick(trick["leader"], trick["winner"], trick["points"], dict(sorted(plays.items())), thrown)


def history_of_plays(plays: NDArray[np.int8], state: Any) -> PublicHistory:
    """Return the public history of a round, given its last plays, shape (K, 55) (`tables.history`).

    With fewer than PLAYS_REMEMBERED of them, the last trick may be missing.
    """
    is_forced = state["phase"] == Phase.FORCED
    on_table = 0 if is_forced else sum(bool(cards.any()) for cards in state["trick"])
    rows = plays[: max(0, len(plays) - on_table)][-NUM_SEATS:]
    thrown = _cards(state["trick"][state["leader"]], state) if is_forced else ""
    if len(rows) < NUM_SEATS or not rows[0, 0]:
        return PublicHistory(thrown=thrown)
    texts = {int(row[0]) - 1: _cards(row[1:], state) for row in rows}
    by_seat = {str(seat): texts[seat] for seat in range(NUM_SEATS)}
    points = sum(points_of(cards) for cards in texts.values())
    return PublicHistory((), thrown, Trick(int(rows[0, 0]) - 1, int(state["leader"]), points, by_seat, ""))


def _cards(by_slot: NDArray[np.int8], state: Any) -> str:
    return format_cards(to_cards(by_slot, Trump.of(int(state["trump"]), int(state["level_rank"]))))
