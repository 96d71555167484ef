// What has to be known about a round, in a line above the table (see picture/header.py).

import { drawPile, rankText } from "./cards.js";
import { CORNER, LEAST, wordsOf } from "./card_rows.js";
import { element } from "./elements.js";
import { drawShape, drawText, shorten, textWidth } from "./lettering.js";

/** @typedef {import("./elements.js").Element} Element */
/** @typedef {import("./sheet.js").Style} Style */
/** @typedef {import("./types.js").View} View */

export const OPENING = ["bid", "name", "rebel", "bury"];
const CELL_GAP = 6;
const BAR = 9;
const FLAT = 40;

/** Draw the line above the table.
 * @param {View} view @param {Style} style @returns {Element[]} */
export function drawHeader(view, style) {
  return [...trumpCell(view, style), ...levelCells(view, style), ...progress(view, style), ...pointsBar(view, style)];
}

/** Return the side of a seat, or null while nobody declares.
 * @param {number} seat @param {View} view */
export function roleOf(seat, view) {
  if (view.declarer === null) return null;
  return seat % 2 === view.declarer % 2 ? "declarers" : "attackers";
}

/** Return the colour of a seat's side.
 * @param {number} seat @param {View} view @param {Style} style */
export function roleColor(seat, view, style) {
  return style.colors[roleOf(seat, view) ?? "soft"];
}

/** Return what a seat is called; seats of one name are told apart by their numbers.
 * @param {number} seat @param {View} view @param {Style} style @returns {string} */
export function seatName(seat, view, style) {
  return view.names.length ? nameAmong(view.names, seat) : style.word("seat", seat);
}

/** Return a seat's name, with its number if another seat has the same.
 * @param {string[]} names @param {number} seat */
export function nameAmong(names, seat) {
  const name = names[seat];
  return names.filter((other) => other === name).length === 1 ? name : `${name} ${seat}`;
}

/** Return what the seats of a team are called.
 * @param {number} team @param {View} view @param {Style} style */
export function teamNames(team, view, style) {
  return [team, team + 2].map((seat) => seatName(seat, view, style));
}

/** Draw a cell with its label; return it, and the left end and the size of what it says.
 * @param {[x: number, y: number, width: number]} box @param {string} label @param {string} color @param {Style} style
 * @returns {[parts: Element[], left: number, size: number]} */
function cell([x, y, width], label, color, style) {
  const [height, size] = style.places.cell;
  const { panel, line } = style.colors;
  const frame = element("rect", { x, y, width, height, rx: 10, fill: panel, stroke: line });
  const isFlat = height < FLAT;
  const [left, top] = isFlat ? [x + 8, y + (height - size) / 2] : [x + 10, y + 9];
  const text = drawText(shorten(label, size, width - 16), left, top, size, color);
  return [[frame, text], isFlat ? x + 16 + textWidth(label, size) : x + 10, isFlat ? 14 : 18];
}

/** @param {number} y @param {number} size @param {Style} style */
function valueTop(y, size, style) {
  const [height] = style.places.cell;
  return y + (height >= FLAT ? height - 26 : (height - size) / 2);
}

/** @param {View} view @param {Style} style @returns {Element[]} */
function trumpCell(view, style) {
  const [x, y, width] = style.places.trump;
  const colors = style.colors;
  const [parts, left, size] = cell([x, y, width], style.word("trump"), colors.soft, style);
  const top = valueTop(y, size, style);
  if (view.trump === null || view.level_rank === null) {
    return [...parts, drawText("–", left, top, size, colors.soft)];
  }
  const rank = rankText(view.level_rank);
  let [color, across] = [colors.ink, size * 1.2];
  if (view.trump === "NT") {
    across = textWidth(style.word("none"), size);
    parts.push(drawText(style.word("none"), left, top, size, color, { weight: 11 }));
  } else {
    color = style.groundColor(view.trump);
    parts.push(drawShape(view.trump, left - 2, top - size / 6, (size * 4) / 3, color));
  }
  const end = left + size / 2 + across;
  const level = drawText(rank, end, top, size, color, { weight: 12 });
  return [...parts, level, ...bidParts(end + textWidth(rank, size) + 8, view, style)];
}

/** Draw the bid that made the trumps, once it no longer lies on the table.
 * @param {number} left @param {View} view @param {Style} style @returns {Element[]} */
function bidParts(left, view, style) {
  const bid = view.bids[view.bids.length - 1];
  if (!bid || OPENING.includes(view.phase)) return [];
  const [x, y, width] = style.places.trump;
  const [height, size] = style.places.cell;
  const right = x + width - 6;
  const high = height - 6;
  const card = Math.min(0.64 * high, (right - left) / 2);
  if (card < LEAST) return [];
  const cards = wordsOf(bid.cards);
  const room = Math.min(right - left, card * (1 + CORNER * (cards.length - 1)));
  const parts = [drawPile(cards, { x: right, y: y + 3, room, height: high, width: card }, style, 1)];
  if (height >= FLAT) {
    const name = seatName(bid.seat, view, style);
    const label = style.word("shown", name);
    const start = x + 16 + textWidth(style.word("trump"), size);
    const spare = right - room - 4 - start;
    const text = textWidth(label, size) <= spare ? label : shorten(name, size, spare);
    parts.push(drawText(text, start, y + 9, size, style.colors.soft));
  }
  return parts;
}

/** @param {View} view @param {Style} style @returns {Element[]} */
function levelCells(view, style) {
  const [x, y, width] = style.places.levels;
  const [height, size] = style.places.cell;
  const { ink, soft } = style.colors;
  return [0, 1].flatMap((team) => {
    const left = x + (width + CELL_GAP) * team;
    const label = style.word(roleOf(team, view) ?? "team");
    const [parts, start, big] = cell([left, y, width], label, roleColor(team, view, style), style);
    const rank = rankText(view.levels[team]);
    const labelEnd = start + textWidth(style.word("declarers"), size) * (height >= FLAT ? 1 : 0);
    const used = Math.max(start + textWidth(rank, big), labelEnd);
    const texts = teamNames(team, view, style).map((name) => shorten(name, size, left + width - 18 - used));
    const names = (texts.every(Boolean) ? texts : []).map((text, row) => {
      const low = y + height * (0.28 + 0.46 * row) - size / 2;
      return drawText(text, left + width - 8, low, size, soft, { anchor: 1 });
    });
    return [...parts, drawText(rank, start, valueTop(y, big, style), big, ink, { weight: 12 }), ...names];
  });
}

/** @param {View} view @param {Style} style @returns {Element[]} */
function progress(view, style) {
  const [x, y, anchor, most, room] = style.places.round;
  const texts = [style.word("round", view.match_round)];
  if (["lead", "forced", "follow"].includes(view.phase)) texts.push(style.word("trick", view.tricks + 1));
  if (view.phase === "bid" && view.trump === null) texts.push(style.word("drawn", view.drawn, view.to_draw));
  const text = texts.join(" · ");
  const size = Math.min(most, (most * room) / textWidth(text, most));
  return [drawText(text, x, y - size / 2, size, style.colors.ink, { anchor })];
}

/** @param {View} view @param {Style} style @returns {Element[]} */
function pointsBar(view, style) {
  const [x, y, width] = style.places.points;
  const size = style.places.text;
  const colors = style.colors;
  const share = Math.min(1, Math.max(0, view.attackers_points / view.threshold));
  const bar = Math.min(BAR, size * 0.7);
  const shape = { x, y, height: bar, rx: bar / 2 };
  const top = y - size - size * 0.6;
  const figures = `${view.attackers_points} / ${view.threshold}`;
  const label = shorten(style.word("points"), size, width - textWidth(figures, size) - size);
  return [
    drawText(label, x, top, size, colors.soft),
    drawText(figures, x + width, top, size, colors.ink, { anchor: 1, weight: 11 }),
    element("rect", { ...shape, width, fill: colors.line }),
    element("rect", { ...shape, width: width * share, fill: colors.attackers }),
  ];
}
