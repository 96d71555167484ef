"""The forms: how wide self-play's network is, and what it reads."""

from typing import NamedTuple

from shengji_env.players.networks.selfplay.selfplay_network import NetworkShape


class Form(NamedTuple):
    """A form, and how it is fitted."""

    shape: NetworkShape
    learning_rate: float = 4e-3
    """Adam's step size at first."""


FORMS: dict[str, Form] = {
    "selfplay": Form(NetworkShape()),
    "joint-32": Form(NetworkShape(128, 32, 32)),
    "joint-64": Form(NetworkShape(128, 64, 32)),
    "joint-64-256": Form(NetworkShape(256, 64, 64), 3e-3),
    "joint-32-chances": Form(NetworkShape(128, 32, 32, 1)),
    "joint-64-chances": Form(NetworkShape(128, 64, 32, 1)),
}
"""By name; `joint`: encodings of suits go into the sums, and there is a second layer."""
