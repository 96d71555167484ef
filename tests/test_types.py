"""What type checkers tell users: of a script that uses the package, and of faults in it, which running it refuses too.

`make lint` checks the script with the package's own sources; here it is checked as from outside, in another folder.
"""

import subprocess
import sys

import pytest

from tests.helpers import typed_user
from tests.helpers.paths import HELPERS


def test_what_the_types_allow_works():
    typed_user.use()


def test_what_the_types_forbid_is_refused_when_it_runs():
    said = typed_user.misuse()
    expected = [
        "no option is called 'unknown'; there are decks, kitty,",
        "decks='2' must be of type int",
        "bidding='never' is unknown; it is one of streaming, sequential, fixed",
        "3 is not a rule set; give a RuleSet, its text or a mapping of preset and options",
        "3 is not a player: it has no method `act`",
        "BatchEnv() got an unexpected keyword argument 'unknown'; it takes num_envs, rules,",
        "Blind.act(observation: ",
        "Mine is a class: give an object of it, Mine()",
        "Blind.act(observation: ",
    ]
    assert [one[: len(other)] for one, other in zip(said, expected, strict=True)] == expected


@pytest.mark.slow
def test_a_users_script_is_strictly_typed(tmp_path):
    (tmp_path / "script.py").write_text((HELPERS / "typed_user.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "mypy.ini").write_text("[mypy]\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "mypy.ini", "script.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("Success: no issues found in 1 source file\n", "")
