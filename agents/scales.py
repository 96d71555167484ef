"""The typical size of a network's inputs, by which they are divided so that all begin alike."""

import torch

_SMALLEST_SIZE = 0.25
"""Inputs that are almost always 0 are multiplied by at most one over it."""


def scale_of(inputs: torch.Tensor) -> torch.Tensor:
    """Return the factors, (inputs,), that bring a sample of inputs, (B, inputs), to a typical size of 1."""
    typical = inputs.float().square().mean(0).sqrt()
    return 1 / typical.clamp_min(_SMALLEST_SIZE)
