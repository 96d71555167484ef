// The replay page's elements: made once, filled anew whenever the state changes.

import { othersOf } from "./beside.js";
import { cardLine, make, trumpText } from "./dom.js";
import { element, toSvg } from "./elements.js";
import { panels, roundName } from "./panels.js";
import { rulesName } from "./preset_names.js";
import { heardDecision, lastPly, visible } from "./replay_state.js";
import { costlyMarks, valuesHere } from "./review_panel.js";
import { seatName } from "./header.js";
import { layoutFor, layoutIn, makeStyle } from "./sheet.js";
import { phrase, spokenView } from "./spoken.js";
import { drawTable } from "./table.js";
import { seenBy } from "./views.js";
import { say } from "./words.js";

/** @typedef {import("./replay_state.js").State} State */
/** @typedef {import("./types.js").Replay} Replay */
/** @typedef {import("./replay_state.js").Dispatch} Dispatch */
/** @typedef {import("./types.js").View} View */

const COLORS = "M4 4H10V10H4ZM14 4H20V10H14ZM4 14H10V20H4ZM14 14H20V20H14Z";
const HALF_DARK = "M12 3A9 9 0 0 0 12 21ZM12 3A9 9 0 0 1 12 21 9 9 0 0 0 12 3";
const KINDS = /** @type {const} */ (["bid", "name", "bury", "lead", "forced", "follow"]);
const DIFFERS = "M4 9H20M4 15H20M16 4 8 20";
const BARS = "M4 5H20M4 12H14M4 19H9";
/** Pixels: the narrowest of two tables, what is between them, and what stands below. */
const [LEAST_TABLE, GAP_OF_TWO, BELOW] = [288, 10, 140];
const PAUSE = "M8 4V20M16 4V20";
/** @type {[name: import("./words.js").Word, path: string, action: import("./replay_state.js").Action | null][]} */
const BUTTONS = [
  ["first", "M5 4V20M19 5 9 12 19 19Z", { type: "go", ply: 0 }],
  ["trickBack", "M12 5 3 12 12 19ZM21 5 12 12 21 19Z", { type: "step", by: -1, unit: "trick" }],
  ["back", "M16 5 6 12 16 19Z", { type: "step", by: -1, unit: "play" }],
  ["play", "M6 3 20 12 6 21Z", null],
  ["on", "M8 5 18 12 8 19Z", { type: "step", by: 1, unit: "play" }],
  ["trickOn", "M3 5 12 12 3 19ZM12 5 21 12 12 19Z", { type: "step", by: 1, unit: "trick" }],
  ["last", "M19 4V20M5 5 15 12 5 19Z", { type: "go", ply: Infinity }],
];

/** Make the page's elements; return a function that shows a state.
 * @param {HTMLElement} root @param {Replay} replay @param {(round: number, ply: number) => View} views
 * @param {Dispatch} dispatch @returns {(state: State) => void} */
export function makePage(root, replay, views, dispatch) {
  const title = make("h1", {});
  const tools = make("div", { class: "tools" });
  const picture = make("div", { class: "picture" });
  const caption = make("p", { class: "caption", "aria-live": "polite" });
  const bar = /** @type {HTMLInputElement} */ (make("input", { type: "range", min: 0, step: 1 }));
  bar.addEventListener("input", () => dispatch({ type: "go", ply: Number(bar.value) }));
  const buttons = make("div", { class: "buttons" });
  const marks = make("div", { class: "marks-bar" });
  const help = make("p", { class: "note help" });
  const side = make("aside", { tabindex: 0 });
  const spoken = make("section", { class: "spoken" });
  const controls = make("nav", { class: "controls" }, caption, make("div", { class: "bar" }, marks, bar), buttons);
  const stage = make("section", { class: "stage" }, picture, spoken, controls, help);
  root.replaceChildren(make("header", {}, title, tools), make("main", {}, stage, side));

  const other = othersOf(replay);
  let toolsShown = "";

  /** Draw the table, and beside it another table of the deal if there is one.
   * @param {State} state @returns {SVGElement[]} */
  function pictures(state) {
    const round = replay.rounds[state.round];
    const { table } = round.beside ?? {};
    const view = visible(state, views);
    const style = makeStyle({ ...state, ...(table ? roomOfTwo(picture) : layoutIn(picture)) });
    const shown = toSvg(drawTable(view, style, state.values ? valuesHere(state, round) : null), document);
    const there = other(state.round, state.ply, views(state.round, state.ply));
    if (!table || !there) return [shown];
    const values = state.values ? valuesHere({ ...state, ply: there.ply }, table) : null;
    return [shown, toSvg(drawTable(seenBy(there.view, state.viewer), style, values), document)];
  }

  return (state) => {
    const focus = focusable(root).indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const round = replay.rounds[state.round];
    const view = visible(state, views);
    const layout = layoutFor(innerWidth, innerHeight);
    const style = makeStyle({ ...state, layout });
    const nameOf = (/** @type {number} */ seat) => seatName(seat, view, style);
    document.documentElement.dataset.theme = state.theme;
    document.documentElement.lang = state.language === "zh" ? "zh-Hans" : "en";
    const rules = make("small", { title: replay.rules }, rulesName(replay.rules, state.language));
    title.replaceChildren(say(state.language, "title"), rules);
    const shown = [state.round, state.viewer, state.theme, state.language, state.four_colors, state.values].join();
    if (shown !== toolsShown) tools.replaceChildren(...toolElements(state, replay, nameOf, dispatch));
    toolsShown = shown;
    root.dataset.layout = layoutFor(innerWidth, innerHeight);
    spoken.setAttribute("aria-label", phrase(state.language, "table"));
    spoken.replaceChildren(...spokenView(view, style, nameOf).map((text) => make("p", {}, text)));
    side.setAttribute("aria-label", say(state.language, "lists"));
    caption.replaceChildren(...captionOf(state, replay, view, nameOf));
    bar.max = String(lastPly(round));
    bar.value = String(state.ply);
    bar.setAttribute("aria-label", say(state.language, "position"));
    marks.replaceChildren(...markElements(state, round));
    const isCompared = replay.rounds.some((each) => each.beside);
    buttons.replaceChildren(...buttonElements(state, isCompared, dispatch));
    picture.classList.toggle("two", Boolean(round.beside?.table));
    help.replaceChildren(say(state.language, "help") + (isCompared ? say(state.language, "helpBeside") : ""));
    picture.replaceChildren(...pictures(state));
    const scrolled = side.scrollTop;
    side.replaceChildren(...panels(state, replay, (ply) => views(state.round, ply), nameOf, dispatch));
    side.scrollTop = scrolled;
    if (focus >= 0 && !root.contains(document.activeElement)) focusable(root)[focus]?.focus();
  };
}

/** Return the room of each of two tables that stand side by side, or below one another where the window is narrow.
 * @param {HTMLElement} picture @returns {{layout: string, room: [number, number]}} */
function roomOfTwo(picture) {
  const { clientWidth: width, offsetTop: top } = picture;
  const isWide = width >= 2 * LEAST_TABLE + GAP_OF_TWO;
  const height = Math.max(LEAST_TABLE, innerHeight - top - BELOW);
  return { layout: "narrow", room: [isWide ? (width - GAP_OF_TWO) / 2 : width, height] };
}

/** Return what the keyboard can reach, in order: elements that are made anew keep their places, and so the focus.
 * @param {HTMLElement} root @returns {HTMLElement[]} */
function focusable(root) {
  return [...root.querySelectorAll("button, select, input")].map((each) => /** @type {HTMLElement} */ (each));
}

/** @param {State} state @param {Replay} replay @param {(seat: number) => string} nameOf @param {Dispatch} dispatch */
function toolElements(state, replay, nameOf, dispatch) {
  const { language, theme, four_colors } = state;
  const rounds = replay.rounds.map((_, number) => [String(number), roundName(replay, number, language)]);
  const seats = [0, 1, 2, 3].map((seat) => [String(seat), say(language, "seatView", nameOf(seat))]);
  const viewers = [["", say(language, "allHands")], ...seats, ["-1", say(language, "watcher")]];
  const otherTheme = theme === "dark" ? "light" : "dark";
  const other = language === "en" ? "zh" : "en";
  const set = (/** @type {keyof State} */ name, /** @type {State[keyof State]} */ value) => () =>
    dispatch({ type: "set", name, value });
  const roundChooser = chooser(say(language, "round"), rounds, String(state.round), (value) =>
    dispatch({ type: "go", round: Number(value), ply: 0 }),
  );
  return [
    ...(replay.rounds.length > 1 ? [roundChooser] : []),
    chooser(say(language, "view"), viewers, String(state.viewer ?? ""), (value) =>
      dispatch({ type: "look", viewer: value === "" ? null : Number(value) }),
    ),
    ...(replay.rounds.some((round) => round.review)
      ? [iconButton(BARS, say(language, "values"), set("values", !state.values), { "aria-pressed": state.values })]
      : []),
    iconButton(COLORS, say(language, "colors"), set("four_colors", !four_colors), { "aria-pressed": four_colors }),
    iconButton(HALF_DARK, say(language, otherTheme), set("theme", otherTheme)),
    make("button", { onclick: set("language", other) }, say(language, "language")),
  ];
}

/** @param {string} label @param {string[][]} options @param {string} chosen @param {(value: string) => void} choose */
function chooser(label, options, chosen, choose) {
  const items = options.map(([value, text]) => make("option", { value, selected: value === chosen }, text));
  const onchange = (/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.target).value);
  return make("select", { "aria-label": label, onchange }, ...items);
}

/** @param {State} state @param {boolean} isCompared @param {Dispatch} dispatch */
function buttonElements(state, isCompared, dispatch) {
  const onDifference = () => dispatch({ type: "step", by: 1, unit: "difference" });
  const next = isCompared ? [iconButton(DIFFERS, say(state.language, "nextDifference"), onDifference)] : [];
  return [...next, ...BUTTONS.map(([name, path, action]) => {
    const isPlay = action === null;
    const label = say(state.language, isPlay && state.isPlaying ? "pause" : name);
    const made = action ?? { type: "set", name: "isPlaying", value: !state.isPlaying };
    const sign = isPlay && state.isPlaying ? PAUSE : path;
    return iconButton(sign, label, () => dispatch(made), { class: isPlay ? "play" : null });
  })];
}

/** @param {string} path @param {string} label @param {() => void} act
 * @param {Object<string, import("./dom.js").Property>} also */
function iconButton(path, label, act, also = {}) {
  const icon = element("svg", { viewBox: "0 0 24 24", class: "icon" }, element("path", { d: path }));
  return make("button", { title: label, "aria-label": label, onclick: act, ...also }, toSvg(icon, document));
}

/** @param {State} state @param {import("./types.js").Round} round */
function markElements(state, round) {
  return costlyMarks(state, round).flat().map((mark) => {
    const made = make("i", {});
    made.style.left = `${(100 * mark.ply) / Math.max(1, lastPly(round))}%`;
    return made;
  });
}

/** Say what has just happened.
 * @param {State} state @param {Replay} replay @param {View} view
 * @param {(seat: number) => string} nameOf @returns {(Node | string)[]} */
function captionOf(state, replay, view, nameOf) {
  const { language } = state;
  const decision = heardDecision(state, replay, view);
  const { rebels, decisions } = replay.rounds[state.round];
  if (decision === null && !state.ply && rebels.length) return [say(language, "startAgain", rebels.length)];
  if (decision === null) return [say(language, state.ply ? "opening" : "start")];
  const who = nameOf(decision.seat);
  if ("rebel" in decision) return [say(language, decision.rebel ? "rebel" : "noRebel", who)];
  const kind = KINDS.find((name) => name in decision) ?? "bid";
  const answer = decision[kind] ?? null;
  const isOverbid = kind === "bid" && decisions.slice(0, state.ply).some((before) => "bury" in before);
  const pass = isOverbid ? "passOverbid" : "pass";
  if (answer === null) return [say(language, kind === "bid" ? pass : "buryHidden", who)];
  const failed = kind === "lead" && (view.trick.thrown || view.phase === "forced");
  const what = kind === "name" ? trumpText(answer) : cardLine(answer, language);
  const parts = [say(language, failed ? "failed" : isOverbid ? "overbid" : kind, who), " ", what];
  const trick = view.phase === "over" ? view.trick : view.last_trick;
  const isEnd = kind === "follow" && (view.phase === "over" || view.phase === "lead");
  if (!isEnd || !trick || trick.winning === null) return parts;
  const points = trick.points ? `, +${trick.points}` : "";
  return [...parts, ` · ${say(language, "wins", nameOf(trick.winning))}${points}`];
}
