"""The package as others get it: what its page says, what the wheel holds, and that it works where nothing else is."""

import ast
import importlib.metadata
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import shengji_env
from shengji_env.cli import _parser
from tests.helpers.linking import link_into
from tools.check_subject import fault_of

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
GITHUB = ROOT / ".github"
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
ADDRESS = "https://example.org/owner/shengji-env"
README = """\
# Title

[English](README.md) · [a `page`
of rules](docs/rules.md#bids) · [elsewhere](https://example.org) · [here](#title)

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="docs/images/dark.svg">
  <img alt="A table" src="docs/images/light.svg">
</picture>

[![shown](docs/images/small.png)](docs/pictures.md)

```python
links = "[not a link](docs/code.md)"
```
"""


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    assert str(citation["version"]) == shengji_env.__version__
    assert citation["license"] == PROJECT["license"]
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in PROJECT["authors"]]
    (bibtex,) = re.findall(r"```bibtex\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert f"version = {{{citation['version']}}}" in bibtex


def test_workflows_run_what_a_developer_runs_on_every_python_that_is_named():
    jobs = yaml.safe_load((GITHUB / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    job = jobs["ci"]
    named = [text.rpartition(" ")[2] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)]
    assert set(named) <= set(job["strategy"]["matrix"]["python"])
    assert job["steps"][-1] == {"run": "bash .ci/run"}
    release = (GITHUB / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert "secrets." not in release
    others = [step.get("run", "") for step in jobs["page"]["steps"]]
    targets = set(re.findall(r"make ([a-z-]+)", "\n".join([release, *others])))
    assert targets
    assert targets <= set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_help_shows_first_what_a_newcomer_needs():
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    shown = [line.partition(":")[0] for line in lines if re.match(r"[a-z-]+:.*## ", line)]
    assert shown[:4] == ["help", "train", "test", "docs"]


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_no_python_has_passed_where_none_was_found():
    run = subprocess.run(["make", "test-pythons", "PYTHONS="], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "PYTHONS=/path/to/python" in run.stderr


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("Serve pairs out of triples when a pair is led\n\nBecause the rules say so.\n", ""),
        ("x" * 72, ""),
        ("x" * 73, "has 73 characters"),
        ("", "empty line"),
        ("Subject\nand more", "second line"),
        ("Subject\n# Please enter the commit message", ""),
    ],
)
def test_subjects_of_commits_are_checked(message, fault):
    assert fault in fault_of(message)
    assert bool(fault) == bool(fault_of(message))


WHEEL = ("shengji_env", "shengji_table")
"""The packages that are installed."""
OURS = (*WHEEL, "agents", "integrations", "research", "tools")
PACKAGES = [path for folder in OURS for path in sorted((ROOT / folder).rglob("__init__.py"))]


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: path.parent.relative_to(ROOT).as_posix())
def test_every_module_stands_in_the_table_of_its_package(path: Path):
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`+([^`]+)`+", text))))
    modules = {each.stem for each in path.parent.glob("*.py")} - {"__init__", "__main__"}
    packages = {each.parent.name for each in path.parent.glob("*/__init__.py")}
    assert not (modules | packages) - named, "name them in the table of the package's docstring"


def types_named_in(module: ast.Module) -> set[str]:
    """Return the public names that a module gives to classes and other types, unless the type has that name already."""
    named, borrowed = set[str](), set[str]()
    for node in ast.walk(module):
        targets = [*getattr(node, "targets", ()), getattr(node, "target", None)]
        names = {each.id for each in targets if isinstance(each, ast.Name) and not each.id.isupper()}
        named |= {node.name} if isinstance(node, ast.ClassDef) else names
        borrowed |= names & {getattr(getattr(node, "value", None), "attr", "")}
    return {name for name in named - borrowed if name[0].isupper()}


def aliases_in(module: ast.Module) -> set[str]:
    """Return the classes of this repository that a module imports under another name."""
    imports = [node for node in ast.walk(module) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in imports if re.match(rf"shengji_|({'|'.join(OURS)})\b", node.module or "")]
    aliases = [each for node in ours for each in node.names]
    classes = [each for each in aliases if each.name[0].isupper() and not each.name.isupper()]
    return {each.name for each in classes if each.asname not in (None, each.name)}


def test_every_public_class_has_a_name_of_its_own():
    """Whoever reads the name of a class, or of another type, should know which one it is.

    Programs of a single file borrow nothing and lend nothing.
    """
    found: dict[str, list[str]] = {}
    for path in sorted(file for folder in OURS for file in (ROOT / folder).rglob("*.py")):
        if not path.stem.endswith("_single_file"):
            module = ast.parse(path.read_text(encoding="utf-8"))
            assert not aliases_in(module), path
            for name in types_named_in(module):
                found.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    assert len(found) > 600
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


@pytest.mark.parametrize(
    ("text", "named", "aliases"),
    [
        ("class Row: ...\nclass _Row: ...", {"Row"}, set()),
        ("if TYPE:\n    Row: TypeAlias = np.record\nWatch = Callable[..., object]\nROWS = 3", {"Row", "Watch"}, set()),
        ("Row: TypeAlias = typed_records.Row", set(), set()),
        (
            "from shengji_env.tables.arrays import Arrays as Tables\nfrom rich.table import Table as Grid",
            set(),
            {"Arrays"},
        ),
    ],
)
def test_names_of_types_are_found(text, named, aliases):
    module = ast.parse(text)
    assert (types_named_in(module), aliases_in(module)) == (named, aliases)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_have_what_a_forge_asks_for(path: Path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        assert form == {"blank_issues_enabled": True}
        return
    assert {"name", "description", "body"} <= set(form)
    names = [field["id"] for field in form["body"] if field["type"] != "markdown"]
    assert len(names) == len(set(names)) > 0
    assert {field["type"] for field in form["body"]} <= {"markdown", "textarea", "input", "dropdown", "checkboxes"}


def test_links_of_the_page_work_outside_the_repository():
    page = pytest.importorskip("tools.package_page", reason="needs hatchling: make dist").page_of(README, ADDRESS, "v1")
    assert f"[English]({ADDRESS}/blob/v1/README.md)" in page
    assert f"[a `page`\nof rules]({ADDRESS}/blob/v1/docs/rules.md#bids)" in page
    assert "[elsewhere](https://example.org) · [here](#title)" in page
    assert f'srcset="{ADDRESS}/raw/v1/docs/images/dark.svg"' in page
    assert f'src="{ADDRESS}/raw/v1/docs/images/light.svg"' in page
    assert f"[![shown]({ADDRESS}/raw/v1/docs/images/small.png)]({ADDRESS}/blob/v1/docs/pictures.md)" in page
    assert "[not a link](docs/code.md)" in page


def test_without_an_address_the_page_has_no_dead_links():
    page = pytest.importorskip("tools.package_page", reason="needs hatchling: make dist").page_of(README, "", "v1")
    assert "English · a `page`\nof rules · [elsewhere](https://example.org) · [here](#title)" in page
    assert "docs/images" not in page
    assert "docs/pictures.md" not in page
    assert "[not a link](docs/code.md)" in page


@pytest.mark.parametrize("address", ["", ADDRESS])
def test_the_page_speaks_of_what_a_wheel_has(address):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = pytest.importorskip("tools.package_page", reason="needs hatchling: make dist").page_of(readme, address, "v1")
    assert "make " not in "".join(re.findall(r"`+[^`]+`+", page))
    for absent in (".venv", "constraints.txt", "train.py", "notebooks/", "The manual"):
        assert absent not in page
    commands = re.findall(r"^shengji (.*?)(?: +#.*)?$", page, re.MULTILINE)
    assert {"warm-up", "selftest", "play", "serve"} <= set(commands)
    for command in commands:
        if command != "--help":
            words = shlex.split(command)
            _parser(words).parse_args(words)
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(block, "the package's page", "exec"), {})


def test_no_page_installs_by_a_name_that_is_not_ours():
    """Until there is a release, anybody may register the name on an index; docs/releasing.md is about afterwards."""
    pages = {*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "docs" / "releasing.md"}
    files = [
        *pages,
        *(file for folder in (*WHEEL, "integrations") for file in (ROOT / folder).rglob("*.py")),
        ROOT / "train.py",
        *(ROOT / "notebooks").glob("*.ipynb"),
    ]
    for file in files:
        assert not re.search(r"pip install [^\n`]*\bshengji-env\b", file.read_text(encoding="utf-8")), file
    installing = (ROOT / "docs" / "installing.md").read_text(encoding="utf-8")
    assert set(re.findall(r"shengji_env-([\d.]+)-py3", installing)) == {shengji_env.__version__}


def distributions_for(requirements: list[str], extra: str = "") -> dict[str, importlib.metadata.Distribution]:
    """Return the installed distributions that some requirements ask for, and all that these ask for."""
    found: dict[str, importlib.metadata.Distribution] = {}
    left = list(requirements)
    while left:
        requirement = Requirement(left.pop())
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": extra})
        if wanted and requirement.name.lower() not in found:
            distribution = importlib.metadata.distribution(requirement.name)
            found[requirement.name.lower()] = distribution
            left += distribution.requires or []
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="needs hatchling: make dist")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def shengji(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a virtual environment with the wheel and what it depends on, without any extra."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python")]
    pip += ["install", "-q", "--no-index", "--no-deps"]
    subprocess.run([*pip, str(wheel)], check=True)
    packages = next(folder.glob("**/site-packages"))
    for distribution in distributions_for(PROJECT["dependencies"]).values():
        link_into(packages, distribution)
    return programs / "shengji"


def run(shengji: Path, *arguments: str, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [shengji, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, timeout=900, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path):
    tracked = subprocess.run(
        ["git", "ls-files", *WHEEL], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
    about = f"shengji_env-{shengji_env.__version__}.dist-info/"
    assert sorted(name for name in names if not name.startswith(about)) == sorted(tracked)
    assert "Description-Content-Type: text/markdown" in metadata
    assert "](docs/" not in metadata


@pytest.mark.slow
def test_the_wheel_alone_plays_and_replays(shengji: Path, tmp_path: Path):
    run(shengji, "play", *["heuristic"] * 4, "--seed", "1", "--record", "round.jsonl", cwd=tmp_path)
    assert "1 round" in run(shengji, "replay", "round.jsonl", "--check", cwd=tmp_path)
    run(shengji, "replay", "round.jsonl", "--html", "round.html", cwd=tmp_path)
    assert (tmp_path / "round.html").stat().st_size > 10_000
    arena = ("arena", "greedy", "champion", "random", "--deals", "2", "--rules", "one_deck", "--workers", "1")
    assert "champion" in run(shengji, *arena, "--out", "results", cwd=tmp_path)
    assert (tmp_path / "results" / "report.html").exists()
