// What has to be known about a round, in a line above the table (see picture/header.py).

import { rankText } from "./cards.js";
import { element } from "./elements.js";
import { drawShape, drawText, shorten, textWidth } from "./lettering.js";

/** @typedef {import("./elements.js").Element} Element */
/** @typedef {import("./sheet.js").Style} Style */
/** @typedef {import("./types.js").View} View */

const CELL_GAP = 6;
const BAR = 9;

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

/** Return the seats of a team.
 * @param {number} team */
export function teamSeats(team) {
  return `${team} · ${team + 2}`;
}

/** @param {number} x @param {number} y @param {string} label @param {string} color @param {Style} style */
function cell(x, y, label, color, style) {
  const [width, height, size] = style.places.cell;
  const { panel, line } = style.colors;
  return [
    element("rect", { x, y, width, height, rx: 10, fill: panel, stroke: line }),
    drawText(shorten(label, size, width - 16), x + 10, y + 9, size, color),
  ];
}

/** @param {View} view @param {Style} style @returns {Element[]} */
function trumpCell(view, style) {
  const [x, y] = style.places.trump;
  const colors = style.colors;
  const top = y + style.places.cell[1] - 26;
  const size = 18;
  const parts = cell(x, y, style.word("trump"), colors.soft, style);
  if (view.trump === null || view.level_rank === null) {
    return [...parts, drawText("–", x + 10, top, size, colors.soft)];
  }
  let [color, width] = [colors.ink, 22];
  if (view.trump === "NT") {
    width = textWidth(style.word("none"), size);
    parts.push(drawText(style.word("none"), x + 10, top, size, color, { weight: 11 }));
  } else {
    color = style.groundColor(view.trump);
    parts.push(drawShape(view.trump, x + 8, top - 3, 24, color));
  }
  return [...parts, drawText(rankText(view.level_rank), x + 20 + width, top, size, color, { weight: 12 })];
}

/** @param {View} view @param {Style} style @returns {Element[]} */
function levelCells(view, style) {
  const [x, y] = style.places.levels;
  const [width, height] = style.places.cell;
  const size = style.places.text;
  const { ink, soft } = style.colors;
  return [0, 1].flatMap((team) => {
    const left = x + (width + CELL_GAP) * team;
    const seats = teamSeats(team);
    const label = style.word(roleOf(team, view) ?? "team", seats);
    const top = y + height - 26;
    return [
      ...cell(left, y, label, roleColor(team, view, style), style),
      drawText(rankText(view.levels[team]), left + 10, top, 18, ink, { weight: 12 }),
      drawText(seats, left + width - 10, top + 18 - size, size, soft, { anchor: 1 }),
    ];
  });
}

/** @param {View} view @param {Style} style @returns {Element[]} */
function progress(view, style) {
  const [x, y, anchor, size] = style.places.round;
  const texts = [style.word("round", view.match_round)];
  if (["lead", "forced", "follow"].includes(view.phase)) texts.push(style.word("trick", view.tricks + 1));
  const colors = [style.colors.ink, style.colors.soft];
  return texts.map((text, row) => {
    const top = y + row * size * 2 - (size * (texts.length - 1)) / 2;
    return drawText(text, x, top, size, colors[row], { anchor });
  });
}

/** @param {View} view @param {Style} style @returns {Element[]} */
function pointsBar(view, style) {
  const [x, y, width] = style.places.points;
  const size = style.places.text;
  const colors = style.colors;
  const share = Math.min(1, Math.max(0, view.attackers_points / view.threshold));
  const shape = { x, y, height: BAR, rx: BAR / 2 };
  const top = y - size - 8;
  const figures = `${view.attackers_points} / ${view.threshold}`;
  return [
    drawText(style.word("points"), x, top, size, colors.soft),
    drawText(figures, x + width, top, size, colors.ink, { anchor: 1, weight: 11 }),
    element("rect", { ...shape, width, fill: colors.line }),
    element("rect", { ...shape, width: width * share, fill: colors.attackers }),
  ];
}
