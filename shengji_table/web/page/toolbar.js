// What a person may set: a bar in the drawer.

import { make } from "./dom.js";
import { here } from "./here_words.js";
import { say } from "./lobby_words.js";
import { theServer } from "./server.js";
import { tell } from "./play_words.js";

/** @typedef {import("./asking.js").Doing} Doing
 * @typedef {import("./play_state.js").Settings} Settings
 * @typedef {import("./play_state.js").State} State */

/** Make the bar; return it, and what fills it for a state.
 * @param {Doing} doing @returns {{bar: HTMLElement, show: (state: State) => void}} */
export function makeToolbar(doing) {
  const bar = make("div", { class: "tools", id: "tools" });
  let shown = "";
  return {
    bar,
    show: (state) => {
      const { settings, server, welcome, connection } = state;
      const look = JSON.stringify([settings, server?.auto, server?.sheet.length, welcome, connection]);
      if (look === shown) return;
      const at = [...bar.children].findIndex((button) => button === document.activeElement);
      bar.replaceChildren(...toolElements(state, doing));
      if (at >= 0) /** @type {HTMLElement | undefined} */ (bar.children[at])?.focus();
      shown = look;
    },
  };
}

/** @param {State} state @param {Doing} doing */
function toolElements(state, doing) {
  const { server, settings } = state;
  const word = (/** @type {import("./play_words.js").Word} */ name) => tell(settings.language, name);
  const set = (/** @type {keyof Settings} */ name, /** @type {Settings[keyof Settings]} */ value) => () =>
    doing.dispatch({ type: "set", name, value });
  /** @param {"four_colors" | "animations" | "notices" | "forced" | "counter"} name
   * @param {"colors" | "animations" | "sound" | "raise" | "counter"} label */
  const toggle = (name, label) =>
    make("button", { class: name, "aria-pressed": String(settings[name]), onclick: set(name, !settings[name]) },
      word(label));
  const language = settings.language === "en" ? "zh" : "en";
  const theme = settings.theme === "dark" ? "light" : "dark";
  const isSeated = (state.welcome?.seat ?? -1) >= 0;
  const auto = state.server?.auto;
  const other = settings.order === "down" ? "up" : "down";
  const reorder = { class: "order", title: word("order"), onclick: set("order", other) };
  const order = make("button", reorder, word(settings.order));
  const sendAuto = () => doing.send("auto", { on: !auto });
  const isLost = state.connection !== "open";
  const automatic = { class: "auto", "aria-pressed": String(Boolean(auto)), disabled: isLost, onclick: sendAuto };
  const evening = state.welcome?.evening;
  const href = evening ? evening + (isSeated ? `#mine=${state.welcome?.seat}` : "") : null;
  const rounds = { class: "button", href, target: "_blank", rel: "noopener" };
  const home = make("a", { class: "button", href: "./" }, here(settings.language, "home"));
  return [
    ...(theServer().isRemote ? [] : [home]),
    make("a", { class: "button", href: "rules", target: "_blank", rel: "noopener" }, word("rules")),
    ...(evening && state.server?.sheet.length ? [make("a", rounds, say(settings.language, "evening"))] : []),
    make("button", { class: "language", onclick: set("language", language) }, word("language")),
    make("button", { class: "theme", onclick: set("theme", theme) }, word(theme)),
    ...(isSeated ? [order, make("button", automatic, word("auto")), toggle("forced", "raise")] : []),
    ...(isSeated ? [toggle("notices", "sound")] : []),
    ...(isSeated && typeof server?.unseen === "string" ? [toggle("counter", "counter")] : []),
    toggle("four_colors", "colors"),
    toggle("animations", "animations"),
  ];
}
