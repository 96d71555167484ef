// The page of an evening: all rounds that have ended, who has won what, and the replay of each.

import { make, trumpText } from "./dom.js";
import { listed, say } from "./lobby_words.js";
import { lossCurves } from "./loss_curves.js";
import { tell } from "./play_words.js";
import { rulesName } from "./preset_names.js";
import { applySettings, savedSettings } from "./settings.js";
import { useSheet } from "./sheet.js";

/** @typedef {import("./messages.js").Evening} Evening
 * @typedef {import("./messages.js").EveningRound} EveningRound
 * @typedef {import("./play_words.js").Language} Language */

const AGAIN = 10_000;
const UNTIL_COMPILED = 2000;
const ROUND_HEADS = /** @type {const} */ (["round", "levels", "trump", "declarer", "points", "result"]);
const PLAYER_HEADS = /** @type {const} */ (["who", "played", "won", "risen", "lost", "accuracy"]);

/** @param {HTMLElement} root @param {Evening} evening @param {Language} language */
function show(root, evening, language) {
  document.title = `${tell(language, "title")} · ${say(language, "evening")}`;
  const rules = make("small", { title: evening.rules }, rulesName(evening.rules, language));
  const heading = make("h2", {}, say(language, "evening"), " ", rules);
  const rounds = evening.rounds.length
    ? [players(evening, language), ...lossCurves(evening, say(language, "curves")), sheet(evening, language),
      reviewAll(evening, language), record(language), make("p", { class: "note" }, say(language, "making"))]
    : [make("p", {}, say(language, "noRounds"))];
  root.replaceChildren(make("main", { class: "evening" }, heading, ...rounds));
}

/** @param {string[]} heads @param {HTMLElement[][]} rows */
function table(heads, rows) {
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row))));
}

/** @param {string | number | Node} content */
function cell(content) {
  return make("td", {}, typeof content === "number" ? String(content) : content);
}

/** A name as text that cannot disturb what stands beside it.
 * @param {string} name */
function nameText(name) {
  return make("bdi", {}, name);
}

/** @param {Evening} evening @param {Language} language */
function players(evening, language) {
  const heads = PLAYER_HEADS.map((name) => say(language, name));
  const rows = evening.players.map((each) => {
    const lost = each.lost === null ? "–" : each.lost.toFixed(2);
    const accuracy = each.accuracy === null ? "–" : `${Math.round(100 * each.accuracy)} %`;
    return [nameText(each.name), each.rounds, each.won, each.levels, lost, accuracy].map(cell);
  });
  return make("section", { class: "panel" }, table(heads, rows));
}

/** Return a button that has the rounds reviewed which were not; while they are, it says how many there are.
 * @param {Evening} evening @param {Language} language */
function reviewAll(evening, language) {
  const left = evening.rounds.filter((round) => !round.lost).map((round) => round.number);
  const done = evening.rounds.length - left.length;
  const label = isReviewing ? say(language, "reviewing", done, evening.rounds.length) : say(language, "reviewAll");
  return make("button", { disabled: isReviewing || !left.length, onclick: () => review(left) }, label);
}

/** Return a link to the record of all rounds, to be kept as a file.
 * @param {Language} language */
function record(language) {
  const href = `${location.pathname}/record.jsonl`;
  return make("a", { class: "button", href }, say(language, "record"));
}

/** Have rounds reviewed, one after the other; show each as it is done.
 * @param {number[]} numbers */
async function review(numbers) {
  isReviewing = true;
  for (const number of numbers) {
    await again();
    if (!(await isReviewed(number))) break;
  }
  isReviewing = false;
  await again();
}

/** Have a round reviewed; what reviews need may have to be compiled first. Return whether it could be.
 * @param {number} number */
async function isReviewed(number) {
  for (;;) {
    const answer = await fetch(`${location.pathname}/review/${number}`).catch(() => null);
    if (!answer?.ok || answer.redirected) return Boolean(answer?.ok);
    await new Promise((resolve) => setTimeout(resolve, UNTIL_COMPILED));
  }
}

/** Show everything anew. */
async function again() {
  shown = "";
  await refresh();
}

/** @param {Evening} evening @param {Language} language */
function sheet(evening, language) {
  const heads = [...ROUND_HEADS.map((name) => tell(language, name)), say(language, "replay")];
  const rows = [...evening.rounds].reverse().map((round) => roundCells(round, evening, language));
  return make("section", { class: "panel" }, make("h2", {}, tell(language, "sheet")), table(heads, rows));
}

/** @param {EveningRound} round @param {Evening} evening @param {Language} language @returns {HTMLElement[]} */
function roundCells(round, evening, language) {
  const link = (/** @type {"replay" | "review"} */ kind) => {
    const href = `${location.pathname}/${kind}/${round.number}${location.hash}`;
    return make("a", { href, target: "_blank", rel: "noopener" }, say(language, kind));
  };
  return [
    round.number, `${round.levels.join(":")} → ${round.new_levels.join(":")}`,
    trumpText(round.trump) + round.level_rank, nameText(round.names[round.declarer]), round.points,
    make("span", {}, resultOf(round, language), notesOf(round, evening, language)),
    make("span", {}, link("replay"), " · ", link("review")),
  ].map(cell);
}

/** @param {EveningRound} round @param {Language} language */
function resultOf(round, language) {
  if (round.winner === null) return tell(language, "draw");
  const declarers = round.declarer % 2;
  const team = round.winner === "declarers" ? declarers : 1 - declarers;
  const names = say(language, "team", round.names[team], round.names[team + 2]);
  return make("span", {}, nameText(names), round.rise ? ` +${round.rise}` : "");
}

/** @param {EveningRound} round @param {Evening} evening @param {Language} language @returns {Node | string} */
function notesOf(round, evening, language) {
  const texts = Object.entries(round.substituted).map(([seat, number]) =>
    say(language, "played_by", evening.substitute, number, round.names[Number(seat)]),
  );
  return texts.length ? make("small", {}, listed(language, texts)) : "";
}

const root = /** @type {HTMLElement} */ (document.getElementById("page"));
const look = savedSettings();
applySettings(look);
let shown = "";
let isReviewing = false;

async function refresh() {
  if (document.hidden) return;
  const answer = await fetch(`${location.pathname}/rounds.json`).catch(() => null);
  const text = answer?.ok ? await answer.text() : "";
  if (!text || text === shown) return;
  shown = text;
  show(root, JSON.parse(text), look.language);
}

document.addEventListener("visibilitychange", refresh);
setInterval(refresh, AGAIN);
const answer = await fetch(new URL("./sheet.json", import.meta.url));
useSheet(await answer.json());
await refresh();
