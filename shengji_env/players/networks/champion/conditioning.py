"""A network for many rule sets: what the rules change in its layers.

A small layer, `rules`, reads the features of the rule set (`engine.rule_record`). From its code follow, for each unit
of the layers `suit` and `trump`, a factor on the sum before ReLU and a term added to it. The rules of a round do not
change, so factors and terms are worked into weights and biases once (`for_rules`), and a decision costs what it costs
without them. Into `hidden` the features lead by themselves, among the inputs about the table. Factors of `hidden` and
`last`, too, made learning slower and not better (research/trials/all_rules.md).

| array | shape |
|---|---|
| `rules`, `rules_bias` | (NUM_RULE_FEATURES, code), (code,) |
| `rules_suit`, `rules_trump` | (code, 2 · width of the layer): factors − 1, terms |
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_record import NUM_RULE_FEATURES
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.networks.champion.inputs import RULE_INPUTS

Weights = Mapping[str, NDArray[np.float32]]
"""The arrays of a network by name."""

RULES = "rules"
"""The array that only networks for many rule sets have."""
LAYERS = {
    "suit": ("suit", "suit_touch"),
    "trump": ("trump", "trump_touch"),
}
"""The layers that rules change, and the weights that lead into them; their biases are called after them."""


def rule_shapes(code: int, widths: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arrays about rules, given the widths of `rules` and of the layers; none for 0."""
    if code == 0:
        return {}
    layers = {f"rules_{layer}": (code, 2 * widths[layer]) for layer in LAYERS}
    return {RULES: (NUM_RULE_FEATURES, code), "rules_bias": (code,), **layers}


def reads_rules(weights: Weights) -> bool:
    """Return whether weights are those of a network for many rule sets."""
    return RULES in weights


def without_rules(weights: Weights, features: NDArray[np.int8]) -> dict[str, NDArray[np.float32]]:
    """Return weights of a network for one rule set that no longer read its features, which never change.

    What they brought to `hidden` is in its bias, and other features in their place bring nothing.
    """
    table = weights["from_table"].copy()
    bias = weights["hidden_bias"] + _product(features, table[RULE_INPUTS])
    table[RULE_INPUTS] = 0
    return {**weights, "from_table": table, "hidden_bias": bias}


def features_of(rules: RuleSet) -> NDArray[np.int8]:
    """Return the features of a rule set, (NUM_RULE_FEATURES,)."""
    features: NDArray[np.int8] = rules.record()["features"][0]
    return features


def for_rules(weights: Weights, features: NDArray[np.int8]) -> Weights:
    """Return a network's weights under some rules, which then do not change: its table has no RULE_INPUTS.

    Args:
        weights: as in a file.
        features: (NUM_RULE_FEATURES,) of the rule set, `features_of`.
    """
    settled = for_one_rule_set(weights, features)
    settled["from_table"] = settled["from_table"][: RULE_INPUTS.start]
    return settled


def for_one_rule_set(weights: Weights, features: NDArray[np.int8]) -> dict[str, NDArray[np.float32]]:
    """Return the weights of a network for one rule set, as a file holds them, that plays as this one does under it."""
    settled = without_rules(weights, features)
    if not reads_rules(weights):
        return settled
    code = np.maximum(_product(features, weights[RULES]) + weights["rules_bias"], np.float32(0))
    found = {name: array for name, array in settled.items() if not name.startswith(RULES)}
    for layer, names in LAYERS.items():
        gains, terms = np.split(_product(code, weights[f"rules_{layer}"]), 2)
        factors = 1 + gains
        for name in names:
            found[name] = found[name] * factors
        found[f"{layer}_bias"] = found[f"{layer}_bias"] * factors + terms
    return found


def _product(row: NDArray[Any], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``row @ weights``, (outputs,), summed input by input: a library sums as suits the processor."""
    sums = np.zeros(weights.shape[1], np.float32)
    for value, those in zip(row.astype(np.float32), weights, strict=True):
        sums += value * those
    return sums
