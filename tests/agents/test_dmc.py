"""Deep Monte Carlo in one file: returns, updates, budgets, and that its network plays as it has learned."""

import dataclasses
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from agents import dmc_single_file
from agents.dmc_single_file import Args, DMCPlayer, Experience, Network, learn, play, read, train, values_of
from shengji_env.arena import make_player, play_matchup
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.envs.plays import PlayBatchEnv
from shengji_env.errors import ConfigError, PlayerError, ShengjiError
from shengji_env.players import CandidatePlayer
from shengji_env.players.candidate_player import Choices
from shengji_env.players.candidates import CANDIDATES_VERSION
from shengji_env.players.candidates.features import FEATURES_DTYPE
from shengji_env.players.networks.network_file import read_network, write_network

SMALL = Args(steps=6_000, tables=32, width=32, minibatch=256, deals=4)


class AtRandom(CandidatePlayer):
    name = "candidates at random"

    def choose(self, choices: Choices) -> NDArray[np.uint64]:
        chosen: NDArray[np.uint64] = choices.key % choices.action_mask.sum(axis=1).astype(np.uint64)
        return chosen


def with_preferences(width: int) -> Network:
    """A network that values candidates differently; a fresh one values all alike."""
    torch.manual_seed(0)
    network = Network(width)
    torch.nn.init.normal_(network.value.weight)
    return network


@pytest.fixture
def played() -> tuple[Network, Experience]:
    network, env = with_preferences(32), PlayBatchEnv(32, start="any", skip_forced=True, seed=1)
    return network, play(env, network, 0.1, np.random.default_rng(1))


@pytest.mark.parametrize("seed", range(3))
def test_a_return_is_what_the_seats_team_is_paid_at_the_end_of_the_round(seed: int) -> None:
    env, again = (PlayBatchEnv(1, start="any", skip_forced=True, seed=seed) for _ in range(2))
    experience = play(env, with_preferences(8), 0.5, np.random.default_rng(seed))
    seats, candidates = [], experience.candidates.numpy()
    for number, candidate in enumerate(candidates):
        assert (experience.observations[number].numpy() == again.observation[0]).all()
        listed = np.concatenate([again.cards[0], again.features[0]], axis=1)
        seats.append(again.seat[0])
        assert not again.terminated[0]
        again.step([int((listed == candidate).all(axis=1).argmax())])
    assert again.terminated[0]
    assert (experience.returns.numpy() == again.reward[0, seats]).all()


def test_a_round_is_played_at_every_table_and_tables_go_on_with_the_next_one(
    played: tuple[Network, Experience],
) -> None:
    network, experience = played
    assert len(experience.returns) > 32 * 40
    assert (experience.returns != 0).any()
    env = PlayBatchEnv(4, start="any", skip_forced=True, seed=1)
    rounds = [play(env, network, 0.0, np.random.default_rng(1)) for _ in range(2)]
    assert not torch.equal(rounds[0].observations[:4], rounds[1].observations[:4])


def test_epsilon_is_the_share_of_random_candidates() -> None:
    shares = []
    for epsilon in (0.0, 0.1, 1.0):
        env = PlayBatchEnv(64, start="any", skip_forced=True, seed=1)
        features = play(env, Network(8), epsilon, np.random.default_rng(1)).candidates[:, NUM_SLOTS:].numpy()
        shares.append(1 - np.ascontiguousarray(features).view(FEATURES_DTYPE)["first"].mean())
    assert shares[0] == 0  # of equal values, the first candidate's is taken
    assert 0.05 < shares[1] < 0.1
    assert 0.6 < shares[2] < 0.9


def test_updates_make_values_more_exact_and_the_mean_of_weights_follows(played: tuple[Network, Experience]) -> None:
    network, experience = played
    mean, optimizer = deepcopy(network), torch.optim.Adam(network.parameters(), lr=1e-3)
    args = dataclasses.replace(SMALL, average=0.5)
    losses = [learn(network, mean, optimizer, experience, args)["loss"] for _ in range(8)]
    assert losses[-1] < 0.8 * losses[0]
    learned, kept = network.value.weight.detach().clone(), mean.value.weight.detach().clone()
    assert not torch.equal(kept, learned)
    learn(network, mean, optimizer, experience, dataclasses.replace(SMALL, average=0.0))
    assert torch.equal(mean.value.weight, network.value.weight)


def test_candidates_that_are_not_there_are_never_taken(played: tuple[Network, Experience]) -> None:
    network, _ = played
    env, rows = PlayBatchEnv(64, start="any", skip_forced=True, seed=2), np.arange(3, 60, 2)
    values = values_of(network, env, rows)
    assert (np.isfinite(values) == env.action_mask[rows].astype(bool)).all()
    one = torch.from_numpy(np.concatenate([env.cards[5, 1:2], env.features[5, 1:2]], axis=1))
    with torch.no_grad():
        alone = network(torch.from_numpy(env.observation[5:6].copy()), one)
    assert values[1, 1] == pytest.approx(alone.item(), abs=1e-5)


def test_a_run_can_be_repeated_and_its_network_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = {"one": 1, "again": 1, "another": 2}
    players = [train(dataclasses.replace(SMALL, seed=seed, out=str(tmp_path / name))) for name, seed in runs.items()]
    one, again, another = ((tmp_path / name / "dmc.npz").read_bytes() for name in runs)
    assert one == again != another
    printed = capsys.readouterr().out
    assert "steps/s, loss " in printed
    assert "vs random: " in printed
    assert play_matchup(players[0], "greedy", num_deals=4, seed=3).num_deals == 4
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["dmc.npz"]


def test_the_player_takes_the_candidate_of_the_highest_value(
    tmp_path: Path, played: tuple[Network, Experience]
) -> None:
    network, _ = played
    network.observation_scale.uniform_(0.1, 2.0)
    folder = tmp_path / "a folder & more"
    player = make_player(dmc_single_file.export(network, dataclasses.replace(SMALL, out=str(folder))))
    assert isinstance(player, DMCPlayer)
    env = PlayBatchEnv(64, start="any", skip_forced=True, seed=2)
    names = [field.name for field in dataclasses.fields(Choices)][:-1]
    choices = Choices(**{name: np.array(getattr(env, name)) for name in names}, key=np.zeros(64, np.uint64))
    assert (player.choose(choices) == values_of(network, env, np.arange(64)).argmax(axis=1)).all()
    assert DMCPlayer(str(folder)).network.value.bias.item() == network.value.bias.item()


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dmc.npz"
    with pytest.raises(PlayerError, match="no network at"):
        DMCPlayer(str(tmp_path))
    dmc_single_file.export(Network(8), dataclasses.replace(SMALL, out=str(tmp_path)))
    whole, (header, arrays) = path.read_bytes(), read_network(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(PlayerError, match=r"is not a dmc\.npz"):
        read(path)
    write_network(path, header | {"candidates_version": CANDIDATES_VERSION + 1}, arrays)
    with pytest.raises(PlayerError, match="is not compatible: candidates_version"):
        read(path)
    write_network(path, header, arrays | {"value.weight": np.full((1, 8), np.nan, np.float32)})
    with pytest.raises(PlayerError, match=r"value\.weight holds something other than numbers"):
        read(path)
    write_network(path, header, arrays | {"hidden.bias": np.zeros(9, np.float32)})
    with pytest.raises(PlayerError, match="it must be float32"):
        read(path)


def test_processor_time_ends_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(dataclasses.replace(SMALL, steps=0, cpu_minutes=1e-6, out=str(tmp_path)))
    assert capsys.readouterr().out.count("steps/s") == 1
    shares = [
        dmc_single_file.share_done(Args(steps=steps, cpu_minutes=minutes), 500, 30.0)
        for steps, minutes in ((1000, 0.0), (0, 2.0), (1000, 2.0), (5000, 1.0))
    ]
    assert shares == [0.5, 0.25, 0.5, 0.5]


def test_every_setting_is_an_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = dataclasses.asdict(dataclasses.replace(SMALL, out=str(tmp_path), rules="one_deck", cpu_minutes=5.0))
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    monkeypatch.setattr("sys.argv", ["dmc_single_file", *words])
    assert dmc_single_file.main() == 0
    assert "4 deals" in capsys.readouterr().out
    assert (tmp_path / "dmc.npz").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--steps 0", "steps and cpu_minutes are both 0"),
        ("--steps -1", "steps=-1 is out of range"),
        ("--cpu-minutes -1", "cpu_minutes=-1.0 is out of range"),
        ("--epsilon 1.5", "epsilon=1.5 is out of range"),
        ("--learning-rate 0", "learning_rate=0.0 is out of range"),
        ("--average 1", "average=1.0 is out of range"),
        ("--width 0", "width=0 must be a whole number from 1"),
        ("--minibatch 0", "minibatch=0 must be a whole number from 1"),
        ("--deals 1", "deals=1 must be a whole number from 2"),
        ("--tables 0", "0"),
        ("--seed -1", "seed=-1 must be a whole number"),
        ("--rules nonsense", "nonsense"),
        ("--out /dev/null/run", "/dev/null/run"),
    ],
)
def test_a_bad_setting_is_one_sentence(
    words: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["dmc_single_file", *words.split()])
    assert dmc_single_file.main() == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert says in printed.err
    assert printed.err.startswith("dmc_single_file: ")
    assert printed.err.count("\n") == 1


def test_settings_are_checked_before_anything_is_played() -> None:
    with pytest.raises(ConfigError, match="max_gradient_norm"):
        train(dataclasses.replace(SMALL, max_gradient_norm=0.0))
    with pytest.raises(ShengjiError):
        train(dataclasses.replace(SMALL, rules="two_deck(x=1)"))


@pytest.mark.slow
def test_it_learns_to_beat_candidates_at_random(tmp_path: Path) -> None:
    args = dataclasses.replace(SMALL, steps=60_000, width=64, average=0.97, out=str(tmp_path))
    assert play_matchup(make_player(train(args)), AtRandom(), num_deals=100, seed=7).interval[0] > 0.5
