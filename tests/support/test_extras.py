"""What a user is told who lacks an optional library: libraries by their own names."""

import importlib.metadata
import tomllib

import pytest
from packaging.requirements import Requirement

from shengji_env.support.extras import install_hint
from tests.helpers.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("extra", ["ray", "render", "web"])
def test_the_command_names_the_libraries_of_the_extra(extra):
    command, *libraries = install_hint(extra).split(" '")
    wanted = [Requirement(text) for text in PROJECT["optional-dependencies"][extra]]
    found = [Requirement(text.removesuffix("'")) for text in libraries]
    assert command == "pip install"
    assert {(each.name.replace("_", "-"), each.specifier) for each in wanted} == {
        (each.name, each.specifier) for each in found
    }


def test_without_metadata_it_is_a_checkout(monkeypatch):
    def requires(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", requires)
    assert install_hint("web") == "in a checkout: pip install -e '.[web]'"
