"""Decisions that were not a player's own are counted, and give it no strength: docs/arena.md, Players that go wrong."""

import json
import re

import pytest

from shengji_env.arena import Tournament, play_matchup, play_tournament
from shengji_env.arena.crossplay import Crossplay, play_crossplay
from shengji_env.arena.running import STORE_FILE
from shengji_env.arena.scale import Scale, play_scale
from shengji_env.cli import main
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.players.registry import make_player
from shengji_env.support.workers.pools import InProcess, Pool
from shengji_table.puzzles.puzzle import shipped_puzzles
from shengji_table.puzzles.solving import loss_of
from tests.helpers.players_with_faults import stands_in

NAMED = "tests.helpers.players_with_faults:stands_in"
NEVER_ITSELF, SELDOM_ITSELF, MOSTLY_ITSELF = (f"{NAMED}?share={share}" for share in (1.0, 0.5, 0.02))
RULES = parse_rules("one_deck")
FAST = ["--rules", "one_deck", "--deals", "12", "--workers", "1"]
TOO_MANY = r"stands_in: [\d,]+ of [\d,]+ decisions \({}\d\.\d%\) were not its own, more than 5%"


def plan(*players, **settings):
    return Tournament(players, RULES, **{"num_deals": 12, **settings})


@pytest.mark.parametrize("others", [("random",), ("random", "greedy")])
@pytest.mark.parametrize(
    ("player", "share", "code"), [(NEVER_ITSELF, "10", 3), (SELDOM_ITSELF, "[45]", 3), (MOSTLY_ITSELF, "", 0)]
)
def test_tables_have_the_share_and_who_has_too_much_of_it_no_rank(player, share, code, others, tmp_path, capsys):
    assert main(["arena", player, *others, *FAST, "--out", str(tmp_path)]) == code
    printed = capsys.readouterr()
    assert re.search("not (its )?own", printed.out) or player == NEVER_ITSELF
    assert bool(re.search("no rank: " + TOO_MANY.format(share), printed.err)) == (code != 0)
    results = json.loads((tmp_path / "results.json").read_text())
    assert 0 < results["not_own"]["stands_in"] == pytest.approx(float(player.partition("=")[2]), abs=0.05)
    assert results["not_own"]["random"] == 0
    assert (results["pairs"][0] is None) == (player == NEVER_ITSELF)
    assert ("against random" in printed.out) == (player != NEVER_ITSELF and len(others) == 1)
    ranked = [each["player"] for each in results["ratings"]]
    assert ("stands_in" in ranked) == (code == 0 and len(others) > 1)
    assert bool(ranked) == (len(others) > 1)
    report = (tmp_path / "report.html").read_text()
    assert "<th>not own</th>" in report
    assert ("No rank: stands_in" in report) == (code != 0)
    assert main(["arena", player, *others, *FAST, "--out", str(tmp_path)]) == code  # from what is kept
    assert json.loads((tmp_path / "results.json").read_text())["not_own"] == results["not_own"]


def test_tables_of_players_that_decide_themselves_do_not_speak_of_it(tmp_path, capsys):
    assert main(["arena", "greedy", "random", "random", *FAST, "--out", str(tmp_path)]) == 0
    assert main(["scale", "greedy", "--against", "random", "--rules", "one_deck", "--deals", "10"]) == 0
    printed = "".join(capsys.readouterr()) + (tmp_path / "report.html").read_text()
    assert not re.search("not (its )?own", printed)


def test_chunks_of_earlier_versions_have_no_such_decisions(tmp_path):
    whole = play_tournament(plan("greedy", MOSTLY_ITSELF), tmp_path)
    file = tmp_path / STORE_FILE
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines[1:]:
        line["thinking"] = [each[:2] for each in line["thinking"]]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (before,), (result,) = play_tournament(plan("greedy", MOSTLY_ITSELF), tmp_path).results, whole.results
    assert before.not_own == (0, 0) != result.not_own
    assert before.levels_per_round == result.levels_per_round


@pytest.mark.thorough
def test_workers_and_chunks_change_nothing():
    players = SELDOM_ITSELF, "greedy", f"partners?first={MOSTLY_ITSELF.replace('?', '%3F')}&second=random"
    shares = play_tournament(plan(*players)).to_json()["not_own"]
    assert all(0 < share < 1 for name, share in shares.items() if name != "greedy")
    with Pool(2) as pool:
        assert play_tournament(plan(*players, batch_size=5), executor=pool).to_json()["not_own"] == shares
    result = play_matchup(stands_in(0.5), "greedy", num_deals=12, rules=RULES)
    assert (shares["stands_in"] > 0, result.not_own[1]) == (True, 0)
    assert result.to_json()["not_own"] == list(result.not_own)


def test_no_test_is_decided_and_no_number_is_given():
    standings = play_tournament(plan(SELDOM_ITSELF, "random", sprt=(-1.0, 0.0), num_deals=200))
    assert standings.test.verdict == "undecided"
    with pytest.raises(ShengjiError, match=TOO_MANY.format("[45]")):
        play_crossplay(Crossplay((SELDOM_ITSELF, "greedy"), ("random",), RULES, num_deals=4))
    with pytest.raises(PlayerError, match="'stands_in' has not decided itself"):
        loss_of(shipped_puzzles()[0], make_player(NEVER_ITSELF))


def test_a_scale_has_no_verdict(tmp_path, capsys):
    words = ["scale", MOSTLY_ITSELF, "--against", "random", "greedy", "--rules", "one_deck", "--deals", "10"]
    assert main(words) == 0
    assert "not own" in capsys.readouterr().out
    file = tmp_path / "scale.json"
    for _ in range(2):  # what is kept gives no verdict either, and is played anew
        assert main([words[0], NEVER_ITSELF, *words[2:], "--out", str(file)]) == 3
        printed = " ".join(capsys.readouterr().out.split())
        assert re.search(r"random +10 +0 +100.0% +none", printed)
        assert re.search(
            "There is no verdict: " + TOO_MANY.format("10").replace("stands_in", "against random"), printed
        )
        assert "stands" not in printed.replace("stands_in", "")
    (rung,) = json.loads(file.read_text())["rungs"]
    assert rung["decisions"] == rung["not_own"] > 0
    assert main([words[0], "tests.helpers.players_with_faults:raises?when=1", *words[2:]]) == 3
    assert "There is no verdict: deals were lost" in capsys.readouterr().out
    scale = Scale("greedy", RULES, ("random",), 10)
    (rung,) = play_scale(scale, file.with_name("old.json"), InProcess(), lambda *_: None)
    data = json.loads(file.with_name("old.json").read_text())
    del data["rungs"][0]["not_own"]
    file.with_name("old.json").write_text(json.dumps(data))
    assert play_scale(scale, file.with_name("old.json"), InProcess(), lambda *_: None) == [rung]
