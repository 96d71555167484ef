// Two players on one deal: where the other table stands, and the list of differences.

import { make } from "./dom.js";
import { answerNode } from "./review_panel.js";
import { signedValue } from "./values.js";
import { merged } from "./views.js";
import { say } from "./words.js";

/** @typedef {import("./replay_state.js").State} State */
/** @typedef {import("./types.js").Beside} Beside */
/** @typedef {import("./types.js").Round} Round */
/** @typedef {import("./types.js").Valued} Valued */
/** @typedef {import("./types.js").View} View */

/** Return a function that gives the other table's ply and open view; null if there is no other table.
 * @param {import("./types.js").Replay} replay
 * @returns {(round: number, ply: number, view: View) => {ply: number, view: View} | null} */
export function othersOf(replay) {
  let known = -1;
  /** @type {View[]} */
  let views = [];
  return (number, ply, view) => {
    const { beside } = replay.rounds[number];
    if (!beside?.table) return null;
    if (number !== known) {
      known = number;
      views = allViews(beside.table).map((each) => ({ ...each, match_round: view.match_round }));
    }
    const parted = beside.differences[0] ?? Infinity;
    const place = ply <= parted ? ply : placeLike(view, views, parted);
    return { ply: Math.min(place, views.length - 1), view: views[Math.min(place, views.length - 1)] };
  };
}

/** @param {Round} round @returns {View[]} */
function allViews(round) {
  const views = [round.start];
  for (const change of round.changes) views.push(/** @type {View} */ (merged(views[views.length - 1], change)));
  return views;
}

/** Return the first ply after the tables part at which the other one is as far as this one.
 * @param {View} view @param {View[]} views @param {number} parted */
function placeLike(view, views, parted) {
  const here = progressOf(view);
  const isThere = (/** @type {View} */ other) => {
    const there = progressOf(other);
    const at = here.findIndex((part, index) => part !== there[index]);
    return at < 0 || there[at] > here[at];
  };
  const place = views.findIndex((other, ply) => ply > parted && isThere(other));
  return place < 0 ? views.length - 1 : place;
}

/** Return how far a round is: numbers of which the first that differs decides.
 * @param {View} view @returns {number[]} */
function progressOf(view) {
  const part = ["bid", "name", "rebel"].includes(view.phase) ? 0 : view.phase === "bury" ? 1 : 2;
  const plays = view.phase === "lead" ? 0 : Object.values(view.trick.plays).filter(Boolean).length;
  return [part, part === 0 ? view.drawn : 0, view.phase === "over" ? Infinity : view.tricks, plays];
}

/** Return who sits in a seat of the other table; names that occur twice get the seat's number.
 * @param {Round} table @param {number} seat */
function nameAt(table, seat) {
  const { names } = table.start;
  return names.filter((other) => other === names[seat]).length === 1 ? names[seat] : `${names[seat] ?? ""} ${seat}`;
}

/** Return the list of differences: who differs, what each plays, and what that is worth.
 * @param {State} state @param {Round} round @param {Beside} beside @param {(ply: number) => View} viewAt
 * @param {(seat: number) => string} nameOf @param {import("./replay_state.js").Dispatch} dispatch */
export function besidePanel(state, round, beside, viewAt, nameOf, dispatch) {
  const { language } = state;
  const seen = beside.differences
    .map((ply) => round.review?.valued.find((each) => each.ply === ply))
    .filter((each) => each !== undefined && (state.viewer === null || state.viewer === each.seat));
  const rows = /** @type {Valued[]} */ (seen).map((each) => {
    const view = viewAt(each.ply);
    const isTrick = ["lead", "follow", "forced"].includes(view.phase);
    const where = isTrick ? say(language, "trickNumber", view.tricks + 1) : say(language, "opening");
    const line = (/** @type {string} */ who, /** @type {number | null | undefined} */ index) => {
      const [answer, value] = each.options[index ?? 0];
      const played = make("span", {}, answerNode(answer, view.phase === "rebel", language));
      const worth = make("i", {}, say(language, "levels", signedValue(value)));
      return make("span", { class: "choice" }, make("b", {}, who), played, worth);
    };
    const other = beside.table ? nameAt(beside.table, each.seat) : beside.name;
    const act = () => dispatch({ type: "go", ply: each.ply });
    const lines = [line(nameOf(each.seat), each.played), line(other, each.second)];
    const button = make("button", { class: "row mark", onclick: act }, make("span", { class: "who" }, where), ...lines);
    return make("li", { class: each.ply === state.ply ? "here" : null }, button);
  });
  const title = say(language, beside.table ? "firstDifference" : "differences", beside.name);
  const text = seen.length ? (beside.table ? "goOwnWay" : "goesOn") : "noDifference";
  const note = make("p", { class: "note" }, say(language, text));
  return make("section", { class: "panel beside" }, make("h2", {}, title), note, make("ol", {}, ...rows));
}
