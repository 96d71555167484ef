"""What networks for all rules have learned from stays as it was, whatever is added to options and presets.

The engine is copied, changed, and asked in a process of its own.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shengji_env
from shengji_env.engine.drawn_rules import drawn_rules
from shengji_env.engine.frozen_rules import frozen_rule_sets

pytestmark = pytest.mark.nojit
PACKAGE = Path(shengji_env.__file__).parent
DRAWN = "95e68755887a5d14"
"""Hash of the first 300 rule sets of seed 1."""
COVERED = "90ef81a7f6f276aa"
"""Hash of the rule sets that the digest of networks for all rules covers."""
CHANGES = (
    (
        "rule_options.py",
        "    throw_contest: Literal[",
        '    mine: bool = _option(False, {"no": "*ours*"}, edition=9)\n',
    ),
    ("rule_options.py", '"flip_kitty", "partner_names"', '"mine", '),
    ("presets.py", '    "one_deck": {', '    "mine": {"throws": False},\n'),
    ("presets.py", '"kitty_multiplier": "cards"', '"throw_penalty": 5, '),
)
"""In a module, before what text, what is added: an option, a value, a preset, a value of two presets."""
ASK = """
import sys
from shengji_env.engine import drawn_rules, frozen_rules, rule_options, rule_sets
assert rule_sets.rule_set("house", mine=True, no_bid="mine").throw_penalty == 5 and "mine" in rule_sets.RULE_SETS
drawn = [drawn_rules.drawn_rules(1, number) for number in range(300)]
assert not any(rules.mine for rules in drawn)
for several in drawn, frozen_rules.frozen_rule_sets():
    print(*(rules.fingerprint for rules in several))
"""


def hash_of(fingerprints):
    return hashlib.sha256(" ".join(fingerprints).encode()).hexdigest()[:16]


def test_what_is_drawn_and_covered_is_pinned():
    """Whoever changes it on purpose raises DRAWING_VERSION, and all networks for all rules learn anew."""
    assert hash_of(drawn_rules(1, number).fingerprint for number in range(300)) == DRAWN
    assert hash_of(rules.fingerprint for rules in frozen_rule_sets()) == COVERED


def test_options_values_and_presets_that_are_added_change_nothing(tmp_path):
    engine = tmp_path / "shengji_env" / "engine"
    shutil.copytree(PACKAGE / "engine", engine, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PACKAGE / "errors.py", engine.parent)
    (engine.parent / "__init__.py").touch()
    for module, place, added in CHANGES:
        text = (engine / module).read_text(encoding="utf-8")
        assert place in text
        (engine / module).write_text(text.replace(place, added + place), encoding="utf-8")
    asked = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert asked.returncode == 0, asked.stderr
    assert [hash_of(line.split()) for line in asked.stdout.splitlines()] == [DRAWN, COVERED]
