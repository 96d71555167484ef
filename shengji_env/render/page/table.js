// The picture of a table (see picture/table.py): the viewer, or seat 0, sits at the bottom.

import { BACK, cardSymbol, drawPile } from "./cards.js";
import { CARD_WIDTH, wordsOf } from "./card_rows.js";
import { element, group, walk } from "./elements.js";
import { drawHeader, roleOf, seatName, teamNames } from "./header.js";
import { drawShape, drawText, letterId, letterSymbol, shapeSymbol, shorten, textWidth } from "./lettering.js";
import { drawPlate, drawPlay, drawSeatHand } from "./seats.js";
import { sheet } from "./sheet.js";
import { drawValues, seenValues, starred, withRaised, withoutPast } from "./values.js";

/** @typedef {import("./elements.js").Element} Element */
/** @typedef {import("./sheet.js").Style} Style */
/** @typedef {import("./types.js").Result} Result */
/** @typedef {import("./types.js").View} View */

const SEATS = [0, 1, 2, 3];
const PAD = 10;
const HIDDEN_BACKS = 3;
const ASIDE = 36;

/** Return the picture of a table, with what the candidates of its decision are worth if the viewer may see it.
 * @param {View} openView @param {Style} look @param {import("./types.js").Valued | null} given
 * @returns {Element} */
export function drawTable(openView, look, given = null) {
  const values = seenValues(given, openView);
  const view = withRaised(openView, values);
  const style = look.forView(view);
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
    ...seats(withoutPast(view, values), style, values),
    pot(view, style),
    ...(values ? [drawValues(values, view, style)] : []),
    result(view, style),
  );
  const frame = { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, role: "img" };
  const title = element("title", {}, style.word("title"));
  return element("svg", { ...frame, width, height }, title, element("defs", {}, ...symbols(table, style)), table);
}

/** @param {View} view @param {Style} style @param {import("./types.js").Valued | null} values
 * @returns {Element[]} */
function seats(view, style, values) {
  const bottom = bottomSeat(view);
  return SEATS.flatMap((turn) => {
    const seat = (bottom + turn) % SEATS.length;
    const spot = style.places.seats[turn];
    const hand = drawSeatHand(seat, spot, view, style);
    return [
      values?.seat === seat ? starred(hand, values, view, style) : hand,
      drawPlay(seat, turn, spot, view, style),
      drawPlate(seat, spot, view, style),
    ];
  });
}

/** Return the seat that is drawn lowest.
 * @param {View} view */
export function bottomSeat(view) {
  return view.viewer === null || view.viewer < 0 ? 0 : view.viewer;
}

/** Draw the trump suit on the table itself.
 * @param {View} view @param {Style} style @returns {Element} */
function trumpMark(view, style) {
  const [x, y] = style.places.center;
  const size = style.places.mark;
  if (view.trump === null || view.trump === "NT" || !size) return group({});
  return drawShape(view.trump, x - size / 2, y - size / 2, size, style.colors.mark);
}

/** Draw the points in the trick, where neither cards nor a failed throw lie.
 * @param {View} view @param {Style} style */
function pot(view, style) {
  const { points, thrown, leader } = view.trick;
  if (!points) return group({});
  const [x, y] = style.places.center;
  const size = style.places.text * 1.2;
  const turn = thrown && leader !== null && style.places.thrown ? (leader - bottomSeat(view) + 4) % 4 : -1;
  const aside = turn === 0 ? -ASIDE : turn === 2 ? ASIDE : 0;
  const how = { anchor: 0.5, weight: 11 };
  return drawText(`+${points}`, x, y + aside - size / 2, size, style.colors.attackers, how);
}

/** @param {"last" | "kitty"} name @param {string} label @param {Style} style @returns {Element[]} */
function box(name, label, style) {
  const [x, y, width, height] = style.places[name];
  const size = style.places.text * 0.8;
  const { panel, line, soft } = style.colors;
  return [
    element("rect", { x, y, width, height, rx: 12, fill: panel, stroke: line }),
    drawText(shorten(label, size, width - 2 * PAD), x + PAD, y + size, size, soft),
  ];
}

/** Draw the last trick, its plays in order.
 * @param {View} view @param {Style} style @returns {Element} */
function lastTrick(view, style) {
  const trick = view.last_trick;
  if (trick === null || trick.leader === null) return group({});
  const { leader } = trick;
  const [x, y, width, height] = style.places.last;
  const size = style.places.text * 0.8;
  const room = (width - PAD) / SEATS.length;
  const low = y + height - 2 * size;
  const top = y + 2.6 * size;
  const plays = SEATS.flatMap((turn) => {
    const seat = (leader + turn) % SEATS.length;
    const middle = x + PAD / 2 + room * (turn + 0.5);
    const won = seat === trick.winning;
    const color = won ? style.colors.ink : style.colors.soft;
    const name = shorten(seatName(seat, view, style), size, room - 6);
    const pile = { x: middle, y: top, room: room - 6, height: low - top - 4, width: style.places.smallCard };
    return [
      drawPile(wordsOf(trick.plays[seat]), pile, style),
      drawText(name, middle, low, size, color, { anchor: 0.5, weight: won ? 13 : 9 }),
    ];
  });
  const label = style.word("last") + (trick.points ? ` · +${trick.points}` : "");
  return group({}, ...box("last", label, style), ...plays);
}

/** Draw kitty or buried cards, as far as they may be seen; none while somebody holds them.
 * @param {View} view @param {Style} style @returns {Element} */
function kitty(view, style) {
  const [x, y, width, height] = style.places.kitty;
  const size = style.places.text * 0.8;
  const cards = wordsOf(view.buried || view.kitty || view.turned);
  const top = y + 2.6 * size;
  const room = { x: x + PAD, y: top, room: width - 2 * PAD, height: y + height - 6 - top };
  const isHeld = view.phase === "bury";
  const texts = cards.length ? cards : Array(isHeld ? 0 : HIDDEN_BACKS).fill(BACK);
  const pile = drawPile(texts, { ...room, width: style.places.smallCard }, style, 0);
  return group({}, ...box("kitty", kittyLabel(view, style), style), pile);
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
  const title = resultTitle(done, view, style);
  const middle = x + width / 2;
  const big = textWidth(title, size * 1.7) < width - 40 ? size * 1.7 : size;
  const color = colors[done.winner ?? "soft"];
  const shape = { x, y, width, height, rx: 16, "stroke-width": 2 };
  const facts = resultFacts(done, view, style).map((fact) => shorten(fact, size, width - 24));
  return group(
    {},
    element("rect", { ...shape, fill: colors.panel, stroke: color }),
    drawText(title, middle, y + height * 0.2, big, color, { anchor: 0.5, weight: 11 }),
    ...facts.map((fact, row) =>
      drawText(fact, middle, y + height * (0.47 + 0.17 * row), size, colors.ink, { anchor: 0.5 }),
    ),
  );
}

/** Return who has won, and what that moves: for a seat, whether its own side has.
 * @param {Result} done @param {View} view @param {Style} style @returns {string} */
export function resultTitle(done, view, style) {
  let title = done.winner === null ? style.word("draw") : style.word("won", style.word(done.winner));
  if (done.winner !== null && view.viewer !== null && view.viewer >= 0) {
    title = style.word(roleOf(view.viewer, view) === done.winner ? "youWin" : "othersWin");
  }
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
    const winners = team === null ? [] : teamNames(team, view, style);
    facts.push(winners.length ? style.word("matchWon", winners.join(" · ")) : style.word("matchTie"));
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
