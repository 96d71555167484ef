// The replay page's elements: made once, filled anew whenever the state changes.

import { cardLine, make, trumpText } from "./dom.js";
import { element, toSvg } from "./elements.js";
import { panels, roundName } from "./panels.js";
import { heardDecision, lastPly, visible } from "./replay_state.js";
import { seatName } from "./seats.js";
import { makeStyle } from "./sheet.js";
import { drawTable } from "./table.js";
import { say } from "./words.js";

/** @typedef {import("./replay_state.js").State} State */
/** @typedef {import("./types.js").Replay} Replay */
/** @typedef {import("./replay_state.js").Dispatch} Dispatch */
/** @typedef {import("./types.js").View} View */

const NARROW = 620;
const COLORS = "M4 4H10V10H4ZM14 4H20V10H14ZM4 14H10V20H4ZM14 14H20V20H14Z";
const HALF_DARK = "M12 3A9 9 0 0 0 12 21ZM12 3A9 9 0 0 1 12 21 9 9 0 0 0 12 3";
const KINDS = /** @type {const} */ (["bid", "name", "bury", "lead", "forced", "follow"]);
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
  const side = make("aside", {});
  const controls = make("nav", { class: "controls" }, caption, make("div", { class: "bar" }, marks, bar), buttons);
  const stage = make("section", { class: "stage" }, picture, controls, help);
  root.replaceChildren(make("header", {}, title, tools), make("main", {}, stage, side));

  let toolsShown = "";

  return (state) => {
    const focus = focusable(root).indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const round = replay.rounds[state.round];
    const view = visible(state, views);
    const layout = root.clientWidth < NARROW ? "narrow" : "wide";
    const style = makeStyle({ ...state, layout });
    const nameOf = (/** @type {number} */ seat) => seatName(seat, view, style);
    document.documentElement.dataset.theme = state.theme;
    document.documentElement.lang = state.language === "zh" ? "zh-Hans" : "en";
    title.replaceChildren(say(state.language, "title"), make("small", {}, replay.rules));
    const shown = [state.round, state.viewer, state.theme, state.language, state.four_colors].join();
    if (shown !== toolsShown) tools.replaceChildren(...toolElements(state, replay, nameOf, dispatch));
    toolsShown = shown;
    picture.replaceChildren(toSvg(drawTable(view, style), document));
    caption.replaceChildren(...captionOf(state, replay, view, nameOf));
    bar.max = String(lastPly(round));
    bar.value = String(state.ply);
    bar.setAttribute("aria-label", say(state.language, "position"));
    marks.replaceChildren(...markElements(round));
    buttons.replaceChildren(...buttonElements(state, dispatch));
    help.replaceChildren(say(state.language, "help"));
    const scrolled = side.scrollTop;
    side.replaceChildren(...panels(state, replay, (ply) => views(state.round, ply), nameOf, dispatch));
    side.scrollTop = scrolled;
    if (focus >= 0 && !root.contains(document.activeElement)) focusable(root)[focus]?.focus();
  };
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

/** @param {State} state @param {Dispatch} dispatch */
function buttonElements(state, dispatch) {
  return BUTTONS.map(([name, path, action]) => {
    const isPlay = action === null;
    const label = say(state.language, isPlay && state.isPlaying ? "pause" : name);
    const made = action ?? { type: "set", name: "isPlaying", value: !state.isPlaying };
    const sign = isPlay && state.isPlaying ? PAUSE : path;
    return iconButton(sign, label, () => dispatch(made), { class: isPlay ? "play" : null });
  });
}

/** @param {string} path @param {string} label @param {() => void} act
 * @param {Object<string, import("./dom.js").Property>} also */
function iconButton(path, label, act, also = {}) {
  const icon = element("svg", { viewBox: "0 0 24 24", class: "icon" }, element("path", { d: path }));
  return make("button", { title: label, "aria-label": label, onclick: act, ...also }, toSvg(icon, document));
}

/** @param {import("./types.js").Round} round */
function markElements(round) {
  return (round.review?.costly ?? []).map((mark) => {
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
  const what = kind === "name" ? trumpText(answer) : cardLine(answer);
  const parts = [say(language, failed ? "failed" : isOverbid ? "overbid" : kind, who), " ", what];
  const trick = view.phase === "over" ? view.trick : view.last_trick;
  const isEnd = kind === "follow" && (view.phase === "over" || view.phase === "lead");
  if (!isEnd || !trick || trick.winning === null) return parts;
  const points = trick.points ? `, +${trick.points}` : "";
  return [...parts, ` · ${say(language, "wins", nameOf(trick.winning))}${points}`];
}
