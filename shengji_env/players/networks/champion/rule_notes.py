"""The notes on rules for which `champion` has no network: so that nobody takes `heuristic` for it.

| where | what there is, once |
|---|---|
| Python | a warning, `UnlearnedRulesWarning`, for each rule set and process |
| commands | a note on standard error |
| workers | not at all: the process that gives them work has said it |
"""

import warnings
from functools import cache
from importlib import resources
from typing import Any

from shengji_env.engine.rule_sets import PRESETS, RULE_SETS, RuleSet
from shengji_env.errors import UnlearnedRulesWarning

_warned: set[str] = set()
"""Fingerprints of the rule sets of which this process has warned."""


@cache
def learned_presets() -> tuple[str, ...]:
    """Return the presets for which the package has networks."""
    folder = resources.files("shengji_env.players.networks.champion")
    return tuple(preset for preset in PRESETS if (folder / f"{preset}.npz").is_file())


def note_on_champion(rules: RuleSet) -> str:
    """Say who plays in place of `champion`, and what might be done; nothing if it has a network for the rules."""
    presets = learned_presets()
    if rules.fingerprint in (RULE_SETS[preset].fingerprint for preset in presets):
        return ""
    note = f"no network was learned for {rules}, so champion decides as heuristic does"
    preset = nearest_preset(rules)
    if preset is None:
        return note
    changes = ", ".join(f"{name}={value}" for name, value in _changes(rules, preset).items())
    return f"{note}. It differs from {preset} in {changes}: champion?rules={preset} lets the network of {preset} play"


def nearest_preset(rules: RuleSet) -> str | None:
    """Return the preset with a network and as many decks from which the fewest options differ; None: there is none."""
    fitting = [preset for preset in learned_presets() if RULE_SETS[preset].decks == rules.decks]
    return min(fitting, key=lambda preset: (len(_changes(rules, preset)), preset != rules.preset), default=None)


def warn_once(rules: RuleSet, note: str) -> None:
    """Warn of a rule set, unless this process has done so before."""
    if rules.fingerprint not in _warned:
        warnings.warn(note, UnlearnedRulesWarning, stacklevel=2)
        mark_warned(rules)


def mark_warned(rules: RuleSet) -> None:
    """Warn no more of a rule set in this process: it has been said."""
    _warned.add(rules.fingerprint)


def _changes(rules: RuleSet, preset: str) -> dict[str, Any]:
    """Return the options that differ from a preset, with their values."""
    base = RULE_SETS[preset].options
    return {name: value for name, value in rules.options.items() if base[name] != value}
