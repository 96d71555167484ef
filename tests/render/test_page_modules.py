"""The page's modules: they draw what Python draws, hide what Python hides, and fit into one script."""

import json
import re
import shutil
import subprocess
from dataclasses import asdict, fields
from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest

from shengji_env.engine.rule_sets import parse_rules
from shengji_env.records import finished_round, record_header, record_line
from shengji_env.records.replays import Replay, change_of
from shengji_env.render.decision_values import DecisionValues
from shengji_env.render.page import embed_json, inline_page, inline_script, modules_of, read_module
from shengji_env.render.picture import sheet as card_sheet
from shengji_env.render.picture.elements import Element
from shengji_env.render.picture.sheet import Style
from shengji_env.render.picture.table_picture import draw_table
from shengji_env.render.round_record import RoundDecision
from shengji_env.render.view import WATCHER, Hand, ShownBid, Trick, View
from shengji_table.review import as_valuer, review_round
from shengji_table.web import messages
from tests.helpers.late_bidders import REBEL_RULES, RETAKE_RULES, late_rounds
from tests.helpers.paths import DATA, ROOT, TESTS
from tests.helpers.thorough import thorough

NODE = shutil.which("node")
TSC = shutil.which("tsc")
PLAYTHROUGHS = DATA / "playthroughs"
NAMES = (
    "two_deck", "two_deck-failed_throw", "two_deck-overturn", "three_deck-forced", "four_deck", "competition-named",
    "one_deck_45-draw", "one_deck-match", "chaodipi",
)  # fmt: skip
STYLES = (
    Style(), Style(theme="dark", language="zh"), Style(layout="narrow", four_colors=True),
    Style(layout="narrow", language="zh", theme="dark"), Style(layout="low"), Style(layout="low", language="zh"),
)  # fmt: skip
TYPES = (
    ("render", "View", View), ("render", "Bid", ShownBid), ("render", "Hand", Hand), ("render", "Trick", Trick),
    ("web", "Ask", messages.Ask), ("web", "Shown", messages.TableState), ("web", "Welcome", messages.Welcome),
    ("web", "Extend", messages.Extend), ("web", "Hint", messages.Hint), ("web", "Accepted", messages.Accepted),
    ("web", "Refused", messages.Refused), ("web", "ReplayLink", messages.ReplayLink),
    ("web", "Compiling", messages.Compiling), ("web", "Lobby", messages.Lobby),
    ("web", "LobbySeat", messages.LobbySeat), ("web", "Seated", messages.Seated),
)  # fmt: skip
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed: the page's modules cannot run")


def gallery(viewer):
    """Views of every kind: each phase and each viewer, with and without names."""
    for number, name in enumerate(NAMES):
        replay = Replay.read(PLAYTHROUGHS / f"{name}.jsonl")
        views = list(replay.views(replay.rounds[-1], viewer=viewer))
        yield from views[number % 3 :: max(1, len(views) // 6)]
        yield views[-1]


def run_node(program, given):
    folder = Path(str(resources.files("shengji_env.render.page"))).as_uri()
    command = [NODE, str(TESTS / "page" / program), folder]
    answer = subprocess.run(
        command, input=json.dumps(given), capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def answers(cases):
    sheet = {name: card_sheet.sheet(name) for name in ("glyphs", "layout", "words")}
    return run_node("draw.mjs", {"sheet": sheet, "cases": cases})


def as_json(part):
    if isinstance(part, str):
        return part
    assert isinstance(part, Element)
    children = [as_json(child) for child in part.children]
    return {"tag": part.tag, "attributes": dict(part.attributes), "children": children}


@needs_node
def test_the_page_draws_the_same_picture_as_python():
    views = [*gallery(None), *gallery(2), *gallery(WATCHER)]
    pairs = [(view, STYLES[number % len(STYLES)]) for number, view in enumerate(views)]
    drawn = answers([{"view": view.to_json(), "style": asdict(style)} for view, style in pairs])
    assert {view.phase for view, _ in pairs} >= {"bid", "bury", "lead", "follow", "over"}
    for (view, style), picture in zip(pairs, drawn, strict=True):
        assert picture == as_json(draw_table(view, style)), (view.rules, view.phase, style)


VALUED = (
    [["HK HK", 0.52], ["S3", 0.314], ["DT D9 D9", -0.005], ["LJ BJ", -0.7], ["C2", -2.5], ["H4", -0.1]],
    [[None, 0.2], ["C2 C2", 0.2], ["BJ BJ", 0.1]], [["S", 1], ["NT", 0], ["H", 0.5]], [["rebel", 0.25], [None, 0]],
    [["C2 C4 C4 C5 D2 D3 D6 D8", 0.1], ["S2 S3 S4 S5 S6 S7 S8 S9", 0]], [["H9", -1.5]],
)  # fmt: skip


@pytest.mark.thorough
@needs_node
def test_the_page_draws_the_same_values_as_python():
    """All seats, more candidates than there is room for, ties, words, cards of all suits and jokers."""
    cases, expected = [], []
    for number, view in enumerate([*gallery(None), *gallery(2), *gallery(WATCHER)]):
        options = VALUED[number % len(VALUED)]
        played, second = (number % len(options), len(options) - 1) if number % 3 else (None, None)
        seat = number % 4 if view.seat is None or number % 5 == 0 else view.seat
        given = {"ply": 0, "seat": seat, "cost": 0, "options": options, "played": played, "second": second}
        style = STYLES[number // 2 % len(STYLES)]
        cases.append({"view": view.to_json(), "style": asdict(style), "values": given})
        expected.append(as_json(draw_table(view, style, DecisionValues.of(given))))
    assert sum("data-values" in str(picture) for picture in expected) > len(expected) // 3
    for case, drawn, picture in zip(cases, answers(cases), expected, strict=True):
        assert drawn == picture, (case["values"], case["style"])


@needs_node
@pytest.mark.parametrize("viewer", [0, *thorough(1, 2, 3, WATCHER)])
def test_the_page_hides_what_a_viewer_may_not_see(viewer):
    seen = answers([{"view": view.to_json(), "viewer": viewer} for view in gallery(None)])
    expected = [json.loads(json.dumps(view.to_json())) for view in gallery(viewer)]
    assert seen == expected


@needs_node
def test_changes_lead_from_view_to_view():
    views = [json.loads(json.dumps(view.to_json())) for view in gallery(None)]
    cases = [{"view": before, "change": change_of(before, after)} for before, after in pairwise(views)]
    assert answers(cases) == views[1:]


@needs_node
def test_steps_lead_through_all_rounds_and_back():
    replay = Replay.read(PLAYTHROUGHS / "one_deck-match.jsonl").to_json()
    replay["rounds"] = replay["rounds"][:3]
    state = {"round": 0, "ply": 0, "viewer": None, "isPlaying": True}
    units = ("decision", "play", "trick")
    stops = run_node("step.mjs", {"replay": replay, "state": state, "actions": []})["stops"]
    for place, unit in enumerate(units):
        all_stops = [[number, ply] for number, of_round in enumerate(stops) for ply in of_round[place]]
        forth = [{"type": "step", "by": 1, "unit": unit}] * (len(all_stops) + 2)
        back = [{"type": "step", "by": -1, "unit": unit}] * (len(all_stops) + 2)
        states = run_node("step.mjs", {"replay": replay, "state": state, "actions": forth + back})["states"]
        visited = [[each["round"], each["ply"]] for each in states]
        assert [step for step in all_stops if step not in visited] == []
        assert visited[len(forth) - 1] == all_stops[-1]
        assert visited[-1] == [0, 0]
        assert all(each["link"] == [each["round"], each["ply"], None] for each in states)
    for of_round, round_ in zip(stops, replay["rounds"], strict=True):
        assert of_round[0] == list(range(len(round_["decisions"]) + 1))
        assert len(of_round[2]) == len(round_["tricks"]) + 2
        assert set(of_round[2]) <= set(of_round[1]) <= set(of_round[0])


@needs_node
def test_what_does_not_exist_is_not_gone_to():
    replay = Replay.read(PLAYTHROUGHS / "one_deck.jsonl").to_json()
    state = {"round": 0, "ply": 0, "viewer": None, "isPlaying": True}
    last = len(replay["rounds"][0]["decisions"])
    actions = [
        {"type": "go", "round": 7, "ply": 10**9}, {"type": "tick"}, {"type": "step", "by": 1, "unit": "round"},
        {"type": "go", "ply": -5}, {"type": "look", "viewer": -1}, {"type": "nonsense"},
    ]  # fmt: skip
    states = run_node("step.mjs", {"replay": replay, "state": state, "actions": actions})["states"]
    assert [each["ply"] for each in states] == [last, last, 0, 0, 0, 0]
    assert states[1]["isPlaying"] is False
    assert {each["round"] for each in states} == {0}
    assert states[-1]["link"] == [0, 0, -1]


def test_every_module_is_short_and_makes_no_markup():
    modules = modules_of("replay.js")
    folder = resources.files("shengji_env.render.page")
    assert sorted(modules) == sorted(file.name for file in folder.iterdir() if file.name.endswith(".js"))
    for name in modules:
        text = read_module(name)
        assert text.count("\n") <= 250, name
        assert max(map(len, text.splitlines())) <= 120, name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text), name


@needs_node
def test_the_modules_fit_into_one_script(tmp_path):
    script = tmp_path / "page.mjs"
    script.write_text(inline_script("replay.js"), encoding="utf-8")
    checked = subprocess.run([NODE, "--check", str(script)], capture_output=True, text=True, check=False, timeout=60)
    assert checked.returncode == 0, checked.stderr
    assert not re.search(r"^(import|export) ", script.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.skipif(
    TSC is None, reason="tsc is not installed (Debian: apt-get install node-typescript; or npm install -g typescript)"
)
def test_the_types_of_the_modules_are_right():
    project = ROOT / "tsconfig.json"
    command = [TSC, "--project", str(project), "--pretty", "false"]
    checked = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=120)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize(("folder", "name", "kind"), TYPES)
def test_the_types_have_the_fields_that_python_writes(folder, name, kind):
    assert set(fields_of(folder, name)) - {"type"} == {field.name for field in fields(kind)}


@pytest.mark.parametrize(
    ("folder", "name", "kind"), [("render", "Decision", RoundDecision), ("web", "Score", messages.ScoreLine)]
)
def test_the_types_have_the_keys_of_what_python_writes(folder, name, kind):
    assert set(fields_of(folder, name)) == set(kind.__annotations__)


def test_the_type_of_a_round_has_the_keys_of_the_replay_page():
    (written,) = Replay.read(PLAYTHROUGHS / "two_deck.jsonl").to_json()["rounds"]
    assert set(fields_of("render", "Round")) == set(written)


@needs_node
def test_the_page_and_python_tell_an_overbid_from_a_bid():
    replay = Replay.of(late_record(RETAKE_RULES[0]))
    views = [view for each in replay.rounds for view in replay.views(each) if view.phase == "bid" and view.trump]
    assert views
    pictures = answers([{"view": view.to_json(), "style": asdict(Style())} for view in views])
    assert pictures == [as_json(draw_table(view, Style())) for view in views]


def test_the_types_of_a_review_have_the_keys_of_what_python_writes():
    replay = Replay.read(PLAYTHROUGHS / "one_deck.jsonl")
    review = review_round(replay.rules, replay.rounds[0], as_valuer("heuristic", replay.rules))
    assert set(fields_of("render", "Review")) == set(review)
    assert set(fields_of("render", "Valued")) == {field.name for field in fields(DecisionValues)}
    assert set(review["valued"][0]) | {"second", "error", "why"} == set(fields_of("render", "Valued"))
    assert set(review["summary"][0]) == set(fields_of("render", "Summary"))


def test_a_round_of_a_replay_names_who_has_rebelled_before():
    replay = Replay.of(late_record(REBEL_RULES[0]))
    found = [each["rebels"] for each in replay.to_json()["rounds"]]
    assert [len(rebels) for rebels in found] == [len(each.record.get("abandoned", ())) for each in replay.rounds]
    for rebels, each in zip(found, replay.rounds, strict=True):
        assert rebels == [step["seat"] for deal in each.record.get("abandoned", ()) for step in deal["decisions"]
                          if step.get("rebel")]  # fmt: skip
    assert any(found)


def late_record(rules):
    """The lines of a record in which seats overbid or rebel."""
    rounds = late_rounds(rules, 20, on_end=finished_round)
    return [record_line(record_header(parse_rules(rules), ["a", "b", "c", "d"], 3)), *map(record_line, rounds)]


def fields_of(folder, name):
    """The fields of a type that the page's modules read."""
    page = {"render": ("shengji_env.render.page", "types.d.ts"), "web": ("shengji_table.web.page", "messages.d.ts")}
    package, file = page[folder]
    text = resources.files(package).joinpath(file).read_text(encoding="utf-8")
    found = re.search(rf"^export interface {name} \{{\n(.*?)^\}}$", text, re.MULTILINE | re.DOTALL)
    assert found, name
    return re.findall(r"^  (\w+)\??:", found[1], re.MULTILINE)


def test_embedded_values_cannot_end_their_element():
    hostile = {"name": "</script><script>alert(1)</script><!-- & \u2028 \ud800"}
    text = embed_json(hostile)
    assert not re.search("[<>&]", text)
    assert json.loads(text) == hostile
    page = inline_page("<b>\udc80", "replay.js", {"replay": hostile})
    assert page.count("</script>") == 3
    page.encode()


def test_the_pages_words_are_there_in_both_languages_and_are_used():
    english, chinese = (
        dict(re.findall(r"^    (\w+): \"(.*)\",$", block, re.MULTILINE))
        for block in re.findall(r"^  (?:en|zh): \{\n(.*?)^  \},$", read_module("words.js"), re.MULTILINE | re.DOTALL)
    )
    assert len(english) > 30
    others = "".join(read_module(name) for name in modules_of("replay.js") if name != "words.js")
    for word, text in english.items():
        assert text.count("{}") == chinese[word].count("{}"), word
        assert f'"{word}"' in others, word
    assert english.keys() == chinese.keys()


def test_both_languages_have_all_words_and_letters():
    words = card_sheet.sheet("words")
    letters = card_sheet.sheet("glyphs")["letters"]
    assert words["en"].keys() == words["zh"].keys()
    for language in words.values():
        for word in language.values():
            assert set(word) - set("{}") <= set(letters), word
