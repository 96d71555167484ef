"""Make `data/signature.json`: for each environment id, hashes of everything that an agent gets in many seeded rounds.

Run ``python -m tests.helpers.make_signature`` when an environment id has a new version; the behaviour of a version is
fixed. The rounds consist of random legal actions.

| id | hashed, step by step |
|---|---|
| ``shengji/shengji-v0`` | of each preset: observation, mask, seat, phase, reward, end of a batch's tables; results |
| ``shengji/Seat-v0`` | of the default rules: observation, mask, reward and end; results |
| ``shengji/PlaySeat-v0`` | the same, with the candidates' cards and features |

The raw states are not hashed, since their layout is internal. `test_batch.py` tests that the AEC environment gives
the same bytes as the batch environment.
"""

import hashlib
import json
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray

from shengji_env import GYMNASIUM_ID, PETTINGZOO_ID, PLAYS_ID
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import PLAYER_STREAM, fold, stream_key
from shengji_env.engine.rule_sets import DEFAULT_RULES, NUM_SEATS, RULE_SETS
from shengji_env.envs.plays import PlaySeatEnv
from shengji_env.envs.seat import SeatEnv
from shengji_env.players.decisions import Decisions, tables_behind
from shengji_env.players.player import Player
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.tables.infos import result_info, with_nulls
from shengji_env.vector import BatchEnv
from tests.helpers.paths import DATA

SIGNATURE = DATA / "signature.json"
NUM_GAMES = {name: 1000 if name == DEFAULT_RULES else 100 for name in RULE_SETS}
NUM_SINGLE_GAMES = 1000
NUM_PLAYS_GAMES = 200


class Keyed(Player):
    """Takes the legal action that a word names, folded from the seed as deals are: an opponent that never changes."""

    name = "keyed"

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Actions, shape (B,)."""
        tables, rows = tables_behind(decisions)
        words = np.zeros(len(rows), np.uint64)
        fold_words(tables.states, tables.progress, tables.shared, rows, words)
        return named_action(decisions.action_mask, words)


@jit
def fold_words(
    states: NDArray[Any], progress: NDArray[Any], shared: NDArray[Any], rows: NDArray[Any], words: NDArray[Any]
) -> None:
    """Write a word for each table: of PLAYER_STREAM, at the number of decisions made."""
    for index in range(rows.size):
        table = progress[rows[index]]
        stream = stream_key(shared[0].seed, table.number, states[rows[index]].round_index, PLAYER_STREAM)
        words[index] = fold(stream, table.ply)


def named_action(action_mask: NDArray[np.int8], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the legal actions that words name, shape (B,)."""
    rank = words % action_mask.sum(axis=1).astype(np.uint64)
    return np.asarray((action_mask.cumsum(axis=1) > rank[:, None]).argmax(axis=1), np.int64)


class Projection(NamedTuple):
    """What an earlier layout had of what an agent sees."""

    columns: NDArray[np.int64]
    """Its values' places in the observation."""
    num_actions: int
    """How many actions its mask had; those that came later stand behind them."""


def signature(rules: str, num_games: int, projection: Projection | None = None) -> str:
    """The hash over some games of the batch environment, hexadecimal: of all that is seen, or of a projection."""
    env = BatchEnv(num_games, rules, seed=1, start="any")
    digest = hashlib.blake2b(digest_size=16)
    live = np.ones(num_games, np.bool_)
    _add(digest, env, projection)
    while live.any():
        env.step(np.where(live, env.sample_actions(), STAND_STILL))
        _add(digest, env, projection)
        for table in np.flatnonzero(env.terminated).tolist():
            digest.update(json.dumps(with_nulls(result_info(env.result[table]))).encode())
        live &= ~env.terminated
    return digest.hexdigest()


def _add(digest: "hashlib.blake2b", env: BatchEnv, projection: Projection | None) -> None:
    seen, mask = env.observation, env.action_mask
    if projection is not None:
        seen, mask = seen[:, projection.columns], mask[:, : projection.num_actions]
    for array in (np.ascontiguousarray(seen), np.ascontiguousarray(mask), env.seat, env.phase, env.terminated):
        digest.update(array)
    digest.update(env.reward.astype("<f4"))


def single_signature(num_games: int, environment: str = GYMNASIUM_ID) -> str:
    """The hash over some games of a single-agent environment, a quarter in each seat, hexadecimal."""
    digest = hashlib.blake2b(digest_size=16)
    for seat in range(NUM_SEATS):
        env: Any = gymnasium.make(environment, opponents=Keyed(), seat=seat).unwrapped
        for game in range(num_games // NUM_SEATS):
            observation, _ = env.reset(seed=1) if game == 0 else env.reset()
            _add_game(digest, env, observation, game)
    return digest.hexdigest()


def _add_game(digest: "hashlib.blake2b", env: SeatEnv | PlaySeatEnv, observation: Any, game: int) -> None:
    terminated, turn = False, 0
    while not terminated:
        mask = env.action_masks().astype(np.int8)
        _add_seen(digest, observation)
        digest.update(mask)
        word = np.array([7919 * game + 104_729 * turn], np.uint64)
        action = named_action(mask[None], word)
        observation, reward, terminated, _, info = env.step(int(action[0]))
        digest.update(np.array([reward, terminated], "<f4"))
        turn += 1
    _add_seen(digest, observation)
    digest.update(json.dumps(with_nulls(info["result"])).encode())


def _add_seen(digest: "hashlib.blake2b", observation: Any) -> None:
    arrays = observation.values() if isinstance(observation, dict) else [observation]
    for array in arrays:
        digest.update(np.ascontiguousarray(array))


def main() -> None:
    """Write the hashes."""
    batch = {name: signature(name, num_games) for name, num_games in NUM_GAMES.items()}
    hashes = {
        PETTINGZOO_ID: batch,
        GYMNASIUM_ID: {DEFAULT_RULES: single_signature(NUM_SINGLE_GAMES)},
        PLAYS_ID: {DEFAULT_RULES: single_signature(NUM_PLAYS_GAMES, PLAYS_ID)},
    }
    SIGNATURE.write_text(json.dumps(hashes, indent=2) + "\n", encoding="utf-8")
    print(f"{len(batch) + 2} signatures: {SIGNATURE}")


if __name__ == "__main__":
    main()
