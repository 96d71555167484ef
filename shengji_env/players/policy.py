"""A trained network as a player, without torch: compiled NumPy code runs the weights of ``policy.npz``.

The file holds a JSON ``header`` and float32 arrays ``w0 b0 w1 b1 …`` (weights of shape (inputs, outputs)) of a network
whose input is the observation as float32. It is read without pickle, and refused unless all weights are finite. Sums
are taken in a fixed order, row by row, so an answer never depends on the batch. Inputs that are zero cost nothing,
which makes this as fast as a matrix product.
"""

import reprlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import ACTIONS_VERSION, NUM_ACTIONS
from shengji_env.engine.compile import compile_for, jit
from shengji_env.engine.deal import fold
from shengji_env.envs.observation import LAYOUT_VERSION, OBSERVATION_SIZE
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.files.archives import read_arrays
from shengji_env.files.text_files import parse_json
from shengji_env.players.compiled import announce
from shengji_env.players.player import ObservationPlayer

POLICY_FORMAT = "shengji-policy/1"
POLICY_FILE = "policy.npz"
ACTIVATIONS = ("relu", "tanh")
_S11 = np.uint64(11)
_UNIT = 2.0**-53
WORLD = {
    "format": POLICY_FORMAT,
    "layout_version": LAYOUT_VERSION,
    "actions_version": ACTIONS_VERSION,
    "observation_size": OBSERVATION_SIZE,
}
"""What a file's header must say to be played here. The rules may differ, since the observation describes them."""

Layers = tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]


class PolicyPlayer(ObservationPlayer):
    """A player that takes the legal action with the highest logit, or (with `sample`) draws one.

    Args:
        layers: weights (inputs, outputs) and biases of each layer.
        header: the file's header.
        name: its name in reports.
        sample: whether actions are drawn with the network's probabilities.
    """

    def __init__(self, layers: Layers, header: dict[str, Any], *, name: str, sample: bool = False) -> None:
        self.layers = layers
        self.header = header
        self.name = name
        self.sample = sample
        announce("policy", compile_policy)

    @staticmethod
    def load(path: Path | str, *, sample: bool = False) -> "PolicyPlayer":
        """Read a ``policy.npz`` file, or the one in a run's folder.

        Raises:
            PlayerError: there is no such file, it is damaged, or it belongs to another world (`WORLD`).
        """
        file = Path(path) / POLICY_FILE if Path(path).is_dir() else Path(path)
        if not file.is_file():
            raise PlayerError(f"no policy at {file}; PATH is a {POLICY_FILE}, or a run folder that holds one")
        header, layers = _read(file)
        return PolicyPlayer(layers, header, name=f"policy:{path}", sample=bool(sample))

    @property
    def rules_fingerprint(self) -> str:
        """Fingerprint of the rules that the network was trained on; empty if the file does not say."""
        return str(self.header.get("rules_fingerprint", ""))

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Choose actions, shape (B,)."""
        logits = np.where(action_mask != 0, self.logits(observation), np.float32(-np.inf))
        if self.sample:
            logits = logits + gumbel_noise(key)
        return np.asarray(logits.argmax(axis=1), np.int64)

    def logits(self, observation: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the logits of all actions, shape (B, 82)."""
        values: NDArray[Any] = np.ascontiguousarray(observation)
        for place, (weight, bias) in enumerate(self.layers):
            sums = np.empty((len(values), bias.size), np.float32)
            apply_layer(values, weight, bias, sums)
            values = sums if place == len(self.layers) - 1 else self._activate(sums)
        return values

    def _activate(self, sums: NDArray[np.float32]) -> NDArray[np.float32]:
        if self.header["activation"] == "relu":
            return np.maximum(sums, 0, out=sums)
        return np.tanh(sums, out=sums)


@jit
def apply_layer(values: NDArray[Any], weight: NDArray[Any], bias: NDArray[Any], sums: NDArray[Any]) -> None:
    """Write ``values @ weight + bias`` into `sums`, row by row and input by input."""
    for row in range(values.shape[0]):
        for output in range(bias.size):
            sums[row, output] = bias[output]
        for index in range(values.shape[1]):
            value = np.float32(values[row, index])
            if value != 0:
                for output in range(bias.size):
                    sums[row, output] += value * weight[index, output]


@jit
def _draw_uniforms(keys: NDArray[Any], drawn: NDArray[Any]) -> None:
    """Write random numbers between 0 and 1, shape (B, 82), each row a function of its key."""
    for row in range(drawn.shape[0]):
        for action in range(drawn.shape[1]):
            drawn[row, action] = (np.float64(fold(keys[row], action) >> _S11) + 0.5) * _UNIT


def gumbel_noise(key: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return noise, shape (B, 82), that makes the highest of ``logits + noise`` a draw from their softmax."""
    uniforms = np.empty((len(key), NUM_ACTIONS))
    _draw_uniforms(key, uniforms)
    return -np.log(-np.log(uniforms))


def compile_policy() -> None:
    """Compile what networks call: the first layer reads an observation, the others the output of the layer before."""
    observation, values = np.zeros((1, 1), np.int8), np.zeros((1, 1), np.float32)
    for inputs in (observation, values):
        compile_for(apply_layer, inputs, values, values[0], values)
    compile_for(_draw_uniforms, np.zeros(1, np.uint64), np.zeros((1, NUM_ACTIONS)))


def _read(file: Path) -> tuple[dict[str, Any], Layers]:
    try:
        with file.open("rb") as opened:
            arrays = read_arrays(opened)
        header = parse_json(_text_of(arrays.pop("header", None)), ShengjiError)
    except (OSError, ShengjiError) as error:
        raise PlayerError(f"{file} is no {POLICY_FILE}: {error}") from error
    _check_header(file, header)
    layers = []
    inputs = OBSERVATION_SIZE
    for place in range(len(arrays) // 2):
        weight, bias = arrays.pop(f"w{place}", None), arrays.pop(f"b{place}", None)
        if weight is None or bias is None or bias.ndim != 1 or not bias.size or weight.shape != (inputs, bias.size):
            shapes = " and ".join("nothing" if array is None else str(array.shape) for array in (weight, bias))
            raise PlayerError(f"{file}: layer {place} is {shapes}; it must be ({inputs}, outputs) and (outputs,)")
        layers.append((_weights(file, f"w{place}", weight), _weights(file, f"b{place}", bias)))
        inputs = bias.size
    if arrays:
        raise PlayerError(f"{file} also holds {reprlib.repr(sorted(arrays))}; arrays are w0, b0, w1, b1, …")
    if not layers or inputs != NUM_ACTIONS:
        raise PlayerError(f"{file}: {len(layers)} layers end in {inputs} values; there are {NUM_ACTIONS} actions")
    return header, tuple(layers)


def _text_of(header: NDArray[Any] | None) -> str:
    if header is None or header.shape != () or header.dtype.kind != "U":
        raise ShengjiError("it has no header, a text")
    try:
        return str(header)
    except (ValueError, SystemError):  # Python's errors for numbers that are not characters
        raise ShengjiError("its header is no text") from None


def _weights(file: Path, name: str, array: NDArray[Any]) -> NDArray[np.float32]:
    """Return an array as float32, after checking that all its values are finite."""
    if array.dtype.kind != "f":
        raise PlayerError(f"{file}: {name} is {array.dtype}; weights are float32")
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.ascontiguousarray(array, np.float32)
    if not np.isfinite(weights).all():
        raise PlayerError(f"{file}: {name} holds {array[~np.isfinite(weights)][0]}; weights are finite float32")
    return weights


def _check_header(file: Path, header: Any) -> None:
    if not isinstance(header, dict):
        raise PlayerError(f"{file}: its header is {reprlib.repr(header)}, no mapping")
    found = {name: header.get(name) for name in WORLD}
    wrong = [
        f"{name} is {reprlib.repr(found[name])}, here {value!r}"
        for name, value in WORLD.items()
        if found[name] != value
    ]
    if header.get("activation") not in ACTIVATIONS:
        wrong.append(f"activation is {reprlib.repr(header.get('activation'))}, here one of {', '.join(ACTIVATIONS)}")
    if wrong:
        raise PlayerError(
            f"{file} belongs to another world: {'; '.join(wrong)}. Train it again with this version of shengji_env"
        )
