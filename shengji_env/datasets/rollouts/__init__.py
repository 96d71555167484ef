"""Rollout values: what becomes of a round after each of a decision's candidates, in the deal that it really has.

| where | what |
|---|---|
| `rollout_settings.py`, `named_players.py` | what rollouts are made of; players by name |
| `round_making.py`, `policies.py` | compiled: rounds and labels, who plays |
| `generating.py` | a range of rounds as arrays |
| `shard_sections.py`, `shards.py` | what a shard holds; its file |
| `expanding.py` | a shard's decisions with observation, candidates, features and labels |
| `shard_folder.py` | a folder of shards, made by any number of workers |

>>> from shengji_env.datasets.rollouts import RolloutSettings, expand, generate
>>> decisions = expand(generate(RolloutSettings(seed=1), first_round=0, num_rounds=10))

docs/rollouts.md says what the values mean and why they are unbiased.
"""

from shengji_env.datasets.rollouts.expanding import Expanded, expand, join
from shengji_env.datasets.rollouts.generating import generate, label
from shengji_env.datasets.rollouts.rollout_settings import RolloutSettings
from shengji_env.datasets.rollouts.shard_folder import Folder, read_folder, write_rollouts
from shengji_env.datasets.rollouts.shards import Shard, read_shard, write_shard
from shengji_env.players.smoothing import smooth_levels

__all__ = [
    "Expanded",
    "Folder",
    "RolloutSettings",
    "Shard",
    "expand",
    "generate",
    "join",
    "label",
    "read_folder",
    "read_shard",
    "smooth_levels",
    "write_rollouts",
    "write_shard",
]
