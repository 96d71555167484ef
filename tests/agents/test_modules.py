"""The tables in the docstrings of the packages name every module and folder; no imports form a circle."""

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest

import agents
import agents.selfplay
import agents.values

PACKAGES = [agents, agents.selfplay, agents.values]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_the_table_lists_every_module(package: ModuleType) -> None:
    listed = re.findall(r"^\| `(\w+/?)`", package.__doc__ or "", re.MULTILINE)
    folder = Path(package.__file__ or "").parent
    modules = [path.stem for path in folder.glob("*.py") if path.stem != "__init__"]
    assert sorted(listed) == sorted(modules + [f"{path.parent.name}/" for path in folder.glob("*/__init__.py")])


def imports_of(path: Path) -> set[str]:
    """Names of all modules that a file imports, in functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_no_imports_form_a_circle() -> None:
    root = Path(agents.__file__ or "").parent
    modules = {".".join(path.relative_to(root.parent).with_suffix("").parts): path for path in root.rglob("*.py")}
    left = {name: imports_of(path) & modules.keys() for name, path in modules.items()}
    while free := [name for name, imported in left.items() if not imported & left.keys()]:
        for name in free:
            del left[name]
    assert not left
