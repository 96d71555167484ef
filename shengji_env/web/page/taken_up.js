// Which cards of the hand have come from the kitty: marked until the seat has buried.

import { takeOut } from "./cards.js";
import { wordsOf } from "./card_rows.js";

/** @typedef {import("./types.js").View} View */

const SVG = "http://www.w3.org/2000/svg";
const SAVED = "shengji-kitty";

/** Return a function that is shown every view, and returns the cards of the viewer's hand that it has just taken up.
 * They follow from its own hand, before and after; a reload in between is survived.
 * @returns {(view: View) => string[]} */
export function makeTakenUp() {
  let held = "";
  /** @type {{hand: string, cards: string}} */
  let known = { hand: "", cards: "" };
  try {
    known = { ...known, ...JSON.parse(sessionStorage.getItem(SAVED) ?? "{}") };
  } catch {
    // Nothing is known, then.
  }
  return (view) => {
    const hand = handText(view);
    const isTaker = view.phase === "bury" && view.seat === view.viewer;
    if (isTaker && held && held !== hand && known.hand !== hand) {
      const before = wordsOf(held);
      const cards = wordsOf(hand).filter((card) => !takeOut(card, before));
      known = { hand, cards: cards.join(" ") };
      sessionStorage.setItem(SAVED, JSON.stringify(known));
    }
    held = hand;
    return isTaker && known.hand === hand ? wordsOf(known.cards) : [];
  };
}

/** @param {View} view */
function handText(view) {
  const groups = view.hands[String(view.viewer)]?.cards ?? {};
  return Object.values(groups).flatMap(wordsOf).sort().join(" ");
}

/** Mark cards of a drawn hand along their upper edge.
 * @param {SVGElement} picture @param {string[]} cards @param {string} color */
export function markCards(picture, cards, color) {
  const left = [...cards];
  for (const card of picture.querySelectorAll("[data-hand] [data-card]")) {
    if (!takeOut(card.getAttribute("data-card") ?? "", left)) continue;
    const mark = document.createElementNS(SVG, "rect");
    const shape = { x: 9, y: 2, width: 82, height: 7, rx: 3.5, fill: color, "pointer-events": "none" };
    for (const [name, value] of Object.entries(shape)) mark.setAttribute(name, String(value));
    mark.setAttribute("transform", card.getAttribute("transform") ?? "");
    mark.setAttribute("class", "from-kitty");
    card.after(mark);
  }
}
