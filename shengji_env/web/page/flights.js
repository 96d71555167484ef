// Cards that fly from a seat to the table when they are played.

import { drawFan, wordsOf } from "./cards.js";
import { toSvg } from "./elements.js";

const SECONDS = 260;
const STEP = 0.38;

/** @typedef {import("./types.js").View} View */

/** Let plays that were not on the table before fly there.
 * @param {HTMLElement} picture @param {View} before @param {View} view @param {import("./sheet.js").Style} style */
export function flyPlays(picture, before, view, style) {
  const svg = picture.querySelector("svg");
  if (!svg || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const bottom = Math.max(0, view.viewer ?? 0);
  for (const [seat, cards] of Object.entries(view.trick.plays)) {
    if (!cards || before.trick.plays[seat] === cards || view.last_trick?.plays[seat] === cards) continue;
    const spot = style.places.seats[(Number(seat) - bottom + 4) % 4];
    const [x, y, room] = spot.play;
    const width = style.places.playCard;
    const fan = { x, y: y - width * 0.7, room, width, step: width * STEP };
    const flying = toSvg(drawFan(wordsOf(cards), fan, style), document);
    svg.append(flying);
    const [fromX, fromY] = [spot.plate[0] - x, spot.plate[1] - y];
    const path = [{ transform: `translate(${fromX}px, ${fromY}px)`, opacity: 0.3 }, { transform: "none", opacity: 1 }];
    flying.animate(path, { duration: SECONDS, easing: "ease-out" }).onfinish = () => flying.remove();
  }
}
