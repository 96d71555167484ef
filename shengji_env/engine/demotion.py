"""Levels that the declarers lose by the last trick.

Source: docs/rules.md §13, `last_trick_demotion`.
"""

from shengji_env.engine.cards import ACE, NUM_RANKS, RANKS
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import is_joker
from shengji_env.engine.rows import lowest_slot, slots_with
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.slots import card_of_slot
from shengji_env.engine.state import Rules, State, Winner

_JACK = RANKS.index("J")
_HALF_OF_JACK = RANKS.index("6")
_NONE, _JACK_SUIT, _JACK_ACE = (code_of("last_trick_demotion", word) for word in ("none", "jack_suit", "jack_ace"))


@jit
def levels_lost(s: State, r: Rules, winner: int, attackers_won_last: bool) -> int:
    """Return by how many levels the declarers fall, 0..12; `winner` is the round's `Winner`."""
    if r.last_trick_demotion == _NONE or not attackers_won_last:
        return 0
    card = _level_card_played(s, 2 if r.last_trick_demotion == _JACK_ACE else 1)
    if card < 0 or not (s.level_rank == _JACK or (s.level_rank == ACE and r.last_trick_demotion == _JACK_ACE)):
        return 0
    if r.last_trick_demotion != _JACK_SUIT:
        return int(s.level_rank)
    if winner != Winner.ATTACKERS:
        return 0
    return _JACK if card // NUM_RANKS == s.trump else _JACK - _HALF_OF_JACK


@jit
def _level_card_played(s: State, most: int) -> int:
    """Return the level card that the winning play consists of, at most `most` of it; -1 if it is another play."""
    if s.lead_size > most:
        return -1
    slots = slots_with(s.trick[s.winning], s.lead_size)
    if slots == 0:
        return -1
    card = card_of_slot(lowest_slot(slots), s.trump, s.level_rank)
    return card if not is_joker(card) and card % NUM_RANKS == s.level_rank else -1
