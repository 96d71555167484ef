"""The ladder: its season's file, what is played and kept, what is played again, and the page."""

import subprocess

import numpy as np
import pytest

from shengji_env.arena.chunks import play_chunk
from shengji_env.arena.ratings import tally
from shengji_env.arena.result import for_a
from shengji_env.support.workers.pools import InProcess, Pool
from tests.helpers.paths import ROOT
from tools import run_ladder, write_ladder
from tools.ladder_results import SeasonResults, deal_texts, read_results, standings
from tools.ladder_season import Identity, LadderError, read_season
from tools.pairing import adaptive_stops
from tools.write_tables import with_tables

FOLDER = ROOT / "docs" / "ladder"
FAULTY = "tests.helpers.players_with_faults:cheats?when=2500"
HEAD = """
number = 3
rules = "one_deck"
announced = 2026-01-01
begins = 2026-02-01
seed_sha256 = "73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049"
seed = 42
reference = "greedy"
reference_deals = 30
deals = 200
most_of_pair = 100
"""
PLAYER = """
[[player]]
name = "{name}"
player = "{player}"
about = "a player"
by = "us"
entered = 2026-01-15
"""
PARTS = "season one_deck", "ladder one_deck", "entries", "seasons"
PLAYERS = ("random", "random"), ("greedy", "greedy"), ("cheat", FAULTY), ("other", "random")


def write_season(folder, head=HEAD, players=PLAYERS, tail=""):
    folder.mkdir(parents=True, exist_ok=True)
    text = head + "".join(PLAYER.format(name=name, player=player) for name, player in players) + tail
    path = folder / "season_3.toml"
    path.write_text(text, encoding="utf-8")
    return path


def results_of(path, again=()):
    season = read_season(path, trusts_file=True)
    return SeasonResults(path.with_suffix(".json"), season, season.identities(path.parent), again)


def play_all(path, again=(), executor=None):
    results = results_of(path, again)
    run_ladder.play(results, executor or InProcess())
    return kept(path)


def kept(path):
    """A season's results without what varies from run to run."""
    data = read_results(path.with_suffix(".json"))
    for player in data["players"].values():
        assert player.pop("seconds") > 0
        assert player.pop("decisions") > 0
    return data


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A season that has been played; tests copy it."""
    path = write_season(tmp_path_factory.mktemp("ladder"))
    return path, play_all(path)


@pytest.fixture
def season(played, tmp_path):
    """A copy of it."""
    path = write_season(tmp_path / "ladder")
    path.with_suffix(".json").write_bytes(played[0].with_suffix(".json").read_bytes())
    return path


# ---- the season's file


def test_a_season_names_players_rules_and_deals(tmp_path):
    season = read_season(write_season(tmp_path), trusts_file=True)
    assert (season.number, season.seed, season.rules.fingerprint) == (3, 42, season.tournament.rules.fingerprint)
    assert season.pairing.first == {(0, 1): 30, (1, 2): 30, (1, 3): 30}
    assert [entry.name for entry in season.players] == ["random", "greedy", "cheat", "other"]


def test_a_slow_player_plays_fewer_deals(tmp_path):
    season = read_season(write_season(tmp_path, tail="deals = 20\n"), trusts_file=True)
    assert season.pairing.first[1, 3] == 20
    assert season.pairing.max_of_player == {3: 40}


def test_an_announced_season_has_no_seed_yet_and_is_not_played(tmp_path):
    write_season(tmp_path, HEAD.replace("seed = 42\n", ""))
    with pytest.raises(LadderError, match="no season that has begun"):
        run_ladder.current(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 42", "seed = 43", "seed 43 is not the one whose SHA-256 was announced"),
        ("seed = 42", 'seed = "42"', "the season: seed='42' must be int | None"),
        ("deals = 200", "deal = 200", "the season has deal, which is unknown; there are number, rules"),
        ("number = 3", "", "the season lacks number"),
        ('"greedy"\nref', '"nobody"\nref', "the reference 'nobody' is not one of its players"),
        ('name = "cheat"', 'name = "other"', "other is named twice"),
        ('by = "us"', "by = 1", "player 'random': by=1 must be str"),
        ('by = "us"', "", "player 'random' lacks by"),
        ('rules = "one_deck"', 'rules = "no_deck"', "no_deck"),
        ("number = 3", "number =", "season_3.toml"),
    ],
)
def test_a_wrong_file_is_refused(old, new, message, tmp_path):
    path = write_season(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LadderError, match=message.replace("|", r"\|")):
        read_season(path)


def test_a_file_of_a_player_that_is_missing_is_named(tmp_path):
    season = read_season(write_season(tmp_path, tail='files = ["bot.js"]\n'), trusts_file=True)
    with pytest.raises(LadderError, match=r"player 'other': bot.js cannot be read"):
        season.identities(tmp_path)


def test_a_change_to_a_players_file_is_a_change_to_the_player(tmp_path):
    season = read_season(write_season(tmp_path, tail='files = ["bot.js"]\nversion = "2"\n'), trusts_file=True)
    (tmp_path / "bot.js").write_text("1", encoding="utf-8")
    before = season.identities(tmp_path)
    (tmp_path / "bot.js").write_text("2", encoding="utf-8")
    after = season.identities(tmp_path)
    assert before[:3] == after[:3]
    assert before[3].digest != after[3].digest
    assert (after[3].player, after[3].version) == ("random", "2")


def test_a_network_is_told_by_its_weights(tmp_path):
    """`champion` has a network for the rules, and so has what plays only a part of it; code has its file."""
    players = [*PLAYERS, ("champion", "champion"), ("leads", "champion?part=playouts")]
    identities = read_season(write_season(tmp_path, players=players), trusts_file=True).identities(tmp_path)
    assert [bool(each.digest) for each in identities] == [False, False, True, False, True, True]


def test_a_player_of_others_is_its_commit_and_plays_from_a_clone(tmp_path, monkeypatch):
    """Its deals stand without its code; they are played, also again, only where that is there."""
    monkeypatch.setattr(run_ladder, "ROOT", tmp_path)
    source = 'source = "https://example.org/them/bot@{}"\n'
    path = write_season(tmp_path, tail=source.format("0" * 40))
    season = read_season(path, trusts_file=True)
    assert season.identities(tmp_path)[3] == Identity("random", "0" * 12, "")
    with pytest.raises(LadderError, match=r"other has to play; get it by: git clone https://example.org"):
        run_ladder.play(results_of(path), InProcess())

    clone = tmp_path / season.players[3].clone
    git = ["git", "-C", str(clone), "-c", "user.name=them", "-c", "user.email=them@example.org"]
    subprocess.run(["git", "init", "--quiet", str(clone)], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-m", "a bot"], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    path = write_season(tmp_path, tail=source.format(commit))
    run_ladder.play(results_of(path), InProcess())
    assert results_of(path).deals[1, 3]


# ---- what is kept


def test_deals_are_kept_as_their_rounds_came_out(played):
    path, data = played
    results = results_of(path)
    (cheat,) = [number for number, pair in enumerate(results.pairs) if pair == (1, 2)]
    for number in (0, cheat):
        (chunk,) = results.tournament.chunks(number, 30, set())
        again = play_chunk(chunk)
        assert deal_texts(again, results.season.rules) == results.deals[results.pairs[number]][:30]
        stop = [30 if each == number else 0 for each in range(len(results.pairs))]
        mine = results.tallies(stop)[number]
        expected = tally(again.rounds, results.season.rules)
        assert (mine[: len(expected)] == expected).all()
        assert not mine[len(expected) :].any()
    assert {each["player"] for each in data["lost"]} == {"cheat"}
    assert sum(pair["deals"].split().count("x") for pair in data["pairs"]) == len(data["lost"])


def test_levels_a_round_are_those_against_the_reference(played):
    path, data = played
    results = results_of(path)
    rows = {row["player"]: row for row in data["table"]}
    (chunk,) = results.tournament.chunks(0, 30, set())
    levels = for_a(play_chunk(chunk).rounds, results.season.rules).levels
    assert rows["random"]["levels_per_round"] == pytest.approx(levels.mean())
    assert rows["greedy"]["rating"] == 0.0
    assert rows["random"]["reference_deals"] == 30
    assert rows["other"]["levels_per_round"] == rows["random"]["levels_per_round"]  # the same player
    assert rows["cheat"]["lost"] == len(data["lost"]) > 0
    assert sum(row["deals"] for row in data["table"]) == 2 * (200 - len(data["lost"]))


@pytest.mark.thorough
def test_workers_and_interruptions_change_nothing(played, tmp_path):
    _, whole = played
    with Pool(2) as pool:
        assert play_all(write_season(tmp_path / "pool"), executor=pool) == whole

    class Killed(InProcess):
        def do(self, job, tasks, watch):
            for number, outcome in enumerate(super().do(job, tasks, watch)):
                if number == 2:
                    raise KeyboardInterrupt
                yield outcome

    path = write_season(tmp_path / "killed")
    with pytest.raises(KeyboardInterrupt):
        play_all(path, executor=Killed())
    assert read_results(path.with_suffix(".json"))["table"] == []
    assert play_all(path) == whole


class Counting(InProcess):
    """Notes which deals are played."""

    def __init__(self):
        self.players = []

    def do(self, job, tasks, watch):
        self.players += [player for task in tasks for player in task.players]
        return super().do(job, tasks, watch)


def test_nothing_is_played_twice(season, played):
    counting = Counting()
    assert play_all(season, executor=counting) == played[1]
    assert counting.players == []


def test_only_the_deals_of_a_player_that_has_changed_are_played(season, played):
    counting = Counting()
    assert results_of(season, ["cheat"]).changed == ["cheat"]
    assert play_all(season, ["cheat"], executor=counting) == played[1]
    assert counting.players.count(FAULTY) == len(counting.players) / 2 > 0

    write_season(season.parent, tail='version = "2"\n')
    results = results_of(season)
    assert results.changed == ["other"]
    assert not results.deals[1, 3]
    assert results.deals[0, 1]


def test_players_may_change_places_in_the_file(season):
    """The second of a pair sits where the first sat at the other table."""
    before = results_of(season)
    write_season(season.parent, players=PLAYERS[::-1])
    after = results_of(season)
    assert after.changed == []
    (number,) = [number for number, pair in enumerate(after.pairs) if pair == (2, 3)]
    (chunk,) = after.tournament.chunks(number, 30, set())
    assert deal_texts(play_chunk(chunk), after.season.rules) == after.deals[2, 3][:30]
    assert before.deals[0, 1][:30] != after.deals[2, 3][:30]
    first_lost = min(each["deal"] for each in after.lost)
    after.keep([first_lost + 1] * 6)
    assert {each["deal"] for each in after.lost} == {first_lost}
    after.keep([first_lost] * 6)
    assert after.lost == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"seed": 42', '"seed": 43', "^[^ ]* has deals of another seed or other rules"),
        ("shengji-ladder/1", "shengji-ladder/9", "its format is not shengji-ladder/1"),
        ('"pairs": [', '"pears": [', "is damaged"),
        ('"seconds": ', '"second": ', "is damaged"),
    ],
)
def test_other_files_are_refused(old, new, message, season):
    path = season.with_suffix(".json")
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LadderError, match=message):
        results_of(season)


# ---- playing again


def test_deals_played_again_come_out_the_same(season, capsys):
    assert run_ladder.verify(results_of(season), InProcess(), 5, 0) == 0
    assert "deals of " in capsys.readouterr().out


def test_a_deal_that_was_altered_is_found(season, capsys):
    results = results_of(season)
    results.deals[0, 1] = ["+9-9"] * len(results.deals[0, 1])
    assert run_ladder.verify(results, InProcess(), 5, 1) == 5
    assert "random against greedy, deal " in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--deals", "0"], ["--deals", "-1"], ["--draw", "-1"]])
def test_to_verify_nothing_is_refused(options, capsys):
    assert run_ladder.main(["--verify", *options]) == 2
    assert "must be a whole number from" in capsys.readouterr().err


def test_a_season_that_has_played_nothing_is_not_verified(tmp_path):
    with pytest.raises(LadderError, match="there is nothing to verify"):
        run_ladder.verify(results_of(write_season(tmp_path)), InProcess(), 5, 0)


def test_a_player_that_has_lost_all_its_deals_is_named(tmp_path):
    head = HEAD.replace("reference_deals = 30", "reference_deals = 3").replace("deals = 200", "deals = 12")
    path = write_season(
        tmp_path, head, [("greedy", "greedy"), ("bad", "tests.helpers.players_with_faults:cheats?when=1")]
    )
    with pytest.raises(LadderError, match="bad cannot be rated, since all deals were lost: player 'cheats'"):
        run_ladder.play(results_of(path), InProcess())


# ---- the page


def test_the_page_has_the_tables_of_the_season(season):
    root = season.parent
    (root / "docs" / "images").mkdir(parents=True)
    (root / "docs" / "ladder").mkdir()
    for suffix in (".toml", ".json"):
        season.with_suffix(suffix).rename(root / "docs" / "ladder" / season.with_suffix(suffix).name)
    page = root / "docs" / "ladder.md"
    page.write_text("".join(f"<!-- {name} -->\n<!-- end -->\n" for name in PARTS), encoding="utf-8")
    write_ladder.write(root)
    text = page.read_text(encoding="utf-8")
    assert "Season 3: 4 players, one_deck (" in text
    assert "200 duplicate deals" not in text  # lost ones do not count
    assert "| **greedy** | +0 by definition |" in text
    assert "[results](ladder/season_3.json)" in text
    assert "| – | **cheat** |" in text  # it has lost too many deals
    assert (root / "docs" / "images" / "ladder_one_deck.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_ladder_of_the_manual_is_that_of_its_results():
    text = (ROOT / "docs" / "ladder.md").read_text(encoding="utf-8")
    seasons, played = write_ladder.played_seasons(ROOT)
    assert with_tables(text, write_ladder.page_tables(seasons, played)) == text
    for season in run_ladder.current(FOLDER, trusts_file=True):
        results = next(each for other, each in played.items() if other.number == season.number)
        players = {entry.name for entry in season.players}
        assert players == set(results["players"]) == {row["player"] for row in results["table"]}
        assert season.seed == results["seed"]


@pytest.fixture(scope="module", params=run_ladder.current(FOLDER, trusts_file=True), ids=lambda each: str(each.rules))
def latest(request):
    """The latest season under some rules as it was played, whatever its players are now."""
    season = request.param
    path = FOLDER / f"season_{season.number}.json"
    then = read_results(path)["players"]
    identities = [
        Identity(*(then[entry.name][key] for key in ("player", "version", "digest"))) for entry in season.players
    ]
    return SeasonResults(path, season, identities)


def test_every_machine_lets_the_same_deals_be_played(latest):
    """Those of the season follow from its results so far, to the last deal."""
    for stop in adaptive_stops(latest.season.pairing, latest.tallies):
        assert not latest.chunks(stop)
    assert stop == [len(texts) for texts in latest.deals.values()]


def test_the_table_of_the_results_is_that_of_their_deals(latest):
    data, found = read_results(latest.path), standings(latest)
    assert [row["player"] for row in found] == [row["player"] for row in data["table"]]
    for mine, theirs in zip(found, data["table"], strict=True):
        for key in ("rating", "interval", "levels_per_round", "levels_interval", "deals"):
            assert np.asarray(mine[key]) == pytest.approx(np.asarray(theirs[key]), abs=1e-4)
    assert all("." not in pair["deals"] for pair in data["pairs"])  # none is missing
