// The replay page: reads what is embedded in it, and shows it.

import { listenToKeys, listenToSwipes } from "./input.js";
import { linkOf, readLink, reduce, viewsOf } from "./replay_state.js";
import { makePage } from "./replay_view.js";
import { costlyMarks } from "./review_panel.js";
import { useSheet } from "./sheet.js";

const PACE = 900;

/** @param {string} id @returns {any} */
function embedded(id) {
  return JSON.parse(document.getElementById(id)?.textContent ?? "null");
}

/** @param {import("./types.js").Replay} replay */
function start(replay) {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  /** @type {import("./replay_state.js").State} */
  let state = {
    round: 0, ply: 0, viewer: null, theme: isDark ? "dark" : "light", four_colors: false, isPlaying: false,
    values: true, mine: [], learns: false, told: -1,
    language: navigator.language.startsWith("zh") ? "zh" : "en", ...replay.settings,
  };
  const root = /** @type {HTMLElement} */ (document.getElementById("page"));
  const show = makePage(root, replay, viewsOf(replay), dispatch);

  /** @param {import("./replay_state.js").Action} action */
  function dispatch(action) {
    state = reduce(state, action, replay);
    show(state);
    if (action.type !== "set" && window.top === window) history.replaceState(null, "", linkOf(state));
  }

  const follow = () => readLink(location.hash).forEach(dispatch);
  listenToKeys(document, dispatch, () => state.isPlaying);
  listenToSwipes(/** @type {HTMLElement} */ (root.querySelector(".picture")), dispatch);
  addEventListener("hashchange", follow);
  addEventListener("resize", () => show(state));
  setInterval(() => state.isPlaying && dispatch({ type: "tick" }), PACE);
  show(state);
  follow();
  const first = costlyMarks(state, replay.rounds[state.round]).flat()[0];
  if (first && !state.ply && !/\bply=/.test(location.hash)) dispatch({ type: "go", ply: first.ply });
}

useSheet(embedded("sheet"));
start(embedded("replay"));
