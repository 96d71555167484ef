// Cards: their faces, fans of them, and hands laid out in a box (see picture/cards.py).

import { element, group, place } from "./elements.js";
import { drawShape, drawText } from "./lettering.js";

/** @typedef {import("./elements.js").Element} Element */
/** @typedef {import("./sheet.js").Style} Style */
/** @typedef {import("./types.js").Groups} Groups */
/** @typedef {import("./types.js").Spot} Spot */

export const CARD_WIDTH = 100;
export const CARD_HEIGHT = 140;
export const BACK = "back";
const SMALL = 51;
const GROUP_GAP = 0.6;
const ROW = 0.7;
const RAISED = 0.22;
const LEAST_ROW = 0.3;
/** @type {Object<string, ["star" | "crown", "black" | "red"]>} */
const EMBLEMS = { LJ: ["star", "black"], BJ: ["crown", "red"] };

/** Return the id of a card's symbol.
 * @param {string} card @param {number} width @param {Style} style */
function cardId(card, width, style) {
  const small = width < SMALL && card !== BACK ? "-small" : "";
  return `sj-${style.theme}${style.four_colors ? "4" : ""}-${card}${small}`;
}

/** Draw a card, or BACK for its back, as an element with some more attributes.
 * @param {string} card @param {number} x @param {number} y @param {number} width @param {Style} style
 * @param {Object<string, string>} attributes */
export function drawCard(card, x, y, width, style, attributes = {}) {
  const look = { href: `#${cardId(card, width, style)}`, transform: place(x, y, width / CARD_WIDTH) };
  return element("use", { ...look, ...attributes });
}

/** Return the symbol of a card.
 * @param {string} card @param {number} width @param {Style} style */
export function cardSymbol(card, width, style) {
  const colors = style.colors;
  const shape = { x: 1, y: 1, width: CARD_WIDTH - 2, height: CARD_HEIGHT - 2, rx: 10 };
  const edge = { stroke: colors.edge, "stroke-width": 2 };
  if (card === BACK) {
    const outer = element("rect", { ...shape, fill: colors.back, ...edge });
    const inner = { x: 11, y: 11, width: CARD_WIDTH - 22, height: CARD_HEIGHT - 22, rx: 5, "stroke-width": 2.5 };
    const frame = element("rect", { ...inner, fill: "none", stroke: colors.weave });
    return group({ id: cardId(card, width, style) }, outer, frame, drawShape("D", 28, 48, 44, colors.weave));
  }
  const face = element("rect", { ...shape, fill: colors.card, ...edge });
  const signs = card in EMBLEMS ? jokerSigns(card, width < SMALL, style) : cardSigns(card, width < SMALL, style);
  return group({ id: cardId(card, width, style) }, face, ...signs);
}

/** @param {string} card @param {boolean} isSmall @param {Style} style @returns {Element[]} */
function cardSigns(card, isSmall, style) {
  const suit = card[0];
  const rank = rankText(card[1]);
  const color = style.suitColor(suit);
  if (isSmall) {
    const size = rank === "10" ? 37 : 41;
    return [drawText(rank, 12, 13, size, color, { weight: 12.5 }), drawShape(suit, 9, 62, 38, color)];
  }
  return [
    drawText(rank, 12, 14, 33, color, { weight: 12 }),
    drawShape(suit, 9, 57, 27, color),
    drawShape(suit, 40, 76, 52, color),
  ];
}

/** @param {string} card @param {boolean} isSmall @param {Style} style @returns {Element[]} */
function jokerSigns(card, isSmall, style) {
  const [shape, name] = EMBLEMS[card];
  const color = style.colors[name];
  if (isSmall) return [drawShape(shape, 7, 8, 46, color), drawText("J", 19, 64, 36, color, { weight: 12.5 })];
  const letters = [..."JOKER"].map((letter, row) =>
    drawText(letter, 17, 13 + 19 * row, 12, color, { anchor: 0.5, weight: 14 }),
  );
  return [...letters, drawShape(shape, 34, 66, 60, color)];
}

/** Return how a rank is shown.
 * @param {string} rank */
export function rankText(rank) {
  return rank === "T" ? "10" : rank;
}

/** Draw cards in one row that overlap as far as they must.
 * @param {string[]} cards @param {{x: number, y: number, room: number, width: number, step: number}} box
 * @param {Style} style @param {number} align @returns {Element} */
export function drawFan(cards, box, style, align = 0.5) {
  const step = Math.min(box.step, (box.room - box.width) / Math.max(1, cards.length - 1));
  const left = box.x - align * fanWidth(cards.length, box.width, step);
  return group({}, ...cards.map((card, at) => drawCard(card, left + step * at, box.y, box.width, style)));
}

/** Return how wide a row of cards is.
 * @param {number} numCards @param {number} width @param {number} step */
export function fanWidth(numCards, width, step) {
  return width + step * Math.max(0, numCards - 1);
}

/** Draw a hand in the box of its seat; cards that are taken are raised. `data-card` says which card is which.
 * @param {Groups} groups @param {string} taken @param {Spot} spot @param {Style} style
 * @returns {Element} */
export function drawHand(groups, taken, spot, style) {
  const [x, y, room, height] = spot.hand;
  const width = spot.card;
  const cardHeight = (width * CARD_HEIGHT) / CARD_WIDTH;
  const mostRows = 1 + Math.floor((height - cardHeight) / (cardHeight * LEAST_ROW));
  const isFlow = spot.lines === "flow";
  const rows = isFlow ? flowRows(groups, spot, mostRows) : suitRows(groups, spot);
  const down = Math.min(cardHeight * ROW, (height - cardHeight) / Math.max(1, rows.length - 1));
  const spare = height - cardHeight - down * (rows.length - 1);
  const top = isFlow ? y + spare / 2 : y;
  const leftToRaise = wordsOf(taken);
  const cards = rows.flatMap((row, number) => {
    const left = x + (room - (row[row.length - 1][1] + width)) / 2;
    return row.map(([card, at]) => {
      const index = leftToRaise.indexOf(card);
      if (index >= 0) leftToRaise.splice(index, 1);
      const lift = index >= 0 ? width * RAISED : 0;
      return drawCard(card, left + at, top + down * number - lift, width, style, { "data-card": card });
    });
  });
  return group({}, ...cards);
}

/** Return the cards of a text.
 * @param {string} text @returns {string[]} */
export function wordsOf(text) {
  return text ? text.split(" ") : [];
}

/** Share the cards evenly among as few rows as possible, if they can be two thirds of a step apart there.
 * @param {Groups} groups @param {Spot} spot @param {number} mostRows @returns {[string, number][][]} */
function flowRows(groups, spot, mostRows) {
  const [room, width, step] = [spot.hand[2], spot.card, spot.step];
  const suits = Object.values(groups).filter((texts) => texts);
  const cards = suits.flatMap((texts) =>
    wordsOf(texts).map((card, at) => /** @type {[string, boolean]} */ ([card, at === 0])),
  );
  const needed = Math.ceil(((cards.length - 1 + (suits.length - 1) * GROUP_GAP) * step * 2) / 3 / (room - width));
  const size = Math.max(1, Math.ceil(cards.length / Math.max(1, Math.min(mostRows, needed))));
  return chunks(cards, size).map((row) => spaced(row, room, width, step));
}

/** Give each effective suit rows of its own.
 * @param {Groups} groups @param {Spot} spot @returns {[string, number][][]} */
function suitRows(groups, spot) {
  const [room, width, step] = [spot.hand[2], spot.card, spot.step];
  const size = Math.floor((room - width) / step) + 1;
  return Object.values(groups).flatMap((texts) => {
    /** @type {[string, boolean][]} */
    const cards = wordsOf(texts).map((card) => [card, false]);
    const share = Math.ceil(cards.length / Math.max(1, Math.ceil(cards.length / size)));
    return chunks(cards, share || 1).map((row) => spaced(row, room, width, step));
  });
}

/** @template T @param {T[]} items @param {number} size @returns {T[][]} */
function chunks(items, size) {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, row) => items.slice(row * size, (row + 1) * size));
}

/** Place the cards of a row; the flag of a card says whether an effective suit begins with it.
 * @param {[string, boolean][]} cards @param {number} room @param {number} width @param {number} step
 * @returns {[string, number][]} */
function spaced(cards, room, width, step) {
  let units = 0;
  const places = cards.map(([, isFirst], number) => (units += number ? 1 + (isFirst ? GROUP_GAP : 0) : 0));
  const distance = units ? Math.min(step, (room - width) / units) : step;
  return cards.map(([card], number) => [card, places[number] * distance]);
}
