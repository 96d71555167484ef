"""How a player stands among others, with few deals: docs/arena.md, Scale."""

import json

import numpy as np
import pytest

from shengji_env.arena.scale import EDGE, LEAST_VARIANCE, Rung, Scale, play_scale, standing
from shengji_env.arena.sequential import DECISIVE
from shengji_env.cli import main
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import ShengjiError
from shengji_env.support.workers.pools import InProcess, Pool

RULES = parse_rules("two_deck")
OPPONENTS = "random", "greedy", "heuristic", "champion?part=playouts"
FAULTY = "tests.helpers.players_with_faults:cheats?when=2500"


def scale_of(player="greedy", opponents=OPPONENTS, num_deals=40, **settings):
    return Scale(player, RULES, opponents, num_deals, **settings)


def play(scale, file=None, executor=None):
    seen = []
    rungs = play_scale(scale, file, executor or InProcess(), lambda *about: seen.append(about))
    return rungs, seen


def summary(rungs):
    return [(rung.opponent, len(rung.values), rung.verdict) for rung in rungs]


def test_a_match_up_ends_when_it_is_decided():
    rungs, seen = play(scale_of())
    assert summary(rungs) == [
        ("random", 10, "better"),
        ("greedy", 40, "close"),
        ("heuristic", 10, "worse"),
        ("champion?part=playouts", 20, "worse"),
    ]
    assert standing(rungs) == "It stands above random, below heuristic, close to greedy."
    assert [look for name, done, look in seen if name == "greedy" and done == look] == [10, 20, 40]
    assert all(rung.decisions > 100 and rung.seconds > 0 for rung in rungs)


def test_strong_opponents_are_left_out_after_two_losses():
    opponents = "greedy", "heuristic", "champion?part=playouts"
    assert [rung.opponent for rung in play(scale_of("random", opponents))[0]] == ["greedy", "heuristic"]
    whole = play(scale_of("random", opponents, plays_all=True))[0]
    assert [rung.opponent for rung in whole] == list(opponents)
    assert standing(whole) == "It stands below greedy."


@pytest.mark.thorough
def test_workers_and_interruptions_change_nothing(tmp_path):
    scale, file = scale_of(opponents=("random", "greedy", "heuristic")), tmp_path / "scale.json"

    class Killed(InProcess):
        def do(self, job, tasks, watch):
            yield from super().do(job, tasks, watch)
            if tasks:
                raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            play(scale, file, Killed())
    assert [rung["opponent"] for rung in json.loads(file.read_text())["rungs"]] == ["random", "greedy"]
    rungs, seen = play(scale, file)
    assert not any(name == "random" and done < look for name, done, look in seen)
    with Pool(2) as pool:
        assert [each.values for each in play(scale, executor=pool)[0]] == [each.values for each in rungs]
    assert play(scale, file, Killed())[0] == rungs  # nothing is left to play


@pytest.mark.parametrize("change", [{"player": "heuristic"}, {"seed": 2}, {"rules": parse_rules("one_deck")}])
def test_a_file_of_another_scale_is_refused(change, tmp_path):
    file = tmp_path / "scale.json"
    play(scale_of(opponents=("random",)), file)
    other = Scale(**{"player": "greedy", "rules": RULES, "opponents": ("random",), "num_deals": 40, **change})
    with pytest.raises(ShengjiError, match=rf"is of another scale: {next(iter(change))}"):
        play(other, file)
    file.write_text("{}")
    with pytest.raises(ShengjiError, match="is not a scale"):
        play(other, file)


def test_lost_deals_are_counted_and_say_why():
    (rung,) = play(scale_of(FAULTY, ("random",), 20))[0]
    assert len(rung.levels) + len(rung.faults) == len(rung.values)
    assert rung.faults
    assert all("cheats" in fault for fault in rung.faults)


@pytest.mark.parametrize(("sd", "mean"), [(0.8, EDGE), (1.2, EDGE), (1.6, EDGE)])
def test_errors_are_as_rare_as_the_command_says(sd, mean):
    """Of 2,000 players that are worse by EDGE, at most 5 % are called better."""
    rng, wrong = np.random.default_rng(1), 0
    looks = scale_of(num_deals=320).looks
    for _ in range(2000):
        values = np.round(2 * rng.normal(-mean, sd, looks[-1])) / 2
        ratios = [2 * EDGE * values[:n].sum() / max(values[:n].var(ddof=1), LEAST_VARIANCE) for n in looks]
        first = next((ratio for ratio in ratios if abs(ratio) >= DECISIVE), -1.0)
        wrong += first > 0
    assert wrong < 0.05 * 2000
    rung = Rung("x", dict(enumerate(np.full(10, 2.0))))
    assert rung.verdict == "better"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_deals": 8}, "num_deals=8 must be a whole number from 10 to .*: a match-up is first looked at then"),
        ({"opponents": ()}, "names nobody"),
        ({"opponents": ("greedy", "greedy")}, "named twice"),
        ({"seed": -1}, "seed"),
    ],
)
def test_wrong_arguments_are_refused(settings, message):
    with pytest.raises(ShengjiError, match=message):
        scale_of(**settings)


def test_the_command_says_where_a_player_stands(tmp_path, capsys):
    words = ["scale", "heuristic", "--against", "random", "greedy", "--workers", "1", "--out", str(tmp_path / "s.json")]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "It stands above greedy." in printed
    assert "20 deals, " in printed
    assert main(words) == 0
    assert capsys.readouterr().out == printed
