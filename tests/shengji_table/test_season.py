"""A season: deals that depend on nothing played before, results that can be made again, files checked by replay."""

import asyncio
import contextlib
import json
import re
from dataclasses import replace
from functools import cache

import pytest

from shengji_env.cli import main
from shengji_env.errors import RecordError
from shengji_env.players.registry import make_player
from shengji_env.records.reading import RecordReader
from shengji_table.season.checking import joined, read_person
from shengji_table.season.season import levels_of, made_by, played, shipped_season
from shengji_table.season.verdict import Against, SeasonShown, against, name_of, record_of_person, season_shown
from shengji_table.web.round_loop import play_rounds
from shengji_table.web.session_log import SessionLog, new_plan
from shengji_table.web.static_files import page_files
from tests.helpers.web_clients import FastClock, new_table, run
from tests.render.test_page_modules import fields_of
from tests.shengji_table.test_page import needs_node, run_node

SEASON = shipped_season()
BEGINNING = ("deal", "levels", "declarer", "first_drawer", "round")


def rounds_at_a_table(player, number, path):
    """Play the season's first deals at a table, with a player in the person's place; begin it again as it was kept."""
    names, rounds = (player, *3 * [SEASON.others]), []

    def scenario(num_rounds):
        async def play(executor):
            with contextlib.closing(SessionLog(path, new_plan(SEASON.rule_set, names, "heuristic"))) as log:
                table = new_table(
                    *names, rules=SEASON.rules, seed=SEASON.seed, executor=executor, clock=FastClock(), log=log,
                    is_match=False,
                )  # fmt: skip
                playing = asyncio.ensure_future(play_rounds(table))
                while len(table.rounds) < num_rounds:
                    await asyncio.sleep(0.001)
                playing.cancel()
                rounds[:] = table.rounds[:number]

        return play

    for num_rounds in (1, number):
        run(scenario(num_rounds))
    return [ended.record for ended in rounds], [ended.score for ended in rounds]


@cache
def greedy_rounds():
    """Some deals, played by a player that is not in the file."""
    return [played(SEASON, number, make_player("greedy"), make_player(SEASON.others)) for number in range(3)]


@pytest.fixture
def kept(tmp_path):
    """Write a person's file, with something done to it."""

    def write(name="person-1", rounds=None, number=3, alter=lambda text: text):
        text = record_of_person(SEASON, name, (rounds or greedy_rounds())[:number])
        path = tmp_path / f"{name}-{number}.jsonl"
        path.write_text(alter(text), encoding="utf-8")
        return path

    return write


def test_deals_are_the_same_whatever_was_played_before(tmp_path):
    ones, lines = rounds_at_a_table("greedy", 4, tmp_path / "one.jsonl")
    others, _ = rounds_at_a_table("heuristic", 4, tmp_path / "other.jsonl")
    assert [one["decisions"] for one in ones] != [other["decisions"] for other in others]
    for one, other in zip(ones, others, strict=True):
        assert [one[name] for name in BEGINNING] == [other[name] for name in BEGINNING]
    assert ones[:3] == greedy_rounds()  # as the file's results were made
    assert [line["round"] for line in lines] == [1, 2, 3, 4]
    assert not any(line["match_over"] for line in lines)


def test_results_can_be_made_again():
    assert SEASON.num_deals == 120
    assert {len(made) for made in SEASON.made.values()} == {120}
    assert {abs(levels) for made in SEASON.made.values() for levels in made} <= {0, 1, 2, 3, 4, 5}
    for player, made in SEASON.made.items():
        assert made_by(SEASON, player, (3, 119)) == [made[3], made[119]]


def test_levels_are_those_of_the_team_in_seat_0():
    for number in range(8):
        record = played(SEASON, number, make_player("heuristic"), make_player(SEASON.others))
        result, leader = record["result"], record["tricks"][0]["leader"]
        has_won = (result["winner"] == "declarers") == (leader in (0, 2))
        assert levels_of(record) == (1 if has_won else -1) * result["levels_nominal"]


def test_the_verdict_is_the_mean_of_differences_with_students_interval():
    season = replace(SEASON, made={"champion": [1, 1, 0, 2, -1]})
    found = against(season, "champion", [[2, 1, -1, 3]])  # differences 1, 0, -1, 1: mean 0.25, s 0.957427
    assert found["made"] == [1, 1, 0, 2]
    assert found["difference"] == pytest.approx(0.25)
    error = 3.1824463 * 0.957427 / 2
    assert found["interval"] == pytest.approx((0.25 - error, 0.25 + error), abs=1e-5)
    assert against(season, "champion", [[2]])["interval"] is None
    assert against(season, "champion", [[2, 2]])["interval"] is None  # all alike: they say nothing
    assert against(season, "champion", [[]]) == {
        "player": "champion", "made": [], "difference": None, "interval": None,
    }  # fmt: skip


def test_the_interval_of_several_people_is_over_people_and_deals():
    season = replace(SEASON, made={"champion": [0, 0, 0, 0]})
    found = against(season, "champion", [[2, 0, 2, 0], [1, -1, 1, -1]])
    assert found["difference"] == pytest.approx(0.5)
    # People: means 1 and 0, standard error 0.5. Deals: means 1.5 and -0.5, standard error 0.57735. Satterthwaite: 3.77.
    error = 3.1824463 * (0.25 + 1 / 3) ** 0.5
    assert found["interval"] == pytest.approx((0.5 - error, 0.5 + error), abs=1e-5)
    shorter = against(season, "champion", [[2, 0, 2, 0], [1, -1]])
    assert shorter["difference"] == pytest.approx(4 / 6)
    assert shorter["interval"][0] < 4 / 6 < shorter["interval"][1]


def test_the_page_is_told_nothing_of_deals_to_come():
    shown = season_shown(SEASON, greedy_rounds()[:2])
    assert shown["made"] == [levels_of(record) for record in greedy_rounds()[:2]]
    assert [each["made"] for each in shown["players"]] == [list(made[:2]) for made in SEASON.made.values()]
    assert season_shown(SEASON, [])["players"][0] == {
        "player": "heuristic", "made": [], "difference": None, "interval": None,
    }  # fmt: skip


def test_a_kept_file_is_a_record_and_a_right_one_is_counted(kept):
    path = kept()
    assert [each.record for each in RecordReader(path)] == greedy_rounds()
    assert main(["replay", str(path), "--check"]) == 0
    found = read_person(SEASON, path)
    assert (found.name, found.made) == ("person-1", [levels_of(record) for record in greedy_rounds()])
    assert joined([read_person(SEASON, kept(number=2)), found, found]) == {"person-1": found.made}
    short = replace(SEASON, made={"champion": [1, 1]})
    # A table may go on after the last deal.
    assert record_of_person(short, "person-1", greedy_rounds()).count("\n") == 3
    assert name_of("a secret") == name_of("a secret") != name_of("another")


def by_hand(change):
    """Change what the lines of a file hold."""

    def alter(text):
        lines = [json.loads(line) for line in text.splitlines()]
        change(lines)
        return "".join(json.dumps(line) + "\n" for line in lines)

    return alter


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda lines: lines[0].update(seed=1), "no record of the season"),
        (lambda lines: lines[0]["players"].reverse(), "not a person in seat 0 and champion"),
        (lambda lines: lines[1]["result"].update(levels_nominal=3, levels=3), "line 2: result"),
        (lambda lines: lines.pop(1), "line 2: this is not deal 1 of the season"),
        (lambda lines: lines[2].update(lines[1]), "line 3: this is not deal 2 of the season"),
        (lambda lines: lines[2]["decisions"][-1].update(by="champion"), "line 3: somebody else has played"),
        (lambda lines: lines[1].update(players=4 * ["Bo"]), "line 2: somebody else has played"),
    ],
)  # fmt: skip
def test_an_altered_file_is_refused(change, reason, kept):
    with pytest.raises(RecordError, match=reason):
        read_person(SEASON, kept(alter=by_hand(change)))


def test_a_file_in_which_the_others_play_worse_is_refused(kept):
    weak = [played(SEASON, 0, make_player("greedy"), make_player("random"))]
    with pytest.raises(RecordError, match=r"line 2: seat [123], ply .* champion would decide otherwise"):
        read_person(SEASON, kept(rounds=weak))


def test_nobody_plays_a_deal_twice(kept):
    again = [played(SEASON, 0, make_player("heuristic"), make_player(SEASON.others))]
    with pytest.raises(RecordError, match="'person-1' has played a deal twice"):
        joined([read_person(SEASON, kept()), read_person(SEASON, kept(rounds=again, number=1))])


def test_the_command_prints_who_is_how_strong_and_refuses_by_file(kept, tmp_path, capsys):
    out = tmp_path / "people.json"
    good = [str(kept()), str(kept("person-2", number=2))]
    assert main(["people", *good, good[0], "--json", str(out)]) == 0
    told = capsys.readouterr().out
    assert "two persons, 0 files refused" in told
    rows = [line.split() for line in told.splitlines() if "heuristic" in line]
    assert [row[:3] for row in rows] == [
        ["person-1", "3", "heuristic"], ["person-2", "2", "heuristic"], ["all", "5", "heuristic"],
    ]  # fmt: skip
    mean = season_shown(SEASON, greedy_rounds())["players"][0]["difference"]
    assert rows[0][3] == f"{mean:+.2f}"
    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["people"][0]["made"] == [levels_of(record) for record in greedy_rounds()]
    assert [each["player"] for each in written["all"]] == list(SEASON.made)

    bad = kept("person-3", alter=by_hand(lambda lines: lines[0].update(seed=1)))
    assert main(["people", good[0], str(bad), str(tmp_path / "none.jsonl")]) == 2
    seen = capsys.readouterr()
    assert "person-1" in seen.out
    assert "refused" in seen.err
    assert len([line for line in seen.err.splitlines() if line.startswith("refused: ")]) == 2
    assert main(["people", str(bad)]) == 2
    assert "0 persons, one file refused" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "kind"), [("SeasonShown", SeasonShown), ("SeasonAgainst", Against)])
def test_the_types_have_the_keys_of_what_is_written(name, kind):
    assert set(fields_of("web", name)) == set(kind.__annotations__)


@needs_node
def test_the_panel_has_all_words_in_both_languages_and_uses_them(tmp_path):
    text = page_files()["season_words.js"].read_text(encoding="utf-8")
    words = run_node(tmp_path, re.sub(r"^import .*\n", "", text, flags=re.M) + "\nconsole.log(JSON.stringify(WORDS));")
    assert words["en"].keys() == words["zh"].keys()
    used = page_files()["season.js"].read_text(encoding="utf-8")
    for name, word in words["en"].items():
        assert word.count("{}") == words["zh"][name].count("{}"), name
        assert f'"{name}"' in used, name


PANEL = """
import { seasonPanel } from "./season.js";
class Made {
  constructor(tag) { this.tag = tag; }
  parts = [];
  setAttribute() {}
  addEventListener(_, listener) { this.press = listener; }
  append(part) { this.parts.push(part); }
  get all() { return [this, ...this.parts.flatMap((part) => part.all ?? [])]; }
  get text() { return this.parts.map((part) => part.text ?? part).join("|"); }
}
globalThis.document = { createElement: (tag) => new Made(tag) };
const pressed = [];
const does = { save: () => pressed.push("save"), more: () => pressed.push("more") };
const texts = [];
for (const [season, language] of CASES) {
  const panel = seasonPanel(season, language, does);
  panel.all.filter((each) => each.tag === "button").forEach((button) => button.press());
  texts.push(panel.all.filter((each) => ["p", "tr"].includes(each.tag)).map((each) => each.text));
}
console.log(JSON.stringify({ texts, pressed }));
"""


@needs_node
def test_the_panel_shows_each_deal_and_in_the_end_the_verdict(tmp_path):
    season = replace(SEASON, block=2, made={"heuristic": [1, -1, 2], "champion": [1, 1, 1]})
    shown = [{**season_shown(season, greedy_rounds()[:number]), "made": [1, 2, -1][:number]} for number in range(4)]
    for number, interval in ((2, (-0.52, 1.34)), (3, None)):
        shown[number]["players"][0] |= {"difference": 0.41, "interval": interval}
    cases = [*((each, "en") for each in shown), (shown[2], "zh")]
    told = run_node(tmp_path, PANEL.replace("CASES", json.dumps(cases)))
    before, one, two, three, chinese = told["texts"]
    assert before[0] == "0 of 2 deals played"
    assert before[1].startswith("Your partner and your opponents are champion. heuristic, champion have")
    assert one == ["1 of 2 deals played", "deal|you|heuristic|champion", "1|+1|+1|+1", "mean|+1.00|+1.00|+1.00"]
    assert two[1:5] == ["deal|you|heuristic|champion", "2|+2|−1|+1", "1|+1|+1|+1", "mean|+1.50|0.00|+1.00"]
    assert two[5] == "+0.4 levels a round against heuristic in your seat (95 %: −0.5 to +1.3)"
    assert "Save as a file| |2 more deals" in two
    assert three[0] == "3 of 3 deals played"
    assert any(text.startswith("+0.4 levels a round against heuristic in your seat; how sure") for text in three)
    assert three[-1].endswith("These were all deals.")
    assert "每局 +0.4 级，与同座位的 heuristic 相比（95 %：−0.5 至 +1.3）" in chinese
    assert told["pressed"] == ["save", "more", "save", "save", "more"]
