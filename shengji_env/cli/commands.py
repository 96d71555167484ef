"""What the commands share."""

import argparse
import sys
from collections.abc import Iterable
from typing import TypeAlias

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.policy import PolicyPlayer
from shengji_env.players.registry import Player

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Where a command adds its parser."""


def note_other_rules(players: Iterable[Player], rules: RuleSet) -> None:
    """Say so, on standard error, of networks that were trained on other rules."""
    here = f"{rules} ({rules.fingerprint})"
    for player in players:
        if isinstance(player, PolicyPlayer) and player.rules_fingerprint not in ("", rules.fingerprint):
            trained = f"{player.header.get('rules', 'other rules')} ({player.rules_fingerprint})"
            print(f"note: {player.name} was trained on {trained}; this is {here}", file=sys.stderr)
