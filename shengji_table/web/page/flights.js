// Cards that move: plays fly from their seats to the table, tricks to who has won them, drawn cards slide in.

import { drawPile, takeOut } from "./cards.js";
import { wordsOf } from "./card_rows.js";
import { toSvg } from "./elements.js";
import { bottomSeat } from "./table.js";

/** @typedef {import("./types.js").View} View
 * @typedef {import("./sheet.js").Style} Style
 * @typedef {{key: string, find: (svg: SVGElement) => SVGElement | null, frames: Keyframe[], began: number,
 *   milliseconds: number, isGone: boolean}} Flight `isGone`: what flies is not on the table any more */

const PLAY = 280;
const GATHER = 450;
const DRAW = 220;

/** Return a function to call after each drawing of the table: it lets what has changed fly. What flies is the drawn
 * play itself, so it is never seen twice; a drawing in the middle of a flight does not end it.
 * @returns {(picture: HTMLElement, before: View | null, view: View, style: Style) => void} */
export function makeFlights() {
  /** @type {Flight[]} */
  let flights = [];
  return (picture, before, view, look) => {
    const svg = picture.querySelector("svg");
    if (!svg || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const style = look.forView(view);
    const now = performance.now();
    flights = flights.filter((flight) => now - flight.began < flight.milliseconds);
    const begun = before
      ? [...playsBegun(before, view, style), ...gathered(before, view, style), ...drawn(before, view)]
      : [];
    const known = flights.map((flight) => flight.key);
    flights.push(...begun.filter((flight) => !known.includes(flight.key)).map((flight) => ({ ...flight, began: now })));
    if (isCleared(view)) for (const play of svg.querySelectorAll("[data-play]")) play.remove();
    for (const flight of flights) animate(flight, svg, now);
  };
}

/** Return whether the last trick has been gathered, so that it does not stay on the table until the next lead.
 * @param {View} view */
function isCleared(view) {
  return view.phase === "lead" && view.last_trick !== null;
}

/** @param {Flight} flight @param {SVGElement} svg @param {number} now */
function animate(flight, svg, now) {
  const part = flight.find(svg);
  if (!part) return;
  const timing = { duration: flight.milliseconds, easing: "ease-out" };
  const moving = part.animate(flight.frames, timing);
  moving.currentTime = now - flight.began;
  if (flight.isGone) moving.onfinish = () => part.remove();
}

/** Return the flights of plays, and bids, that were not on the table before.
 * @param {View} before @param {View} view @param {Style} style @returns {Flight[]} */
function playsBegun(before, view, style) {
  return Object.entries(view.trick.plays).flatMap(([seat, cards]) => {
    if (!cards || before.trick.plays[seat] === cards || view.last_trick?.plays[seat] === cards) return [];
    const { plate, play } = spotOf(Number(seat), view, style);
    const from = `translate(${plate[0] - play[0]}px, ${plate[1] - play[1]}px)`;
    const frames = [{ transform: from, opacity: 0.2 }, { transform: "none", opacity: 1 }];
    const find = (/** @type {SVGElement} */ svg) =>
      /** @type {SVGElement | null} */ (svg.querySelector(`[data-play="${seat}"]`));
    return [{ key: `${view.tricks} ${seat} ${cards}`, find, frames, began: 0, milliseconds: PLAY, isGone: false }];
  });
}

/** Return the flights of the plays of a trick that is over to who has won it.
 * @param {View} before @param {View} view @param {Style} style @returns {Flight[]} */
function gathered(before, view, style) {
  const trick = view.last_trick;
  if (!trick || trick.winning === null) return [];
  if (JSON.stringify(before.last_trick?.plays) === JSON.stringify(trick.plays)) return [];
  const [toX, toY] = spotOf(trick.winning, view, style).plate;
  return Object.entries(trick.plays).map(([seat, cards]) => {
    const [x, y, room, width] = spotOf(Number(seat), view, style).play;
    const height = width * 1.4;
    const key = `gathered ${view.tricks} ${seat} ${cards}`;
    const find = (/** @type {SVGElement} */ svg) => {
      const copy = toSvg(drawPile(wordsOf(cards), { x, y: y - height / 2, room, height, width }, style), document);
      copy.setAttribute("data-gathered", seat);
      svg.append(copy);
      return copy;
    };
    const to = `translate(${toX - x}px, ${toY - y}px)`;
    const frames = [{ transform: "none", opacity: 1 }, { transform: to, opacity: 0 }];
    return { key, find, frames, began: 0, milliseconds: GATHER, isGone: true };
  });
}

/** Return the flights of cards that the viewer has drawn.
 * @param {View} before @param {View} view @returns {Flight[]} */
function drawn(before, view) {
  const seat = String(view.viewer);
  if (view.phase !== "bid" || !before.hands[seat]?.cards || !view.hands[seat]?.cards) return [];
  const all = (/** @type {View} */ seen) => Object.values(seen.hands[seat].cards ?? {}).flatMap(wordsOf);
  const held = all(before);
  const added = all(view).filter((card) => !takeOut(card, held));
  const frames = [{ translate: "0 -30px", opacity: 0 }, { translate: "none", opacity: 1 }];
  return added.map((card) => {
    const find = (/** @type {SVGElement} */ svg) =>
      /** @type {SVGElement | null} */ (svg.querySelector(`[data-card="${card}"]`));
    return { key: `drawn ${view.drawn} ${card}`, find, frames, began: 0, milliseconds: DRAW, isGone: false };
  });
}

/** @param {number} seat @param {View} view @param {Style} style */
function spotOf(seat, view, style) {
  return style.places.seats[(seat - bottomSeat(view) + 4) % 4];
}
