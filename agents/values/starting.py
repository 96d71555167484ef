"""The network that a run starts from."""

from collections.abc import Sequence

import numpy as np

from agents.values.value_config import ValuesConfig
from agents.values.value_network import ValueNetwork
from shengji_env.engine.drawn_rules import drawn_rules
from shengji_env.engine.rule_sets import RuleSet, parse_rules
from shengji_env.envs.plays import PlayBatchEnv
from shengji_env.errors import ConfigError, PlayerError
from shengji_env.players.networks.champion.champion_player import named_weights
from shengji_env.players.networks.champion.compiled_network import code_of, widths_of
from shengji_env.players.networks.champion.conditioning import (
    Weights,
    features_of,
    for_one_rule_set,
    reads_rules,
    without_rules,
)
from shengji_env.players.networks.champion.inputs import Inputs, make_inputs

_TABLES, _STEPS = 256, 32
"""Decisions from which the scales are measured, for each rule set."""
_DRAWN = 8
"""Rule sets, where they are drawn."""


def load_start(network: ValueNetwork, config: ValuesConfig) -> None:
    """Set a network to the one that ``network.start`` names; its scales are measured on decisions of `heuristic`.

    Where rules are drawn, and it is one for a single rule set, inputs that are never set under this do nothing at
    first, and what its rules bring to each decision is in the bias, since other rules are to come.

    Raises:
        ConfigError: there is none for the rules, or it has wider layers than the config's network.
    """
    weights, rules = weights_to_start(config), parse_rules(config.environment.rules)
    draws = config.rollouts.draws_rules
    drawn = [drawn_rules(config.run.seed, number) for number in range(_DRAWN)]
    network.calibrate(_seen(drawn if draws else [rules], config.run.seed))
    if not draws or reads_rules(weights):
        network.load(weights)
        return
    network.load(without_rules(weights, features_of(rules)))
    network.silence_unset(_seen([rules] * _DRAWN, config.run.seed))


def _seen(rules: Sequence[RuleSet], seed: int) -> Inputs:
    """Return inputs of decisions of `heuristic` under some rules."""
    seen = []
    for number, rule_set in enumerate(rules):
        tables = PlayBatchEnv(_TABLES, rule_set, start="any", seed=seed + number, skip_forced=True)
        for _ in range(_STEPS):
            is_there = tables.action_mask.astype(np.bool_)
            seen.append(
                (tables.observation.copy(), is_there.sum(axis=1), tables.cards[is_there], tables.features[is_there])
            )
            tables.step(np.zeros(_TABLES, np.int64))
    observations, numbers, cards, features = (np.concatenate(parts) for parts in zip(*seen, strict=True))
    return make_inputs(observations, np.concatenate([[0], np.cumsum(numbers)]), cards, features)


def weights_to_start(config: ValuesConfig) -> Weights:
    """Return the weights that ``network.start`` names.

    Raises:
        ConfigError: there are none for the rules, or their layers are wider than the config's.
    """
    start, widths = config.network.start, config.network.widths
    try:
        weights = named_weights(start, parse_rules(config.environment.rules))
    except PlayerError as error:
        raise ConfigError(f"network.start = {start!r}: {error}") from error
    if reads_rules(weights) and not config.code:
        weights = for_one_rule_set(weights, features_of(parse_rules(config.environment.rules)))
    found = *widths_of(weights), *[code_of(weights)] * reads_rules(weights)
    if any(width > most for width, most in zip(found, (*widths, config.code), strict=False)):
        raise ConfigError(f"network.start = {start!r} has layers of {found}, wider than the config's of {widths}")
    return weights
