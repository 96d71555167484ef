"""The play page's modules: short, without markup, whole in both languages; what is chosen follows from messages."""

import inspect
import json
import re
import shutil
import subprocess
from importlib import resources
from typing import get_args

import pytest

from shengji_env.engine.rule_sets import PRESETS
from shengji_env.engine.state import Phase
from shengji_table.puzzles.puzzle import THEMES
from shengji_table.web import guest_names, seating
from shengji_table.web.extensions import Objection
from shengji_table.web.refusals import FAULTS, REFUSALS, Closed
from shengji_table.web.static_files import PageFiles, page_files

WHOLE = ("play.js", "evening.js", "puzzles.js", "home.js", "club.js", "worker.js", "service.js")
"""Modules that no other one imports."""
SCRIPTS = ("play", "evening", "puzzles", "home", "club", "table_in_page", "puzzles_in_page")
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed: the page's modules cannot run")
OWN = sorted(file.name for file in resources.files("shengji_table.web.page").iterdir() if file.name.endswith(".js"))


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


def test_the_modules_are_one_script_too_in_which_nothing_is_imported():
    files = PageFiles()
    scripts = [files.file(f"{name}.all.js").body.decode() for name in SCRIPTS]
    for script in scripts:
        assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    whole = "".join(scripts)
    assert all(f"const {name.removesuffix('.js')}_js = " in whole for name in OWN if name not in WHOLE)


@needs_node
def test_both_languages_have_all_words_with_the_same_gaps(tmp_path):
    text = page_files()["play_words.js"].read_text(encoding="utf-8")
    words = run_node(tmp_path, re.sub(r"^import .*\n", "", text, flags=re.M) + "\nconsole.log(JSON.stringify(WORDS));")
    assert words["en"].keys() == words["zh"].keys()
    for name, word in words["en"].items():
        assert word.count("{}") == words["zh"][name].count("{}"), name
    assert set(get_args(Objection)) <= set(words["en"])
    used = "".join(page_files()[name].read_text(encoding="utf-8") for name in OWN if name != "play_words.js")
    for name in re.findall(r'(?:word|tell\(language,|tell\(settings\.language,)\(?\s*"(\w+)"', used):
        assert name in words["en"], name


@needs_node
def test_the_lobby_has_all_words_in_both_languages_and_uses_them(tmp_path):
    text = page_files()["lobby_words.js"].read_text(encoding="utf-8")
    script = re.sub(r"^import .*\n", "", text, flags=re.M) + "\nconsole.log(JSON.stringify([WORDS, REASONS]));"
    words, reasons = run_node(tmp_path, script)
    assert words["en"].keys() == words["zh"].keys()
    types = resources.files("shengji_table.web.page").joinpath("messages.d.ts").read_text(encoding="utf-8")
    used = types + "".join(page_files()[name].read_text(encoding="utf-8") for name in OWN)
    for name, word in words["en"].items():
        assert word.count("{}") == words["zh"][name].count("{}"), name
        assert f'"{name}"' in used, name
    raised = "".join(inspect.getsource(module) for module in (guest_names, seating))
    sentences = {found.replace("{MAX_NAME}", "24") for found in re.findall(r'(?:GuestError\(|": )f?"([^"]+)"', raised)}
    assert len(sentences) > 10
    assert sentences == set(reasons)


@needs_node
def test_the_puzzle_page_has_all_words_in_both_languages_and_uses_them(tmp_path):
    text = page_files()["puzzle_words.js"].read_text(encoding="utf-8")
    words = run_node(tmp_path, re.sub(r"^import .*\n", "", text, flags=re.M) + "\nconsole.log(JSON.stringify(WORDS));")
    assert words["en"].keys() == words["zh"].keys()
    used = "".join(page_files()[name].read_text(encoding="utf-8") for name in ("puzzle_view.js", "puzzles.js"))
    asked = {f"asks_{phase.name.lower()}" for phase in Phase} - {"asks_over"}
    for name, word in words["en"].items():
        assert word.count("{}") == words["zh"][name].count("{}"), name
        assert f'"{name}"' in used or name in THEMES or name in asked, name
    assert {*THEMES, *asked} <= words["en"].keys()


@needs_node
def test_the_page_without_a_server_has_all_words_in_both_languages_and_uses_them(tmp_path):
    text = page_files()["here_words.js"].read_text(encoding="utf-8")
    words = run_node(tmp_path, re.sub(r"^import .*\n", "", text, flags=re.M) + "\nconsole.log(JSON.stringify(WORDS));")
    assert words["en"].keys() == words["zh"].keys()
    used = "".join(page_files()[name].read_text(encoding="utf-8") for name in OWN if name != "here_words.js")
    for name, word in words["en"].items():
        assert word.count("{}") == words["zh"][name].count("{}"), name
        assert f'"{name}"' in used, name


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


MESSAGES = """
import { firstState, question, reduce } from "./play_state.js";
import { viewOf } from "./shown_view.js";
const hands = { 0: { size: 3, cards: { T: "S2", H: "H4 H4" } } };
const seen = { names: [], taken: "", trick: { plays: {} } };
const view = { ...seen, phase: "lead", viewer: 0, tricks: 3, last_trick: null, hands };
const ask = { kind: "follow", size: 2, options: [] };
const server = { type: "state", move: 7, view, ask };
const settings = { theme: "light", language: "en", four_colors: false, order: "up", animations: true, notices: true };
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
const open = { type: "extend", move: 7, is_whole: false, wrong: [], owed: [], forced: "" };
go({ type: "message", message: { ...open, cards: "", reasons } });
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


AHEAD = """
import { firstState, question, reduce } from "./play_state.js";
import { viewOf } from "./shown_view.js";
const hands = { 0: { size: 6, cards: { T: "BJ S2", H: "H9 H7 H4", C: "C3" } } };
const trick = { leader: 3, plays: {}, winning: null, points: 0, thrown: "" };
const view = { names: [], viewer: 0, phase: "follow", seat: 3, tricks: 3, taken: "", trick, last_trick: null, hands };
const calm = { type: "state", substituted: [], fault: "", ask: null };
const settings = { theme: "light", language: "en", order: "down", animations: true, forced: true };
const ask = { kind: "follow", size: 5, options: [] };
const legal = { type: "extend", move: 8, is_whole: false, reasons: {}, owed: [], size: 5, forced: "H4 H7 H9" };
function play(chosen, extend, settled = settings, hasty = []) {
  const asked = [];
  let state = firstState(settled);
  const go = (action) => {
    const before = state;
    state = reduce(state, action);
    asked.push(question(before, state)?.cards);
  };
  go({ type: "message", message: { type: "welcome", seat: 0 } });
  go({ type: "message", message: { ...calm, move: 6, view } });
  for (const card of chosen) go({ type: "toggle", card, isRaised: false });
  const ahead = viewOf(state).taken;
  go({ type: "message", message: { ...calm, move: 7, view: { ...view, seat: 2 } } });
  const kept = state.chosen;
  go({ type: "message", message: { ...calm, move: 8, view: { ...view, seat: 0 }, ask } });
  const first = asked.at(-1);
  for (const card of hasty) go({ type: "toggle", card, isRaised: false });
  go({ type: "message", message: { ...legal, cards: state.chosen.join(" "), ...extend } });
  const settledOn = [state.chosen, state.notice];
  const again = asked.at(-1);
  go({ type: "toggle", card: "H9", isRaised: true });
  go({ type: "message", message: { ...legal, cards: state.chosen.join(" "), wrong: [] } });
  const lowered = state.chosen;
  go({ type: "message", message: { ...calm, move: 9, view: { ...view, seat: 1 } } });
  return { ahead, kept, first, settledOn, again, lowered, after: state.chosen };
}
const ended = { ...view, phase: "lead", seat: 1, tricks: 4, last_trick: { ...trick, plays: { 1: "H3" } } };
let held = firstState(settings);
const messages = [{ type: "welcome", seat: 0 }, { ...calm, move: 6, view }, { ...calm, move: 7, view: ended }];
for (const message of messages) held = reduce(held, { type: "message", message });
const tapped = reduce(held, { type: "toggle", card: "C3", isRaised: false });
console.log(JSON.stringify({
  good: play(["H7"], { wrong: [] }),
  bad: play(["BJ", "H7"], { wrong: [["BJ", "owes_suit"]] }),
  off: play(["H7"], { wrong: [] }, { ...settings, forced: false }),
  hasty: play([], { wrong: [["BJ", "owes_suit"]] }, settings, ["BJ"]),
  held: [held.held !== null, tapped.held, tapped.chosen],
}));
"""


@needs_node
def test_cards_are_chosen_ahead_kept_or_put_back_and_forced_ones_put_forward(tmp_path):
    told = run_node(tmp_path, AHEAD)
    for name in ("good", "off"):
        assert (told[name]["ahead"], told[name]["kept"], told[name]["first"]) == ("H7", ["H7"], "H7")
        assert told[name]["after"] == []
    assert told["good"]["settledOn"] == [["H7", "H4", "H9"], None]
    assert told["good"]["again"] == "H7 H4 H9"
    assert told["good"]["lowered"] == ["H7", "H4"]  # once put back, it stays there
    assert told["off"]["settledOn"] == [["H7"], None]
    assert told["bad"]["kept"] == ["BJ", "H7"]
    assert told["bad"]["settledOn"] == [["H7", "H4", "H9"], ["reason", "owes_suit", "BJ"]]
    # as is what is chosen before the server has said anything of the decision
    assert told["hasty"]["settledOn"] == [["H4", "H7", "H9"], ["reason", "owes_suit", "BJ"]]
    assert told["held"] == [True, None, ["C3"]]  # a tap ends the hold, and chooses


ASKED = """
import { buttonsOf, captionOf } from "./asking.js";
import { isCalled, isNewCall } from "./notices.js";
import { firstState, reduce } from "./play_state.js";
class Made {
  parts = [];
  setAttribute() {}
  addEventListener() {}
  append(part) { this.parts.push(part); }
  get children() { return this.parts; }
  get textContent() { return this.parts.map((part) => part.textContent ?? part).join(""); }
}
globalThis.document = { createElement: () => new Made() };
const seen = { phase: "bid", viewer: 0, trump: null, seat: null, trick: { leader: null, thrown: "", plays: {} } };
const none = { size: null, options: [], wish: "", is_done: false, is_forced: false };
function stateOf(language, view, ask, rest = {}) {
  const whole = { ...seen, bids: [], hands: {}, ...view };
  const calm = { move: 7, window: null, auto: true, away: [], waiting: [], substituted: [], sheet: [] };
  const server = { ...calm, view: whole, ask: { ...none, ...ask }, ...rest };
  const settings = { language };
  return { ...firstState(settings), connection: "open", welcome: { seat: 0, adviser: "Ann" }, server };
}
"""


def asked(tmp_path, script):
    return run_node(tmp_path, ASKED + script)


@needs_node
def test_each_kind_of_bid_has_a_word_of_its_own(tmp_path):
    told = asked(
        tmp_path,
        """
const views = [{}, { bids: [{ seat: 1 }] }, { bids: [{ seat: 0 }] }, { bids: [{ seat: 1 }], trump: "H" }];
const ask = { kind: "bid", options: ["C2 C2"] };
const words = (language) => views.map((view) => buttonsOf(stateOf(language, view, ask), {})[0].textContent);
console.log(JSON.stringify([words("en"), words("zh")]));
""",
    )
    assert [text.split()[0] for text in told[0]] == ["Bid", "Overturn", "Reinforce", "Overbid"]
    assert [text.split()[0] for text in told[1]] == ["亮主", "反主", "加固", "反底"]


@needs_node
def test_the_hint_is_worded_by_what_is_asked(tmp_path):
    told = asked(
        tmp_path,
        """
const said = (language, kind, cards) => {
  const state = { ...stateOf(language, {}, { kind }), notice: ["hint", cards] };
  if (kind === "last") Object.assign(state.server, { window: 9, ask: { ...state.server.ask, kind: "bid" } });
  return captionOf(state, String).at(-1).textContent;
};
const kinds = [["bury", "C2"], ["bid", "C2"], ["name", "H"], ["lead", "C2"], ["follow", "C2"], ["bid", ""],
  ["last", ""]];
console.log(JSON.stringify(["en", "zh"].map((each) => kinds.map(([kind, cards]) => said(each, kind, cards)))));
""",
    )
    assert told[0] == [
        "Ann would bury ♣2", "Ann would bid ♣2", "Ann would name ♥", "Ann would lead ♣2", "Ann would play ♣2",
        "Ann would not bid yet; the next card may change this", "Ann would not bid",
    ]  # fmt: skip
    assert told[1] == [
        "Ann 会扣 ♣2", "Ann 会亮 ♣2", "Ann 会定 ♥", "Ann 会领出 ♣2", "Ann 会出 ♣2", "Ann 现在不会亮，再摸一张可能就会",
        "Ann 不会亮",
    ]  # fmt: skip


@needs_node
def test_a_hint_says_why_if_a_reason_is_known(tmp_path):
    told = asked(
        tmp_path,
        """
const why = { en: "{A} takes it.", zh: "{A} 最大。" };
const said = (language, hint) => {
  const state = { ...stateOf(language, {}, { kind: "lead" }), notice: ["hint", "C2"], hint };
  return captionOf(state, String).at(-1).textContent;
};
const hints = [{ cards: "C2", why }, { cards: "C2", why: null }];
console.log(JSON.stringify(["en", "zh"].map((each) => hints.map((hint) => said(each, hint)))));
""",
    )
    assert told == [
        ["Ann would lead ♣2. ♣2 takes it.", "Ann would lead ♣2"],
        ["Ann 会领出 ♣2。♣2 最大。", "Ann 会领出 ♣2"],
    ]


@needs_node
def test_who_cannot_answer_an_offer_is_told_so(tmp_path):
    """Whether the hand has no such cards, or the rules do not let the seat."""
    told = asked(
        tmp_path,
        """
const window = { window: 9 };
const views = [{}, { bids: [{ seat: 1 }] }, { bids: [{ seat: 1 }], trump: "H" }, { phase: "rebel", trump: "H" }];
const caption = (language, view, ask, rest) => {
  const state = { ...stateOf(language, view, ask, rest), secondsLeft: rest.window };
  if (!ask) state.server.ask = null;
  return captionOf(state, String).join("");
};
const said = (language) => [
  ...views.map((view) => caption(language, view, { kind: view.phase === "rebel" ? "rebel" : "bid" }, window)),
  ...views.slice(2).map((view) => caption(language, view, null, window)),
  caption(language, views[2], { kind: "bid", options: ["LJ LJ"] }, window),
];
console.log(JSON.stringify([said("en"), said("zh")]));
""",
    )
    assert told[0] == [
        "Last bids: 9 seconds. You have nothing to bid", "Last bids: 9 seconds. You cannot overturn",
        "Overbids: 9 seconds. You cannot overbid",
        "Weak hands may rebel: 9 seconds. Your hand is not weak enough to rebel",
        "Overbids may be made now. Who has bid or buried last may not",
        "Attackers with weak hands may rebel now. Only attackers may rebel",
        "Overbids: 9 seconds. You may overbid with ☆LJ ☆LJ",
    ]  # fmt: skip
    assert told[1][2:4] == ["反底：还有 9 秒。 你的牌反不了底", "弱牌可以造反：还有 9 秒。 你的牌不够弱，不能造反"]
    assert told[1][-1] == "反底：还有 9 秒。 可以反底：小王 小王"


@needs_node
def test_chinese_stands_beside_chinese_without_blanks(tmp_path):
    told = asked(
        tmp_path,
        """
import { listed } from "./lobby_words.js";
import { fill } from "./sheet.js";
import { say } from "./words.js";
const turn = (language, seat, name) => {
  const state = stateOf(language, { phase: "follow", seat }, {});
  state.server.ask = null;
  return captionOf(state, () => name)[0];
};
console.log(JSON.stringify([
  turn("en", 0, "you"), turn("en", 1, "Ann"), turn("zh", 0, "你"), turn("zh", 1, "王平"), turn("zh", 1, "Ann"),
  say("zh", "lead", "你"), say("zh", "lead", "Ann"), say("zh", "and", "你", "王平"),
  say("zh", "and", "human", "heuristic 2"),
  fill("庄家：{}，对家 {}", ["Ann", "座位 3"]), fill("第 {} 局", [3]), listed("en", ["Ann", "Bo", "Cy"]),
]));
""",
    )
    assert told == [
        "Your turn", "Ann is to play", "轮到你", "轮到王平出牌", "轮到 Ann 出牌", "你领出", "Ann 领出",
        "你和王平", "human 和 heuristic 2", "庄家：Ann，对家座位 3", "第 3 局", "Ann, Bo and Cy",
    ]  # fmt: skip


@needs_node
def test_a_match_that_is_over_offers_another_match(tmp_path):
    told = asked(
        tmp_path,
        """
const line = { match_over: true, match_winner: 1 };
const over = (language, sheet) => stateOf(language, { phase: "over" }, { kind: "next" }, { sheet });
const said = (state) => [captionOf(state, String)[0], buttonsOf(state, {})[1].textContent];
const states = [["en", [line]], ["zh", [line]], ["en", [{ ...line, match_winner: null }]], ["en", [{}]]];
console.log(JSON.stringify(states.map(([language, sheet]) => said(over(language, sheet)))));
""",
    )
    assert told == [
        ["The match is over. 1 · 3 win the match.", "New match"], ["整场结束。 1 · 3 方赢得整场。", "再来一场"],
        ["The match is over.", "New match"], ["The round is over", "Next round"],
    ]  # fmt: skip


@needs_node
def test_a_replay_is_said_to_come_and_only_one_that_was_asked_for_is_taken(tmp_path):
    told = asked(
        tmp_path,
        """
const over = (language) => ({ ...stateOf(language, { phase: "over" }, { kind: "next" }), replay: "asked" });
const hear = (state, message) => reduce(state, { type: "message", message });
const said = (state) => buttonsOf(state, {})[0].textContent;
const compiling = { type: "compiling", done: 1, total: 4 };
const link = { type: "replay", path: "/replay/1" };
const waiting = ["en", "zh"].map((language) => said(hear(over(language), compiling)));
const [made, late] = [over("en"), { ...over("en"), replay: null }].map((state) => hear(state, link).replay);
const lost = reduce(over("en"), { type: "connection", status: "lost", by: "" }).replay;
console.log(JSON.stringify({ plain: said(over("en")), waiting, made, late, lost }));
""",
    )
    assert told["plain"] == "is being made …"
    assert "1 of 4 parts" in told["waiting"][0]
    assert "已完成 1 / 4" in told["waiting"][1]
    assert (told["made"], told["late"], told["lost"]) == ("/replay/1", None, None)


@needs_node
def test_a_person_is_called_by_what_the_state_says_and_not_for_forced_plays(tmp_path):
    told = asked(
        tmp_path,
        """
const idle = stateOf("en", {}, {});
idle.server.ask = null;
const states = {
  lead: stateOf("en", {}, { kind: "lead" }),
  forced: stateOf("en", {}, { kind: "follow", is_forced: true }),
  "forced by hand": stateOf("en", {}, { kind: "follow", is_forced: true }, { auto: false }),
  drawing: stateOf("en", {}, { kind: "bid", options: ["C2"] }),
  "last bids": stateOf("en", {}, { kind: "bid" }, { window: 15 }),
  done: stateOf("en", {}, { kind: "bid", is_done: true }, { window: 15 }),
  next: stateOf("en", {}, { kind: "next" }),
};
const sent = reduce(states.lead, { type: "sent" });
const lost = reduce(states.lead, { type: "connection", status: "lost", by: "" });
const all = { idle, ...states, sent, lost };
const called = Object.keys(all).filter((name) => isCalled(all[name]));
const rung = Object.keys(all).filter((name) => isNewCall(idle, all[name]));
const again = [isNewCall(states.lead, states.lead), isNewCall(firstState({}), states.lead)];
console.log(JSON.stringify({ called, rung, again }));
""",
    )
    assert told["called"] == ["lead", "forced by hand", "last bids", "next"]
    assert told["rung"] == ["lead", "forced by hand", "last bids"]
    assert told["again"] == [False, False]


@needs_node
def test_points_are_told_levels_climb_step_by_step_and_notes_rise_for_who_has_won(tmp_path):
    told = asked(
        tmp_path,
        """
import { notesOfEnd } from "./notices.js";
import { endLines } from "./score.js";
const over = (levels, new_levels, winner) => {
  const view = { phase: "over", declarer: 0, result: winner === undefined ? null : { winner } };
  return stateOf("en", view, { kind: "next" }, { sheet: [{ levels, new_levels, taken: [5, 0, 25, 10] }] });
};
const lines = (...given) => endLines(over(...given), (seat) => "abcd"[seat]).map((line) => line.textContent);
const before = stateOf("en", { phase: "follow", result: null }, {});
const rises = (winner) => {
  const notes = notesOfEnd(before, over(["2", "2"], ["2", "2"], winner));
  return notes && notes.at(-1) > notes[0];
};
console.log(JSON.stringify([
  lines(["9", "2"], ["J", "2"]), lines(["5", "5"], ["5", "6"]), lines(["5", "5"], ["2", "8"]),
  lines(["2", "2"], ["2", "2"]),
  ["declarers", "attackers", null].map(rises),
  notesOfEnd(over(["2", "2"], ["2", "2"], "attackers"), over(["2", "2"], ["2", "2"], "attackers")),
  notesOfEnd(before, before),
]));
""",
    )
    assert {lines.pop(0) for lines in told[:4]} == {"Points taken: a 5 · b 0 · c 25 · d 10"}
    assert told[0] == ["a · c9→ 10→ J"]
    assert told[1] == ["b · d5→ 6"]
    assert told[2] == ["a · c5→ 2", "b · d5→ 6→ 7→ 8"]
    assert told[3:] == [[], [True, False, False], None, None]


def words_of(kind):
    """The words of a union type of the messages."""
    text = resources.files("shengji_table.web.page").joinpath("messages.d.ts").read_text(encoding="utf-8")
    return set(re.findall(r'"(\w+)"', re.search(rf"{kind} =?([^;]*);", text)[1]))


def test_the_page_has_words_for_every_reason_of_the_server():
    text = page_files()["play_words.js"].read_text(encoding="utf-8")
    assert words_of("export type RefusalCode") == set(REFUSALS)
    assert words_of("  fault:") == set(FAULTS)
    for name in (*(f"refused_{code}" for code in REFUSALS), *(f"fault_{code}" for code in FAULTS)):
        assert text.count(f" {name}: ") == 2, name
    wire = page_files()["wire.js"].read_text(encoding="utf-8")
    final = {int(code): by for code, by in re.findall(r'(\d{4}): "(\w+)"', wire)}
    assert set(final) == set(Closed) - {Closed.SILENT, Closed.BUSY}
    for by in final.values():
        assert text.count(f"closed_{by}: ") == text.count(f"again_{by}: ") == 2


def test_the_page_knows_the_names_of_all_presets():
    text = page_files()["preset_names.js"].read_text(encoding="utf-8")
    assert all(len(re.findall(rf"\b{preset}: ", text)) == 2 for preset in PRESETS)
