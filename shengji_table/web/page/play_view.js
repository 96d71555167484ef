// The play page's elements: made once, filled anew whenever the state changes.

import { buttonsOf, captionOf } from "./asking.js";
import { counterPanel } from "./counter.js";
import { make } from "./dom.js";
import { makeDrawer } from "./drawer.js";
import { element, toSvg } from "./elements.js";
import { cardsOf, drawChoosable, focusedCard } from "./hand.js";
import { tell } from "./play_words.js";
import { presenceLines, withPresence } from "./presence.js";
import { makePhrases, phrasePanel } from "./phrases.js";
import { rulesLine } from "./rule_names.js";
import { endLines, sidePanels } from "./score.js";
import { seasonPanels } from "./season.js";
import { seatName } from "./header.js";
import { ruleBox, ruleOf, toldPanel } from "./lesson.js";
import { applySettings } from "./settings.js";
import { layoutFor, makeStyle, WIDE } from "./sheet.js";
import { namesAt, viewOf } from "./shown_view.js";
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
  const release = () => doing.now().held && doing.dispatch({ type: "release" });
  const press = () => (isPressed = true);
  const picture = make("div", { class: "picture", onclick: release, onpointerdown: press });
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
  const phrases = makePhrases();
  const stage = make("section", { class: "stage" }, picture, rule, spoken, controls, help, phrases.element);
  root.replaceChildren(header, make("main", { class: "playing" }, stage), drawer.element, banner);
  const fly = makeFlights();
  // What a pointer has pressed stays there until it is let go: otherwise there would be no click.
  let isPressed = false;
  const letGo = () => {
    if (isPressed) setTimeout(() => show(doing.now()));
    isPressed = false;
  };
  for (const event of ["pointerup", "pointercancel"]) addEventListener(event, letGo);
  /** @type {{look: string, view: View} | null} */
  let drawn = null;
  /** @type {import("./messages.js").SeasonShown | null} */
  let season = null;

  return show;

  /** @param {State} state */
  function show(state) {
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
    const named = seen && state.server && { ...seen, names: namesAt(state.server, settings.language) };
    const look = makeStyle({ ...settings, layout });
    const nameOf = (/** @type {number} */ seat) => (named ? seatName(seat, named, look) : String(seat));
    fill(presence, [...presenceLines(state, doing, nameOf), ...endLines(state, nameOf)]);
    caption.replaceChildren(...captionOf(state, nameOf));
    fill(buttons, state.connection === "open" ? buttonsOf(state, doing) : buttonsOf(state, doing).map(disabled));
    help.replaceChildren(tell(settings.language, welcome?.seat === -1 ? "watching" : "keys"));
    caption.classList.toggle("advised", Boolean(welcome?.lesson));
    fill(rule, ruleBox(state));
    phrases.show(state, nameOf);
    const scores = [...counterPanel(state), ...seasonPanels(state, doing), ...sidePanels(state, nameOf)];
    fill(sheets, [...phrasePanel(state, doing, drawer.close), ...scores, ...toldPanel(state)]);
    if (state.season !== season) drawer.open(); // what was made of a deal
    season = state.season;
    if (!sheets.children.length) sheets.append(make("p", { class: "note" }, tell(settings.language, "noSheet")));
    if (named && state.server) showTable(state, withPresence(named, state.server, settings.language), layout, nameOf);
  }

  /** Show the table in the room that all else has left, if anything of it has changed.
   * @param {State} state @param {View} view @param {string} layout @param {(seat: number) => string} nameOf */
  function showTable(state, view, layout, nameOf) {
    const { extend, held, server, settings } = state;
    /** @type {[number, number]} */
    const room = [picture.clientWidth, picture.clientHeight];
    const hinted = state.welcome?.lesson ? state.hint?.cards : null;
    const asked = [server?.ask?.kind, held !== null, hinted, Boolean(ruleOf(state))];
    const look = JSON.stringify([view, extend, asked, settings, layout, room]);
    if (look === drawn?.look || isPressed) return;
    const style = makeStyle({ ...settings, layout, room });
    draw(view, style, state);
    const bots = [0, 1, 2, 3].filter((seat) => !server?.persons.includes(seat));
    const isBot = (/** @type {number} */ seat) => tell(settings.language, ...botNotice(seat));
    /** @param {number} seat @returns {["isBot", string, string]} */
    const botNotice = (seat) => ["isBot", nameOf(seat), server?.view.names[seat] ?? ""];
    for (const seat of bots) {
      const plate = picture.querySelector(`[data-plate="${seat}"]`);
      plate?.append(toSvg(element("title", {}, isBot(seat)), document));
      plate?.addEventListener("click", () => doing.dispatch({ type: "notice", notice: ["word", ...botNotice(seat)] }));
    }
    if (settings.animations) fly(picture, drawn && drawn.view, view, style);
    drawn = { look, view };
    speak([...spokenView(view, style, nameOf), ...bots.map(isBot)], settings.language);
  }

  /** Say what is drawn, for who does not see it.
   * @param {string[]} texts @param {string} language */
  function speak(texts, language) {
    spoken.setAttribute("aria-label", phrase(language, "table"));
    spoken.replaceChildren(...texts.map((text) => make("p", {}, text)));
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
