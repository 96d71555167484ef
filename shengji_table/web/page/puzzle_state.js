// What the puzzle page knows, as a pure reducer: the puzzle as a table at which one decides, and what has been solved.

import { firstState, reduce } from "./play_state.js";

/** @typedef {import("./messages.js").ListedPuzzle} ListedPuzzle
 * @typedef {import("./messages.js").Solution} Solution
 * @typedef {{rules: string, level: string, theme: string}} Choice what is wanted; no text: all
 * @typedef {{[key: string]: number}} Progress levels that the first answer to each puzzle has lost; below 0 if it is
 *   better than what was thought best
 * @typedef {{table: import("./play_state.js").State, listed: ListedPuzzle[], number: number | null,
 *   solution: Solution | null, isTold: boolean, isValuing: boolean, hasFailed: boolean, progress: Progress,
 *   choice: Choice}} State
 *   `number`: the puzzle that is shown; null if none is left; `isTold`: whether its solution is shown
 * @typedef {import("./play_state.js").Action | {type: "listed", listed: ListedPuzzle[]}
 *   | {type: "show", number: number | null} | {type: "valuing" | "failed" | "again" | "tell" | "forget"}
 *   | {type: "solution", number: number, solution: Solution}
 *   | {type: "want", name: keyof Choice, value: string}} Action */

/** Levels below the best that count as solved (`puzzles.puzzle.AS_GOOD`). */
export const AS_GOOD = 0.02;

/** @param {import("./play_state.js").Settings} settings @param {Progress} progress @returns {State} */
export function firstPuzzles(settings, progress) {
  const table = { ...firstState(settings), connection: /** @type {const} */ ("open") };
  const choice = { rules: "", level: "", theme: "" };
  const nothing = { number: null, solution: null, isTold: false, isValuing: false, hasFailed: false };
  return { ...nothing, table, listed: [], progress, choice };
}

/** Return the next state.
 * @param {State} state @param {Action} action @returns {State} */
export function reducePuzzles(state, action) {
  switch (action.type) {
    case "listed":
      return { ...state, listed: action.listed };
    case "show":
      return { ...state, number: action.number, solution: null, isTold: false, isValuing: false, hasFailed: false };
    case "tell":
      return { ...state, isTold: true };
    case "valuing":
      return { ...state, isValuing: true, hasFailed: false };
    case "failed":
      return { ...state, isValuing: false, hasFailed: true };
    case "again":
      return { ...state, solution: null, table: reduce(state.table, { type: "choose", cards: [] }) };
    case "forget":
      return { ...state, progress: {} };
    case "want":
      return { ...state, choice: { ...state.choice, [action.name]: action.value } };
    case "solution":
      return action.number === state.number ? solved(state, action.solution) : state;
    default:
      return { ...state, table: reduce(state.table, action) };
  }
}

/** @param {State} state @param {Solution} solution @returns {State} */
function solved(state, solution) {
  const { key } = state.listed[state.number ?? 0];
  const progress = key in state.progress ? state.progress : { [key]: solution.loss, ...state.progress };
  const isTold = state.isTold || solution.loss <= AS_GOOD;
  return { ...state, table: { ...state.table, sent: null }, solution, isTold, isValuing: false, progress };
}

/** Return the puzzles that are wanted.
 * @param {State} state @returns {number[]} */
export function wanted({ listed, choice }) {
  const fits = (/** @type {ListedPuzzle} */ each) =>
    (!choice.rules || each.rules === choice.rules) && (!choice.level || String(each.level) === choice.level)
    && (!choice.theme || each.theme === choice.theme);
  return listed.flatMap((each, number) => (fits(each) ? [number] : []));
}

/** Return the next wanted puzzle that has not been tried, first of those after the shown one; null if none is left.
 * @param {State} state @returns {number | null} */
export function nextOf(state) {
  const left = wanted(state).filter((number) => !(state.listed[number].key in state.progress));
  return left.find((number) => number > (state.number ?? -1)) ?? left[0] ?? null;
}

/** Return how many of the wanted puzzles were tried, the share solved at once, the mean loss in levels, and how many of
 * all were last solved at once in a row.
 * @param {State} state @returns {{tried: number, of: number, solved: number, loss: number, streak: number}} */
export function tally(state) {
  const keys = wanted(state).map((number) => state.listed[number].key);
  const losses = keys.filter((key) => key in state.progress).map((key) => state.progress[key]);
  const solved = losses.filter((loss) => loss <= AS_GOOD).length;
  const loss = losses.reduce((sum, each) => sum + each, 0);
  const latest = Object.values(state.progress);
  const missed = latest.findIndex((each) => each > AS_GOOD);
  const streak = missed < 0 ? latest.length : missed;
  return { tried: losses.length, of: keys.length, solved, loss: losses.length ? loss / losses.length : 0, streak };
}

/** Return what is drawn on the table once a puzzle's solution is told; null before.
 * @param {State} state @returns {import("./types.js").Valued | null} */
export function valuedOf({ solution, isTold, table }) {
  const seat = table.server?.view.viewer ?? null;
  if (!solution || !isTold || seat === null) return null;
  return { ply: 0, seat, cost: Math.max(0, solution.loss), options: solution.options, played: solution.played };
}
