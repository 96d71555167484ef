// The puzzle page's elements: made once, filled anew whenever the state changes.

import { cardButtons, optionButtons } from "./asking.js";
import { CHOOSING } from "./choosing.js";
import { make } from "./dom.js";
import { cardsOf, drawChoosable, focusedCard } from "./hand.js";
import { seatName } from "./header.js";
import { tell } from "./play_words.js";
import { rulesName } from "./preset_names.js";
import { AS_GOOD, tally, valuedOf } from "./puzzle_state.js";
import { say } from "./puzzle_words.js";
import { noticeText } from "./reasons.js";
import { answerNode, optionTable, whyText } from "./review_panel.js";
import { applySettings } from "./settings.js";
import { layoutFor, layoutIn, makeStyle } from "./sheet.js";
import { viewOf } from "./shown_view.js";
import { phrase, spokenView } from "./spoken.js";

/** @typedef {import("./puzzle_state.js").State} State
 * @typedef {import("./puzzle_state.js").Action} Action
 * @typedef {import("./messages.js").ListedPuzzle["theme"]} Theme
 * @typedef {import("./play_words.js").Language} Language
 * @typedef {import("./play_state.js").Request} Request
 * @typedef {{send: import("./messages.js").Send, dispatch: (action: Action | Request) => void,
 *   now: () => import("./play_state.js").State, again: () => void, next: () => void}} Doing */

/** Make the page's elements; return a function that shows a state.
 * @param {HTMLElement} root @param {Doing} doing @returns {(state: State) => void} */
export function makePuzzlePage(root, doing) {
  const title = make("h1", {});
  const tools = make("div", { class: "tools" });
  const picture = make("div", { class: "picture" });
  const place = make("p", { class: "note place" });
  const caption = make("p", { class: "caption", "aria-live": "polite" });
  const why = make("div", { "aria-live": "polite" });
  const buttons = make("div", { class: "buttons" });
  const help = make("p", { class: "note help" });
  const spoken = make("section", { class: "spoken" });
  const side = make("aside", { tabindex: 0 });
  const controls = make("nav", { class: "controls" }, place, caption, why, buttons);
  const stage = make("section", { class: "stage" }, picture, spoken, controls, help);
  root.replaceChildren(make("header", {}, title, tools), make("main", { class: "puzzles" }, stage, side));

  return (state) => {
    const { settings } = state.table;
    const { language } = settings;
    applySettings(settings);
    document.title = say(language, "title");
    root.dataset.layout = layoutFor(innerWidth, innerHeight);
    title.replaceChildren(say(language, "title"), make("small", {}, subtitleOf(state)));
    place.replaceChildren(subtitleOf(state));
    tools.replaceChildren(...toolElements(state, doing));
    caption.replaceChildren(...captionOf(state));
    why.replaceChildren(...reasonOf(state));
    buttons.replaceChildren(...buttonsOf(state, doing));
    help.replaceChildren(say(language, "keys"));
    side.setAttribute("aria-label", say(language, "solution"));
    side.replaceChildren(...solutionPanel(state), progressPanel(state, doing));
    const seen = state.number === null ? null : viewOf(state.table);
    if (!seen) return picture.replaceChildren();
    const style = makeStyle({ ...settings, ...layoutIn(picture) });
    const nameOf = (/** @type {number} */ seat) =>
      seat === seen.viewer ? tell(language, "you") : seatName(seat, seen, style);
    const view = { ...seen, names: [0, 1, 2, 3].map(nameOf) };
    const at = focusedCard(picture);
    const table = state.solution ? { ...state.table, server: null } : state.table;
    picture.replaceChildren(drawChoosable(view, style, table, doing.dispatch, valuedOf(state)));
    if (at >= 0) cardsOf(picture)[at]?.focus();
    spoken.setAttribute("aria-label", phrase(language, "table"));
    spoken.replaceChildren(...spokenView(view, style, nameOf).map((text) => make("p", {}, text)));
  };
}

/** @param {State} state */
function subtitleOf({ number, listed, table }) {
  const { language } = table.settings;
  if (number === null) return "";
  const { rules, level } = listed[number];
  const place = say(language, "number", number + 1, listed.length);
  return [place, rulesName(rules, language), say(language, "level", level)].join(" · ");
}

/** Say what is asked, or what the answer is worth.
 * @param {State} state @returns {(Node | string)[]} */
function captionOf(state) {
  const { table, solution, isValuing, hasFailed, listed, number } = state;
  const { language } = table.settings;
  if (hasFailed) return [make("span", { class: "notice" }, say(language, "failed"))];
  if (isValuing) return [say(language, "valuing")];
  if (number === null) return [say(language, listed.length ? "noneLeft" : "loading")];
  if (solution) return verdictOf(state, solution);
  const { ask, view } = table.server ?? {};
  if (!ask || !view || ask.kind === "next") return [say(language, "loading")];
  const drawn = ask.kind === "bid" ? [" ", say(language, "drawn", view.drawn, view.to_draw)] : [];
  const notice = table.notice ? [" · ", make("span", { class: "notice" }, noticeText(table.notice, table))] : [];
  const chosen = CHOOSING.includes(ask.kind) && ask.size ? ` ${table.chosen.length} / ${ask.size}` : "";
  return [say(language, `asks_${ask.kind}`, ask.size ?? ""), chosen, ...drawn, ...notice];
}

/** @param {State} state @param {import("./messages.js").Solution} solution */
function verdictOf({ table, isTold }, solution) {
  const { language } = table.settings;
  if (solution.played === 0) return [make("b", {}, say(language, "best"))];
  if (solution.loss <= AS_GOOD) return [make("b", {}, say(language, "near"))];
  const cost = make("b", { class: "notice" }, say(language, "wrong", solution.loss.toFixed(2)));
  const isRebellion = table.server?.view.phase === "rebel";
  const best = answerNode(solution.options[0][0], isRebellion, language);
  return isTold ? [cost, " ", say(language, "bestIs"), " ", best] : [cost];
}

/** @param {State} state @param {Doing} doing @returns {HTMLElement[]} */
function buttonsOf(state, doing) {
  const { table, solution, isValuing, number } = state;
  const { language } = table.settings;
  const { ask } = table.server ?? {};
  if (number === null || isValuing || !ask || ask.kind === "next") return [];
  if (solution) {
    const again = () => doing.dispatch({ type: "again" });
    const tell = () => doing.dispatch({ type: "tell" });
    return [
      ...(state.isTold ? [] : [make("button", { class: "tell", onclick: tell }, say(language, "tell"))]),
      make("button", { class: "again", onclick: again }, say(language, "again")),
      make("button", { class: "play next", onclick: doing.next }, say(language, "next")),
    ];
  }
  if (ask.kind === "bury" || ask.kind === "lead" || ask.kind === "follow") return cardButtons(ask.kind, table, doing);
  const options = optionButtons(ask, table, doing);
  if (ask.kind !== "bid" && ask.kind !== "rebel") return options;
  const pass = { class: "pass", onclick: () => doing.send("done", {}) };
  return [...options, make("button", pass, say(language, ask.kind === "rebel" ? "noRebel" : "noBid"))];
}

/** Say why the best play is best, once it is told.
 * @param {State} state @returns {HTMLElement[]} */
function reasonOf({ solution, isTold, table }) {
  if (!solution || !isTold) return [];
  const { language } = table.settings;
  const isRebellion = table.server?.view.phase === "rebel";
  const nodeOf = (/** @type {string | null} */ answer) => answerNode(answer, isRebellion, language);
  return [whyText(solution.why[language], nodeOf(solution.options[0][0]), nodeOf(solution.other))];
}

/** @param {State} state @returns {HTMLElement[]} */
function solutionPanel(state) {
  const { solution, table, listed, number } = state;
  const { language } = table.settings;
  const valued = valuedOf(state);
  if (!solution || !valued || number === null) return [];
  const isRebellion = table.server?.view.phase === "rebel";
  const theme = make("p", { class: "note" }, say(language, "theme", say(language, listed[number].theme)));
  const heading = make("h2", {}, say(language, "solution"));
  const options = optionTable(valued, isRebellion, language);
  return [make("section", { class: "panel solution" }, heading, options, theme)];
}

/** @param {State} state @param {Doing} doing */
function progressPanel(state, doing) {
  const { language } = state.table.settings;
  const { tried, of, solved, loss, streak } = tally(state);
  const row = (/** @type {string} */ label, /** @type {string} */ value) =>
    make("tr", {}, make("td", {}, label), make("td", { class: "number" }, value));
  const share = tried ? ` (${Math.round((100 * solved) / tried)} %)` : "";
  const table = make("table", {}, row(say(language, "tried"), `${tried} / ${of}`),
    row(say(language, "solved"), `${solved}${share}`), row(say(language, "streak"), String(streak)),
    row(say(language, "loss"), tried ? loss.toFixed(2) : "–"));
  const forget = () => {
    if (!confirm(say(language, "sure"))) return;
    doing.dispatch({ type: "forget" });
    doing.next();
  };
  const isNew = Object.keys(state.progress).length === 0;
  const button = make("button", { class: "forget", disabled: isNew, onclick: forget }, say(language, "forget"));
  return make("section", { class: "panel progress" }, make("h2", {}, say(language, "progress")), table,
    make("div", { class: "tools" }, ...choosers(state, doing), button),
    make("p", { class: "note" }, say(language, "how")), make("p", { class: "note" }, say(language, "counts")));
}

/** @param {State} state @param {Doing} doing */
function choosers(state, doing) {
  const { language } = state.table.settings;
  const told = {
    rules: (/** @type {string} */ value) => rulesName(value, language),
    level: (/** @type {string} */ value) => say(language, "level", value),
    theme: (/** @type {string} */ value) => say(language, /** @type {Theme} */ (value)),
  };
  const labels = /** @type {const} */ ({ rules: "rules", level: "levels", theme: "themes" });
  return /** @type {(keyof typeof told)[]} */ (["rules", "level", "theme"]).map((name) => {
    const values = [...new Set(state.listed.map((each) => String(each[name])))].sort();
    const label = say(language, labels[name]);
    const option = (/** @type {string} */ value, /** @type {string} */ text) =>
      make("option", { value, selected: value === state.choice[name] }, text);
    const onchange = (/** @type {Event} */ event) => {
      doing.dispatch({ type: "want", name, value: /** @type {HTMLSelectElement} */ (event.target).value });
      if (state.solution || state.number === null) return;
      doing.next();
    };
    return make("select", { "aria-label": label, onchange }, option("", say(language, "all", label)),
      ...values.map((value) => option(value, told[name](value))));
  });
}

/** @param {State} state @param {Doing} doing */
function toolElements(state, doing) {
  const { settings } = state.table;
  const { language } = settings;
  /** @typedef {import("./play_state.js").Settings} Settings */
  const set = (/** @type {keyof Settings} */ name, /** @type {Settings[keyof Settings]} */ value) => () =>
    doing.dispatch({ type: "set", name, value });
  const theme = settings.theme === "dark" ? "light" : "dark";
  const order = settings.order === "down" ? "up" : "down";
  const colors = { "aria-pressed": String(settings.four_colors), onclick: set("four_colors", !settings.four_colors) };
  const other = { class: "language", onclick: set("language", language === "en" ? "zh" : "en") };
  const reorder = { class: "order", title: tell(language, "order"), onclick: set("order", order) };
  return [
    make("button", other, tell(language, "language")),
    make("button", { class: "theme", onclick: set("theme", theme) }, tell(language, theme)),
    make("button", reorder, tell(language, settings.order)),
    make("button", colors, tell(language, "colors")),
  ];
}
