"""Steps in compiled code: those of torch's Adam, and of a moving mean of the weights."""

import itertools

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from agents.selfplay.moving_mean import MovingMean

ROWS, RATE, HORIZON = 50, 0.01, 5.0


class Reader(nn.Module):
    """Weights of all kinds: rows of which a step reads some, a matrix, a vector, and one that never learns."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.rows, self.layer = nn.Embedding(ROWS, 6, sparse=True), nn.Linear(6, 3)
        self.fixed = nn.Parameter(torch.ones(2), requires_grad=False)

    def forward(self, read: Tensor) -> Tensor:
        return self.layer(self.rows(read)).square().mean()


def batches(number: int) -> list[Tensor]:
    """Rows below 40; some come twice in a batch, some are not read again for a while."""
    rng = np.random.default_rng(3)
    return [torch.from_numpy(rng.integers(0, rng.integers(2, 40), 8)) for _ in range(number)]


def test_a_step_is_one_of_adam_and_one_of_the_mean() -> None:
    learned, wanted = MovingMean(Reader, HORIZON), Reader()
    wanted.rows.sparse = False
    adam = torch.optim.Adam([each for each in wanted.parameters() if each.requires_grad], lr=RATE, betas=(0.9, 0.99))
    means = [weight.detach().clone() for weight in wanted.parameters()]
    for step, read in enumerate(batches(200), 1):
        learned.step(learned.model(read), RATE)
        adam.zero_grad()
        wanted(read).backward()  # type: ignore[no-untyped-call]
        adam.step()
        share = max(1 / HORIZON, 1 / (1 + 0.3 * step))
        for mean, weight in zip(means, wanted.parameters(), strict=True):
            mean.lerp_(weight.detach(), share)
        for found, right in itertools.chain(
            zip(learned.model.parameters(), wanted.parameters(), strict=True),
            zip(learned.mean.parameters(), means, strict=True),
        ):
            torch.testing.assert_close(found, right, rtol=1e-5, atol=1e-5)
    assert learned.steps == 200
    assert learned.model.fixed.tolist() == [1, 1]


@pytest.mark.parametrize("before", [0, 30])
def test_a_fitting_that_is_restored_learns_the_same(before: int) -> None:
    whole, first, second = (MovingMean(Reader, HORIZON) for _ in range(3))
    for read in batches(before):
        first.step(first.model(read), RATE)
    second.load(*first.save())
    for read in batches(60):
        whole.step(whole.model(read), RATE)
    for read in batches(60)[before:]:
        second.step(second.model(read), RATE)
    for name, array in whole.save()[1].items():
        np.testing.assert_array_equal(array, second.save()[1][name], err_msg=name)
