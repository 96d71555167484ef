"""The version of candidates and features, and a digest that notices when they change.

A network that reads candidates is worth something only with the list that it was trained on. `CANDIDATES_VERSION` says
which list that is meant to be; `candidates_digest` what it is: a hash over all candidates and features at the decisions
of rounds played from seeds. It changes with the heuristic player too, whose play is the first candidate. Labels belong
to candidates alone, so they carry the digest without features.

``digests.json`` has the digests of this version for the presets; a test keeps them true.
"""

import functools
import json
from hashlib import blake2b
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import CANDIDATE_STREAM, Deals, random_below, stream_key
from shengji_env.engine.frozen_rules import frozen_rule_sets
from shengji_env.engine.opening import begin_first
from shengji_env.engine.play import make_play
from shengji_env.engine.rows import lowest_slot, slots_with
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, as_rules
from shengji_env.engine.slots import NUM_SLOTS, suit_end, suit_of_slot, suit_start
from shengji_env.engine.state import STATE_DTYPE, Phase, State
from shengji_env.players.candidates.candidate_arrays import MEMORY_DTYPE
from shengji_env.players.candidates.candidate_list import CandidateList, candidate_play, write_cards_found
from shengji_env.players.candidates.features import FEATURES_DTYPE, make_features, write_features
from shengji_env.players.candidates.finding import find_candidates_at
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.support.announcing import part

CANDIDATES_VERSION = 1
"""Raise it whenever the digest changes."""
DEFAULT_CANDIDATES = 10
"""Most candidates of a decision."""
PINNED = "digests.json"
NUM_POSITIONS = 10_000
ALL_RULES = "all"
"""What stands for the digest over many rule sets."""
_POSITIONS_EACH = 250
"""Decisions of each of these rule sets."""
_ONE_IN, _ONE_THROW_IN = 4, 32
"""How seldom a play is a random candidate, and a lead all cards of a suit: nobody else's throws fail."""
_SIZE = 16

LISTED_DTYPE = np.dtype(
    [("number", np.int16), ("action", np.int16), ("cards", np.int8, (NUM_SLOTS,)), ("features", FEATURES_DTYPE)]
)
"""A candidate of one of the digest's decisions; `number` counts the decision's candidates."""


@functools.lru_cache(maxsize=64)
def candidates_digest(
    rules: RuleSet | str = DEFAULT_RULES,
    *,
    num_positions: int = NUM_POSITIONS,
    most: int = DEFAULT_CANDIDATES,
    with_features: bool = True,
) -> str:
    """Return a hash (32 hexadecimal digits) over the candidates of decisions with a choice.

    Args:
        rules: the rules.
        num_positions: how many decisions, of rounds with random candidates and throws that may fail.
        most: most candidates of a decision.
        with_features: whether the features count too.
    """
    compile_candidates()
    listed = list_candidates(as_rules(rules), num_positions, most)
    if not with_features:
        listed["features"] = np.zeros((), FEATURES_DTYPE)
    return blake2b(listed.tobytes(), digest_size=_SIZE).hexdigest()


compile_candidates = part("candidates", "candidates: their digests, rollouts")(
    lambda: list_candidates(as_rules(DEFAULT_RULES), 1, DEFAULT_CANDIDATES)
)


@functools.cache
def known_digest(rules: RuleSet | str) -> str:
    """Return the digest for some rules, or for ALL_RULES; those of presets and of ALL_RULES are read, not computed."""
    pinned = json.loads(resources.files(__package__).joinpath(PINNED).read_text(encoding="utf-8"))["digests"]
    if rules == ALL_RULES:
        return str(pinned[ALL_RULES])
    rules = as_rules(rules)
    named = {as_rules(text).fingerprint: digest for text, digest in pinned.items() if text != ALL_RULES}
    return str(named.get(rules.fingerprint) or candidates_digest(rules))


@functools.lru_cache(maxsize=8)
def digest_of_all_rules(*, most: int = DEFAULT_CANDIDATES, with_features: bool = True) -> str:
    """Return a hash over the candidates of decisions under `frozen_rule_sets`."""
    digest = blake2b(digest_size=_SIZE)
    for rules in frozen_rule_sets():
        each = candidates_digest(rules, num_positions=_POSITIONS_EACH, most=most, with_features=with_features)
        digest.update(each.encode())
    return digest.hexdigest()


def list_candidates(rules: RuleSet, num_positions: int, most: int) -> NDArray[Any]:
    """Return all candidates of the decisions in order, (C,), LISTED_DTYPE."""
    listed: NDArray[Any] = np.zeros(num_positions * most, LISTED_DTYPE)
    memory: NDArray[Any] = np.zeros(1, MEMORY_DTYPE)
    memory["scratch"] = make_scratch(rules.record(), 1)
    return listed[: _list(np.zeros(1, STATE_DTYPE), memory, make_features(), most, listed)]


@jit
def _list(states: NDArray[Any], memory: NDArray[Any], features: NDArray[Any], most: int, listed: NDArray[Any]) -> int:
    """Write the candidates of as many decisions as there is room for; return their number."""
    s, own = states[0], memory[0]
    scratch, found = own.scratch, own.found
    size, table = 0, 0
    left = listed.size // most
    while True:
        deals = Deals(np.uint64(0), table)
        key = stream_key(deals.seed, table, 0, CANDIDATE_STREAM)
        begin_first(s, scratch.rules, scratch.work, deals, True)
        ply = 0
        while s.phase != Phase.OVER:
            number = find_candidates_at(s, own, most, found)
            choice = 0
            if number > 1:
                write_features(own.seen, scratch, found, number, features)
                _write(found, number, features, listed, size)
                size += number
                left -= 1
                if left == 0:
                    return size
                if random_below(key, 3 * ply, _ONE_IN) == 0:
                    choice = int(random_below(key, 3 * ply + 1, number))
            if s.phase == Phase.LEAD and scratch.rules.throws and random_below(key, 3 * ply + 2, _ONE_THROW_IN) == 0:
                _throw_suit(s, found.cards[choice])
            make_play(s, scratch.rules, scratch.work, deals, candidate_play(found, choice))
            ply += 1
        table += 1


@jit
def _throw_suit(s: State, cards: NDArray[Any]) -> None:
    """Make a lead all cards of its suit."""
    suit = suit_of_slot(lowest_slot(slots_with(cards, 1)), s.trump)
    for slot in range(suit_start(suit, s.trump), suit_end(suit, s.trump)):
        cards[slot] = s.hands[s.seat, slot]


@jit
def _write(found: CandidateList, number: int, features: NDArray[Any], listed: NDArray[Any], first: int) -> None:
    for index in range(number):
        row = listed[first + index]
        row.number = number
        row.action = found.actions[index]
        row.features = features[index]
        write_cards_found(found, index, row.cards)
