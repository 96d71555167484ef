"""What networks for all rules learn from and are tested on, frozen by name: presets, values of options, unseen rules.

`FROZEN` has them as they were when the first network learned. What is added later, or a preset that is edited,
changes nothing of them: neither what `drawn_rules` draws nor what the digest of such networks covers
(`players/candidates/digest.py`). Whoever wants networks to learn what is new freezes anew, which refuses all older
ones.

| in the file | what |
|---|---|
| `presets` | each preset with all of its options |
| `values` | the values of options that are drawn; decks, kitties and cards are drawn apart |
| `unseen` | texts of thirty rule sets that are never drawn; their presets are those above |

Source: docs/rollouts.md.
"""

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from shengji_env.engine.rule_sets import RuleSet, parse_rules, text_of

FROZEN = "frozen_rules.json"
_CONTENT = json.loads(resources.files(__package__).joinpath(FROZEN).read_text(encoding="utf-8"))
FROZEN_PRESETS: Mapping[str, RuleSet] = {
    name: RuleSet(preset=name, **options) for name, options in _CONTENT["presets"].items()
}
"""The presets as they were, by name."""
FROZEN_VALUES: Mapping[str, tuple[Any, ...]] = {name: tuple(values) for name, values in _CONTENT["values"].items()}
"""Values that are drawn, by option."""


@functools.cache
def unseen_rules() -> tuple[RuleSet, ...]:
    """Return the thirty rule sets that are never drawn."""
    return tuple(parse_rules(text, FROZEN_PRESETS) for text in _CONTENT["unseen"])


def frozen_rule_sets() -> tuple[RuleSet, ...]:
    """Return the rule sets that the digest of networks for all rules covers."""
    return (*FROZEN_PRESETS.values(), *unseen_rules())


def frozen_text(rules: RuleSet) -> str:
    """Return the text of a rule set whose preset is the frozen one, such as those that are drawn."""
    return text_of(rules, FROZEN_PRESETS)
