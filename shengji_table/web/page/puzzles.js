// The puzzle page: asks the server for puzzles and for what answers are worth; progress stays in the browser.

import { listenToKeys } from "./keys.js";
import { question } from "./play_state.js";
import { firstPuzzles, nextOf, reducePuzzles } from "./puzzle_state.js";
import { makePuzzlePage } from "./puzzle_view.js";
import { theServer } from "./server.js";
import { savedSettings, saveSettings } from "./settings.js";
import { useSheet } from "./sheet.js";

/** @typedef {import("./puzzle_state.js").Action} Action
 * @typedef {import("./messages.js").Fields} Fields
 * @typedef {import("./messages.js").Sent} Sent */

const PROGRESS = "shengji-puzzles";

/** @returns {import("./puzzle_state.js").Progress} */
function savedProgress() {
  try {
    return JSON.parse(localStorage.getItem(PROGRESS) ?? "{}");
  } catch {
    return {};
  }
}

let state = firstPuzzles(savedSettings(), savedProgress());
const root = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {import("./puzzle_view.js").Doing} */
const doing = { send, dispatch, now: () => state.table, again: () => {}, next };
const show = makePuzzlePage(root, doing);

/** @param {Action | import("./play_state.js").Request} action */
function dispatch(action) {
  if (action.type === "askReplay" || action.type === "askHint") return;
  const before = state;
  state = reducePuzzles(state, action);
  if (action.type === "set") saveSettings(state.table.settings);
  if (state.progress !== before.progress) localStorage.setItem(PROGRESS, JSON.stringify(state.progress));
  const asked = state.solution ? null : question(before.table, state.table);
  if (asked) send("choose", asked);
  show(state);
}

/** Ask the server; a refusal is an answer too.
 * @param {string} path @returns {Promise<any>} */
async function ask(path) {
  const answer = await theServer().get(path);
  if (!answer.ok && answer.status !== 400) throw new Error(await answer.text());
  return answer.json();
}

/** Do what a person's key or click says.
 * @param {Sent} type @param {Fields} fields @returns {boolean} */
function send(type, fields = {}) {
  const { number, isValuing, solution } = state;
  if (number === null || isValuing || (type !== "choose" && solution)) return false;
  const cards = encodeURIComponent(fields.cards ?? "");
  if (type === "choose") {
    ask(`puzzles/${number}/choose?cards=${cards}`).then((message) => dispatch({ type: "message", message }), failed);
  } else if (type === "play" || type === "bid" || type === "done") {
    dispatch({ type: "valuing" });
    ask(`puzzles/${number}/answer?cards=${cards}`).then((heard) => answered(number, heard), failed);
  }
  return true;
}

/** @param {number} number @param {any} heard a solution, or a refusal */
function answered(number, heard) {
  if (heard.type !== "refused") dispatch({ type: "solution", number, solution: heard });
  else {
    dispatch({ type: "show", number });
    dispatch({ type: "message", message: heard });
  }
}

function failed() {
  dispatch({ type: "failed" });
}

/** Show the next puzzle that is wanted. */
function next() {
  const number = nextOf(state);
  if (number === null) dispatch({ type: "show", number });
  else location.hash = String(number + 1);
}

/** Show the puzzle that the address names, or the next one. */
async function follow() {
  const number = Number(location.hash.slice(1)) - 1;
  if (!(number in state.listed)) return next();
  try {
    const message = await ask(`puzzles/${number}`);
    dispatch({ type: "show", number });
    dispatch({ type: "message", message: /** @type {any} */ ({ type: "welcome", seat: message.view.viewer }) });
    dispatch({ type: "message", message });
  } catch {
    failed();
  }
}

listenToKeys(root, doing);
document.addEventListener("keydown", (event) => {
  if (state.solution && event.key.toLowerCase() === "n" && !event.ctrlKey && !event.metaKey && !event.altKey) next();
});
addEventListener("hashchange", follow);
addEventListener("resize", () => show(state));
const sheet = await fetch(new URL("./sheet.json", import.meta.url));
useSheet(await sheet.json());
await theServer().link();
show(state);
try {
  dispatch({ type: "listed", listed: await ask("puzzles.json") });
  await follow();
} catch {
  failed();
}
