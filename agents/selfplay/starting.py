"""What a run by self-play takes from elsewhere: the networks that it starts as, and an opponent."""

from agents.run_config import FRESH
from agents.selfplay.selfplay_config import SelfplayConfig
from shengji_env.datasets.selfplay.label_blocks import opponent_under
from shengji_env.datasets.selfplay.label_kernels import Networks
from shengji_env.engine.drawn_rules import drawn_rules
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import ConfigError, PlayerError
from shengji_env.players.networks.selfplay.selfplay_network import NetworkShape
from shengji_env.players.networks.selfplay.selfplay_player import SelfplayPlayer
from shengji_env.players.registry import make_player

_DRAWN = 25
"""Rule sets under which an opponent is tried, where they are drawn."""


def start_of(config: SelfplayConfig) -> Networks | None:
    """Return the networks that ``network.start`` names; None: random weights.

    Raises:
        ConfigError: there are none of the config's widths and proposals.
    """
    network = config.network
    if network.start == FRESH:
        return None
    said = f"network.start = {network.start!r}"
    try:
        player = make_player(network.start)
    except PlayerError as error:
        raise ConfigError(f"{said}: {error}") from error
    if not isinstance(player, SelfplayPlayer):
        raise ConfigError(f"{said} must be {FRESH}, champion or selfplay:PATH")
    policy, playouts = player.file.network, player.file.playouts
    found: list[NetworkShape | None] = [policy.shape]
    asked = [network.shape]
    if network.playouts:
        found, asked = [*found, playouts and playouts.shape], [*asked, network.playout_shape]
    if found != asked:
        raise ConfigError(f"{said} has {found}; [network] asks for {asked}")
    if player.file.proposals != config.selfplay.proposals:
        raise ConfigError(f"{said} has selfplay.proposals = {player.file.proposals!r}")
    return Networks(policy, policy if playouts is None else playouts)


def check_opponent(config: SelfplayConfig) -> None:
    """Check that the opponent has a policy under the run's rules; where they are drawn, under the first ones.

    Raises:
        ConfigError: it has none.
    """
    table, seed = config.selfplay, config.run.seed
    drawn = (drawn_rules(seed, block) for block in range(_DRAWN))
    try:
        for rules in drawn if table.draws_rules else [parse_rules(config.environment.rules)]:
            opponent_under(table.opponent, rules)
    except PlayerError as error:
        raise ConfigError(f"selfplay.opponent = {table.opponent!r}: {error}") from error
