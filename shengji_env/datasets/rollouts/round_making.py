"""Compiled code: the rounds of rollouts, in which the candidates of the exploring seat are labelled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.labelling import FIRST_WORD, NO_ROOM, Turn, begin_playout, make_walk, outcome_for
from shengji_env.datasets.rollouts.named_players import USUAL
from shengji_env.datasets.rollouts.policies import Maker, play_at, play_on
from shengji_env.datasets.rollouts.rollout_settings import FIRST_SEATED, OTHERS, POLICY, RoundSettings
from shengji_env.datasets.rollouts.shard_sections import MAX_LEVELS, MAX_POINTS, Sections
from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.deal import Deals, fold, random_below
from shengji_env.engine.game import apply_action
from shengji_env.engine.play import CARDS, Play, play_of, take_play
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import MAX_PLAY, NUM_TEAMS
from shengji_env.players.candidates.candidate_list import CandidateList, candidate_play
from shengji_env.players.candidates.finding import find_candidates_at
from shengji_env.players.playing import HEURISTIC
from shengji_env.players.whole_plays import is_single

_AROUND = POLICY, *(FIRST_SEATED + list(USUAL).index(name) for name in ("greedy", HEURISTIC))
"""Who sits around the exploring seat, of OTHERS."""
_NOISY = OTHERS.index("heuristic with noise")
_FIRST_OPPONENTS = len(OTHERS)
"""Who sits in the other seats, from here on: players in the opponents' seats alone."""
_FIRST_KINDS = 2
"""Kinds of which `others_share` draws."""
_EXPLORER, _NOISE, _HAS_OTHERS, _OTHERS, _HAS_OPPONENTS = range(5)
_LABEL, _DEVIATE, _WHICH, _WORDS = 0, 1, 2, 4
"""Places of a round's random words; then those of each decision, and how many it has."""
_ROUNDS, _DECISIONS, _CANDIDATES, _ACTIONS = range(4)
_NONE = -1
_S11 = np.uint64(11)
_UNIT = 2.0**-53


@jit_inline
def _decide(maker: Maker, settings: RoundSettings, turn: Turn, shard: Sections) -> int:
    """Make a decision, and note its actions; label it if the seat explores.

    If `heuristic` sits in all other seats and plays playouts, the last labelled candidate that was taken has been
    played on to the next decision and further, by the first candidate there: then that outcome is known. A network goes
    on for longer in the second playout than in the first.
    """
    if not _has_room(shard, settings.most):
        return NO_ROOM
    if turn.word == FIRST_WORD:
        _begin(maker, settings, turn.key, shard)
    s, memory, filled = maker.states[0], maker.memory[0], shard.filled
    row, actions = shard.rounds[filled[_ROUNDS] - 1], shard.actions[filled[_ACTIONS] :]
    is_labelled = s.seat == row.explorer and _happens(turn.key, turn.word + _LABEL, settings.label_share)
    deviates = _happens(turn.key, turn.word + _DEVIATE, maker.noise[s.seat])
    found = find_candidates_at(s, memory, settings.most, memory.found) if is_labelled or deviates else 0
    if is_labelled and found > 1:
        shard.decisions[filled[_DECISIONS]].ply = row.num_actions
        row.num_decisions += 1
        first = filled[_CANDIDATES]
        _label(maker, settings, turn, found, shard)
        maker.known[0] = first if settings.plays_on_alike and row.others == 0 else _NONE
    if deviates and found > 1:
        choice = _another(maker, turn, found, actions)
        maker.known[0] = maker.known[0] + choice if is_labelled and maker.known[0] != _NONE else _NONE
        number = _take(maker, turn, candidate_play(memory.found, choice), actions)
    else:
        number = play_at(maker, turn, 0, actions)
    row.num_actions += number
    filled[_ACTIONS] += number
    return turn.word + _WORDS


make_rounds = make_walk(_decide)


@jit
def _has_room(shard: Sections, most: int) -> bool:
    """Return whether there is room for one more decision."""
    filled = shard.filled
    return bool(
        filled[_DECISIONS] < shard.decisions.size
        and filled[_CANDIDATES] + most <= shard.candidates.size
        and filled[_ACTIONS] + MAX_PLAY < shard.actions.size
    )


@jit
def _begin(maker: Maker, settings: RoundSettings, key: np.uint64, shard: Sections) -> None:
    """Draw who sits in which seat, and write it."""
    row = shard.rounds[shard.filled[_ROUNDS]]
    shard.filled[_ROUNDS] += 1
    explorer, others = random_below(key, _EXPLORER, NUM_SEATS), _draw_others(key, settings)
    noise = random_below(key, _NOISE, settings.noise.size)
    row.explorer, row.others, row.noise = explorer, others, noise
    row.num_actions = row.num_decisions = 0
    maker.known[0] = _NONE
    for seat in range(NUM_SEATS):
        is_opposed = others >= _FIRST_OPPONENTS and seat % NUM_TEAMS != explorer % NUM_TEAMS
        maker.seats[:, seat] = others - _FIRST_OPPONENTS + FIRST_SEATED if is_opposed else POLICY
        maker.noise[seat] = 0.0
        if seat == explorer:
            maker.noise[seat] = settings.noise[noise]
        elif others < _FIRST_OPPONENTS:
            maker.seats[0, seat] = _AROUND[others]
            maker.noise[seat] = settings.others_noise if others == _NOISY else 0.0


@jit
def _draw_others(key: np.uint64, settings: RoundSettings) -> int:
    """Draw who sits in the seats that do not explore, an index of `RolloutSettings.others`."""
    if _happens(key, _HAS_OTHERS, settings.others_share):
        return 1 + int(random_below(key, _OTHERS, _FIRST_KINDS))
    for place in range(settings.opponents.size):
        if _happens(key, _HAS_OPPONENTS, settings.opponents[place]):
            return _FIRST_OPPONENTS + place
    return 0


@jit
def _happens(key: np.uint64, index: int, share: float) -> bool:
    """Draw whether something happens that does in this share of all cases."""
    return bool((np.float64(fold(key, index) >> _S11) + 0.5) * _UNIT < share)


@jit
def _place_of(play: Play, found: CandidateList, number: int) -> int:
    """Return which of the first `number` candidates a play is; `number` if it is none of them."""
    for index in range(number):
        is_same = found.actions[index] == play.action
        if play.action == CARDS:
            for slot in range(play.cards.size):
                is_same = is_same and found.cards[index, slot] == play.cards[slot]
        if is_same:
            return index
    return number


@jit
def _another(maker: Maker, turn: Turn, number: int, log: NDArray[Any]) -> int:
    """Draw one of the candidates that is not the policy's play; ``log`` is scratch memory."""
    is_set = not is_single(maker.states[0].phase)
    maker.states[1] = maker.states[0]
    play_at(maker, turn, 1, log)
    place = _place_of(play_of(CARDS if is_set else log[0], maker.cards), maker.memory[0].found, number)
    other = int(random_below(turn.key, turn.word + _WHICH, number - (place < number)))
    return other + (other >= place)


@jit
def _label(maker: Maker, settings: RoundSettings, turn: Turn, number: int, shard: Sections) -> None:
    """Play each candidate that has been found on from the true table, and write what becomes of the round.

    If the outcome of the first one has been written already (``maker.known``), it is not played out again.
    """
    filled, team = shard.filled, maker.states[0].seat % NUM_TEAMS
    for index in range(number):
        row = shard.candidates[filled[_CANDIDATES] + index]
        if index == 0 and maker.known[0] != _NONE:
            shard.candidates[filled[_CANDIDATES]] = shard.candidates[maker.known[0]]
            continue
        begin_playout(maker, turn.deals, candidate_play(maker.memory[0].found, index))
        play_on(maker, settings, turn)
        outcome = outcome_for(maker.states[1].result, team)
        row.is_attacker = outcome.is_attacker
        row.points = max(-MAX_POINTS, min(MAX_POINTS, outcome.points))
        row.levels = max(-MAX_LEVELS, min(MAX_LEVELS, outcome.levels))
    shard.decisions[filled[_DECISIONS]].num_candidates = number
    filled[_DECISIONS] += 1
    filled[_CANDIDATES] += number


@jit
def label_tables(
    maker: Maker, settings: RoundSettings, states: NDArray[Any], deals: tuple[np.uint64, NDArray[np.int64]],
    shard: Sections,
) -> None:  # fmt: skip
    """Write labels of the decisions at B tables into ``shard``; ``deals``: the seed, and the tables' numbers."""
    maker.known[0] = _NONE
    for row in range(states.size):
        maker.states[0] = states[row]
        number = find_candidates_at(states[row], maker.memory[0], settings.most, maker.memory[0].found)
        _label(maker, settings, Turn(Deals(deals[0], deals[1][row]), np.uint64(0), FIRST_WORD), number, shard)


@jit
def _take(maker: Maker, turn: Turn, play: Play, log: NDArray[Any]) -> int:
    """Make a legal play at the table, and note its actions; return their number."""
    s, r, w = maker.states[0], maker.rules[0], maker.works[0]
    if play.action == CARDS:
        return take_play(s, r, w, play.cards, log)
    log[0] = play.action
    apply_action(s, r, w, turn.deals, play.action)
    return 1
