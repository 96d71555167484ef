"""Advantages per seat: the vectorised computation agrees with a plain one, trajectory by trajectory."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.ppo.buffer import TEAM_SIGN, seat_advantages

T, N = 60, 9


def brute_force(
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    seats: NDArray[np.int8],
    ends: NDArray[np.bool_],
    last: tuple[NDArray[np.float32], NDArray[np.int8]],
    gamma: float,
    gae_lambda: float,
) -> NDArray[np.float64]:
    """The textbook estimate on each seat's own decisions, one table, round and seat at a time."""
    advantages = np.full(rewards.shape, np.nan)
    for table in range(rewards.shape[1]):
        cuts = [0, *(np.flatnonzero(ends[:, table]) + 1), len(rewards)]
        for first, stop in itertools.pairwise(cuts):
            for seat in range(4):
                own = [step for step in range(first, stop) if seats[step, table] == seat]
                is_over = stop > first and bool(ends[stop - 1, table])
                tail = 0.0 if is_over else last[0][table] * TEAM_SIGN[last[1][table]] * TEAM_SIGN[seat]
                errors = []
                for position, step in enumerate(own):
                    following = own[position + 1] if position + 1 < len(own) else stop
                    reward = rewards[step:following, table].sum() * TEAM_SIGN[seat]
                    bootstrap = values[following, table] if position + 1 < len(own) else tail
                    errors.append(reward + gamma * bootstrap - values[step, table])
                for position, step in enumerate(own):
                    weights = (gamma * gae_lambda) ** np.arange(len(own) - position)
                    advantages[step, table] = np.dot(weights, errors[position:])
    return advantages


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 0.95), (0.9, 0.5), (1.0, 1.0), (1.0, 0.0)])
def test_advantages_agree_with_brute_force(seed: int, gamma: float, gae_lambda: float) -> None:
    generator = np.random.default_rng(seed)
    rewards = generator.normal(size=(T, N)).astype(np.float32)
    values = generator.normal(size=(T, N)).astype(np.float32)
    seats = generator.integers(0, 4, (T, N), dtype=np.int8)
    ends = generator.random((T, N)) < 0.08
    ends[:, 0] = False
    ends[-1, 1] = True
    last = generator.normal(size=N).astype(np.float32), generator.integers(0, 4, N, dtype=np.int8)
    fast = seat_advantages(
        rewards,
        values,
        seats,
        ends,
        last_values=last[0],
        last_seats=last[1],
        gamma=gamma,
        gae_lambda=gae_lambda,
    )
    slow = brute_force(rewards, values, seats, ends, last, gamma, gae_lambda)
    np.testing.assert_allclose(fast, slow, rtol=1e-4, atol=1e-4)


def test_partners_share_a_sign() -> None:
    assert TEAM_SIGN.tolist() == [1, -1, 1, -1]
    assert TEAM_SIGN.dtype == np.float32


def test_the_end_of_a_round_pays_every_seat_its_own_teams_reward() -> None:
    rewards = np.array([[0], [0], [0], [2]], np.float32)
    seats = np.array([[0], [1], [2], [3]], np.int8)
    ends = np.array([[False], [False], [False], [True]])
    zero = np.zeros((4, 1), np.float32)
    advantages = seat_advantages(
        rewards, zero, seats, ends, last_values=zero[0], last_seats=seats[0], gamma=1.0, gae_lambda=0.95
    )
    assert advantages[:, 0].tolist() == [2, -2, 2, -2]
