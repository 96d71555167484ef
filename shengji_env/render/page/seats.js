// One seat of the picture: its name, its hand, and what it has put on the table (see picture/seats.py).

import { BACK, CARD_HEIGHT, CARD_WIDTH, drawFan, drawHand, fanWidth, wordsOf } from "./cards.js";
import { element, group } from "./elements.js";
import { roleColor } from "./header.js";
import { drawShape, drawText, shorten, textWidth } from "./lettering.js";

/** @typedef {import("./elements.js").Element} Element */
/** @typedef {import("./sheet.js").Style} Style */
/** @typedef {import("./types.js").Spot} Spot */
/** @typedef {import("./types.js").View} View */

const PLATE = 2.4;
const PLATE_MARGIN = 6;
const MOST_BACKS = 6;
const PLAY_STEP = 0.38;
const PAST = 0.55;
const OPENING = ["bid", "name", "rebel", "bury"];

/** Return what a seat is called; seats of one name are told apart by their numbers.
 * @param {number} seat @param {View} view @param {Style} style @returns {string} */
export function seatName(seat, view, style) {
  if (!view.names.length) return style.word("seat", seat);
  const name = view.names[seat];
  return view.names.filter((other) => other === name).length === 1 ? name : `${name} ${seat}`;
}

/** Draw a seat's name, with the colour of its side, a crown for the declarer, and what it has to do.
 * @param {number} seat @param {Spot} spot @param {View} view @param {Style} style @returns {Element} */
export function drawPlate(seat, spot, view, style) {
  const [x, y] = spot.plate;
  const size = style.places.text;
  const isMover = view.seat === seat;
  const name = shorten(seatName(seat, view, style), size, size * 11);
  const isOverbid = view.phase === "bid" && view.trump !== null;
  const task = isMover ? style.word(isOverbid ? "overbid" : view.phase) : "";
  const width = textWidth(name, size) + size * 3.4 + (task ? textWidth(task, size) + size * 1.6 : 0);
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
    drawText(name, left + size * 2.5, y - size / 2, size, ink),
  ];
  if (seat === view.declarer) parts.push(drawShape("crown", left + size * 0.7, y - size * 0.7, size * 1.4, sign));
  else parts.push(element("circle", { cx: left + size * 1.4, cy: y, r: size * 0.4, fill: sign }));
  if (task) parts.push(drawText(task, left + width - size, y - size / 2, size, ink, { anchor: 1, weight: 11 }));
  return group({}, ...parts);
}

/** Draw a seat's hand, or its back, with the cards that everybody knows to be in it.
 * @param {number} seat @param {Spot} spot @param {View} view @param {Style} style @returns {Element} */
export function drawSeatHand(seat, spot, view, style) {
  const hand = view.hands[seat];
  if (hand.cards !== null) return drawHand(hand.cards, view.seat === seat ? view.taken : "", spot, style);
  if (!hand.size) return group({});
  const [x, y, room, height] = spot.hand;
  const width = Math.min(spot.card, 50);
  const size = style.places.text;
  const backs = Math.min(hand.size, MOST_BACKS);
  const known = wordsOf(hand.known);
  const step = width * 0.22;
  const count = String(hand.size);
  const knownWidth = known.length ? fanWidth(known.length, width, step * 2) + size : 0;
  const across = fanWidth(backs, width, step) + size * 0.8 + textWidth(count, size) + knownWidth;
  const left = x + Math.max(0, room - across) / 2;
  const top = y + Math.min(6, (height - (width * CARD_HEIGHT) / CARD_WIDTH) / 2);
  const at = left + fanWidth(backs, width, step) + size * 0.8;
  const fan = { y: top, room, width };
  const parts = [
    drawFan(Array(backs).fill(BACK), { ...fan, x: left, step }, style, 0),
    drawText(count, at, top + width * 0.7 - size / 2, size, style.colors.ink, { weight: 11 }),
  ];
  if (known.length) {
    const from = at + textWidth(count, size) + size;
    const spread = { ...fan, x: from, room: Math.max(width, x + room - from), step: step * 2 };
    parts.push(drawFan(known, spread, style, 0));
  }
  return group({}, ...parts);
}

/** Draw what a seat has played to the trick, or the standing bid; the play that is winning is framed.
 * Until the next lead, the last trick stays on the table, faded.
 * @param {number} seat @param {number} turn @param {Spot} spot @param {View} view @param {Style} style
 * @returns {Element} */
export function drawPlay(seat, turn, spot, view, style) {
  const [x, y, room] = spot.play;
  const width = style.places.playCard;
  const height = (width * CARD_HEIGHT) / CARD_WIDTH;
  const past = view.phase === "lead" ? view.last_trick : null;
  const trick = past ?? view.trick;
  let cards = wordsOf(trick.plays[seat]);
  const bid = view.bids[view.bids.length - 1];
  if (!cards.length && bid && OPENING.includes(view.phase) && bid.seat === seat) cards = wordsOf(bid.cards);
  if (!cards.length) return group({});
  const step = Math.min(width * PLAY_STEP, (room - width) / Math.max(1, cards.length - 1));
  const parts = [];
  if (trick.winning === seat) {
    const across = fanWidth(cards.length, width, step);
    const frame = { x: x - across / 2 - 6, y: y - height / 2 - 6, width: across + 12, height: height + 12 };
    parts.push(element("rect", { ...frame, rx: 12, fill: style.colors.win }));
  }
  parts.push(drawFan(cards, { x, y: y - height / 2, room, width, step }, style));
  if (view.trick.thrown && view.trick.leader === seat) parts.push(failedThrow(turn, spot, view, style));
  return group(past ? { opacity: PAST } : {}, ...parts);
}

/** Draw the throw that failed: above the play of the lowest seat, below the others.
 * @param {number} turn @param {Spot} spot @param {View} view @param {Style} style @returns {Element} */
function failedThrow(turn, spot, view, style) {
  const [x, y, room] = spot.play;
  const width = style.places.smallCard;
  const size = style.places.text * 0.8;
  const height = (width * CARD_HEIGHT) / CARD_WIDTH;
  const played = (style.places.playCard * CARD_HEIGHT) / CARD_WIDTH;
  const top = turn === 0 ? y - played / 2 - height - size - 22 : y + played / 2 + 10;
  const fan = { x, y: top, room, width, step: width * PLAY_STEP };
  const label = drawText(style.word("failed"), x, top + height + 6, size, style.colors.signal, { anchor: 0.5 });
  const isOnTable = view.phase === "forced";
  return isOnTable ? group({}, label) : group({}, drawFan(wordsOf(view.trick.thrown), fan, style), label);
}
