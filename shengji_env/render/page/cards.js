// Cards: their faces, and fans, piles and hands of them (see picture/card_faces.py).

import {
  CARD_HEIGHT, CARD_WIDTH, CORNER, handCards, placesOf, RAISED, rowWidth, shareRows, SMALL, suitRows, wordsOf,
} from "./card_rows.js";
import { element, group, place } from "./elements.js";
import { drawShape, drawText } from "./lettering.js";

/** @typedef {import("./elements.js").Element} Element */
/** @typedef {import("./sheet.js").Style} Style */
/** @typedef {import("./types.js").Groups} Groups */
/** @typedef {import("./types.js").Spot} Spot */
/** @typedef {{x: number, y: number, room: number, height: number, width: number}} PileBox */
/** @typedef {{groups: Groups, trump: string | null, taken: string}} ShownHand a hand, as it is drawn: cards that are
 *   `taken` for the decision under way are raised */

export const BACK = "back";
const SPREAD = 0.55;
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
    const size = rank === "10" ? 33 : 37;
    return [drawText(rank, 9, 10, size, color, { weight: 12.5 }), drawShape(suit, 8, 52, 31, color)];
  }
  return [
    drawText(rank, 9, 11, 31, color, { weight: 12 }),
    drawShape(suit, 8, 47, 28, color),
    drawShape(suit, 38, 74, 54, color),
  ];
}

/** @param {string} card @param {boolean} isSmall @param {Style} style @returns {Element[]} */
function jokerSigns(card, isSmall, style) {
  const [shape, name] = EMBLEMS[card];
  const color = style.colors[name];
  if (isSmall) return [drawShape(shape, 5, 8, 40, color), drawText("J", 16, 54, 28, color, { weight: 12.5 })];
  const letters = [..."JOKER"].map((letter, row) =>
    drawText(letter, 20, 48 + 17 * row, 11, color, { anchor: 0.5, weight: 14 }),
  );
  return [drawShape(shape, 6, 8, 34, color), ...letters, drawShape(shape, 36, 70, 58, color)];
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

/** Draw cards in a box, smaller and in more rows if they are many, so that all can be read.
 * @param {string[]} cards @param {PileBox} box @param {Style} style @param {number} align @returns {Element} */
export function drawPile(cards, box, style, align = 0.5) {
  const pile = pileOf(cards, box);
  const top = box.y + (box.height - pile.height) / 2;
  const parts = pile.rows.flatMap((row, number) => {
    const left = box.x - align * rowWidth(pile, row);
    const y = top + pile.down * number;
    const places = placesOf(pile, row);
    return row.map(([card], at) => drawCard(card, left + places[at], y, pile.card, style));
  });
  return group({}, ...parts);
}

/** Return the rows in which `drawPile` draws cards.
 * @param {string[]} cards @param {PileBox} box */
export function pileOf(cards, { room, height, width }) {
  const space = { width: room, height, card: Math.floor(width), strip: 0, spread: CORNER, raised: 0 };
  return shareRows(cards.map((card) => [card, false]), space);
}

/** Draw a hand in the box of its seat. `data-card` says which card is which.
 * @param {ShownHand} hand @param {Spot} spot @param {Style} style @returns {Element} */
export function drawHand(hand, spot, style) {
  const [x, y, width, height] = spot.hand;
  const isFlow = spot.lines === "flow";
  const strip = isFlow ? Math.max(style.places.strip, spot.strip ?? 0) : 0;
  const room = { width, height, card: spot.card, strip, spread: SPREAD, raised: RAISED };
  const suits = handCards(hand.groups, hand.trump);
  const laid = isFlow ? shareRows(suits.flat(), room) : suitRows(suits, room);
  const lift = laid.card * RAISED;
  const top = y + lift + (isFlow ? (height - lift - laid.height) / 2 : 0);
  const leftToRaise = wordsOf(hand.taken);
  const parts = laid.rows.flatMap((row, number) => {
    const left = x + (width - rowWidth(laid, row)) / 2;
    const places = placesOf(laid, row);
    return row.flatMap(([card], at) => {
      const isTaken = takeOut(card, leftToRaise);
      const over = top + laid.down * number - (isTaken ? lift : 0);
      const drawn = drawCard(card, left + places[at], over, laid.card, style, { "data-card": card });
      return isTaken ? [drawn, frameOf(left + places[at], over, laid.card, style)] : [drawn];
    });
  });
  return group({ "data-hand": "" }, ...parts);
}

/** Take a card out of a list; return whether it was there.
 * @param {string} card @param {string[]} cards */
export function takeOut(card, cards) {
  const index = cards.indexOf(card);
  if (index >= 0) cards.splice(index, 1);
  return index >= 0;
}

/** Draw the frame of a card that is taken: where rows are close, a card cannot be raised far.
 * @param {number} x @param {number} y @param {number} width @param {Style} style */
function frameOf(x, y, width, style) {
  const scale = width / CARD_WIDTH;
  const shape = { x: x + 2 * scale, y: y + 2 * scale, width: width - 4 * scale, height: (CARD_HEIGHT - 4) * scale };
  const look = { fill: "none", stroke: style.colors.move, "stroke-width": 4 * scale, "pointer-events": "none" };
  return element("rect", { ...shape, rx: 9 * scale, ...look });
}
