"""Random words for players: ChaCha20's block, and nothing of the deal.

Source: RFC 8439 §2.3.2; docs/environments/arguments.md.
"""

import numpy as np
import pytest

from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.deal import (
    CANDIDATE_STREAM,
    PLAYER_STREAM,
    ROLLOUT_STREAM,
    SAMPLE_STREAM,
    SETUP_STREAM,
    Deals,
    deal_cards,
    draw_setup,
    numbers_for_seeds,
)
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.engine.words import first_row, player_word
from shengji_env.players import Decisions
from shengji_env.vector import BatchEnv

pytestmark = pytest.mark.nojit

SEED = 0x9D3C5E1F7A2B4680
GAMMA, MIX_A, MIX_B = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
WORD = 2**64


def words_of(data: bytes) -> list[np.uint64]:
    return [np.uint64(word) for word in np.frombuffer(data, "<u4").tolist()]


def test_the_block_is_that_of_the_standard() -> None:
    key = words_of(bytes(range(32)))
    last = [np.uint64(1), *words_of(bytes.fromhex("000000090000004a00000000"))]
    constants = words_of(b"expand 32-byte k")
    found = first_row(tuple(constants), tuple(key[:4]), tuple(key[4:]), tuple(last))
    assert [f"{int(word):08x}" for word in found] == ["e4e7f110", "15593bd1", "1fdd0f50", "c47120a3"]


def test_streams_keep_their_numbers() -> None:
    """Otherwise seeds give other deals, players other plays, and rollouts and candidates others than those kept."""
    streams = (SETUP_STREAM, PLAYER_STREAM, SAMPLE_STREAM, ROLLOUT_STREAM, CANDIDATE_STREAM)
    assert streams == (1000, 1001, 1002, 1003, 1004)


def test_words_differ_for_each_table_round_and_ply() -> None:
    words = {
        int(player_word(np.uint64(seed), table, round_index, ply))
        for seed in (0, 1, SEED)
        for table in (0, 1, 2**40)
        for round_index in (0, 1, 300)
        for ply in (0, 1, 1000)
    }
    assert len(words) == 81


def test_tables_of_one_seed_have_the_words_of_other_seeds() -> None:
    seeds = np.array([0, 5, SEED], np.uint64)
    numbers = np.zeros(3, np.uint64)
    numbers_for_seeds(seeds, numbers)
    for seed, number in zip(seeds, numbers.view(np.int64).tolist(), strict=True):
        assert player_word(np.uint64(0), number, 2, 7) == player_word(seed, 0, 2, 7)


def unshift(word: int, shift: int) -> int:
    """Undo ``word ^ (word >> shift)``."""
    found = word
    for _ in range(64 // shift):
        found = word ^ (found >> shift)
    return found


def unfold(word: int, value: int) -> int:
    """Undo `deal.fold`: the key from which it made a word with a number."""
    word = unshift(word, 31) * pow(MIX_B, -1, WORD) % WORD
    word = unshift(word, 27) * pow(MIX_A, -1, WORD) % WORD
    return (unshift(word, 30) - (value + 1) * GAMMA) * pow(MIX_B, -1, WORD) % WORD


def fold(key: int, value: int) -> int:
    """`deal.fold`, in integers."""
    word = (key * MIX_B + (value + 1) * GAMMA) % WORD
    word = (word ^ (word >> 30)) * MIX_A % WORD
    word = (word ^ (word >> 27)) * MIX_B % WORD
    return word ^ (word >> 31)


def guessed_deal(word: int, ply: int) -> np.ndarray:
    """The deal that a player computes from its word, if the word was folded from the seed."""
    rules, cards = rule_set(), np.zeros(rule_set().decks * NUM_CARDS, np.int8)
    stream = fold(unfold(unfold(word, ply), PLAYER_STREAM), 0)
    with np.errstate(over="ignore"):
        deal_cards(cards, rules.record()[0], np.uint64(stream))
    return cards


def test_the_attack_finds_a_deal_from_a_folded_word() -> None:
    assert unfold(fold(SEED, 7), 7) == SEED
    env = BatchEnv(1, seed=SEED)
    table, round_index, ply = fold(fold(GAMMA, SEED), 0), 0, 11
    word = fold(fold(fold(table, round_index), PLAYER_STREAM), ply)
    assert (guessed_deal(word, ply) == env.states["deal"][0, : 2 * NUM_CARDS]).all()


def test_no_deal_is_found_from_the_words_that_players_get() -> None:
    env = BatchEnv(5, seed=SEED)
    for _ in range(2):
        words = Decisions.at(env.tables, np.arange(5)).key
        for row in range(5):
            deal = env.states["deal"][row, : 2 * NUM_CARDS]
            found = [ply for ply in range(20) if (guessed_deal(int(words[row]), ply) == deal).all()]
            assert not found, f"table {row}: the deal follows from the word, with ply {found[0]}"
        env.step(env.sample_actions())


def test_a_seed_keeps_its_levels_declarers_and_first_drawers() -> None:
    found = []
    for number in range(6):
        state = np.zeros(1, STATE_DTYPE)[0]
        state["match_round"] = 5
        draw_setup(state, rule_set("two_deck").record()[0], Deals(np.uint64(1), number), True)
        assert state["match_round"] == 0
        found.append((int(state["first_drawer"]), int(state["declarer"]), *state["levels"].tolist()))
    assert found == [(3, -1, 11, 7), (3, 3, 0, 4), (3, -1, 5, 8), (1, 1, 10, 2), (1, 1, 9, 5), (2, 2, 0, 0)]
