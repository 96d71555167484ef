// The play page's elements: made once, filled anew whenever the state changes.

import { buttonsOf, captionOf, reasonText } from "./asking.js";
import { make } from "./dom.js";
import { toSvg } from "./elements.js";
import { focusedCard, cardsOf, makeChoosable } from "./hand.js";
import { viewOf, withOwnName } from "./play_state.js";
import { tell } from "./play_words.js";
import { sidePanels } from "./score.js";
import { seatName } from "./seats.js";
import { makeStyle } from "./sheet.js";
import { drawTable } from "./table.js";
import { flyPlays } from "./flights.js";

/** @typedef {import("./play_state.js").State} State
 * @typedef {import("./asking.js").Doing} Doing
 * @typedef {import("./play_state.js").Settings} Settings
 * @typedef {import("./sheet.js").Style} Style
 * @typedef {import("./types.js").View} View */

const NARROW = 620;

/** Make the page's elements; return a function that shows a state.
 * @param {HTMLElement} root @param {Doing} doing @returns {(state: State) => void} */
export function makePage(root, doing) {
  const title = make("h1", {});
  const tools = make("div", { class: "tools" });
  const picture = make("div", { class: "picture" });
  const caption = make("p", { class: "caption", "aria-live": "polite" });
  const buttons = make("div", { class: "buttons" });
  const help = make("p", { class: "note help" });
  const side = make("aside", {});
  const controls = make("nav", { class: "controls" }, caption, buttons);
  const stage = make("section", { class: "stage" }, picture, controls, help);
  root.replaceChildren(make("header", {}, title, tools), make("main", { class: "playing" }, stage, side));
  /** @type {{look: string, view: View} | null} */
  let drawn = null;
  let toolsShown = "";

  return (state) => {
    const { settings } = state;
    document.documentElement.dataset.theme = settings.theme;
    document.documentElement.lang = settings.language === "zh" ? "zh-Hans" : "en";
    title.replaceChildren(tell(settings.language, "title"), make("small", {}, state.welcome?.rules ?? ""));
    const shown = JSON.stringify([settings, state.server?.auto]);
    if (shown !== toolsShown) tools.replaceChildren(...toolElements(state, doing));
    toolsShown = shown;
    let nameOf = (/** @type {number} */ seat) => String(seat);
    const seen = viewOf(state);
    if (seen !== null) {
      const view = withOwnName(seen, tell(settings.language, "you"));
      const style = makeStyle({ ...settings, layout: root.clientWidth < NARROW ? "narrow" : "wide" });
      nameOf = (seat) => seatName(seat, view, style);
      const look = JSON.stringify([view, state.extend, state.held !== null, settings, style.layout]);
      if (look !== drawn?.look) {
        draw(view, style, state);
        if (settings.animations && drawn) flyPlays(picture, drawn.view, view, style);
        drawn = { look, view };
      }
    }
    caption.replaceChildren(...captionOf(state, nameOf));
    fill(buttons, buttonsOf(state, doing));
    help.replaceChildren(tell(settings.language, "keys"));
    side.replaceChildren(...sidePanels(state, nameOf));
  };

  /** Draw the table; the focus stays on its card.
   * @param {View} view @param {Style} style @param {State} state */
  function draw(view, style, state) {
    const at = focusedCard(picture);
    const made = toSvg(drawTable(view, style), document);
    makeChoosable(made, state, doing.dispatch, (reason, card) => reasonText(state, reason, card));
    picture.replaceChildren(made);
    if (at >= 0) cardsOf(picture)[at]?.focus();
  }
}

/** Fill a bar with buttons, unless they are the same: one that is being pressed must stay. The focus keeps its place.
 * @param {HTMLElement} bar @param {HTMLElement[]} made */
function fill(bar, made) {
  /** @param {Element[]} buttons */
  const text = (buttons) => buttons.map((button) => button.outerHTML).join();
  if (text(made) === text([...bar.children])) return;
  const at = [...bar.children].findIndex((button) => button === document.activeElement);
  bar.replaceChildren(...made);
  if (at >= 0) made[Math.min(at, made.length - 1)]?.focus();
}

/** @param {State} state @param {Doing} doing */
function toolElements(state, doing) {
  const { settings } = state;
  const word = (/** @type {import("./play_words.js").Word} */ name) => tell(settings.language, name);
  const set = (/** @type {keyof Settings} */ name, /** @type {Settings[keyof Settings]} */ value) => () =>
    doing.dispatch({ type: "set", name, value });
  const toggle = (/** @type {"four_colors" | "animations"} */ name, /** @type {"colors" | "animations"} */ label) =>
    make("button", { "aria-pressed": String(settings[name]), onclick: set(name, !settings[name]) }, word(label));
  const language = settings.language === "en" ? "zh" : "en";
  const theme = settings.theme === "dark" ? "light" : "dark";
  const isSeated = (state.welcome?.seat ?? -1) >= 0;
  const auto = state.server?.auto;
  const other = settings.order === "down" ? "up" : "down";
  const reorder = { class: "order", title: word("order"), onclick: set("order", other) };
  const order = make("button", reorder, word(settings.order));
  const sendAuto = () => doing.send("auto", { on: !auto });
  const forced = make("button", { "aria-pressed": String(Boolean(auto)), onclick: sendAuto }, word("auto"));
  return [
    make("button", { class: "language", onclick: set("language", language) }, word("language")),
    make("button", { onclick: set("theme", theme) }, word(theme)),
    ...(isSeated ? [order, forced] : []),
    toggle("four_colors", "colors"),
    toggle("animations", "animations"),
  ];
}
