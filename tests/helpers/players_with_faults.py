"""Players that misbehave, as users' players may: ``tests.helpers.players_with_faults:NAME?when=…`` in the arena.

Each plays like `random`, and misbehaves in the decisions whose key is divisible by `when`, which are always the same.
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.random import RandomPlayer


class Faulty:
    def __init__(self, name, when, misbehave):
        self.name, self.when, self.misbehave = name, when, misbehave
        self.inner = RandomPlayer()

    def act(self, observation, action_mask, key):
        actions = self.inner.act(observation, action_mask, key)
        chosen = key % np.uint64(self.when) == 0
        return self.misbehave(actions, chosen) if chosen.any() else actions


def raises(when=4000):
    def misbehave(actions, chosen):
        raise RuntimeError("lost\nmy cards")

    return Faulty("raises", when, misbehave)


def quits(when=4000):
    return Faulty("quits", when, lambda actions, chosen: sys.exit(7))


def rambles(when=4000):
    return Faulty("rambles", when, lambda actions, chosen: [[1, 2], [3]])


def named(name):
    return Faulty(name, 1, lambda actions, chosen: actions)


def cheats(when=4000):
    return Faulty("cheats", when, lambda actions, chosen: np.where(chosen, 83, actions))


def cheats_until(marker, when=4000):
    """Cheats until the file `marker` is there, as a player that is mended between two runs."""
    return Faulty("cheats", when, lambda actions, chosen: np.where(chosen & (not Path(marker).exists()), 83, actions))


def sleeps(when=4000, seconds=0.3):
    def misbehave(actions, chosen):
        time.sleep(seconds)
        return actions

    return Faulty("sleeps", when, misbehave)


def dies():
    """Kills its process at every decision."""
    return Faulty("dies", 1, lambda actions, chosen: os.kill(os.getpid(), signal.SIGKILL))


def kills(marker):
    """Kills its process at its first decision, unless the file `marker` is there: it makes it first."""

    def misbehave(actions, chosen):
        try:
            Path(marker).touch(exist_ok=False)
        except FileExistsError:
            return actions
        os.kill(os.getpid(), signal.SIGKILL)

    return Faulty("kills", 1, misbehave)


def slow(seconds=0.002):
    """Takes its time over every decision, so that a test can kill a run in the middle."""

    def misbehave(actions, chosen):
        time.sleep(seconds * len(actions))
        return actions

    return Faulty("slow", 1, misbehave)


class stands_in(GreedyPlayer):  # noqa: N801  # a name of a player, like the functions here
    """Says of a share of its decisions, which are always the same, that they are not its own."""

    num_not_own = 0

    def __init__(self, share=1.0):
        super().__init__()
        self.share, self.name = share, "stands_in"

    def decide(self, decisions):
        self.num_not_own += int((decisions.key % np.uint64(1000) < 1000 * self.share).sum())
        return super().decide(decisions)
