// The lists beside the picture: tricks, rounds, and how the points have grown.

import { besidePanel } from "./beside.js";
import { cardLine, make, trumpText } from "./dom.js";
import { element, toSvg } from "./elements.js";
import { lastPly, numberOf, stopsOf } from "./replay_state.js";
import { reviewPanel, summaryPanel } from "./review_panel.js";
import { CURVE, listenToJumps, placeOf, valuePanel } from "./value_curve.js";
import { say } from "./words.js";

/** @typedef {import("./replay_state.js").State} State */
/** @typedef {import("./types.js").Replay} Replay */
/** @typedef {import("./types.js").Round} Round */
/** @typedef {import("./replay_state.js").Dispatch} Dispatch */
/** @typedef {import("./types.js").View} View */
/** @typedef {import("./words.js").Language} Language */

/** Return a round's lists.
 * @param {State} state @param {Replay} replay @param {(ply: number) => View} viewAt
 * @param {(seat: number) => string} nameOf @param {Dispatch} dispatch @returns {HTMLElement[]} */
export function panels(state, replay, viewAt, nameOf, dispatch) {
  const round = replay.rounds[state.round];
  const { review } = round;
  const { declarer } = viewAt(lastPly(round));
  return [
    ...(round.rebels.length ? [abandonedPanel(state, round, nameOf)] : []),
    ...(round.beside ? [besidePanel(state, round, round.beside, viewAt, nameOf, dispatch)] : []),
    ...(review ? [summaryPanel(review, state, nameOf)] : []),
    ...(review ? [reviewPanel(state, round, viewAt, nameOf, dispatch)] : []),
    pointsPanel(state, round, viewAt, dispatch),
    ...(review ? [valuePanel(state, round, review, declarer, dispatch)] : []),
    tricksPanel(state, round, viewAt, nameOf, dispatch),
    ...(replay.rounds.length > 1 ? [roundsPanel(state, replay, dispatch)] : []),
  ];
}

/** @param {string} title @param {...(Node | null)} content */
function panel(title, ...content) {
  return make("section", { class: "panel" }, make("h2", {}, title), ...content);
}

/** Say who ended the deals before this one, which are not shown.
 * @param {State} state @param {Round} round @param {(seat: number) => string} nameOf */
function abandonedPanel(state, round, nameOf) {
  const rows = round.rebels.map((seat) => make("li", {}, say(state.language, "byRebel", nameOf(seat))));
  return panel(say(state.language, "abandoned"), make("ol", { class: "abandoned" }, ...rows));
}

/** @param {number} round @param {number} ply @param {Dispatch} dispatch @param {...(Node | string)} content */
function goButton(round, ply, dispatch, ...content) {
  return make("button", { class: "row", onclick: () => dispatch({ type: "go", round, ply }) }, ...content);
}

/** Draw the attackers' points after each trick as steps, with the line at which they take over.
 * @param {State} state @param {Round} round @param {(ply: number) => View} viewAt @param {Dispatch} dispatch */
function pointsPanel(state, round, viewAt, dispatch) {
  const end = lastPly(round);
  const final = viewAt(end);
  const most = Math.max(final.threshold * 1.1, final.attackers_points, 1);
  const { width, height, pad } = CURVE;
  const across = (/** @type {number} */ ply) => placeOf(ply, end);
  const down = (/** @type {number} */ points) => height - pad - ((height - 2 * pad) * Math.max(0, points)) / most;
  let path = `M${across(0)} ${down(0)}`;
  for (let ply = 1; ply <= end; ply += 1) path += `H${across(ply)}V${down(viewAt(ply).attackers_points)}`;
  const line = (/** @type {number} */ y) => ({ x1: pad, x2: width - pad, y1: y, y2: y });
  const drawing = toSvg(
    element(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img", "aria-label": say(state.language, "points") },
      element("line", { ...line(down(final.threshold)), class: "threshold" }),
      element("path", { d: path, class: "growth" }),
      element("circle", { cx: across(state.ply), cy: down(viewAt(state.ply).attackers_points), r: 4 }),
    ),
    document,
  );
  listenToJumps(drawing, end, dispatch);
  const figures = `${viewAt(state.ply).attackers_points} / ${final.threshold}`;
  return panel(say(state.language, "figure", say(state.language, "points"), figures), drawing);
}

/** @param {State} state @param {Round} round @param {(ply: number) => View} viewAt
 * @param {(seat: number) => string} nameOf @param {Dispatch} dispatch */
function tricksPanel(state, round, viewAt, nameOf, dispatch) {
  const stops = stopsOf(round, "trick");
  const ends = stops.slice(stops.length - round.tricks.length);
  const rows = round.tricks.map((trick, number) => {
    const isHere = state.ply <= ends[number] && state.ply > (ends[number - 1] ?? stops[stops.length - ends.length - 1]);
    const button = goButton(
      state.round,
      ends[number],
      dispatch,
      make("span", { class: "number" }, String(number + 1)),
      seatLabel(trick.leader, "●", nameOf),
      cardLine(trick.led, state.language),
      seatLabel(trick.winner, "★", nameOf),
      make("span", { class: "number" }, trick.points ? `+${trick.points}` : ""),
    );
    return make("li", { class: isHere ? "here" : null }, button);
  });
  return panel(say(state.language, "tricks"), make("ol", { class: "tricks" }, ...rows));
}

/** Return a seat's name after a sign in the seat's colour; the number that tells equal names apart is never cut.
 * @param {number} seat @param {string} sign @param {(seat: number) => string} nameOf */
function seatLabel(seat, sign, nameOf) {
  const [, name, number] = /** @type {string[]} */ (/^(.*?)( \d)?$/s.exec(nameOf(seat)));
  const parts = [make("i", { class: `sign seat-${seat}` }, sign), make("span", { class: "name" }, name)];
  const end = number ? make("span", {}, `\u00a0${seat}`) : null;
  return make("span", { class: "seat", title: nameOf(seat) }, ...parts, end);
}

/** Return what a round is called: its number, and its deal if the rounds are of several.
 * @param {Replay} replay @param {number} number @param {Language} language */
export function roundName(replay, number, language) {
  const { table } = replay.rounds[number];
  const name = say(language, "roundNumber", numberOf(replay, number));
  const isOfSeveral = replay.rounds.some((other) => other.table !== table);
  return isOfSeveral && table !== null ? `${name} · ${say(language, "deal", table + 1)}` : name;
}

/** @param {State} state @param {Replay} replay @param {Dispatch} dispatch */
function roundsPanel(state, replay, dispatch) {
  const rows = replay.rounds.map((round, number) => {
    const { winner, levels, attackers_points: points } = round.result;
    const word = winner === null ? "draw" : winner === "declarers" ? "declarersWin" : "attackersWin";
    const button = goButton(
      number,
      0,
      dispatch,
      make("span", { class: "number" }, String(numberOf(replay, number))),
      make("span", {}, `${round.levels.join(" : ")} ${trumpText(round.trump)}`),
      make("span", { class: "won" }, say(state.language, word, levels)),
      make("span", { class: "number" }, String(points)),
    );
    return make("li", { class: number === state.round ? "here" : null }, button);
  });
  return panel(say(state.language, "rounds"), make("ol", { class: "rounds" }, ...rows));
}
