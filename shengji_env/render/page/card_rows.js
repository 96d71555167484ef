// Where the cards of a hand or a play lie: in rows that overlap (see picture/card_rows.py).

/** @typedef {import("./types.js").Groups} Groups */
/** @typedef {[card: string, isFirst: boolean]} Card a card, and whether an effective suit begins with it */
/** @typedef {{width: number, height: number, card: number, strip: number, spread: number, raised: number}} Room */
/** @typedef {{card: number, step: number, down: number, rows: Card[][], height: number}} Rows */

export const CARD_WIDTH = 100;
export const CARD_HEIGHT = 140;
export const SMALL = 51;
export const CORNER = 0.42;
export const RAISED = 0.12;
const GROUP_GAP = 0.6;
const ROW = 0.63;
const SMALL_ROW = 0.68;
/** The narrowest card. */
export const LEAST = 14;
/** @type {Object<string, string>} */
const SUITS = { C: "THSD", D: "TSHC", H: "TSDC", S: "THCD" };
const PLAIN = "TSHCD";

/** Return the cards of a text.
 * @param {string} text @returns {string[]} */
export function wordsOf(text) {
  return text ? text.split(" ") : [];
}

/** Return how much of a card shows above the next row, in heights of a card.
 * @param {number} card */
function rowShare(card) {
  return card < SMALL ? SMALL_ROW : ROW;
}

/** Return the effective suits of a hand that has them, so that black and red ones alternate where they can.
 * @param {Groups} groups if the trumps come last, the order is turned round @param {string | null} trump
 * @returns {string[]} */
export function suitOrder(groups, trump) {
  let order = [...(SUITS[trump ?? ""] ?? PLAIN)].filter((suit) => groups[suit]);
  const plain = order.filter((suit) => suit !== "T");
  const isRed = (/** @type {string} */ suit) => "DH".includes(suit);
  const sameColor = (/** @type {string} */ suit) => plain.filter((other) => isRed(other) === isRed(suit)).length;
  if (plain.length > 2 && plain.some((suit, at) => at && isRed(suit) === isRed(plain[at - 1]))) {
    const odd = plain.filter((suit) => sameColor(suit) === 1)[0];
    const [first, last] = plain.filter((suit) => suit !== odd);
    order = [...order.slice(0, order.length - plain.length), first, odd, last];
  }
  const isTurned = (Object.keys(groups)[0] ?? "T") !== "T";
  return isTurned ? order.reverse() : order;
}

/** Return the cards of a hand, suit by suit, in the order in which they are drawn.
 * @param {Groups} groups @param {string | null} trump @returns {Card[][]} */
export function handCards(groups, trump) {
  return suitOrder(groups, trump).map((suit) => wordsOf(groups[suit]).map((card, at) => [card, at === 0]));
}

/** Share cards evenly among rows: as large as they can be, and then in as few rows as possible.
 * @param {Card[]} cards @param {Room} room @returns {Rows} */
export function shareRows(cards, room) {
  for (let width = room.card; width >= LEAST; width -= 1) {
    const strip = Math.max(room.strip, CORNER * width);
    const most = mostRows(width, room);
    for (let numRows = 1; numRows <= most; numRows += 1) {
      const rows = chunks(cards, Math.ceil(cards.length / numRows));
      if (Math.max(0, ...rows.map(units)) * strip <= room.width - width) return spreadRows(width, rows, room);
    }
  }
  return spreadRows(LEAST, chunks(cards, Math.ceil(cards.length / Math.max(1, mostRows(LEAST, room)))), room);
}

/** Give each effective suit rows of its own.
 * @param {Card[][]} suits @param {Room} room @returns {Rows} */
export function suitRows(suits, room) {
  /** @type {Card[][]} */
  let rows = [];
  for (let width = room.card; width >= LEAST; width -= 1) {
    const size = Math.floor((room.width - width) / (room.spread * width)) + 1;
    rows = suits.flatMap((suit) => {
      const cards = suit.map(([card]) => /** @type {Card} */ ([card, false]));
      return chunks(cards, Math.ceil(cards.length / Math.ceil(cards.length / size)));
    });
    if (rows.length <= mostRows(width, room)) return spreadRows(width, rows, room);
  }
  return spreadRows(LEAST, rows, room);
}

/** @param {number} width @param {Room} room */
function mostRows(width, room) {
  const cardHeight = (width * CARD_HEIGHT) / CARD_WIDTH;
  return 1 + Math.floor((room.height - cardHeight - room.raised * width) / (cardHeight * rowShare(width)));
}

/** @template T @param {T[]} items @param {number} size @returns {T[][]} */
function chunks(items, size) {
  const count = Math.ceil(items.length / Math.max(1, size));
  return Array.from({ length: count }, (_, row) => items.slice(row * size, (row + 1) * size));
}

/** Return the distance from the first to the last card of a row, in steps.
 * @param {Card[]} row */
function units(row) {
  return row.length ? row.length - 1 + GROUP_GAP * row.slice(1).filter(([, isFirst]) => isFirst).length : 0;
}

/** @param {number} card @param {Card[][]} rows @param {Room} room @returns {Rows} */
function spreadRows(card, rows, room) {
  const longest = Math.max(0, ...rows.map(units));
  const most = Math.max(room.spread * card, room.strip);
  const step = longest ? Math.min(most, (room.width - card) / longest) : 0;
  const cardHeight = (card * CARD_HEIGHT) / CARD_WIDTH;
  const left = room.height - cardHeight - room.raised * card;
  const down = rows.length > 1 ? Math.min(cardHeight * rowShare(card), left / (rows.length - 1)) : 0;
  return { card, step, down, rows, height: cardHeight + down * (rows.length - 1) };
}

/** Return the width of a row.
 * @param {Rows} laid @param {Card[]} row */
export function rowWidth(laid, row) {
  return laid.card + laid.step * units(row);
}

/** Return the distance of each card from its row's left end.
 * @param {Rows} laid @param {Card[]} row */
export function placesOf(laid, row) {
  return row.map((_, number) => laid.step * units(row.slice(0, number + 1)));
}
