"""Players print a note when they must be compiled as they are made; after that, nothing is left to compile."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shengji_env.arena import chunks, make_player
from shengji_env.cli import main
from shengji_env.players.networks.policy import LayerStack, PolicyPlayer
from shengji_env.players.whole_rounds import policy_rounds
from tests.helpers.paths import ROOT


@pytest.mark.usefixtures("cache_home")
@pytest.mark.parametrize("text", ["greedy", "heuristic", "search:4"])
def test_a_player_is_announced_once_when_it_is_made(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    make_player(text)
    words = capsys.readouterr()
    name = text.partition(":")[0]
    assert words.err.startswith(f"shengji_env: compiling the {name} player, once for this version and machine …\n")
    assert words.out == ""
    make_player(text)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("cache_home")
def test_networks_policies_and_rounds_are_announced_too(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        PolicyPlayer(LayerStack(()), {}, name="policy:nowhere")
        policy_rounds("random", seed=1, count=2)
    announced = [line for line in capsys.readouterr().err.splitlines() if "compiling" in line]
    assert [line.split(",")[0] for line in announced] == [
        "shengji_env: compiling the policy player",
        "shengji_env: compiling the policy of random",
        "shengji_env: compiling whole rounds",
    ]


@pytest.mark.usefixtures("cache_home")
def test_the_engine_is_announced_before_a_tournament_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    chunks._warm_up.cache_clear()
    assert main(["arena", "random", "random", "--deals", "2", "--rules", "one_deck", "--workers", "1"]) == 0
    said = capsys.readouterr().err
    assert said.index("compiling the engine") < said.index("deals")


PLAY = """
import json, sys
import numpy as np
from shengji_env.arena import make_player, play_matchup
from shengji_env.engine.rule_sets import rule_set
from shengji_env.players.networks.policy import LayerStack, PolicyPlayer
from shengji_env.support.announcing import loading_all, PARTS
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.players import CandidatePlayer

NAMES = ("search", "networks", "candidate_player", "candidates", "heuristic", "greedy", "hiding", "whole_plays")
LAYERS = tuple(f"shengji_env.players.{name}" for name in NAMES)

def compiled():
    found = {}
    for home in [name for name in sys.modules if name.startswith(LAYERS)]:
        for name, kernel in vars(sys.modules[home]).items():
            if hasattr(kernel, "signatures") and kernel.__module__ == home:
                found[f"{home}.{name}"] = sorted(map(str, kernel.signatures))
    return found

class Last(CandidatePlayer):
    name = "last"
    def choose(self, choices):
        return choices.action_mask.sum(axis=1) - 1

layers = tuple((np.zeros(shape, np.float32), np.zeros(shape[1], np.float32))
               for shape in ((OBSERVATION_SIZE, 4), (4, NUM_ACTIONS)))
policy = PolicyPlayer(LayerStack(layers), {}, name="policy", sample=True)
texts = "greedy", "heuristic", "search:20?threads=2", "champion", "champion:20?threads=2"
players = [make_player(text) for text in texts]
with loading_all():
    for name in ("policy", "champion", "listing", "greedy", "heuristic", "searching-champion"):
        PARTS[name]()
before = compiled()
for player in (policy, Last(), *players):
    play_matchup(player, "random", num_deals=2, seed=1)
after = compiled()
print(json.dumps({name: [before[name], after[name]] for name in after if before[name] != after[name]}))
print(json.dumps([name for name in after if after[name]]))
"""


@pytest.mark.thorough
def test_nothing_is_left_to_compile_once_a_player_is_made() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PLAY], capture_output=True, text=True, timeout=600, check=True, cwd=ROOT
    )
    changed, called = map(json.loads, run.stdout.splitlines())
    assert changed == {}
    assert len(called) > 10


ELSEWHERE = """
import json, sys
from pathlib import Path
from shengji_env import shengji_v0
from shengji_env.arena import Tournament, make_player, play_tournament
from shengji_env.arena.chunks import get_ready
from shengji_env.engine.rule_sets import parse_rules

WHAT = ("cache_misses", "cache_hits")

def compiled():
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("shengji_env.")]
    kernels = {id(kernel): kernel for module in modules for kernel in vars(module).values()
               if hasattr(kernel, "stats") and not isinstance(kernel, type)}
    return [sum(sum(getattr(kernel.stats, what).values()) for kernel in kernels.values()) for what in WHAT]

rules = parse_rules("one_deck")
make_player("greedy")
get_ready(rules)
before = compiled()
play_tournament(Tournament(("greedy", "random"), rules, num_deals=4))
print(json.dumps([str(Path(shengji_v0.__file__).parents[1]), before, compiled()]))
"""


@pytest.mark.thorough
def test_another_checkout_of_the_version_compiles_nothing_again(tmp_path: Path) -> None:
    """Sources of the same text at another place and of another date share what any of them has compiled."""
    copy = tmp_path / "elsewhere"
    shutil.copytree(
        ROOT / "shengji_env",
        copy / "shengji_env",
        copy_function=shutil.copyfile,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    (tmp_path / "script.py").write_text(ELSEWHERE)
    for place in (ROOT, copy):
        run = subprocess.run(
            [sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, check=True, cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(place)},
        )  # fmt: skip
        where, (missed, loaded), (missed_then, _) = json.loads(run.stdout)
        assert where == str(place)
        assert loaded > 0
        assert missed_then == missed, "something was compiled while the tournament's clock ran"
    assert missed == 0
    assert run.stderr == ""


WORKERS = """
from shengji_env.arena import Tournament, play_tournament
from shengji_env.support.workers.pools import Pool
from shengji_env.engine.rule_sets import parse_rules

if __name__ == "__main__":
    plan = Tournament(("greedy", "random"), parse_rules("one_deck"), num_deals=4, batch_size=1)
    with Pool(2) as pool:
        play_tournament(plan, executor=pool)
"""


@pytest.mark.slow
def test_workers_of_a_tournament_repeat_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "play.py"
    script.write_text(WORKERS)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=900, check=True)
    said = [line.split(",")[0] for line in run.stderr.splitlines() if "compiling" in line]
    assert said == ["shengji_env: compiling the greedy player", "shengji_env: compiling the engine"]
