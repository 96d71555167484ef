// What decisions have cost: the list beside the picture, and the marks on the bar.

import { cardLine, make, trumpText } from "./dom.js";
import { signedValue } from "./values.js";
import { say } from "./words.js";

/** @typedef {import("./replay_state.js").State} State */
/** @typedef {import("./types.js").Round} Round */
/** @typedef {import("./types.js").Valued} Valued */
/** @typedef {import("./types.js").View} View */
/** @typedef {import("./words.js").Language} Language */

const MOST_MARKS = 10;
/** @type {Object<string, import("./words.js").Word>} */
const LOST = { bid: "lostBids", bury: "lostBurials", lead: "lostLeads", follow: "lostFollows" };
/** Standard errors that a cost may be off (see shengji_table/valuing/charging.py). */
const SURE = 2;

/** Return what the candidates of a round's decision are worth, if its viewer may know it; null if not.
 * @param {State} state @param {Round} round @returns {Valued | null} */
export function valuesHere(state, round) {
  const here = round.review?.valued.find((each) => each.ply === state.ply) ?? null;
  return here && isSeen(here, state) && !(state.learns && state.told !== state.ply) ? here : null;
}

/** @param {Valued} each @param {State} state */
function isSeen(each, state) {
  return state.viewer === null || state.viewer === each.seat;
}

/** Return the decisions of a round that have cost most: those of one's own first, then those of others.
 * @param {State} state @param {Round} round @returns {[mine: Valued[], others: Valued[]]} */
export function costlyMarks(state, round) {
  const seen = (round.review?.valued ?? []).filter((each) => each.cost > 0 && isSeen(each, state));
  const sorted = [...seen].sort((one, two) => two.cost - one.cost || one.ply - two.ply);
  const isMine = (/** @type {Valued} */ each) => state.viewer === each.seat || state.mine.includes(each.seat);
  const others = sorted.filter((each) => !isMine(each));
  return [sorted.filter(isMine).slice(0, MOST_MARKS), others.slice(0, MOST_MARKS)];
}

/** Return the list of decisions that have cost most, with what was played and what was best.
 * @param {State} state @param {Round} round @param {(ply: number) => View} viewAt
 * @param {(seat: number) => string} nameOf @param {import("./replay_state.js").Dispatch} dispatch */
export function reviewPanel(state, round, viewAt, nameOf, dispatch) {
  const { language } = state;
  const rows = (/** @type {Valued[]} */ marks) =>
    make("ol", { class: "marks" }, ...marks.map((mark) => markRow(mark, state, viewAt(mark.ply), nameOf, dispatch)));
  const [mine, others] = costlyMarks(state, round);
  if (state.learns) return learnPanel([...mine, ...others], state, viewAt, nameOf, dispatch);
  const by = make("p", { class: "note" }, say(language, "reviewBy", round.review?.by ?? ""));
  const floor = make("p", { class: "note" }, say(language, "floor"));
  const none = mine.length + others.length ? null : make("p", { class: "note" }, say(language, "noCost"));
  const between = mine.length && others.length ? make("h3", {}, say(language, "othersCost")) : null;
  const heading = make("h2", {}, say(language, "review"));
  const learn = none ? null : learnButton("learn", true, [...mine, ...others][0].ply, language, dispatch);
  return make("section", { class: "panel review" }, heading, by, floor, none, learn, rows(mine), between, rows(others));
}

/** @param {import("./words.js").Word} word @param {boolean} learns @param {number} ply @param {Language} language
 * @param {import("./replay_state.js").Dispatch} dispatch */
function learnButton(word, learns, ply, language, dispatch) {
  const act = () => {
    dispatch({ type: "set", name: "learns", value: learns });
    dispatch({ type: "set", name: "told", value: -1 });
    dispatch({ type: "go", ply });
  };
  return make("button", { class: word, onclick: act }, say(language, word));
}

/** Return a costly decision as a question: what was played, and the answer only on request.
 * @param {Valued[]} marks @param {State} state @param {(ply: number) => View} viewAt
 * @param {(seat: number) => string} nameOf @param {import("./replay_state.js").Dispatch} dispatch */
function learnPanel(marks, state, viewAt, nameOf, dispatch) {
  const { language } = state;
  const mark = marks.find((each) => each.ply === state.ply) ?? marks[0];
  const place = marks.indexOf(mark) + 1;
  const isRebellion = viewAt(mark.ply).phase === "rebel";
  const played = answerNode(mark.options[mark.played ?? 0][0], isRebellion, language);
  const where = whereOf(viewAt(mark.ply), language);
  const asks = say(language, "better", place, marks.length, where, nameOf(mark.seat));
  const tell = () => dispatch({ type: "set", name: "told", value: mark.ply });
  const isTold = state.told === mark.ply;
  const answer = isTold
    ? make("ol", { class: "marks" }, markRow(mark, state, viewAt(mark.ply), nameOf, dispatch))
    : make("button", { class: "tell", onclick: tell }, say(language, "showAnswer"));
  const buttons = [
    learnButton("nextMistake", true, marks[place % marks.length].ply, language, dispatch),
    learnButton("learnEnd", false, mark.ply, language, dispatch),
  ];
  return make("section", { class: "panel review" }, make("h2", {}, say(language, "learn")),
    make("p", {}, asks, " ", played), answer, make("div", { class: "tools" }, ...buttons));
}

/** Return what the decisions of each seat come to, and what the deal itself was worth.
 * @param {import("./types.js").Review} review @param {State} state @param {(seat: number) => string} nameOf */
export function summaryPanel(review, state, nameOf) {
  const { language } = state;
  const seen = review.summary.filter((each) => state.viewer === null || state.viewer === each.seat);
  const rows = seen.map((each) => {
    const lost = Object.values(each.lost).reduce((sum, levels) => sum + levels, 0);
    const kinds = Object.entries(each.lost).filter(([, levels]) => levels > 0);
    const parts = kinds.map(([kind, levels]) => `${say(language, LOST[kind])} ${levels.toFixed(2)}`).join(", ");
    const accuracy = each.accuracy === null ? "–" : `${Math.round(100 * each.accuracy)} %`;
    const cells = [nameOf(each.seat), accuracy, lost.toFixed(2), parts];
    return make("tr", {}, ...cells.map((cell, index) => make("td", { class: index % 3 ? "number" : null }, cell)));
  });
  const heads = [say(language, "player"), say(language, "accuracy"), say(language, "lost"), ""];
  const table = make("table", {}, make("tr", {}, ...heads.map((head) => make("th", {}, head))), ...rows);
  const par = review.par === null ? null : parLine(review.par, language, nameOf);
  return make("section", { class: "panel" }, make("h2", {}, say(language, "summary")), table, par);
}

/** @param {number} par @param {import("./words.js").Language} language @param {(seat: number) => string} nameOf */
function parLine(par, language, nameOf) {
  const names = say(language, "and", ...(par < 0 ? [1, 3] : [0, 2]).map(nameOf));
  return make("p", { class: "note" }, say(language, "par", names, Math.abs(par)));
}

/** @param {Valued} mark @param {State} state @param {View} view @param {(seat: number) => string} nameOf
 * @param {import("./replay_state.js").Dispatch} dispatch */
function markRow(mark, state, view, nameOf, dispatch) {
  const { language } = state;
  const isHere = mark.ply === state.ply;
  const isRebellion = view.phase === "rebel";
  const where = whereOf(view, language);
  const cost = say(language, "cost", mark.cost.toFixed(2) + (mark.error ? ` ± ${(SURE * mark.error).toFixed(2)}` : ""));
  const answerOf = (/** @type {number} */ index) => answerNode(mark.options[index][0], isRebellion, language);
  const head = make("span", { class: "who" }, make("b", {}, nameOf(mark.seat)), ` · ${where} · ${cost}`);
  const answers = make("span", { class: "answers" }, answerOf(mark.played ?? 0), " → ", answerOf(0));
  const act = () => dispatch({ type: "go", ply: mark.ply });
  const button = make("button", { class: "row mark", onclick: act }, head, answers);
  const why = isHere && mark.why ? whyText(mark.why[language], answerOf(0), answerOf(mark.played ?? 0)) : null;
  const table = isHere ? optionTable(mark, isRebellion, language) : null;
  return make("li", { class: isHere ? "here" : null }, button, why, table);
}

/** @param {View} view @param {Language} language */
function whereOf(view, language) {
  const isPlay = ["lead", "follow", "forced"].includes(view.phase);
  return isPlay ? say(language, "trickNumber", view.tricks + 1) : say(language, "opening");
}

/** Return why the best is better than what was played: a sentence with {A} for the one and {B} for the other.
 * @param {string} sentence @param {Node | string} best @param {Node | string} played */
export function whyText(sentence, best, played) {
  const parts = sentence.split(/(\{[AB]\})/).map((part) => {
    if (part !== "{A}" && part !== "{B}") return part;
    const answer = part === "{A}" ? best : played;
    return typeof answer === "string" ? answer : answer.cloneNode(true);
  });
  return make("p", { class: "note why" }, ...parts);
}

/** Return what the candidates of a decision are worth.
 * @param {Valued} mark @param {boolean} isRebellion @param {Language} language */
export function optionTable(mark, isRebellion, language) {
  const rows = mark.options.map(([answer, value], index) =>
    make(
      "tr",
      { class: index === mark.played ? "chosen" : null },
      make("td", {}, answerNode(answer, isRebellion, language)),
      make("td", { class: "number" }, signedValue(value)),
      make("td", {}, index === mark.played ? say(language, "chosen") : ""),
    ),
  );
  return make("table", {}, make("caption", {}, say(language, "inLevels")), ...rows);
}

/** Return an answer as it is read.
 * @param {string | null} answer @param {boolean} isRebellion @param {Language} language */
export function answerNode(answer, isRebellion, language) {
  if (isRebellion) return say(language, answer === null ? "noRebellion" : "rebellion");
  if (answer === null) return say(language, "none");
  if (answer === "NT") return say(language, "noTrump");
  return answer.length === 1 ? trumpText(answer) : cardLine(answer, language);
}
