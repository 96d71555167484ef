"""The play page's modules: short, without markup, whole in both languages; what is chosen follows from messages."""

import json
import re
import shutil
import subprocess
from importlib import resources
from typing import get_args

import pytest

from shengji_env.engine.referee.extensions import Reason
from shengji_env.web.app import page_files

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed: the page's modules cannot run")
OWN = sorted(file.name for file in resources.files("shengji_env.web.page").iterdir() if file.name.endswith(".js"))


def run_node(tmp_path, script):
    """Run a module beside copies of all of the page's modules; return what it prints, as JSON."""
    for name, file in page_files().items():
        (tmp_path / name).write_bytes(file.read_bytes())
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "script.js").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [NODE, str(tmp_path / "script.js")], capture_output=True, text=True, check=False, timeout=60
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_module_is_short_makes_no_markup_and_imports_what_is_served():
    files = page_files()
    for name in OWN:
        text = files[name].read_text(encoding="utf-8")
        assert text.count("\n") <= 250, name
        assert max(map(len, text.splitlines())) <= 120, name
        assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|\.style\b", text), name
        assert set(re.findall(r'from "\./([\w.]+)"', text)) <= set(files), name


@needs_node
def test_both_languages_have_all_words_with_the_same_gaps(tmp_path):
    text = page_files()["play_words.js"].read_text(encoding="utf-8")
    words = run_node(tmp_path, re.sub(r"^import .*\n", "", text, flags=re.M) + "\nconsole.log(JSON.stringify(WORDS));")
    assert words["en"].keys() == words["zh"].keys()
    for name, word in words["en"].items():
        assert word.count("{}") == words["zh"][name].count("{}"), name
    assert set(get_args(Reason)) <= set(words["en"])
    used = "".join(page_files()[name].read_text(encoding="utf-8") for name in OWN if name != "play_words.js")
    for name in re.findall(r'(?:word|tell\(language,|tell\(settings\.language,)\(?\s*"(\w+)"', used):
        assert name in words["en"], name


SCORE = """
import { sidePanels } from "./score.js";
class Made {
  parts = [];
  setAttribute() {}
  append(part) { this.parts.push(part); }
  get text() { return this.parts.map((part) => part.text ?? part).join("|"); }
}
globalThis.document = { createElement: () => new Made() };
const ends = { levels: ["2", "3"], new_levels: ["2", "3"], rise: 0, match_winner: null, match_over: false };
const line = { round: 1, trump: "H", level_rank: "2", declarer: 0, points: 40, winner: null, ...ends };
const state = { settings: { language: "en" }, server: { away: [], sheet: [line] } };
console.log(JSON.stringify(sidePanels(state, String).map((panel) => panel.text)));
"""


@needs_node
def test_the_score_sheet_shows_a_draw(tmp_path):
    assert run_node(tmp_path, SCORE)[0].endswith("|40|draw")


@needs_node
def test_beside_the_table_it_says_whose_network_is_missing(tmp_path):
    script = SCORE.replace("const state = {", 'const state = { welcome: { unlearned: ["champion"] },')
    said = "No network was learned for these rules: champion decides as heuristic does"
    assert run_node(tmp_path, script)[0] == said
    assert said not in run_node(tmp_path, SCORE)


MESSAGES = """
import { firstState, question, reduce, viewOf } from "./play_state.js";
const hands = { 0: { size: 3, cards: { T: "S2", H: "H4 H4" } } };
const seen = { names: [], taken: "", trick: { plays: {} } };
const view = { ...seen, phase: "lead", viewer: 0, tricks: 3, last_trick: null, hands };
const ask = { kind: "follow", size: 2, options: [] };
const server = { type: "state", move: 7, view, ask };
const settings = { theme: "light", language: "en", four_colors: false, order: "up", animations: true };
const asked = [];
let state = firstState(settings);
function go(action) {
  const before = state;
  state = reduce(state, action);
  asked.push(question(before, state));
}
go({ type: "message", message: { type: "welcome", seat: 0 } });
go({ type: "message", message: server });
const reasons = { S2: "owes_suit", H4: null };
go({ type: "message", message: { type: "extend", move: 7, cards: "", reasons, is_whole: false } });
go({ type: "toggle", card: "S2", isRaised: false });
const refused = [state.notice, state.chosen];
for (let time = 0; time < 3; time += 1) go({ type: "toggle", card: "H4", isRaised: false });
const chosen = state.chosen;
const shown = viewOf(state);
go({ type: "toggle", card: "H4", isRaised: true });
go({ type: "message", message: { ...server, away: [2] } });
const kept = state.chosen;
const trick = { leader: 0, plays: { 0: "H4 H4" } };
go({ type: "message", message: { ...server, move: 8, ask: null, view: { ...view, tricks: 4, last_trick: trick } } });
const order = Object.values(shown.hands[0].cards);
const { chosen: after, held } = state;
console.log(JSON.stringify({ asked, refused, chosen, kept, after, held: held?.trick, taken: shown.taken, order }));
"""


@needs_node
def test_what_is_chosen_follows_from_clicks_and_messages(tmp_path):
    told = run_node(tmp_path, MESSAGES)
    assert told["refused"] == [["reason", "owes_suit", "S2"], []]
    assert told["chosen"] == ["H4", "H4"]  # the hand has no third one
    assert (told["kept"], told["after"]) == (["H4"], [])
    assert told["taken"] == "H4 H4"
    assert told["order"] == ["H4 H4", "S2"]
    assert told["held"]["plays"] == {"0": "H4 H4"}
    asked = [question["cards"] for question in told["asked"] if question]
    assert asked == ["", "H4", "H4 H4", "H4"]
