"""The state of random generators, restored from a checkpoint."""

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from shengji_env.errors import CheckpointError

TORCH_GENERATOR = "torch_generator"
"""Name of the array that holds the state of torch's generator."""


def set_torch_generator(state: NDArray[Any] | None) -> None:
    """Set torch's generator to a saved state.

    Raises:
        CheckpointError: It is none.
    """
    if state is None or state.dtype != np.uint8 or state.ndim != 1:
        raise CheckpointError(f"its {TORCH_GENERATOR} is missing or not a row of bytes")
    try:
        torch.set_rng_state(torch.from_numpy(state))
    except (RuntimeError, TypeError) as error:
        raise CheckpointError(f"its {TORCH_GENERATOR} is not a state of torch's generator") from error


def set_shuffler(shuffler: np.random.BitGenerator, state: Mapping[str, Any]) -> None:
    """Set the generator that shuffles minibatches to a saved state.

    Raises:
        CheckpointError: It is none.
    """
    with contextlib.suppress(TypeError, ValueError, KeyError, OverflowError):
        shuffler.state = state
    if shuffler.state != state:
        raise CheckpointError(f"shuffler in its meta.json is not a state of {type(shuffler).__name__}")
