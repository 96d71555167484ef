"""Make `data/decisions.json`: hashes of what players decide and networks compute, the same on every processor.

Run ``python -m tests.helpers.make_decisions`` when a player, a network or what they read has changed on purpose.

| part | hashed |
|---|---|
| ``rounds`` | of each player in all four seats: the record's lines of some deals |
| ``round`` | the same of one deal for every player of the package, few cards for those that search |
| ``labels`` | of each rule set: candidates with features, what became of them, smoothed levels |
| ``logits`` | those of a policy network with made-up weights |
"""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.deal_batch import DealBatch
from shengji_env.datasets.rollouts import RolloutSettings, expand, generate
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import NUM_SEATS, parse_rules, rule_set
from shengji_env.envs.batch import BatchEnv
from shengji_env.players.networks.policy import LayerStack
from shengji_env.players.registry import BUILT_IN, make_player
from shengji_env.records.writing import round_line
from shengji_env.tables.observation import OBSERVATION_SIZE
from tests.helpers.paths import DATA

DECISIONS = DATA / "decisions.json"
PLAYERS = ("greedy", "heuristic", "champion?part=playouts", "champion", "search:8", "champion:8")
FEW_CARDS = "two_deck(cards=CDHS 5TK LJ BJ, bidding=fixed, kitty=4)"
EVERY_PLAYER = {
    **dict.fromkeys(sorted(BUILT_IN.keys() - {"human", "search"}), "two_deck"),
    "champion?part=playouts": "two_deck",
    "partners?first=greedy&second=champion": "two_deck",
    "search:2": FEW_CARDS,
    "champion:2": FEW_CARDS,
}
"""All players that need no file, with the rules of their round, which takes seconds in plain Python."""
PRESETS = ("two_deck", "one_deck_45", "three_deck", "competition")
NUM_DEALS = 2
NUM_ROUNDS = 8
_STEPS = 400


def rounds_of(text: str, rules: str = "two_deck", num_deals: int = NUM_DEALS) -> str:
    """The hash of some deals that a player plays in all four seats."""
    everywhere = np.zeros((num_deals, NUM_SEATS), np.int64)
    batch = DealBatch((make_player(text),), parse_rules(rules), 5, range(num_deals), lineup=everywhere)
    _, lines = batch.play_out(keeps_lines=True)
    return _hash([json.dumps(lines).encode()])


def shown_and_kept() -> str:
    """The hash of what two tables show while random actions are made, and of the records that they keep."""
    env, parts = BatchEnv(2, "chaodipi", seed=5, record=True, history=3), []
    for _ in range(_STEPS):
        shown = env.observation, env.action_mask, env.history, env.reward, env.states
        parts += [array.copy() for array in shown]
        env.step(env.sample_actions())
    return _hash([*parts, *(round_line(env, table, ["a", "b", "c", "d"]).encode() for table in range(2))])


def labels_under(preset: str) -> str:
    """The hash of labelled candidates under a rule set."""
    found = expand(generate(RolloutSettings(rules=rule_set(preset), seed=3, noise=(0.5,)), 0, NUM_ROUNDS))
    return _hash([found.cards, found.features, found.levels, found.points, found.smooth])


def network() -> LayerStack:
    """A policy network whose weights are multiples of a 64th."""
    sizes = (OBSERVATION_SIZE, 33), (33, NUM_ACTIONS)
    return LayerStack(tuple((_weights(size, seed), _weights(size[1:], seed + 1)) for seed, size in enumerate(sizes)))


def logits_of(network: LayerStack) -> str:
    """The hash of a network's logits at many decisions."""
    found = generate(RolloutSettings(seed=3, noise=(0.5,)), 0, NUM_ROUNDS)
    return _hash([network.logits(np.ascontiguousarray(expand(found).observations))])


def _weights(size: tuple[int, ...], seed: int) -> NDArray[np.float32]:
    return (np.random.default_rng(seed).integers(-32, 33, size) / 64).astype(np.float32)


def _hash(parts: Iterable[Any]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part if isinstance(part, bytes) else np.ascontiguousarray(part))
    return digest.hexdigest()


def main() -> None:
    """Write the hashes."""
    hashes = {
        "rounds": {player: rounds_of(player) for player in PLAYERS},
        "round": {player: rounds_of(player, rules, 1) for player, rules in EVERY_PLAYER.items()},
        "labels": {preset: labels_under(preset) for preset in PRESETS},
        "logits": {"layers": logits_of(network())},
    }
    DECISIONS.write_text(json.dumps(hashes, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
