"""The manual: its links lead somewhere, its commands are commands, its Python blocks run. Sphinx is not needed."""

import functools
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

import train
from shengji_env.cli import _parser, main
from shengji_env.players.candidates import NUM_FEATURES
from tests.helpers.paths import ROOT
from tools.contents import INDEX, trees_of

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
APPENDICES = sorted((ROOT / "research").rglob("*.md"))
"""Pages beside the manual, of experiments: their commands are those of their commits."""
BLOCKS = {
    page: re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL) for page in PAGES + APPENDICES
}


def lines_of(block: str) -> Iterator[str]:
    """Yield the commands of a block: a quoted text, and a line that ends in a backslash, continue in the next one."""
    line = ""
    for part in block.replace("\\\n", " ").splitlines():
        line = f"{line} {part.strip()}".strip()
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        if words:
            yield line
        line = ""
    if line:
        yield line


SHORTER = {
    "range(1000)": "range(10)",
    "num_rounds=8000": "num_rounds=100",
    "NUM_TABLES = 2000": "NUM_TABLES = 20",
    "num_deals=50": "num_deals=5",
    "learn(16_384)": "learn(1)",
}
"""What tests run instead of what takes seconds."""
MARKDOWN = MarkdownIt("commonmark").enable("table")
ELSEWHERE = ("http://", "https://", "mailto:")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def tokens_of(page: Path) -> Iterator[Token]:
    """Yield the blocks of a page, and what stands in their lines."""
    for token in MARKDOWN.parse(page.read_text(encoding="utf-8")):
        yield token
        yield from token.children or ()


def links_of(page: Path) -> Iterator[str]:
    for token in tokens_of(page):
        if token.type == "link_open":
            yield str(token.attrs["href"])
        elif token.type == "image":
            yield str(token.attrs["src"])
        elif token.type in ("html_block", "html_inline"):
            yield from re.findall(r"(?:src|href|srcset)=\"([^\"]+)\"", token.content)


@functools.cache
def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as code forges and MyST make them."""
    seen: Counter[str] = Counter()
    anchors = set()
    is_heading = False
    for token in MARKDOWN.parse(page.read_text(encoding="utf-8")):
        if is_heading:
            text = "".join(part.content for part in token.children or () if part.type in ("text", "code_inline"))
            slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            anchors.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
        is_heading = token.type == "heading_open"
    return anchors


def test_links_lead_somewhere():
    for page in PAGES + APPENDICES:
        for link in (each for each in links_of(page) if not each.startswith(ELSEWHERE)):
            said = f"{name_of(page)}: {link}"
            path, _, anchor = unquote(link).partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{said}: there is no {path}"
            assert target.is_relative_to(ROOT), f"{said} leads out of the repository"
            if anchor and target.suffix == ".md":
                known = anchors_of(target)
                assert anchor in known, f"{said}: no such heading; there are {sorted(known)}"


def test_every_page_is_in_the_table_of_contents():
    reached, ahead = {INDEX}, [INDEX]
    while ahead:
        new = [each for _, pages in trees_of(ahead.pop()) for each in pages if each not in reached]
        reached.update(new)
        ahead += new
    notebooks = (ROOT / "notebooks").glob("*.ipynb")
    missing = {*PAGES, *notebooks} - reached - {ROOT / "README.md"}
    assert not missing, "add them to a toctree, such as that of docs/index.md"


@pytest.mark.parametrize("page", [page for page in BLOCKS if BLOCKS[page] and page.name != "policy.md"], ids=name_of)
def test_the_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    names = {"__name__": "page"}
    for number, block in enumerate(BLOCKS[page]):
        for text, shorter in SHORTER.items():
            block = block.replace(text, shorter)
        exec(compile(block, f"{name_of(page)}, block {number}", "exec"), names)


def test_each_decision_of_the_how_to_gets_what_its_seat_makes_of_the_round():
    (block,) = (block for block in BLOCKS[ROOT / "docs" / "howto.md"] if "returns[step]" in block)
    names = {}
    exec(compile(block, "howto.md", "exec"), names)
    seat, reward, terminated = names["seat"], names["reward"], names["terminated"]
    assert terminated.sum() > 2 * names["NUM_TABLES"]
    for step, table in np.ndindex(seat.shape):
        ends = step + np.flatnonzero(terminated[step:, table])
        assert names["is_known"][step, table] == bool(len(ends))
        if len(ends):
            assert names["returns"][step, table] == reward[ends[0], table, seat[step, table]]


def test_what_is_made_shorter_is_there():
    blocks = "".join(block for blocks in BLOCKS.values() for block in blocks)
    assert all(text in blocks for text in SHORTER)


def test_the_bots_of_the_tutorial_play(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_players.py").write_text("\n".join(BLOCKS[ROOT / "docs" / "tutorials" / "bot.md"]), encoding="utf-8")
    bots = [f"my_players:{name}" for name in ("Thrifty", "Winning", "Bidding?share=0.3")]
    assert main(["arena", *bots, "random", "--deals", "4", "--workers", "1"]) == 0
    assert "bidding" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("node") and shutil.which("g++")), reason="needs node and g++")
def test_the_friends_tournament_is_played_as_its_page_says(tmp_path):
    page = ROOT / "docs" / "tutorials" / "friends.md"
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "dee.py").write_text(BLOCKS[page][0], encoding="utf-8")
    blocks = re.findall(r"```bash\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    script = "\n".join(blocks)
    assert "--deals 40" in script
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        ["bash", "-euc", script.replace("--deals 40", "--deals 4").replace("--time-limit 2", "--time-limit 60")],
        cwd=tmp_path, env={**os.environ, "PATH": programs, "XDG_CONFIG_HOME": str(tmp_path / "config")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("It keeps to the protocol.") == 3
    assert "in which cy lost most, of seed 2026:" in run.stdout
    report = (tmp_path / "cup" / "report.html").read_text(encoding="utf-8")
    assert all(name in report for name in ("ann.py", "bo.js", "cy", "dee"))
    assert "our club" not in report
    assert (tmp_path / "cy_worst.html").stat().st_size > 10_000


def test_the_model_of_the_tutorial_plays_in_a_tournament(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (player,) = (block for block in BLOCKS[ROOT / "docs" / "tutorials" / "training.md"] if "class Linear" in block)
    (tmp_path / "my_linear.py").write_text(player, encoding="utf-8")
    np.save("weights.npy", np.random.default_rng(0).normal(size=NUM_FEATURES))
    assert main(["arena", "my_linear:Linear", "heuristic", "greedy", "--deals", "4", "--workers", "1"]) == 0
    said = capsys.readouterr().out
    assert "linear" in said
    assert "lost" not in said


def test_commands_are_commands():
    """Their names and options exist; they are not run."""
    for page in PAGES:
        blocks = re.findall(r"```bash\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        for line in (line for block in blocks for line in lines_of(block) if "…" not in line):
            try:
                check_command(line)
            except (Exception, SystemExit) as error:
                raise AssertionError(f"{name_of(page)}: {line}") from error


def check_command(line: str) -> None:
    words = shlex.split(line, comments=True)
    while words and "=" in words[0].partition("/")[0]:
        words = words[1:]
    if not words:
        return
    program, *arguments = words
    program = program.rpartition("/")[2]
    if program == "shengji":
        _parser(arguments).parse_args(arguments)
    elif program == "make":
        check_make(arguments)
    elif program in ("python", "python3"):
        check_python(arguments)
    else:
        assert program in ("pip", "pytest", "ruff", "git", "docker", "cp", "g++", "vf-eval"), "not a known command"


def changes_of(tutorial: str) -> list[tuple[Path, str, str]]:
    """The changes of a tutorial: the file that it names where the old text stands, once in all; old and new text."""
    page = (ROOT / "docs" / "tutorials" / tutorial).read_text(encoding="utf-8")
    named = [ROOT / name for name in dict.fromkeys(re.findall(r"`(\w+/[\w/]+\.py)`", page))]
    found = []
    for hunk in [hunk for block in re.findall(r"```diff\n(.*?)```", page, re.DOTALL) for hunk in block.split("\n\n")]:
        lines = (hunk.rstrip("\n") + "\n").splitlines(keepends=True)
        old, new = ("".join(line[1:] for line in lines if line[0] in kinds) for kinds in (" -", " +"))
        assert sum(path.read_text(encoding="utf-8").count(old) for path in named) == 1, old
        found.append((next(path for path in named if old in path.read_text(encoding="utf-8")), old, new))
    return found


@pytest.mark.parametrize(("tutorial", "number"), [("rule.md", 10), ("network.md", 9)])
def test_the_changes_of_a_tutorial_fit_the_files(tutorial, number):
    assert len(changes_of(tutorial)) == number


_LEARNS = """
import re
from tests.agents.test_selfplay import config_of, learn
from agents.selfplay.selfplay_learner import SelfplayLearner
from shengji_env.players.networks.selfplay.selfplay_inputs import CARD_INPUTS, SELFPLAY_INPUTS_VERSION

assert "scene_trumps" in CARD_INPUTS and SELFPLAY_INPUTS_VERSION == 5
learner = SelfplayLearner.fresh(config_of(own={"rounds": 6, "rounds_at_once": 6}))
learner.stage._labels._at_once = 1
learn(learner, 1)
rows = learner.stage.fitting.model.rows[:10]
assert rows.detach().any()
print("learned")
"""


@pytest.mark.thorough
def test_with_the_changes_of_the_tutorial_self_play_learns(tmp_path):
    """In a copy, as plain Python: the new input is read, and its rows learn."""
    for folder in ("shengji_env", "agents", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "data"))
    for path, old, new in changes_of("network.md"):
        changed = tmp_path / path.relative_to(ROOT)
        changed.write_text(changed.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-c", _LEARNS], env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, timeout=1800, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert ended.stdout.strip().endswith("learned"), ended.stderr


def test_the_picture_of_a_decision_names_functions():
    picture = (ROOT / "docs" / "images" / "decision.svg").read_text(encoding="utf-8")
    named = re.findall(r"(\w+/\w+\.py) · (\w+)", picture)
    assert len(named) == 12
    for module, function in named:
        text = (ROOT / "shengji_env" / module).read_text(encoding="utf-8")
        assert re.search(rf"def {function}\(", text), f"{module} has no {function}"


def check_make(arguments: list[str]) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {argument for argument in arguments if "=" not in argument and argument not in ("&&", "||")}
    assert named <= targets | {".venv/bin/pre-commit", "install"}


def check_python(arguments: list[str]) -> None:
    first, *rest = arguments
    if first == "train.py":
        train._parser().parse_args(rest)
    elif first == "-m":
        assert importlib.util.find_spec(rest[0]), f"there is no module {rest[0]}"
    else:
        assert (ROOT / first).exists()
