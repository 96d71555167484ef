"""The recipes of docs/recipes.md: runs each with the library that it is for, and writes what came of it into the page.

``make recipes`` makes a virtual environment for each, ``.venvs/NAME``, with the pins of
``docs/recipes/requirements/NAME.txt``, and runs ``python -m tools.run_recipes NAME...``. What a recipe prints last is
one line of JSON, its results; they are kept in ``docs/recipes/results.json``, from which the table between the marks
``<!-- recipes -->`` and ``<!-- end -->`` is written.

| result             | what                                                                                     |
|--------------------|------------------------------------------------------------------------------------------|
| `steps`, `seconds` | decisions made while learning, and the processor time that it took                       |
| `before`, `after`  | duplicate deals against `random`, without learning and with it (`MatchupResult.to_json`) |

Those in which nothing learns have no match-ups, and their steps are decisions made in play.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shengji_env.errors import ShengjiError
from tools.markdown import table
from tools.write_tables import with_tables

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "recipes.md"
FOLDER = ROOT / "docs" / "recipes"
PINS = FOLDER / "requirements"
RESULTS = FOLDER / "results.json"
_VENVS = ROOT / ".venvs"
_COST = ("steps", "seconds")
_LEARNED = ("before", "after")
_MATCHUP = ("deals", "levels_per_round", "interval")
"""The metrics of a match-up that are kept."""

RecipeResult = Mapping[str, Any]
"""A recipe's results, with ``versions`` of its libraries and of ``python``."""


@dataclass(frozen=True)
class Recipe:
    """A script in docs/recipes/, and what the table says of it."""

    name: str
    """The script, without its suffix."""
    libraries: tuple[str, ...]
    """What it shows, as named by package registries; their versions stand in the table."""
    interface: str
    """The interface that the library is given."""
    what: str
    """What happens, in a few words."""
    remarks: str
    """What must be known before one begins."""
    learns: bool = True
    """Whether anything learns; otherwise there are decisions alone."""

    @property
    def matchups(self) -> tuple[str, ...]:
        """The names of the match-ups among its results."""
        return _LEARNED if self.learns else ()


RECIPES: tuple[Recipe, ...] = (
    Recipe(
        "sb3_maskable_ppo",
        ("stable-baselines3", "sb3-contrib"),
        "`SB3VecEnv`",
        "MaskablePPO learns one seat",
        "works as it is",
    ),
    Recipe("cleanrl_ppo", ("torch", "gymnasium"), "`make_vec`", "PPO in one file learns one seat", "works as it is"),
    Recipe(
        "tianshou_dqn", ("tianshou",), "PettingZoo", "Q-learning, four seats with one network", "infos must be left out"
    ),
    Recipe("torchrl_ppo", ("torchrl",), "PettingZoo", "PPO, four seats with one network", "works as it is"),
    Recipe(
        "rllib_ppo",
        ("ray",),
        "PettingZoo",
        "PPO, four seats with one network",
        "the network puts the mask on; RLlib's check of environments must be off",
    ),
    Recipe("open_spiel_ppo", ("open-spiel",), "`python_shengji`", "PPO learns one seat", "works as it is"),
    Recipe(
        "verifiers_words",
        ("verifiers",),
        "`WordsEnv`",
        "language models in four seats or two",
        "no harness that runs code; ours asks the model and nothing else",
        learns=False,
    ),
    Recipe(
        "textarena_words",
        ("textarena",),
        "`WordsEnv`",
        "language models in four seats",
        "Python's `random` is left alone",
        learns=False,
    ),
)


def pins(name: str) -> dict[str, str]:
    """Return the versions that a recipe is run with, by package."""
    lines = (PINS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith(("#", "./")))


def run(recipe: Recipe) -> RecipeResult:
    """Run a recipe in its own virtual environment, showing what it prints; return its result.

    Raises:
        ShengjiError: it failed, or its last line is not its results.
    """
    python = _VENVS / recipe.name / "bin" / "python"
    if not python.exists():
        raise ShengjiError(f"{recipe.name} has no environment; make recipes ARGS={recipe.name} makes it and runs it")
    line = ""
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [python, FOLDER / f"{recipe.name}.py"]
    with subprocess.Popen(command, cwd=ROOT, env=one_thread, stdout=subprocess.PIPE, text=True) as script:
        for line in script.stdout or ():
            print(line, end="", flush=True)
    if script.returncode:
        raise ShengjiError(f"{recipe.name} ended with exit code {script.returncode}")
    versions = {library: pins(recipe.name)[library] for library in recipe.libraries}
    return {**_results(recipe, line), "versions": versions, "python": platform.python_version()}


def _results(recipe: Recipe, line: str) -> dict[str, Any]:
    try:
        printed = json.loads(line)
        matchups = {each: {name: printed[each][name] for name in _MATCHUP} for each in recipe.matchups}
        return {each: printed[each] for each in _COST} | matchups
    except (ValueError, LookupError, TypeError):
        wanted = ", ".join((*_COST, *recipe.matchups))
        raise ShengjiError(f"{recipe.name} must end by printing {wanted} as JSON, not {line!r}") from None


def recipes_table(results: Mapping[str, RecipeResult]) -> str:
    """Return the table of those recipes that have a result: Markdown."""
    head = ["recipe", "library", "interface", "what it does", "steps", "steps/s", "before", "after", "remarks"]
    rows = [_row(recipe, results[recipe.name]) for recipe in RECIPES if recipe.name in results]
    return table(head, rows, texts=(0, 1, 2, 3, 8))


def _row(recipe: Recipe, result: RecipeResult) -> list[str]:
    libraries = ", ".join(f"{name} {result['versions'][name]}" for name in recipe.libraries)
    return [
        f"[`{recipe.name}`](recipes/{recipe.name}.py)",
        libraries,
        recipe.interface,
        recipe.what,
        f"{result['steps']:,}",
        f"{result['steps'] / result['seconds']:,.0f}",
        *(_levels(result[each]) if each in recipe.matchups else "" for each in _LEARNED),
        recipe.remarks,
    ]


def _levels(matchup: Mapping[str, Any]) -> str:
    low, high = matchup["interval"]
    return f"{matchup['levels_per_round']:+.2f} ± {(high - low) / 2:.2f}".replace("-", "−")


def read_results() -> dict[str, RecipeResult]:
    """Return the results of the last run of each recipe, by name."""
    results: dict[str, RecipeResult] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def _write(results: Mapping[str, RecipeResult]) -> None:
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    text = with_tables(PAGE.read_text(encoding="utf-8"), {"recipes": lambda: recipes_table(results)})
    PAGE.write_text(text, encoding="utf-8")


def _run_all(recipes: Iterable[Recipe]) -> list[str]:
    """Run recipes, write what came of each, and return what failed, a sentence each."""
    failures = []
    for recipe in recipes:
        print(f"== {recipe.name}", flush=True)
        try:
            _write(read_results() | {recipe.name: run(recipe)})
        except ShengjiError as error:
            failures.append(str(error))
    return failures


def main(argv: Sequence[str] | None = None) -> None:
    """Run recipes, and write their results into docs/recipes.md."""
    by_name = {recipe.name: recipe for recipe in RECIPES}
    parser = argparse.ArgumentParser(prog="python -m tools.run_recipes", description=main.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which (all): {', '.join(by_name)}")
    names = parser.parse_args(argv).names
    if unknown := [name for name in names if name not in by_name]:
        parser.error(f"no recipe is called {', '.join(unknown)}; there are {', '.join(by_name)}")
    if failures := _run_all([by_name[name] for name in names] or RECIPES):
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
