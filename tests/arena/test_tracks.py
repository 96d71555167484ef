"""Tracks: frozen deals, one number, and the tables of what others have reached."""

import hashlib
import json
import tomllib
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from shengji_env import __version__
from shengji_env.arena import Tournament, play_matchup, tracks
from shengji_env.arena.beliefs import belief_positions, belief_scores
from shengji_env.arena.beliefs.belief_positions import BeliefSet
from shengji_env.arena.small_games import exploiting
from shengji_env.arena.statistics import mean_interval
from shengji_env.arena.tracks import LADDER_SEED, TRACKS, Score, Work, run_track, track_header
from shengji_env.cli import main
from shengji_env.engine.frozen_rules import unseen_rules
from shengji_env.engine.rule_sets import rule_set
from shengji_env.errors import PlayerError, ShengjiError
from tests.helpers.paths import ROOT
from tools.tracks import FROM_NOTHING, entries_table


@pytest.fixture
def few_deals(monkeypatch):
    """Match-ups of four deals in place of hundreds."""
    played, whole = [], tracks.Tournament

    def tournament(players, rules, *, seed, num_deals):
        played.append((players, str(rules), seed, num_deals))
        return whole(players, rules, seed=seed, num_deals=4)

    monkeypatch.setattr(tracks, "Tournament", tournament)
    return played


def published(track, entrant):
    """The score that docs/tracks/ has."""
    said = json.loads((ROOT / f"docs/tracks/{track}/shengji-env.json").read_text())
    assert said["track"] == TRACKS[track].name
    (found,) = [score for score in said["scores"] if score["entrant"] == entrant]
    return Score(entrant, found["value"], tuple(found["interval"]))


def test_the_deals_of_matches_are_frozen(few_deals):
    for name in ("strength", "learning", "response", "unseen-rules"):
        run_track(TRACKS[name], ["random"])
    two_deck = [
        (("random", "heuristic"), "two_deck", 2_873_246_783_523_459_396, 1000),
        (("random", "heuristic"), "two_deck", 17_000, 4000),
        (("random", "champion"), "two_deck", 17_001, 4000),
    ]
    unseen = [(("random", "heuristic"), str(rules), 17_002, 200) for rules in unseen_rules()]
    assert few_deals == two_deck + unseen


def test_strength_is_what_the_ladder_says():
    season = tomllib.loads((ROOT / "docs/ladder/season_2.toml").read_text())
    assert (season["seed"], season["reference_deals"], season["rules"]) == (LADDER_SEED, 1000, "two_deck")
    table = json.loads((ROOT / "docs/ladder/season_2.json").read_text())["table"]
    (row,) = (row for row in table if row["player"] == "greedy")
    (score,) = run_track(TRACKS["strength"], ["greedy"])
    assert score == published("strength", "greedy")
    assert [score.value, *score.interval] == pytest.approx([row["levels_per_round"], *row["levels_interval"]], abs=1e-6)


@pytest.mark.thorough
def test_the_mean_over_rules_counts_each_rule_set_alike(few_deals):
    (score,) = run_track(TRACKS["unseen-rules"], ["greedy"])
    each = [play_matchup("greedy", "heuristic", num_deals=4, rules=one, seed=17_002) for one in unseen_rules()]
    assert score.value == pytest.approx(np.mean([result.levels_per_round for result in each]), abs=1e-6)
    assert score.interval[0] < score.value < score.interval[1]


def test_a_response_that_loses_has_found_nothing(few_deals):
    (score,) = run_track(TRACKS["response"], ["random"])
    assert score.value == 0
    assert score.interval[1] < 0
    won = replace(TRACKS["response"], prepare=tracks._match("random", 1, 4))
    (score,) = run_track(won, ["champion"])
    assert score.value > 0


@pytest.mark.parametrize("name", ["response", "beliefs"])
def test_another_network_does_not_take_the_place_of_the_champion(name):
    track = TRACKS[name]
    assert track.digests == {"champion": "b9622c9a6e344d25032331076bb50cfd"}
    other = replace(track, digests={"champion": "0" * 32})
    with pytest.raises(ShengjiError, match=f"{track.name} is played with another champion: .*0{{32}}"):
        run_track(other, ["uniform"])


def test_runs_of_one_learner_have_a_mean_and_others_have_none(few_deals):
    *runs, mean = run_track(TRACKS["learning"], ["random", "greedy", "heuristic"])
    values = np.array([score.value for score in runs])
    assert (mean.entrant, mean.value) == ("mean of 3 runs", pytest.approx(values.mean(), abs=1e-6))
    assert mean.interval == pytest.approx(mean_interval(values)[1], abs=1e-5)
    assert [score.entrant for score in run_track(TRACKS["strength"], ["random", "greedy"])] == ["random", "greedy"]


@pytest.mark.thorough
def test_small_games_count_upper_values():
    seen = []
    (score,) = run_track(TRACKS["small-games"], ["greedy"], Work(watch=lambda *done: seen.append(done)))
    assert score == published("small-games", "greedy")
    assert score.interval[0] < score.value == score.interval[1]
    assert seen[-1][0] == seen[-1][1] == len(seen)


@pytest.mark.parametrize(
    ("track", "entrant"),
    [
        pytest.param("unseen-rules", "greedy", marks=pytest.mark.thorough),
        ("decisions", "heuristic"),
        pytest.param("response", "random", marks=pytest.mark.slow),
        pytest.param("beliefs", "uniform", marks=pytest.mark.slow),
    ],
)
def test_an_entrant_reaches_again_what_is_published(track, entrant):
    assert run_track(TRACKS[track], [entrant]) == [published(track, entrant)]


def test_the_rules_of_the_tracks_are_frozen():
    fingerprints = {name: [rules.fingerprint for rules in track.rules()] for name, track in TRACKS.items()}
    thirty = fingerprints.pop("unseen-rules")
    assert len(set(thirty)) == 30
    assert hashlib.sha256("".join(thirty).encode()).hexdigest()[:16] == "61fb793614f5515a"
    small = [rule_set(name).fingerprint for name in ("small_two_ranks", "small_four_ranks")]
    two_deck = [rule_set("two_deck").fingerprint]
    assert fingerprints.pop("small-games") == small == ["f4c198e00a3b", "5884cc25bc67"]
    others = [rule_set(name).fingerprint for name in ("one_deck", "three_deck", "duplicate")]
    assert fingerprints.pop("decisions") == two_deck + others
    assert all(found == two_deck == ["c804044a2a1d"] for found in fingerprints.values())


def test_what_small_games_and_beliefs_are_made_of_is_frozen():
    assert (exploiting.STARTS, exploiting.BRANCHES) == (20, 1000)
    positions = BeliefSet(rule_set("two_deck"))
    assert (positions.rounds, positions.seed) == (belief_positions.ROUNDS, belief_positions.SEED) == (100, 16_000)
    assert positions.players == TRACKS["beliefs"].others == ("champion", "heuristic", "search:20?threads=1")
    assert (belief_positions.SHARE, belief_scores.FLOOR) == (0.2, 0.001)


def test_beliefs_are_those_of_the_frozen_positions(monkeypatch):
    asked, whole = [], tracks.BeliefSet

    def few_rounds(rules, rounds, seed):
        asked.append((str(rules), rounds, seed))
        return whole(rules, 2, seed)

    monkeypatch.setattr(tracks, "BeliefSet", few_rounds)
    (score,) = run_track(TRACKS["beliefs"], ["uniform"])
    assert asked == [("two_deck", 100, 16_000)]
    assert score.interval[0] < score.value < score.interval[1]
    assert 0.8 < score.value < 1.39


def test_the_command_keeps_what_was_played_and_writes_what_it_says(few_deals, tmp_path, capsys):
    command = ["track", "strength", "random", "greedy", "--out", str(tmp_path / "kept"), "--workers", "1"]
    assert main([*command, "--json", str(tmp_path / "first.json")]) == 0
    out = capsys.readouterr().out
    assert "strength/1" in out
    assert "more is better" in out
    kept = sorted(path.relative_to(tmp_path) for path in (tmp_path / "kept").rglob("*") if path.is_file())
    assert kept
    assert main([*command, "--json", str(tmp_path / "second.json")]) == 0
    assert "note: 8 of 8 deals were played before\n" in capsys.readouterr().err
    said, again = (json.loads((tmp_path / name).read_text()) for name in ("first.json", "second.json"))
    assert {**said, "date": ""} == {**again, "date": ""}
    assert said["track"] == "strength/1"
    assert [score["entrant"] for score in said["scores"]] == ["random", "greedy"]


def test_the_file_says_who_enters_when_and_at_what_cost(few_deals, tmp_path, capsys):
    command = ["track", "strength", "random", "--workers", "1"]
    file = ["--json", str(tmp_path / "said.json")]
    assert main([*command, *file, "--team", "us", "--core-hours", "1.5"]) == 0
    assert "note:" not in capsys.readouterr().err
    said = json.loads((tmp_path / "said.json").read_text())
    assert (said["team"], said["core_hours"]) == ("us", 1.5)
    assert abs(date.fromisoformat(said["date"]) - datetime.now(UTC).date()) <= timedelta(days=1)
    assert main([*command, *file]) == 0
    assert "said.json does not say --team and --core-hours, which an entry needs" in capsys.readouterr().err
    assert main([*command, "--team", "us"]) == 2
    assert "give --json FILE too" in capsys.readouterr().err
    assert main([*command, *file, "--core-hours", "-1"]) == 2
    assert "--core-hours -1 must be 0 or more" in capsys.readouterr().err


def test_the_file_says_what_the_scores_depend_on(few_deals, tmp_path):
    assert main(["track", "response", "champion?part=playouts", "random", "--json", str(tmp_path / "said.json")]) == 0
    said = json.loads((tmp_path / "said.json").read_text())
    header = Tournament(("champion", "champion?part=playouts", "random"), rule_set("two_deck")).header()
    assert said["policies"] == header["policies"]
    assert set(said["policies"]) == {"champion", "champion?part=playouts"}
    assert said["versions"] == header["versions"]
    assert said["rules"] == {"two_deck": header["rules"]["fingerprint"]}


@pytest.mark.parametrize("name", ["strength", "unseen-rules", "small-games", "beliefs"])
def test_every_track_says_which_networks_played(name):
    track = TRACKS[name]
    header = track_header(track, ["uniform" if track.takes_belief_models else "champion?part=playouts"])
    assert header["track"] == track.name
    assert set(header["policies"]) == ({"champion"} if track.takes_belief_models else {"champion?part=playouts"})
    assert len(header["rules"]) == len(track.rules())


def test_what_has_been_measured_stays_when_a_later_entrant_fails(few_deals, tmp_path, capsys):
    command = ["track", "strength", "random", "tests.helpers.players_with_faults:raises?when=1", "--workers", "1"]
    assert main([*command, "--json", str(tmp_path / "said.json")]) == 2
    out, err = capsys.readouterr()
    assert "lost my cards" in err
    assert "random" in out
    assert [score["entrant"] for score in json.loads((tmp_path / "said.json").read_text())["scores"]] == ["random"]


def test_a_folder_for_deals_is_not_silently_left_empty(tmp_path, monkeypatch, capsys):
    quick = replace(TRACKS["small-games"], prepare=lambda text: lambda work: (1.0, (0.5, 1.0)))
    monkeypatch.setitem(tracks.TRACKS, "small-games", quick)
    assert main(["track", "small-games", "greedy", "--out", str(tmp_path / "kept")]) == 0
    assert "small-games/1 plays no deals from which --out could go on" in capsys.readouterr().err
    text = (tmp_path / "kept" / "scores.csv").read_text(encoding="utf-8-sig")
    assert text.splitlines()[:2] == [
        "track,entrant,value,interval_low,interval_high,version",
        f"small-games/1,greedy,1.0,0.5,1.0,{__version__}",
    ]
    assert r"greedy & $1.000$ & $[0.500, 1.000]$ \\" in (tmp_path / "kept" / "scores.tex").read_text(encoding="utf-8")


def test_all_entrants_are_made_before_one_is_measured(few_deals):
    for name in TRACKS:
        first = "uniform" if name == "beliefs" else "greedy"
        with pytest.raises(PlayerError, match="nobody"):
            run_track(TRACKS[name], [first, "nobody"], Work(watch=lambda *done: pytest.fail("it has begun")))


@pytest.mark.parametrize("name", [name for name in TRACKS if name != "beliefs"])
def test_persons_are_refused(name):
    with pytest.raises(PlayerError, match="is a person"):
        run_track(TRACKS[name], ["human"], Work(watch=lambda *done: pytest.fail("it has begun")))


def test_who_cannot_be_measured_is_refused(capsys):
    with pytest.raises(ShengjiError, match="twice"):
        run_track(TRACKS["strength"], ["random", "random"])
    assert main(["track", "strength", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


def write_entry(folder, track, team, hours=None, **values):
    """Write what `shengji track --json` writes."""
    scores = [{"entrant": name, "value": value, "interval": [value, value]} for name, value in values.items()]
    path = folder / track.partition("/")[0] / f"{team}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        json.dumps({"track": track, "team": team, "date": "2026-01-02", "core_hours": hours, "scores": scores})
    )


def test_a_table_has_the_best_first_and_refuses_other_versions(tmp_path):
    write_entry(tmp_path, "strength/1", "us", weak=-1.0, strong=0.5)
    write_entry(tmp_path, "strength/1", "them", middling=0.25)
    write_entry(tmp_path, "small-games/1", "us", hours=1.5, weak=0.5, strong=0.125)
    assert [line.split("|")[1].strip() for line in entries_table("strength", tmp_path).splitlines()[2:]] == [
        "`strong`", "`middling`", "`weak`",
    ]  # fmt: skip
    assert "| `strong` | us | 2026-01-02 | 1.5 | 0.125 | 0.125 to 0.125 |" in entries_table("small-games", tmp_path)
    assert entries_table("beliefs", tmp_path) == "No entries yet.\n"
    write_entry(tmp_path, "strength/2", "late", new=9.0)
    with pytest.raises(ShengjiError, match=r"late\.json is of strength/2"):
        entries_table("strength", tmp_path)


def test_an_entry_without_a_team_is_refused(tmp_path):
    write_entry(tmp_path, "strength/1", "", weak=-1.0)
    with pytest.raises(ShengjiError, match="does not say whose it is"):
        entries_table("strength", tmp_path)


def test_a_table_of_learners_has_the_mean_of_each(tmp_path):
    mean = {"mean of 2 runs": 0.5}
    write_entry(tmp_path, "learning/1", "us", **{"values:a/run-1": 0.25, "values:a/run-2": 0.75}, **mean)
    assert entries_table("learning", tmp_path).splitlines()[2:] == [
        "| `values:a/run-…` | us | 2026-01-02 | – | +0.500 | +0.500 to +0.500 |"
    ]
    write_entry(tmp_path, "learning/1", "them", only=0.5)
    with pytest.raises(ShengjiError, match=r"them\.json: no mean follows only"):
        entries_table("learning", tmp_path)


def test_a_table_marks_those_that_learned_from_nothing(tmp_path):
    write_entry(tmp_path, "learning/1", "us", **{"selfplay:a": 0.25, "mean of 1 runs": 0.25})
    folder = tmp_path / "learning" / FROM_NOTHING
    folder.mkdir()
    (tmp_path / "learning" / "us.json").rename(folder / "us.json")
    (row,) = entries_table("learning", tmp_path).splitlines()[2:]
    assert row.startswith("| `selfplay:a…` † | us |")
