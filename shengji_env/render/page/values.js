// What the candidates of a decision are worth, on the table (see picture/values_picture.py).

import { rankText, takeOut } from "./cards.js";
import { element, group } from "./elements.js";
import { drawShape, drawText, textWidth } from "./lettering.js";

/** @typedef {import("./elements.js").Element} Element */
/** @typedef {import("./sheet.js").Style} Style */
/** @typedef {import("./types.js").Valued} Valued */
/** @typedef {import("./types.js").View} View */
/** Where something is drawn in a row: its left end, the row's middle, how wide it may be.
 * @typedef {{x: number, middle: number, width: number}} Row */

const NUM_PLACES = 4;
const SCALE = 0.5;
const VALUES_ROW = 1.8;
const VALUES_PAD = 6;
const SHARE = 0.55;
const GAP = 0.6;
const LEFT_OUT = "…";
const STAR = /** @type {const} */ ([4, -16, 34]);
const RAISING = ["bid", "bury", "lead", "follow"];
/** @type {Object<string, string>} */
const ANSWERS = { rebel: "rebel", NT: "none" };
/** @type {Object<string, ["star" | "crown", "ink" | "signal"]>} */
const JOKER_SIGNS = { LJ: ["star", "ink"], BJ: ["crown", "signal"] };

/** Return the values that a viewer may see: its own, or anybody's if it sees all hands.
 * @param {Valued | null} values @param {View} view */
export function seenValues(values, view) {
  return values && (view.viewer === null || view.viewer === values.seat) ? values : null;
}

/** Return a view in which the cards that are played are raised in the hand.
 * @param {View} view @param {Valued | null} values @returns {View} */
export function withRaised(view, values) {
  if (!values || values.played === null || view.seat !== values.seat || !RAISING.includes(view.phase)) return view;
  return { ...view, taken: values.options[values.played][0] ?? "" };
}

/** Return a view in which the seat that decides has taken back its play of the last trick, to make room.
 * @param {View} view @param {Valued | null} values @returns {View} */
export function withoutPast(view, values) {
  if (!values || !view.last_trick) return view;
  const plays = { ...view.last_trick.plays, [values.seat]: "" };
  return { ...view, last_trick: { ...view.last_trick, plays } };
}

/** Return a seat's hand with stars on the cards that are best to play, if others are played.
 * @param {Element} hand @param {Valued} values @param {View} view @param {Style} style @returns {Element} */
export function starred(hand, values, view, style) {
  const [best] = byValue(values);
  const [answer] = values.options[best];
  if (best === values.played || view.seat !== values.seat || !RAISING.includes(view.phase) || !answer) return hand;
  return withStars(hand, answer.split(" "), style);
}

/** Put a star on each of some cards that is found, and take that card off the list.
 * @param {Element} part @param {string[]} cards @param {Style} style @returns {Element} */
function withStars(part, cards, style) {
  const children = part.children.flatMap((/** @type {Element | string} */ child) => {
    /** @type {(Element | string)[]} */
    const alone = [child];
    if (typeof child === "string") return alone;
    const place = cards.indexOf(child.attributes["data-card"]);
    const whole = withStars(child, cards, style);
    if (place < 0) return [whole];
    cards.splice(place, 1);
    const there = { transform: child.attributes.transform, "pointer-events": "none" };
    return [whole, group(there, drawShape("star", ...STAR, style.colors.win))];
  });
  return { ...part, children };
}

/** Draw the best candidates of a decision, as many as there is room for, and those that were chosen.
 * @param {Valued} values @param {View} view @param {Style} style @returns {Element} */
export function drawValues(values, view, style) {
  const bottom = view.viewer === null || view.viewer < 0 ? 0 : view.viewer;
  const [x, y, width, height] = style.places.values[(values.seat - bottom + NUM_PLACES) % NUM_PLACES];
  const down = style.places.text * VALUES_ROW;
  const shown = fitting(values, Math.floor((height - 2 * VALUES_PAD) / down));
  const apart = toldApart(shown, answerRoom(width - 2 * VALUES_PAD, style), style);
  const across = down * shown.options.length + 2 * VALUES_PAD;
  const top = y + (height - across) / 2;
  const { panel, line } = style.colors;
  const rows = shown.options.flatMap((_, index) => {
    const middle = top + VALUES_PAD + (index + 0.5) * down;
    const row = { x: x + VALUES_PAD, middle, width: width - 2 * VALUES_PAD };
    return [...signs(apart, index, row, style), ...figures(apart, index, row, style)];
  });
  const box = element("rect", { x, y: top, width, height: across, rx: 10, fill: panel, stroke: line });
  return group({ "data-values": String(values.seat) }, box, ...rows);
}

/** Return the places of the candidates, the best first; equal ones stay in order.
 * @param {Valued} values @returns {number[]} */
function byValue(values) {
  return values.options.map((_, index) => index).sort((one, two) => values.options[two][1] - values.options[one][1]);
}

/** Return how wide an answer may be in a row.
 * @param {number} width @param {Style} style */
function answerRoom(width, style) {
  const size = style.places.text;
  return (width - size * 1.9 - 5 - textWidth("+0.00", size * 0.85)) * SHARE;
}

/** Return candidates without the cards that all of them have, if some are too long to be read to the end.
 * @param {Valued} values @param {number} room @param {Style} style @returns {Valued} */
function toldApart(values, room, style) {
  const isWord = values.options.some(([answer]) => answer === null || answer in ANSWERS);
  const answers = values.options.map(([answer]) => (answer ?? "").split(" ").filter(Boolean));
  const widthOf = (/** @type {string[]} */ cards) => marksOf(cards, style).reduce((sum, [, across]) => sum + across, 0);
  if (isWord || answers.every((cards) => widthOf(cards) <= room)) return values;
  const common = answers.reduce((left, cards) => {
    const rest = [...cards];
    return left.filter((card) => takeOut(card, rest));
  });
  const others = answers.map((cards) => {
    const rest = [...common];
    return cards.filter((card) => !takeOut(card, rest));
  });
  if (!common.length || others.some((cards) => !cards.length)) return values;
  const options = values.options.map(([, value], index) => /** @type {[string, number]} */ (
    [[LEFT_OUT, ...others[index]].join(" "), value]
  ));
  return { ...values, options };
}

/** Return as many candidates as there is room for: those that were chosen, and the best.
 * @param {Valued} values @param {number} most @returns {Valued} */
function fitting(values, most) {
  const order = byValue(values);
  const isChosen = (/** @type {number} */ index) => index === values.played || index === values.second;
  const number = most - order.slice(most).filter(isChosen).length;
  const kept = [...order.slice(0, number), ...order.slice(number).filter(isChosen)];
  const placeOf = (/** @type {number | null | undefined} */ index) => kept.findIndex((each) => each === index);
  const options = kept.map((index) => values.options[index]);
  return { ...values, options, played: placeOf(values.played), second: placeOf(values.second) };
}

/** Draw how a candidate stands out: a frame, a star, a ring.
 * @param {Valued} values @param {number} index @param {Row} row @param {Style} style @returns {Element[]} */
function signs(values, index, row, style) {
  const size = style.places.text;
  const { plate, move, win, declarers } = style.colors;
  const x = row.x + size * 0.9;
  const parts = [];
  if (index === values.played) {
    const height = size * VALUES_ROW - 2;
    const frame = { x: row.x, y: row.middle - height / 2, width: row.width, height, rx: 6, "stroke-width": 1.5 };
    parts.push(element("rect", { ...frame, fill: plate, stroke: move }));
  }
  if (index === 0) parts.push(drawShape("star", x - size * 0.5, row.middle - size * 0.5, size, win));
  if (index === values.second) {
    const ring = { fill: "none", stroke: declarers, "stroke-width": 2 };
    parts.push(element("circle", { cx: x, cy: row.middle, r: size * 0.6, ...ring }));
  }
  return parts;
}

/** Draw a candidate's answer, its bar and its value.
 * @param {Valued} values @param {number} index @param {Row} row @param {Style} style @returns {Element[]} */
function figures(values, index, row, style) {
  const size = style.places.text;
  const colors = style.colors;
  const [answer, value] = values.options[index];
  const left = row.x + size * 1.9;
  const end = row.x + row.width - 5;
  const room = answerRoom(row.width, style) / SHARE;
  const bar = { x: left + room * (SHARE + 0.03), y: row.middle - size * 0.35, height: size * 0.7, rx: 3 };
  const width = room * (0.92 - SHARE);
  const color = index === 0 ? colors.move : index === values.played ? colors.attackers : colors.soft;
  const how = { anchor: 1, weight: index === 0 ? 12 : 10 };
  return [
    ...drawAnswer(answer, { x: left, middle: row.middle, width: room * SHARE }, style),
    element("rect", { ...bar, width, fill: colors.line }),
    element("rect", { ...bar, width: width * shareOf(values, index), fill: color }),
    drawText(signedValue(value), end, row.middle - size * 0.425, size * 0.85, colors.ink, how),
  ];
}

/** Return how much of its bar a candidate fills.
 * @param {Valued} values @param {number} index */
function shareOf(values, index) {
  const numbers = values.options.map(([, value]) => value);
  const best = Math.max(...numbers);
  return 1 - (best - numbers[index]) / Math.max(SCALE, best - Math.min(...numbers));
}

/** Return a value with its sign and two decimal places.
 * @param {number} value */
export function signedValue(value) {
  const hundredths = Math.floor(Math.abs(value) * 100 + 0.5);
  return `${value < 0 ? "−" : "+"}${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`;
}

/** Draw a word, or cards as symbols and ranks: a suit's symbol once for cards of it that follow one another.
 * @param {string | null} answer @param {Row} row @param {Style} style @returns {Element[]} */
function drawAnswer(answer, row, style) {
  const size = style.places.text;
  const { ink } = style.colors;
  const y = row.middle - size / 2;
  const word = answer === null ? "pass" : ANSWERS[answer];
  if (word) return [drawText(style.word(word), row.x, y, size, ink)];
  const parts = [];
  const marks = marksOf((answer ?? "").split(" ").filter(Boolean), style);
  let x = row.x;
  for (const [number, [draw, across]] of marks.entries()) {
    const spare = number === marks.length - 1 ? 0 : textWidth(LEFT_OUT, size);
    if (x + across + spare > row.x + row.width) return [...parts, drawText(LEFT_OUT, x, y, size, ink)];
    parts.push(draw(x, y));
    x += across;
  }
  return parts;
}

/** What draws a sign at a place, and how much room it takes.
 * @typedef {[draw: (x: number, y: number) => Element, room: number]} Mark */

/** Return the signs of cards: a suit's symbol once for cards of it that follow one another.
 * @param {string[]} cards @param {Style} style @returns {Mark[]} */
function marksOf(cards, style) {
  const suits = cards.map((card) => (card in JOKER_SIGNS ? "" : card[0]));
  return cards.flatMap((card, at) => marksOfCard(card, card[0] !== (suits[at - 1] ?? ""), style));
}

/** Return the signs of a card, or of a suit alone, each with the room that it takes.
 * @param {string} card @param {boolean} isFirst whether the suit's symbol is drawn @param {Style} style
 * @returns {Mark[]} */
function marksOfCard(card, isFirst, style) {
  const size = style.places.text;
  if (card === LEFT_OUT) {
    return [[(x, y) => drawText(LEFT_OUT, x, y, size, style.colors.ink), textWidth(LEFT_OUT, size) + size * GAP]];
  }
  if (card in JOKER_SIGNS) {
    const [shape, name] = JOKER_SIGNS[card];
    return [[(x, y) => drawShape(shape, x, y, size, style.colors[name]), size * 1.15]];
  }
  const color = style.groundColor(card[0]);
  const rank = rankText(card.slice(1));
  /** @type {Mark[]} */
  const marks = [];
  if (isFirst) marks.push([(x, y) => drawShape(card[0], x, y, size, color), size * 1.1]);
  const room = textWidth(rank, size) + size * GAP;
  if (rank) marks.push([(x, y) => drawText(rank, x, y, size, color, { weight: 11 }), room]);
  return marks;
}
