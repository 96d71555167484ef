// The picture of a table (see picture/table.py): the viewer, or seat 0, sits at the bottom.

import { BACK, CARD_HEIGHT, CARD_WIDTH, cardSymbol, drawFan, wordsOf } from "./cards.js";
import { element, group, walk } from "./elements.js";
import { drawHeader, teamSeats } from "./header.js";
import { drawShape, drawText, letterId, letterSymbol, shapeSymbol, shorten, textWidth } from "./lettering.js";
import { drawPlate, drawPlay, drawSeatHand, seatName } from "./seats.js";
import { sheet } from "./sheet.js";

/** @typedef {import("./elements.js").Element} Element */
/** @typedef {import("./sheet.js").Style} Style */
/** @typedef {import("./types.js").Result} Result */
/** @typedef {import("./types.js").View} View */

const SEATS = [0, 1, 2, 3];
const PAD = 10;
const HIDDEN_BACKS = 3;
const TALL = 100;

/** Return the picture of a table.
 * @param {View} view @param {Style} style @returns {Element} */
export function drawTable(view, style) {
  const [width, height] = style.places.size;
  const colors = style.colors;
  const [x, y, feltWidth, feltHeight] = style.places.felt;
  const felt = { x, y, width: feltWidth, height: feltHeight, rx: 18 };
  const table = group(
    {},
    element("rect", { width, height, fill: colors.page }),
    element("rect", { ...felt, fill: colors.felt, stroke: colors.line }),
    ...drawHeader(view, style),
    lastTrick(view, style),
    kitty(view, style),
    trumpMark(view, style),
    ...seats(view, style),
    center(view, style),
    result(view, style),
  );
  const frame = { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, role: "img" };
  const title = element("title", {}, style.word("title"));
  return element("svg", { ...frame, width, height }, title, element("defs", {}, ...symbols(table, style)), table);
}

/** @param {View} view @param {Style} style @returns {Element[]} */
function seats(view, style) {
  const bottom = view.viewer === null || view.viewer < 0 ? 0 : view.viewer;
  return SEATS.flatMap((turn) => {
    const seat = (bottom + turn) % SEATS.length;
    const spot = style.places.seats[turn];
    return [
      drawSeatHand(seat, spot, view, style),
      drawPlay(seat, turn, spot, view, style),
      drawPlate(seat, spot, view, style),
    ];
  });
}

/** Draw the trump suit on the table itself.
 * @param {View} view @param {Style} style @returns {Element} */
function trumpMark(view, style) {
  const [x, y] = style.places.center;
  const size = style.places.mark;
  if (view.trump === null || view.trump === "NT") return group({});
  return drawShape(view.trump, x - size / 2, y - size / 2, size, style.colors.mark);
}

/** Draw how many cards are drawn, or the points in the trick.
 * @param {View} view @param {Style} style */
function center(view, style) {
  const [x, y] = style.places.center;
  const size = style.places.text * 1.2;
  const { soft, attackers } = style.colors;
  const how = { anchor: 0.5, weight: 11 };
  if (view.phase === "bid" && view.trump === null) {
    return drawText(style.word("drawn", view.drawn, view.to_draw), x, y - size / 2, size, soft, how);
  }
  return view.trick.points ? drawText(`+${view.trick.points}`, x, y - size / 2, size, attackers, how) : group({});
}

/** @param {"last" | "kitty"} name @param {string} label @param {Style} style @returns {Element[]} */
function box(name, label, style) {
  const [x, y, width, height] = style.places[name];
  const size = style.places.text * 0.8;
  const { panel, line, soft } = style.colors;
  return [
    element("rect", { x, y, width, height, rx: 12, fill: panel, stroke: line }),
    drawText(shorten(label, size, width - 2 * PAD), x + PAD, y + PAD, size, soft),
  ];
}

/** Draw the last trick, its plays in order.
 * @param {View} view @param {Style} style @returns {Element} */
function lastTrick(view, style) {
  const trick = view.last_trick;
  if (trick === null || trick.leader === null) return group({});
  const { leader } = trick;
  const [x, y, width, height] = style.places.last;
  const card = style.places.smallCard;
  const size = style.places.text * 0.8;
  const room = (width - 2 * PAD) / SEATS.length;
  const cardHeight = (card * CARD_HEIGHT) / CARD_WIDTH;
  const top = y + height - PAD - size - 4 - cardHeight;
  const names = height > TALL ? shortNames(view, room - 4, size * 0.85, style) : SEATS.map(String);
  const plays = SEATS.flatMap((turn) => {
    const seat = (leader + turn) % SEATS.length;
    const middle = x + PAD + room * turn + room / 2;
    const won = seat === trick.winning;
    const fan = { x: middle, y: top, room: room - 4, width: card, step: card * 0.45 };
    const how = { anchor: 0.5, weight: won ? 12 : 9 };
    const color = won ? style.colors.win : style.colors.soft;
    return [
      drawFan(wordsOf(trick.plays[seat]), fan, style),
      drawText(names[seat], middle, top + cardHeight + 5, size * 0.85, color, how),
    ];
  });
  const label = style.word("last") + (trick.points ? ` · +${trick.points}` : "");
  return group({}, ...box("last", label, style), ...plays);
}

/** Return the names of the seats if they all fit, otherwise their numbers.
 * @param {View} view @param {number} room @param {number} size @param {Style} style @returns {string[]} */
function shortNames(view, room, size, style) {
  const names = SEATS.map((seat) => seatName(seat, view, style));
  return names.every((name) => textWidth(name, size) <= room) ? names : SEATS.map((seat) => style.word("seat", seat));
}

/** Draw kitty or buried cards, as far as they may be seen, and the standing bid.
 * @param {View} view @param {Style} style @returns {Element} */
function kitty(view, style) {
  const [x, y, width, height] = style.places.kitty;
  const card = style.places.smallCard;
  const size = style.places.text * 0.8;
  const cards = wordsOf(view.buried || view.kitty || view.turned);
  const fan = { x: x + PAD, y: y + 2 * PAD + size - 2, room: width - 2 * PAD, width: card, step: card * 0.75 };
  const parts = box("kitty", kittyLabel(view, style), style);
  parts.push(drawFan(cards.length ? cards : Array(HIDDEN_BACKS).fill(BACK), fan, style, 0));
  const bid = view.bids[view.bids.length - 1];
  if (bid && height > TALL) {
    const low = y + height - PAD - card * 0.6;
    const text = shorten(style.word("shown", seatName(bid.seat, view, style)), size, width * 0.6);
    parts.push(drawText(text, x + PAD, low, size, style.colors.soft));
    const across = { x: x + width - PAD, y: low - card * 0.45, room: width * 0.3 };
    parts.push(drawFan(wordsOf(bid.cards), { ...across, width: card * 0.75, step: card * 0.4 }, style, 1));
  }
  return group({}, ...parts);
}

/** @param {View} view @param {Style} style @returns {string} */
function kittyLabel(view, style) {
  const isOverbid = view.phase === "bid" && view.takers.length > 0;
  const isBuried = isOverbid || !["bid", "name", "rebel", "bury"].includes(view.phase);
  if (view.turned && !view.buried) return style.word("turned");
  const points = view.buried_points ? ` · ${view.buried_points}` : "";
  return style.word(isBuried ? "buried" : "kitty") + points;
}

/** Draw who has won the round, where the lowest hand was.
 * @param {View} view @param {Style} style */
function result(view, style) {
  const done = view.result;
  if (done === null) return group({});
  const [x, y, width, height] = style.places.result;
  const size = style.places.text;
  const colors = style.colors;
  const title = resultTitle(done, style);
  const middle = x + width / 2;
  const big = textWidth(title, size * 1.7) < width - 40 ? size * 1.7 : size;
  const color = colors[done.winner ?? "soft"];
  const shape = { x, y, width, height, rx: 16, "stroke-width": 2 };
  return group(
    {},
    element("rect", { ...shape, fill: colors.panel, stroke: color }),
    drawText(title, middle, y + height * 0.2, big, color, { anchor: 0.5, weight: 11 }),
    ...resultFacts(done, view, style).map((fact, row) =>
      drawText(fact, middle, y + height * (0.47 + 0.17 * row), size, colors.ink, { anchor: 0.5 }),
    ),
  );
}

/** @param {Result} done @param {Style} style @returns {string} */
export function resultTitle(done, style) {
  const title = done.winner === null ? style.word("draw") : style.word("won", style.word(done.winner));
  const moved = done.levels ? [style.word("rise", done.levels)] : [];
  if (done.levels_lost) moved.push(style.word("fall", done.levels_lost));
  return [title, ...moved].join("  ");
}

/** @param {Result} done @param {View} view @param {Style} style @returns {string[]} */
function resultFacts(done, view, style) {
  const facts = [`${style.word("points")} ${view.attackers_points} / ${view.threshold}`];
  if (done.kitty_points && done.kitty_multiplier) {
    facts.push(style.word("kittyPoints", done.kitty_points, done.kitty_multiplier));
  }
  if (done.match_over) {
    const team = done.match_winner;
    facts.push(team === null ? style.word("matchTie") : style.word("matchWon", teamSeats(team)));
  } else if (done.next_declarer !== null) {
    facts.push(style.word("next", seatName(done.next_declarer, view, style)));
  }
  return facts;
}

/** Return the symbols that a picture uses, and those that they use.
 * @param {Element} root @param {Style} style @returns {Element[]} */
function symbols(root, style) {
  const known = knownSymbols();
  /** @type {Map<string, Element>} */
  const found = new Map();
  const waiting = [root];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    for (const part of walk(next)) {
      const name = (part.attributes.href ?? "#").slice(1);
      if (!name || found.has(name)) continue;
      const symbol = known[name] ?? cardOfId(name, style);
      found.set(name, symbol);
      waiting.push(symbol);
    }
  }
  return [...found.values()];
}

/** @returns {Object<string, Element>} */
function knownSymbols() {
  const letters = Object.keys(sheet.glyphs.letters).map((letter) => [letterId(letter), letterSymbol(letter)]);
  const shapes = Object.keys(sheet.glyphs.shapes).map((name) => [`sj-${name}`, shapeSymbol(name)]);
  return Object.fromEntries([...letters, ...shapes]);
}

/** @param {string} id @param {Style} style @returns {Element} */
function cardOfId(id, style) {
  const [card, ...small] = id.split("-").slice(2);
  return cardSymbol(card, small.length ? 0 : CARD_WIDTH, style);
}
