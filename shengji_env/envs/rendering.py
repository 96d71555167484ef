"""What `render` does: the same in every environment that shows one table."""

import sys
from typing import Any

from gymnasium import logger

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.render import render_table

RENDER_MODES = ("human", "ansi")


def render_as(mode: str | None, state: Any, rules: RuleSet, *, viewer: int | None) -> str | None:
    """The table as text (`render.render_table`): returned under ``"ansi"``, printed under ``"human"``."""
    if mode is None:
        logger.warn("render() does nothing without a render_mode; make the environment with render_mode='ansi'")
        return None
    text = render_table(state, rules, viewer=viewer, color=mode == "ansi" or sys.stdout.isatty())
    if mode == "ansi":
        return text
    print(text)
    return None
