// Which cards of the hand have come from the kitty: marked until the seat has buried.

import { takeOut } from "./cards.js";
import { wordsOf } from "./card_rows.js";

const SVG = "http://www.w3.org/2000/svg";

/** Mark cards of a drawn hand along their upper edge.
 * @param {SVGElement} picture @param {string} cards @param {string} color */
export function markCards(picture, cards, color) {
  const left = wordsOf(cards);
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
