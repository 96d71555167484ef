// One seat of the picture: its name, its hand, and what it has put on the table (see picture/seat_picture.py).

import { BACK, drawFan, drawHand, drawPile, fanWidth, pileOf } from "./cards.js";
import { CARD_HEIGHT, CARD_WIDTH, rowWidth, wordsOf } from "./card_rows.js";
import { element, group } from "./elements.js";
import { OPENING, roleColor, seatName } from "./header.js";
import { drawShape, drawText, leastWidth, shorten, textWidth } from "./lettering.js";

/** @typedef {import("./elements.js").Element} Element */
/** @typedef {import("./sheet.js").Style} Style */
/** @typedef {import("./types.js").Spot} Spot */
/** @typedef {import("./types.js").View} View */
/** @typedef {View & {marks?: string[]}} MarkedView `marks`: by seat, a shape before the name on its plate, or none */

const PLATE = 2.4;
const PLATE_MARGIN = 6;
const MOST_BACKS = 6;
const FRAME = 6;
const PAST = 0.55;

/** Draw a seat's name, with the colour of its side, a crown for the declarer, and what it has to do or has done.
 * What it has to do gives way to its name.
 * @param {number} seat @param {Spot} spot @param {MarkedView} view @param {Style} style @returns {Element} */
export function drawPlate(seat, spot, view, style) {
  const [x, y, room] = spot.plate;
  const size = style.places.text;
  const isMover = view.seat === seat;
  const mark = view.marks?.[seat] ?? "";
  const across = mark ? size * 1.6 : 0;
  const whole = seatName(seat, view, style);
  const count = countOf(seat, spot, view);
  const least = leastWidth(whole, size);
  const widthOf = (/** @type {string} */ text) => (text ? textWidth(text, size) + size * 1.3 : 0);
  const fixed = size * 3.4 + across + widthOf(count);
  const wanted = taskOf(seat, view, style);
  const task = room - fixed - widthOf(wanted) < least ? "" : wanted;
  const beside = fixed + widthOf(task);
  const name = shorten(whole, size, Math.max(least, Math.min(size * 11, room - beside)));
  const width = textWidth(name, size) + beside;
  const height = size * PLATE;
  const [feltLeft, , feltWidth] = style.places.felt;
  const most = feltLeft + feltWidth - PLATE_MARGIN - width;
  const left = Math.max(feltLeft + PLATE_MARGIN, Math.min(x - width / 2, most));
  const top = y - height / 2;
  const colors = style.colors;
  const ink = isMover ? colors.panel : colors.ink;
  const color = roleColor(seat, view, style);
  const sign = isMover ? ink : color;
  const plate = { x: left, y: top, width, height, rx: height / 2 };
  const fill = isMover ? colors.move : colors.plate;
  const parts = [
    element("rect", { ...plate, fill, stroke: color, "stroke-width": 2 }),
    drawText(name, left + size * 2.5 + across, y - size / 2, size, ink),
  ];
  if (mark) parts.push(drawShape(mark, left + size * 2.4, y - size * 0.65, size * 1.3, ink));
  if (seat === view.declarer) parts.push(drawShape("crown", left + size * 0.7, y - size * 0.7, size * 1.4, sign));
  else parts.push(element("circle", { cx: left + size * 1.4, cy: y, r: size * 0.4, fill: sign }));
  let end = left + width - size;
  if (task) {
    const isFailed = view.trick.thrown !== "" && view.trick.leader === seat;
    const told = isMover ? ink : isFailed ? colors.signal : colors.move;
    parts.push(drawText(task, end, y - size / 2, size, told, { anchor: 1, weight: 11 }));
    end -= textWidth(task, size) + size * 1.3;
  }
  if (count) parts.push(drawText(count, end, y - size / 2, size, ink, { anchor: 1, weight: 11 }));
  return group({ "data-plate": String(seat) }, ...parts);
}

/** Return what a seat has to do, or that it has led the trick on the table.
 * @param {number} seat @param {View} view @param {Style} style @returns {string} */
function taskOf(seat, view, style) {
  if (view.seat === seat) {
    const isOverbid = view.phase === "bid" && view.trump !== null;
    return style.word(isOverbid ? "overbid" : view.phase);
  }
  const { trick } = shownTrick(view);
  if (trick.leader !== seat || !trick.plays[seat]) return "";
  return style.word(view.trick.thrown ? "failed" : "led");
}

/** Return the number of a hidden hand's cards, if its plate tells it.
 * @param {number} seat @param {Spot} spot @param {View} view */
function countOf(seat, spot, view) {
  const hand = view.hands[seat];
  return spot.lines === "count" && hand.cards === null && hand.size ? String(hand.size) : "";
}

/** Draw a seat's hand, or its back, with the cards that everybody knows to be in it.
 * @param {number} seat @param {Spot} spot @param {View} view @param {Style} style @returns {Element} */
export function drawSeatHand(seat, spot, view, style) {
  const hand = view.hands[seat];
  if (hand.cards !== null) {
    const taken = (view.viewer ?? view.seat) === seat ? view.taken : "";
    return drawHand({ groups: hand.cards, trump: view.trump, taken }, spot, style);
  }
  const known = knownOf(seat, view);
  if (!hand.size) return group({});
  const [x, y, room, height] = spot.hand;
  if (spot.lines === "count") {
    const box = { x: x + room / 2, y, room, height, width: spot.card };
    return known.length ? drawPile(known, box, style) : group({});
  }
  const width = Math.min(spot.card, 50);
  const size = style.places.text;
  const backs = Math.min(hand.size, MOST_BACKS);
  const step = width * 0.22;
  const count = String(hand.size);
  const told = fanWidth(backs, width, step) + size * 0.8 + textWidth(count, size);
  const knownRoom = Math.min(fanWidth(known.length, width, width * 0.44), room - told - size);
  const left = x + Math.max(0, room - told - (known.length ? knownRoom + size : 0)) / 2;
  const top = y + Math.min(6, (height - (width * CARD_HEIGHT) / CARD_WIDTH) / 2);
  const parts = [
    drawFan(Array(backs).fill(BACK), { x: left, y: top, room, width, step }, style, 0),
    drawText(count, left + told, top + width * 0.7 - size / 2, size, style.colors.ink, { anchor: 1, weight: 11 }),
  ];
  if (known.length) {
    const tall = (width * CARD_HEIGHT) / CARD_WIDTH;
    const box = { x: left + told + size, y: top, room: knownRoom, height: tall, width };
    parts.push(drawPile(known, box, style, 0));
  }
  return group({}, ...parts);
}

/** Return the cards that everybody knows a hand to hold, without a bid that lies on the table.
 * @param {number} seat @param {View} view */
function knownOf(seat, view) {
  const known = wordsOf(view.hands[seat].known);
  const bid = view.bids[view.bids.length - 1];
  if (!bid || bid.seat !== seat || !OPENING.includes(view.phase)) return known;
  for (const card of wordsOf(bid.cards)) {
    if (known.includes(card)) known.splice(known.indexOf(card), 1);
  }
  return known;
}

/** Return the trick on the table, and whether it is the last one: it stays, faded, until the next lead.
 * @param {View} view */
function shownTrick(view) {
  const past = view.phase === "lead" ? view.last_trick : null;
  return { trick: past ?? view.trick, isPast: past !== null };
}

/** Draw what a seat has played to the trick, or the standing bid; the play that is winning is framed.
 * @param {number} seat @param {number} turn @param {Spot} spot @param {View} view @param {Style} style
 * @returns {Element} */
export function drawPlay(seat, turn, spot, view, style) {
  const [x, y, room, width] = spot.play;
  const { trick, isPast } = shownTrick(view);
  let cards = wordsOf(trick.plays[seat]);
  const bid = view.bids[view.bids.length - 1];
  if (!cards.length && bid && OPENING.includes(view.phase) && bid.seat === seat) cards = wordsOf(bid.cards);
  if (!cards.length) return group({});
  const tall = (width * CARD_HEIGHT) / CARD_WIDTH;
  const box = { x, y: y - tall / 2, room, height: tall, width };
  const parts = [];
  if (trick.winning === seat) {
    const pile = pileOf(cards, box);
    const edge = Math.min(FRAME, width / 9);
    const across = Math.max(...pile.rows.map((row) => rowWidth(pile, row))) + 2 * edge;
    const high = pile.height + 2 * edge;
    const frame = { x: x - across / 2, y: y - high / 2, width: across, height: high, rx: 12 };
    parts.push(element("rect", { ...frame, fill: style.colors.win }));
  }
  parts.push(drawPile(cards, box, style));
  const isFailed = view.trick.thrown && view.trick.leader === seat;
  if (isFailed && view.phase !== "forced" && style.places.thrown) parts.push(failedThrow(turn, spot, view, style));
  return group({ "data-play": String(seat), ...(isPast ? { opacity: PAST } : {}) }, ...parts);
}

/** Draw the throw that failed: above the play of the lowest seat, below the others.
 * @param {number} turn @param {Spot} spot @param {View} view @param {Style} style @returns {Element} */
function failedThrow(turn, spot, view, style) {
  const [x, y, room, played] = spot.play;
  const width = style.places.smallCard;
  const height = (width * CARD_HEIGHT) / CARD_WIDTH;
  const half = (played * CARD_HEIGHT) / CARD_WIDTH / 2;
  const top = turn === 0 ? y - half - height - 2 * FRAME : y + half + 2 * FRAME;
  const box = { x, y: top, room, height, width };
  return group({ opacity: 0.75 }, drawPile(wordsOf(view.trick.thrown), box, style));
}
