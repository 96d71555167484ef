"""No module imports itself by way of others: not when it is loaded, not in a function, not for its types alone."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT

BOTZONE = "integrations/botzone/shengji_botzone"


def modules_of(package: str) -> dict[str, Path]:
    folder = ROOT / package
    files = {".".join(path.relative_to(folder.parent).with_suffix("").parts): path for path in folder.rglob("*.py")}
    return {name.removesuffix(".__init__"): path for name, path in files.items()}


def imports_of(path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules that a file imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            named |= inner & set(modules) or {node.module}
    return named & set(modules)


@pytest.mark.parametrize("package", ["shengji_env", "shengji_table", BOTZONE, "agents", "tools", "research"])
def test_imports_have_no_circle(package):
    modules = modules_of(package)
    graph = {name: imports_of(path, modules) - {name} for name, path in modules.items()}
    assert len(graph) > 5
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_the_five_files_of_a_step_import_each_other_in_turn():
    """Those that a newcomer is told to read."""
    modules = modules_of("shengji_env")
    named = re.findall(r"``(\w+/\w+)\.py``", modules["shengji_env"].read_text(encoding="utf-8"))
    files = ["shengji_env." + name.replace("/", ".") for name in named]
    assert len(files) == 5
    for file, following in pairwise(files):
        assert following in imports_of(modules[file], modules)
