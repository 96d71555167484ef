"""Records as Minari's episodes: they are those of ``shengji/Seat-v0``; with Minari installed, a dataset of it."""

import gymnasium
import numpy as np
import pytest

import shengji_env  # noqa: F401  # registers the environment
from shengji_env.datasets.recorded import Collection, RecordedRounds, collect
from shengji_env.engine.rule_sets import NUM_SEATS, RULE_SETS
from shengji_env.errors import RecordError
from shengji_minari import episodes, to_minari

RULES = RULE_SETS["one_deck"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rounds")
    collect(folder, Collection(("heuristic",), RULES, seed=4), 3)
    return folder


@pytest.mark.parametrize("keeps_forced", [True, False])
@pytest.mark.parametrize("reward", ["levels", "points"])
def test_episodes_are_those_of_the_environment(folder, keeps_forced, reward):
    """Round 0 is what the environment begins with this seed; the players draw no random words."""
    rounds = RecordedRounds(folder, keeps_forced=keeps_forced, reward=reward)
    found = list(episodes(next(rounds.blocks(finals=True))))
    assert len(found) == 3 * NUM_SEATS
    for seat, episode in enumerate(found[:NUM_SEATS]):
        env = gymnasium.make(
            "shengji/Seat-v0", opponents="heuristic", seat=seat, rules="one_deck", reward=reward,
            skip_forced=not keeps_forced, dict_observation=True,
        )  # fmt: skip
        observation, _ = env.reset(seed=4)
        for step, action in enumerate(episode["actions"]):
            for name, seen in episode["observations"].items():
                np.testing.assert_array_equal(seen[step], observation[name])
            observation, paid, terminated, truncated, _ = env.step(action)
            assert (paid, terminated, truncated) == (
                episode["rewards"][step], episode["terminations"][step], episode["truncations"][step],
            )  # fmt: skip
        for name, seen in episode["observations"].items():
            np.testing.assert_array_equal(seen[-1], observation[name])
            assert len(seen) == len(episode["actions"]) + 1


def test_a_dataset_of_minari_is_read_back(folder, tmp_path, monkeypatch):
    minari = pytest.importorskip("minari", reason="needs Minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    about = {"author": "nobody", "author_email": "nobody@example.org", "code_permalink": "https://example.org"}
    to_minari(RecordedRounds(folder), "shengji/heuristic-v0", description="three rounds", **about)
    dataset = minari.load_dataset("shengji/heuristic-v0")
    expected = list(episodes(next(RecordedRounds(folder).blocks(finals=True))))
    assert dataset.total_episodes == len(expected)
    for episode, other in zip(dataset.iterate_episodes(), expected, strict=True):
        np.testing.assert_array_equal(episode.observations["observation"], other["observations"]["observation"])
        np.testing.assert_array_equal(episode.actions, other["actions"])
        np.testing.assert_array_equal(episode.rewards, other["rewards"])
    env = dataset.recover_environment()
    assert env.observation_space == dataset.observation_space
    assert dataset[0].observations["observation"][0] in env.observation_space["observation"]
    with pytest.raises(RecordError, match="no decision to write"):
        to_minari(RecordedRounds(folder, players=("nobody",)), "shengji/nobody-v0", **about)
