// The play page's elements: made once, filled anew whenever the state changes.

import { buttonsOf, captionOf } from "./asking.js";
import { make } from "./dom.js";
import { makeDrawer } from "./drawer.js";
import { cardsOf, drawChoosable, focusedCard } from "./hand.js";
import { viewOf, withOwnName } from "./play_state.js";
import { tell } from "./play_words.js";
import { presenceLines, withPresence } from "./presence.js";
import { rulesLine } from "./rule_names.js";
import { sidePanels } from "./score.js";
import { seasonPanels } from "./season.js";
import { seatName } from "./header.js";
import { ruleBox, ruleOf, toldPanel } from "./lesson.js";
import { applySettings } from "./settings.js";
import { layoutFor, makeStyle, WIDE } from "./sheet.js";
import { phrase, spokenView } from "./spoken.js";
import { makeToolbar } from "./toolbar.js";
import { makeFlights } from "./flights.js";

/** @typedef {import("./play_state.js").State} State
 * @typedef {import("./asking.js").Doing} Doing
 * @typedef {import("./sheet.js").Style} Style
 * @typedef {import("./types.js").View} View */

/** Make the page's elements; return a function that shows a state.
 * @param {HTMLElement} root @param {Doing} doing @returns {(state: State) => void} */
export function makePage(root, doing) {
  const title = make("h1", {});
  const tools = makeToolbar(doing);
  const banner = make("div", { class: "banner", role: "alert" });
  const picture = make("div", { class: "picture" });
  const caption = make("p", { class: "caption", "aria-live": "polite" });
  const buttons = make("div", { class: "buttons" });
  const help = make("p", { class: "note help" });
  const rule = make("div", { class: "lesson", "aria-live": "polite" });
  const sheets = make("div", { class: "sheets" });
  const spoken = make("section", { class: "spoken" });
  const drawer = makeDrawer(tools.bar, sheets);
  const menu = drawer.toggle("menu", "☰");
  const header = make("header", {}, title, drawer.toggle("settings", ""));
  const presence = make("div", { class: "presence", "aria-live": "polite" });
  const controls = make("nav", { class: "controls" }, menu, presence, caption, buttons);
  const stage = make("section", { class: "stage" }, picture, rule, spoken, controls, help);
  root.replaceChildren(header, make("main", { class: "playing" }, stage), drawer.element, banner);
  const fly = makeFlights();
  /** @type {{look: string, view: View} | null} */
  let drawn = null;
  /** @type {import("./messages.js").SeasonShown | null} */
  let season = null;

  return (state) => {
    const { settings } = state;
    applySettings(settings);
    const { welcome } = state;
    const rules = welcome ? [make("small", { title: welcome.rules }, rulesLine(welcome, settings.language))] : [];
    title.replaceChildren(tell(settings.language, "title"), ...rules);
    tools.show(state);
    fill(banner, bannerOf(state, doing));
    const layout = layoutFor(innerWidth, innerHeight, WIDE.table);
    root.dataset.layout = layout;
    drawer.show(tell(settings.language, "drawer"), tell(settings.language, "close"));
    const seen = viewOf(state);
    const named = seen && withOwnName(seen, tell(settings.language, "you"));
    const look = makeStyle({ ...settings, layout });
    const nameOf = (/** @type {number} */ seat) => (named ? seatName(seat, named, look) : String(seat));
    fill(presence, presenceLines(state, doing, nameOf));
    caption.replaceChildren(...captionOf(state, nameOf));
    fill(buttons, state.connection === "open" ? buttonsOf(state, doing) : buttonsOf(state, doing).map(disabled));
    help.replaceChildren(tell(settings.language, welcome?.seat === -1 ? "watching" : "keys"));
    caption.classList.toggle("advised", Boolean(welcome?.lesson));
    fill(rule, ruleBox(state));
    sheets.replaceChildren(...seasonPanels(state, doing), ...sidePanels(state, nameOf), ...toldPanel(state));
    if (state.season !== season) drawer.open(); // what was made of a deal
    season = state.season;
    if (!sheets.children.length) sheets.append(make("p", { class: "note" }, tell(settings.language, "noSheet")));
    if (named && state.server) showTable(state, withPresence(named, state.server, settings.language), layout, nameOf);
  };

  /** Show the table in the room that all else has left, if anything of it has changed.
   * @param {State} state @param {View} view @param {string} layout @param {(seat: number) => string} nameOf */
  function showTable(state, view, layout, nameOf) {
    const { extend, held, server, settings } = state;
    const aspect = picture.clientWidth / picture.clientHeight;
    const hinted = state.welcome?.lesson ? state.hint?.cards : null;
    const asked = [server?.ask?.kind, held !== null, hinted, Boolean(ruleOf(state))];
    const look = JSON.stringify([view, extend, asked, settings, layout, aspect]);
    if (look === drawn?.look) return;
    const style = makeStyle({ ...settings, layout, aspect });
    draw(view, style, state);
    if (settings.animations) fly(picture, drawn && drawn.view, view, style);
    drawn = { look, view };
    speak(view, style, nameOf);
  }

  /** Say what is drawn, for who does not see it.
   * @param {View} view @param {Style} style @param {(seat: number) => string} nameOf */
  function speak(view, style, nameOf) {
    const texts = spokenView(view, style, nameOf).map((text) => make("p", {}, text));
    spoken.setAttribute("aria-label", phrase(style.language, "table"));
    spoken.replaceChildren(...texts);
  }

  /** Draw the table; the focus stays on its card.
   * @param {View} view @param {Style} style @param {State} state */
  function draw(view, style, state) {
    const at = focusedCard(picture);
    picture.replaceChildren(drawChoosable(view, style, state, doing.dispatch));
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

/** Return a button that does nothing while there is no connection; links go on to work.
 * @param {HTMLElement} button */
function disabled(button) {
  if (button instanceof HTMLButtonElement) button.disabled = true;
  return button;
}

/** Say that there is no connection, and offer what can be done about it.
 * @param {State} state @param {Doing} doing @returns {HTMLElement[]} */
function bannerOf(state, doing) {
  const { language } = state.settings;
  if (state.connection === "lost") return [make("span", {}, tell(language, "lost"))];
  if (state.connection !== "closed" || !state.closedBy) return [];
  const by = state.closedBy;
  const again = by === "version" ? () => location.reload() : doing.again;
  const button = make("button", { class: "again", onclick: again }, tell(language, `again_${by}`));
  return [make("span", {}, tell(language, `closed_${by}`)), button];
}
