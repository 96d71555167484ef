// What the decisions of each person have cost, round by round: a chart of the rounds that were reviewed.

import { make } from "./dom.js";
import { element, toSvg } from "./elements.js";

/** @typedef {import("./messages.js").Evening} Evening */

const [WIDTH, HEIGHT, PAD, LEFT] = [600, 160, 10, 34];
const LEAST = 0.5;
const COLORS = 4;

/** Draw a line for each name; nothing before two rounds were reviewed.
 * @param {Evening} evening @param {string} title @returns {HTMLElement[]} */
export function lossCurves(evening, title) {
  const rounds = evening.rounds.filter((each) => each.lost);
  if (rounds.length < 2) return [];
  const [first, last] = [rounds[0].number, rounds[rounds.length - 1].number];
  const most = Math.max(LEAST, ...rounds.flatMap((each) => each.lost ?? []));
  const across = (/** @type {number} */ number) =>
    LEFT + ((WIDTH - LEFT - PAD) * (number - first)) / Math.max(1, last - first);
  const down = (/** @type {number} */ lost) => HEIGHT - PAD - ((HEIGHT - 2 * PAD) * lost) / most;
  const names = evening.players.map((each) => each.name);
  const lines = names.map((name, index) => {
    const points = rounds.flatMap(({ names: seats, number, lost }) =>
      seats.flatMap((each, seat) => (each === name ? [[across(number), down(lost?.[seat] ?? 0)]] : [])),
    );
    const dots = points.map(([cx, cy]) => element("circle", { cx, cy, r: 3 }));
    const line = element("polyline", { points: points.map((each) => each.join()).join(" ") });
    return element("g", { class: `line-${index % COLORS}` }, line, ...dots);
  });
  const scale = [0, most / 2, most].map((lost) => {
    const mark = { x: LEFT - 6, y: down(lost) + 4, "text-anchor": "end" };
    return element("text", mark, lost.toFixed(1));
  });
  const chart = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "losses", role: "img" }, ...scale, ...lines);
  const legend = names.map((name, index) =>
    make("span", { class: `line-${index % COLORS}` }, "● ", make("bdi", {}, name)),
  );
  const below = make("p", { class: "legend" }, ...legend);
  return [make("section", { class: "panel" }, make("h2", {}, title), toSvg(chart, document), below)];
}
