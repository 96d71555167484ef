"""Records as a dataset of Minari, for libraries that read its format.

Minari keeps episodes of single-agent Gymnasium environments. A round is up to four of them: each seat's decisions are
an episode of ``shengji/Seat-v0`` with ``dict_observation=True``, with the players of the record in the other seats.

Source: https://minari.farama.org.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec

from shengji_env import GYMNASIUM_ID
from shengji_env.datasets.recorded.loading import Block, RecordedRounds
from shengji_env.datasets.recorded.samples import NOTHING_FOLLOWS
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.errors import RecordError


def to_minari(rounds: RecordedRounds, dataset_id: str, **about: Any) -> Any:
    """Write records as a dataset of Minari, where it keeps its datasets (``MINARI_DATASETS_PATH``).

    Args:
        rounds: what is written; seats without a decision among it are left out.
        dataset_id: name of the dataset, such as ``"shengji/heuristic-v0"``.
        about: what Minari keeps beside it: ``algorithm_name``, ``author``, ``description``, …
            (`minari.create_dataset_from_buffers`).

    Returns:
        The `minari.MinariDataset`. Its reward is that of ``rounds.reward``, with the last decision of the seat.

    Raises:
        RecordError: the records have different rules, have no rounds, or cannot be read.
    """
    import minari
    from minari.data_collector.episode_buffer import EpisodeBuffer

    dataset, spec = None, _spec(rounds)
    for block in rounds.blocks(finals=True):
        buffers = [EpisodeBuffer(**episode) for episode in episodes(block)]
        if dataset is not None:
            dataset.update_dataset_from_buffer(buffers)
        elif buffers:
            dataset = minari.create_dataset_from_buffers(dataset_id, buffers, env=spec, eval_env=spec, **about)
    if dataset is None:
        raise RecordError("there is no decision to write")
    return dataset


def episodes(block: Block) -> Iterator[dict[str, Any]]:
    """Yield what each seat of each round saw and did, as Minari's buffers have it."""
    samples, begin = block.samples, 0
    for number, end in enumerate(block.ends.tolist()):
        for seat in range(NUM_SEATS):
            rows = begin + np.flatnonzero(samples.seat[begin:end] == seat)
            if not len(rows):
                continue
            is_last = samples.following[rows] == NOTHING_FOLLOWS
            final = block.finals[number, seat][None]
            yield {
                "observations": {
                    "observation": np.concatenate([samples.observation[rows], final]),
                    "action_mask": np.concatenate([samples.action_mask[rows], np.zeros((1, NUM_ACTIONS), np.int8)]),
                },
                "actions": samples.action[rows],
                "rewards": np.where(is_last, samples.returns[rows], 0.0),
                "terminations": is_last,
                "truncations": np.zeros(len(rows), np.bool_),
            }
        begin = end


def _spec(rounds: RecordedRounds) -> EnvSpec:
    """Return the environment of which a seat's decisions are an episode."""
    settings = {
        "rules": str(rounds.rules),
        "reward": rounds.reward,
        "skip_forced": not rounds.keeps_forced,
        "dict_observation": True,
    }
    return replace(gymnasium.spec(GYMNASIUM_ID), kwargs=settings)
