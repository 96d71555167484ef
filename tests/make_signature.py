"""Make `data/signature.json`: one hash for each preset over many seeded games, of everything that an agent gets.

Run ``python -m tests.make_signature`` once the environment id has a new version: the behaviour of a version is fixed.
Games are rounds of random legal actions. Hashed are, step by step, observation, mask, seat, phase, reward and end of
every table, and every result; not the raw states, whose layout is nobody's business.
"""

import hashlib
import json
from pathlib import Path

import numpy as np

from shengji_env import PETTINGZOO_ID
from shengji_env.engine.rules import DEFAULT_RULES, RULE_SETS
from shengji_env.envs.arrays import STAND_STILL
from shengji_env.envs.infos import result_info
from shengji_env.vector import ShengjiVectorEnv

SIGNATURE = Path(__file__).parent / "data" / "signature.json"
NUM_GAMES = {name: 1000 if name == DEFAULT_RULES else 100 for name in RULE_SETS}


def signature(rules: str, num_games: int) -> str:
    """The hash over some games, hexadecimal."""
    env = ShengjiVectorEnv(num_games, rules, seed=1, start="any")
    digest = hashlib.blake2b(digest_size=16)
    live = np.ones(num_games, np.bool_)
    _add(digest, env)
    while live.any():
        env.step(np.where(live, env.sample_actions(), STAND_STILL))
        _add(digest, env)
        for table in np.flatnonzero(env.terminated).tolist():
            digest.update(json.dumps(result_info(env.result[table])).encode())
        live &= ~env.terminated
    return digest.hexdigest()


def _add(digest: "hashlib.blake2b", env: ShengjiVectorEnv) -> None:
    for array in (env.observation, env.action_mask, env.seat, env.phase, env.terminated):
        digest.update(array)
    digest.update(env.reward.astype("<f4"))


def main() -> None:
    """Write the hashes."""
    hashes = {name: signature(name, num_games) for name, num_games in NUM_GAMES.items()}
    SIGNATURE.write_text(json.dumps({"id": PETTINGZOO_ID, "signatures": hashes}, indent=2) + "\n", encoding="utf-8")
    print(f"{PETTINGZOO_ID}: {len(hashes)} signatures: {SIGNATURE}")


if __name__ == "__main__":
    main()
