"""The recipes of other libraries, as far as can be said without those: pins, page and results belong together."""

import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import run_recipes
from tools.run_recipes import FOLDER, PAGE, PINS, RECIPES, Recipe, pins, read_results, recipes_table
from tools.write_tables import with_tables

ROOT = PAGE.parent.parent
NAMES = [recipe.name for recipe in RECIPES]
TEXT = PAGE.read_text(encoding="utf-8")
MATCHUP = '{"deals": 50, "levels_per_round": -0.5, "interval": [-0.75, -0.25], "seed": 0}'
PRINTED = f'{{"steps": 12000, "seconds": 10.0, "before": {MATCHUP}, "after": {MATCHUP.replace("-0.5", "0.5")}}}'


def test_every_script_is_a_recipe_with_pins() -> None:
    assert sorted(NAMES) == sorted(path.stem for path in FOLDER.glob("*.py"))
    assert sorted(NAMES) == sorted(path.stem for path in PINS.iterdir())


def test_recipes_compile_and_have_a_section_of_the_page() -> None:
    for name in NAMES:
        compile((FOLDER / f"{name}.py").read_text(encoding="utf-8"), f"{name}.py", "exec")
        link = f"\n[`{name}`](recipes/{name}.py)"
        assert sum(link in section for section in TEXT.split("\n## ")) == 1, name


def test_pins_name_the_libraries_and_what_the_package_accepts() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for recipe in RECIPES:
        pinned = pins(recipe.name)
        assert set(recipe.libraries) <= set(pinned), recipe.name
        for requirement in map(Requirement, project["dependencies"]):
            version = pinned[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), f"{recipe.name}: {requirement.name} {version}"


def test_the_table_is_of_the_results_and_the_results_are_of_the_pins() -> None:
    results = read_results()
    assert with_tables(TEXT, {"recipes": lambda: recipes_table(results)}) == TEXT
    assert list(results) == sorted(NAMES)
    for recipe in RECIPES:
        pinned = pins(recipe.name)
        assert results[recipe.name]["versions"] == {library: pinned[library] for library in recipe.libraries}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with one recipe `mine`, its pins, and an environment that is this one; return the folder."""
    (tmp_path / "mine.txt").write_text("# what it asks for\nnumpy==9.9\n\nrich==1.0\n", encoding="utf-8")
    (tmp_path / "results.json").write_text("{}", encoding="utf-8")
    (tmp_path / "recipes.md").write_text("<!-- recipes -->\n<!-- end -->\n", encoding="utf-8")
    python = tmp_path / "mine" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    for name, path in {"FOLDER": "", "PINS": "", "_VENVS": "", "RESULTS": "results.json", "PAGE": "recipes.md"}.items():
        monkeypatch.setattr(run_recipes, name, tmp_path / path)
    recipes = tuple(Recipe(name, ("numpy",), "AEC", "it learns", "none") for name in ("mine", "without_venv"))
    recipes += (Recipe("plays", ("numpy",), "words", "it plays", "none", learns=False),)
    monkeypatch.setattr(run_recipes, "RECIPES", recipes)
    return tmp_path


def test_a_recipe_is_run_and_its_figures_are_written_into_the_page(folder: Path) -> None:
    (folder / "mine.py").write_text(f"print('learning')\nprint('{PRINTED}')\n", encoding="utf-8")
    run_recipes.main(["mine"])
    (result,) = read_results().values()
    assert result["versions"] == {"numpy": "9.9"}
    row = (folder / "recipes.md").read_text(encoding="utf-8").splitlines()[3]
    assert row.startswith("| [`mine`](recipes/mine.py) | numpy 9.9 | AEC | it learns | 12,000 | 1,200 | ")
    assert row.endswith(" | −0.50 ± 0.25 | +0.50 ± 0.25 | none |")


def test_a_recipe_that_only_plays_has_no_match_ups(folder: Path) -> None:
    (folder / "plays.py").write_text('print(\'{"steps": 600, "seconds": 2.0}\')\n', encoding="utf-8")
    (folder / "plays.txt").write_text("numpy==9.9\n./integrations/plays\n", encoding="utf-8")
    (folder / "plays").symlink_to(folder / "mine")
    run_recipes.main(["plays"])
    row = (folder / "recipes.md").read_text(encoding="utf-8").splitlines()[3]
    assert row.endswith("| it plays | 600 | 300 |  |  | none |")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("print('{\"steps\": 1}')", r"mine must end by printing steps, seconds, before, after as JSON, not"),
        ("print('no JSON')", "mine must end by printing steps"),
        ("", "mine must end by printing steps"),
        (f"print('{PRINTED}')\nraise SystemExit(3)", "mine ended with exit code 3"),
    ],
)
def test_a_recipe_that_fails_is_named_and_leaves_the_page(folder: Path, script: str, message: str) -> None:
    (folder / "mine.py").write_text(script, encoding="utf-8")
    with pytest.raises(SystemExit, match=message) as caught:
        run_recipes.main([])
    assert "without_venv has no environment; make recipes ARGS=without_venv makes it" in str(caught.value)
    assert read_results() == {}
    assert "mine" not in (folder / "recipes.md").read_text(encoding="utf-8")


def test_a_name_of_no_recipe_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run_recipes.main(["yours"])
    assert "no recipe is called yours; there are mine, without_venv, plays" in capsys.readouterr().err
