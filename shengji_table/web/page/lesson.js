// A lesson: which rules are told when, and when the adviser speaks without being asked. `lesson_words.js` says them.

import { rankText } from "./cards.js";
import { make } from "./dom.js";
import { nameAmong } from "./header.js";
import { teach } from "./lesson_words.js";

/** @typedef {import("./lesson_words.js").LessonWord} LessonWord
 * @typedef {import("./messages.js").Component} Component
 * @typedef {import("./play_state.js").State} State
 * @typedef {import("./types.js").View} View
 * @typedef {[word: LessonWord, ...values: (string | number)[]]} Rule a rule, with what it says of this table
 * @typedef {{told: Rule[], shown: number, asked: string, isUnasked: boolean}} Lesson
 *   `told`: the rules so far; `shown`: how many of the last are on the table; `asked`: what the adviser was asked for
 *   last; `isUnasked`: whether its next hint is one that nobody has asked for */

/** Rounds with rules, and rounds in which the adviser speaks unasked. */
const [GUIDED, ADVISED] = [1, 3];
const MOST_SHOWN = 2;
/** Cards left when the last trick is spoken of. */
const NEAR_END = 4;

/** @type {Lesson} */
export const FIRST_LESSON = { told: [], shown: 0, asked: "", isUnasked: false };

/** Return how many rounds have ended before the one on the table.
 * @param {State} state */
function roundOf({ server }) {
  return (server?.sheet.length ?? 0) - (server?.view.phase === "over" ? 1 : 0);
}

/** Return a lesson with the rules that apply for the first time, given the state before.
 * @param {State} before @param {State} state @returns {Lesson} */
export function taught(before, state) {
  const { lesson, server } = state;
  if (!server || !state.welcome?.lesson || roundOf(state) >= GUIDED) return { ...lesson, shown: 0 };
  const known = new Set(lesson.told.map(([word]) => word));
  const added = rulesHere(state).filter(([word]) => !known.has(word));
  const told = [...lesson.told, ...added];
  const isSame = server.move === before.server?.move || server.view.phase === "bid";
  if (!added.length) return isSame || !server.ask ? lesson : { ...lesson, shown: 0 };
  return { ...lesson, told, shown: Math.min(MOST_SHOWN, added.length + (isSame ? lesson.shown : 0)) };
}

/** Return the rules that are about what is on the table now.
 * @param {State} state @returns {Rule[]} */
function rulesHere({ server, hint }) {
  if (!server) return [];
  const { view, ask } = server;
  const own = view.viewer ?? 0;
  const level = rankText(view.level_rank ?? view.levels[own % 2]);
  const { phase, trick, bids } = view;
  const bid = bids.at(-1);
  const hand = view.hands[String(own)];
  const isPlay = ask?.kind === "lead" || ask?.kind === "follow";
  const following = followRule(ask?.components ?? []);
  /** @type {[boolean, Rule][]} */
  const rules = [
    [true, ["teams"]],
    [phase === "bid", ["trumps", level, level]],
    [ask?.kind === "bid" && ask.options.length > 0, ["bid"]],
    [phase === "bid" && (bid?.seat ?? own) !== own, ["overturn", nameAmong(view.names, bid?.seat ?? own), level]],
    [ask?.kind === "bury", ["bury"]],
    [phase === "bury" && view.seat !== own, ["others", nameAmong(view.names, view.declarer ?? 0)]],
    [ask?.kind === "lead", ["lead"]],
    [ask?.kind === "lead" && Boolean(hint), [leadRule(hint?.components ?? [])]],
    [trick.thrown !== "", ["failed"]],
    [ask?.kind === "follow", ["follow", level]],
    [ask?.kind === "follow" && following !== "follow", [following]],
    [ask?.kind === "follow" && !hand.cards?.[ledSuit(view)], ["void"]],
    [ask?.kind === "follow" && trick.points > 0, ["points", trick.points]],
    [isPlay && hand.size <= NEAR_END, ["last"]],
    [phase === "over", ["over", view.attackers_points]],
    [phase === "over", ["after"]],
  ];
  return rules.filter(([applies]) => applies).map(([, rule]) => rule);
}

/** @param {Component[]} components @returns {LessonWord} */
function followRule(components) {
  const [[width, length] = [1, 1]] = components;
  if (components.length > 1) return "throw";
  if (length > 1) return "tractor";
  return width > 1 ? "pair" : "follow";
}

/** @param {Component[]} components of the lead that the adviser would make @returns {LessonWord} */
function leadRule(components) {
  const [[width, length] = [1, 1]] = components;
  if (components.length > 1) return "leadThrow";
  if (length > 1) return "leadTractor";
  return width > 1 ? "leadPair" : "lead";
}

/** Return the suit that was led, as hands are grouped.
 * @param {View} view */
function ledSuit({ trick, trump, level_rank }) {
  const [card] = trick.plays[String(trick.leader)].split(" ");
  const isTrump = card.endsWith("J") && "LB".includes(card[0]) || card[1] === level_rank || card[0] === trump;
  return isTrump ? "T" : card[0];
}

/** Return what the adviser is to be asked about without anybody's wish; no text if it is not.
 * @param {State} state */
export function adviceDue(state) {
  const { server, lesson, welcome } = state;
  const ask = server?.ask;
  if (!welcome?.lesson || !server || !ask || state.isFresh || roundOf(state) >= ADVISED) return "";
  const isBid = ask.kind === "bid" && server.view.trump === null && ask.options.length > 0;
  if (!isBid && !["bury", "lead", "follow", "name", "forced"].includes(ask.kind)) return "";
  const asked = [server.move, ask.kind, server.window !== null, ...ask.options].join();
  return asked === lesson.asked ? "" : asked;
}

/** Return what a lesson says beside the table: rules, and what the adviser would do.
 * @param {State} state @param {string} advice @returns {HTMLElement[]} */
export function lessonLines(state, advice) {
  const { lesson, settings, welcome } = state;
  if (!welcome?.lesson) return [];
  const { told, shown } = lesson;
  const rules = told.slice(told.length - shown).map((rule) => make("p", {}, teach(settings.language, ...rule)));
  const hint = advice ? make("p", {}, make("b", {}, teach(settings.language, "hint")), " ", advice) : null;
  return rules.length || hint ? [make("div", { class: "lesson", "aria-live": "polite" }, ...rules, hint)] : [];
}

/** Return the list of all rules that were told; nothing without a lesson.
 * @param {State} state @returns {HTMLElement[]} */
export function toldPanel({ lesson, settings }) {
  if (!lesson.told.length) return [];
  const { language } = settings;
  const rules = lesson.told.map((rule) => make("p", {}, teach(language, ...rule)));
  return [make("section", { class: "panel" }, make("h2", {}, teach(language, "told")), ...rules)];
}
