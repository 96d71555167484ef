"""``shengji selftest``: seeded games come out here as everywhere.

| hashed | of each preset |
|---|---|
| everything that an agent gets: observation, mask, seat, phase, reward, end | rounds of random legal actions |
| the records of `heuristic` against `greedy` | a duplicate deal |

All of it is computed in whole numbers, so that the hash is the same on every Python and every processor.
"""

import argparse
import hashlib

import numpy as np

from shengji_env import __version__
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.engine.rule_sets import RULE_SETS
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.vector import BatchEnv

EXPECTED = "ffbb72421dc342896c6d9b4526c83f29"
"""The hash of this version; it changes with the behaviour of an environment, of a preset or of one of the players."""
EXIT_OTHER = 1
"""Exit code if the games come out otherwise here."""
_TABLES, _SEED = 16, 1

DESCRIPTION = """\
Play seeded rounds of every preset, and compare the hash of all that an agent gets, and of what players play, with the
one that this version has on every Python and every processor.
"""
EPILOG = """\
The first time, the engine and two players are compiled before.

exit code:
  0   the hash is this version's
  1   it is another one: do not trust figures from here
  2   an error
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: there are none."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    found = hash_of_games()
    print(found)
    if found == EXPECTED:
        print(f"as it is with shengji-env {__version__} everywhere")
        return 0
    print(f"WRONG: with shengji-env {__version__} it is {EXPECTED} everywhere.")
    print("If the package has not been changed here, a library or the processor computes otherwise: please report it,")
    print("with the versions (pip freeze) and the processor.")
    return EXIT_OTHER


def hash_of_games() -> str:
    """Return the hash, hexadecimal."""
    digest = hashlib.blake2b(digest_size=16)
    for preset in RULE_SETS:
        _add_rounds(digest, preset)
        batch = DealBatch((HeuristicPlayer(), GreedyPlayer()), RULE_SETS[preset], _SEED, range(1))
        _, lines = batch.play_out(keeps_lines=True)
        digest.update("".join(lines).encode())
    return digest.hexdigest()


def _add_rounds(digest: "hashlib.blake2b", preset: str) -> None:
    """Add what agents get in rounds of random legal actions."""
    env = BatchEnv(_TABLES, preset, seed=_SEED, start="any")
    live = np.ones(_TABLES, np.bool_)
    while live.any():
        for array in (env.observation, env.action_mask, env.seat, env.phase, env.terminated):
            digest.update(array.tobytes())
        digest.update(env.reward.astype("<f4").tobytes())
        env.step(np.where(live, env.sample_actions(), STAND_STILL))
        live &= ~env.terminated
    digest.update(env.reward.astype("<f4").tobytes())
