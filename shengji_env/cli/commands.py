"""Code that several commands share."""

import argparse
import sys
from collections.abc import Iterable
from typing import TypeAlias

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.player import Player
from shengji_env.players.policy import PolicyPlayer

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The object to which a command adds its parser."""


def note_other_rules(players: Iterable[Player], rules: RuleSet) -> None:
    """Print a note on standard error for each network that was trained on other rules."""
    here = f"{rules} ({rules.fingerprint})"
    for player in players:
        if isinstance(player, PolicyPlayer) and player.rules_fingerprint not in ("", rules.fingerprint):
            trained = f"{player.header.get('rules', 'other rules')} ({player.rules_fingerprint})"
            print(f"note: {player.name} was trained on {trained}; this is {here}", file=sys.stderr)
