"""The tables in the docstrings of the packages name every module and folder."""

import re
from pathlib import Path
from types import ModuleType

import pytest

import agents
import agents.ppo
import agents.values
import agents.values.selfplay

PACKAGES = [agents, agents.ppo, agents.values, agents.values.selfplay]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_the_table_lists_every_module(package: ModuleType) -> None:
    listed = re.findall(r"^\| `(\w+/?)`", package.__doc__ or "", re.MULTILINE)
    folder = Path(package.__file__ or "").parent
    modules = [path.stem for path in folder.glob("*.py") if path.stem != "__init__"]
    assert sorted(listed) == sorted(modules + [f"{path.parent.name}/" for path in folder.glob("*/__init__.py")])
