"""The file ``policy.npz``: a JSON `header`, and the float32 arrays of a network. It is read and written without pickle.

| in the header | what |
|---|---|
| `format` | the version of the file |
| `layout_version`, `actions_version`, `observation_size` | with what the weights are compatible |
| `activation` | what stands between the layers |
| `rules`, `rules_fingerprint` | what it was trained on; it may play others, since the observation describes the rules |
"""

from pathlib import Path
from typing import Any

from shengji_env.engine.actions import ACTIONS_VERSION
from shengji_env.engine.rule_sets import RulesLike, as_rules
from shengji_env.players.networks.network_file import check_compatible, read_network, reading, write_network
from shengji_env.players.networks.policy.layers import ACTIVATIONS, LAYERS_FORMAT, LayerStack
from shengji_env.tables.observation import LAYOUT_VERSION, OBSERVATION_SIZE

POLICY_FILE = "policy.npz"
VERSIONS = {
    "layout_version": LAYOUT_VERSION,
    "actions_version": ACTIONS_VERSION,
    "observation_size": OBSERVATION_SIZE,
}
"""What every header must say to be played here."""


def read_policy(file: Path) -> tuple[dict[str, Any], LayerStack]:
    """Read a file; return its header and the network.

    Raises:
        PlayerError: there is none, it is damaged, or it is not compatible.
    """
    with reading(file, POLICY_FILE):
        header, arrays = read_network(file)
    check_compatible(file, header, {"format": (LAYERS_FORMAT,), **VERSIONS, "activation": ACTIVATIONS})
    with reading(file, POLICY_FILE):
        return header, LayerStack.read(header, arrays)


def write_policy(network: LayerStack, path: Path | str, *, rules: RulesLike) -> None:
    """Write a network that was trained on `rules`, whole or not at all.

    Raises:
        PlayerError: it does not lead from an observation to the actions, or holds what is not a number.
    """
    trained, network = as_rules(rules), LayerStack.read(network.header, network.arrays)
    header = network.header | VERSIONS | {"rules": str(trained), "rules_fingerprint": trained.fingerprint}
    write_network(Path(path), header, network.arrays)
