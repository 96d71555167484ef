// The play page: connects, hears, shows, and does what keys and clicks say.

import { confirm, take } from "./asking.js";
import { cardsOf, focusedCard, moveFocus } from "./hand.js";
import { forgetSeat, startLobby } from "./lobby.js";
import { firstState, question, reduce } from "./play_state.js";
import { makeNotices } from "./notices.js";
import { makePage } from "./play_view.js";
import { tell } from "./play_words.js";
import { useSheet } from "./sheet.js";
import { connect } from "./wire.js";

/** @typedef {import("./asking.js").Doing} Doing */

const HOLD = 1400;
const SAVED = "shengji-settings";

/** @returns {import("./play_state.js").Settings} */
function savedSettings() {
  /** @type {import("./play_state.js").Settings} */
  const first = {
    theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    language: navigator.language.startsWith("zh") ? "zh" : "en", four_colors: false, order: "down", animations: true,
    notices: true,
  };
  try {
    return { ...first, ...JSON.parse(localStorage.getItem(SAVED) ?? "{}") };
  } catch {
    return first;
  }
}

/** @param {HTMLElement} root @param {string} link */
function start(root, link) {
  let state = firstState(savedSettings());
  let holding = 0;
  /** @type {Doing} */
  const doing = { send: (type, fields) => send(type, fields), dispatch, now: () => state, again: () => send.again() };
  const show = makePage(root, doing);
  const notify = makeNotices(document);

  /** @param {import("./play_state.js").Action | {type: "askReplay"}} action */
  function dispatch(action) {
    const before = state;
    if (action.type === "askReplay") {
      state = { ...state, replay: "asked" };
      send("replay", { move: state.server?.move });
    } else {
      state = reduce(state, action);
    }
    const asked = question(before, state);
    if (asked) send("choose", asked);
    if (state.held && state.held !== before.held) {
      clearTimeout(holding);
      holding = setTimeout(() => dispatch({ type: "release" }), HOLD);
    }
    if (action.type === "set") localStorage.setItem(SAVED, JSON.stringify(state.settings));
    show(state);
    notify(before, state);
  }

  listenToKeys(root, doing);
  addEventListener("resize", () => show(state));
  setInterval(() => state.secondsLeft !== null && dispatch({ type: "second" }), 1000);
  const send = connect(
    link,
    (message) => dispatch({ type: "message", message }),
    (status, by) => {
      if (by === "link") forgetSeat(link);
      if (status !== state.connection) dispatch({ type: "connection", status, by });
    },
  );
  show(state);
}

/** @param {HTMLElement} root @param {Doing} doing */
function listenToKeys(root, doing) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const focused = document.activeElement;
    if (focused?.matches("input, select, textarea")) return;
    if (focused?.matches("button, a, summary") && (event.key === "Enter" || event.key === " ")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key; // with CapsLock or Shift too
    if (keyDown(key, root, doing)) event.preventDefault();
  });
  // A button that a pointer has pressed lets go of the focus: Enter is to play, not to press it once more.
  root.addEventListener("click", (event) => {
    const focused = document.activeElement;
    if (event.detail > 0 && focused instanceof HTMLButtonElement) focused.blur();
  });
}

/** Do what a key says; return whether it says anything.
 * @param {string} key @param {HTMLElement} root @param {Doing} doing */
function keyDown(key, root, doing) {
  const { ask, move } = doing.now().server ?? {};
  const picture = /** @type {HTMLElement} */ (root.querySelector(".picture"));
  if (key === "ArrowRight") moveFocus(picture, focusedCard(picture), 1);
  else if (key === "ArrowLeft") moveFocus(picture, focusedCard(picture), -1);
  else if (key === " ") cardsOf(picture)[focusedCard(picture)]?.dispatchEvent(new MouseEvent("click"));
  else if (key === "Enter") confirm(doing);
  else if (key === "Backspace") doing.dispatch({ type: "undo" });
  else if (key === "Escape") doing.dispatch({ type: "choose", cards: [] });
  else if (!ask) return false;
  else if (key === "h") return ask.kind !== "next" && doing.send("hint", { move });
  else if (key === "d" || key === "n") return mayBeDone(doing) && doing.send("done", { move });
  else if (/^[1-9]$/.test(key) && ask.options[Number(key) - 1]) take(ask.options[Number(key) - 1], doing);
  else return false;
  return true;
}

/** Return whether a person may say that nothing more is to come.
 * @param {Doing} doing */
function mayBeDone(doing) {
  const { ask, window } = doing.now().server ?? {};
  const isBid = ask?.kind === "bid" || ask?.kind === "rebel";
  return ask?.kind === "next" || (isBid && window !== null);
}

const root = /** @type {HTMLElement} */ (document.getElementById("page"));
const answer = await fetch(new URL("./sheet.json", import.meta.url));
useSheet(await answer.json());
addEventListener("hashchange", () => location.reload());
if (/^#\d+\.t\./.test(location.hash)) startLobby(root, location.hash.slice(1), savedSettings());
else if (location.hash.length > 1) start(root, location.hash.slice(1));
else root.replaceChildren(tell(savedSettings().language, "noLink"));
