"""The file of a value network: its weights, and the versions with which they are compatible.

An ``.npz`` file without pickle: the arrays of `compiled_network.weight_shapes` in float16, and a `header`, a text in
JSON.

| in the header | what |
|---|---|
| `format`, `layout_version`, `inputs_version` | versions of the file, of observations and of what the network reads |
| `candidates` | version and digest of the candidates, and the most of a decision |
| `rules` | the rule set (`RuleSet.to_json`) that it plays, and no other; for a network of all rules, ALL_RULES |
| `made` | how it was made, for people |
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import PlayerError, ShengjiError, show
from shengji_env.players.candidates import ALL_RULES, CANDIDATES_VERSION, DEFAULT_CANDIDATES, known_digest
from shengji_env.players.networks.champion.compiled_network import check_weights
from shengji_env.players.networks.champion.conditioning import Weights, reads_rules
from shengji_env.players.networks.champion.inputs import INPUTS_VERSION
from shengji_env.players.networks.network_file import check_compatible, read_network, reading, write_network
from shengji_env.tables.observation import LAYOUT_VERSION

VALUES_FORMAT = "shengji-values/3"
VALUES_FILE = "values.npz"
_WHAT = "value network"


@dataclass(frozen=True, eq=False)
class ValueFile:
    """What a file holds."""

    weights: Weights
    """The network's."""
    rules: RuleSet | None
    """What it plays; None: all rules."""
    made: dict[str, Any]
    """How it was made."""

    @property
    def learned(self) -> str:
        """The rules that it plays, in words."""
        return "all rules" if self.rules is None else str(self.rules)

    def weights_under(self, rules: RuleSet, player: str) -> Weights:
        """Return the weights, if it plays these rules; `player` is its name in the error.

        Raises:
            PlayerError: it plays others.
        """
        if self.rules is not None and self.rules.fingerprint != rules.fingerprint:
            raise PlayerError(f"{player} has not learned to play {rules}: it has learned {self.learned}")
        return self.weights


def write_values(path: Path, file: ValueFile) -> None:
    """Write a file, whole or not at all; weights are rounded to float16, which changes hardly a decision.

    Raises:
        OSError: it cannot be written.
    """
    header = {**_versions(file.rules), "rules": said_rules(file.rules), "made": file.made}
    write_network(path, header, in_halves(file.weights), compressed=True)


def read_values(path: Path) -> ValueFile:
    """Read a file.

    Raises:
        PlayerError: there is none, it is damaged, or it is not compatible.
    """
    with reading(path, _WHAT):
        header, arrays = read_network(path)
        rules = rules_said(header.get("rules", {}))
        made = header.get("made", {})
        if not isinstance(made, dict):
            raise ShengjiError(f"its header says of how it was made {show(made)}, not a mapping")
    check_compatible(path, header, _versions(rules))
    with reading(path, _WHAT):
        weights = in_singles(arrays, rules)
    return ValueFile(weights, rules, made)


def said_rules(rules: RuleSet | None) -> Any:
    """Return what a header says of the rules that a network plays; None: all rules."""
    return ALL_RULES if rules is None else rules.to_json()


def rules_said(said: Any) -> RuleSet | None:
    """Return the rules that a header names.

    Raises:
        ShengjiError: it names none.
    """
    return None if said == ALL_RULES else RuleSet.from_json(said)


def in_halves(weights: Weights) -> dict[str, NDArray[np.float16]]:
    """Return weights as a file holds them."""
    return {name: array.astype(np.float16) for name, array in weights.items()}


def in_singles(arrays: Weights, rules: RuleSet | None) -> Weights:
    """Return the weights that a file holds.

    Raises:
        ShengjiError: they are not those of a network for these rules; None: for all rules.
    """
    weights = {name: _as_single(array) for name, array in arrays.items()}
    check_weights(weights)
    if reads_rules(weights) != (rules is None):
        raise ShengjiError(f"it is for {rules or 'all rules'}, and has {sorted(weights)}")
    return weights


def weights_digest(weights: Weights) -> str:
    """Return a digest of weights, 32 hexadecimal digits: networks of equal digests decide alike."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(f"{name} {weights[name].shape} ".encode() + weights[name].astype("<f4").tobytes())
    return digest.hexdigest()[:32]


def _as_single(array: NDArray[Any]) -> NDArray[Any]:
    """Widen what a file holds in half precision."""
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _versions(rules: RuleSet | None) -> dict[str, Any]:
    return {
        "format": VALUES_FORMAT,
        "layout_version": LAYOUT_VERSION,
        "inputs_version": INPUTS_VERSION,
        "candidates": {
            "version": CANDIDATES_VERSION,
            "digest": known_digest(ALL_RULES if rules is None else rules),
            "most": DEFAULT_CANDIDATES,
        },
    }
