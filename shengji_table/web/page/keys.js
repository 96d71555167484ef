// What keys do at a table: choose cards, take an offer, play, go on.

import { confirm, take } from "./asking.js";
import { cardsOf, focusedCard, moveFocus } from "./hand.js";
import { ruleOf } from "./lesson.js";

/** @typedef {import("./asking.js").Doing} Doing */

/** @param {HTMLElement} root @param {Doing} doing */
export function listenToKeys(root, doing) {
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
  if (ruleOf(doing.now()) && key !== "Enter") return false;
  if (key === "ArrowRight") moveFocus(picture, focusedCard(picture), 1);
  else if (key === "ArrowLeft") moveFocus(picture, focusedCard(picture), -1);
  else if (key === " ") cardsOf(picture)[focusedCard(picture)]?.dispatchEvent(new MouseEvent("click"));
  else if (key === "Enter") confirm(doing);
  else if (key === "Backspace") doing.dispatch({ type: "undo" });
  else if (key === "Escape") doing.dispatch({ type: "choose", cards: [] });
  else if (!ask) return false;
  else if (key === "h" && ask.kind !== "next") doing.dispatch({ type: "askHint" });
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
