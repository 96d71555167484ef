// A lesson: which rules are told when, one at a time, and when the adviser speaks without being asked.
// `lesson_words.js` says them. A rule waits until it is acknowledged; before that nothing is chosen.

import { rankText } from "./cards.js";
import { make, trumpText } from "./dom.js";
import { nameAmong } from "./header.js";
import { teach } from "./lesson_words.js";
import { namesAt } from "./shown_view.js";

/** @typedef {import("./lesson_words.js").LessonWord} LessonWord
 * @typedef {import("./messages.js").Component} Component
 * @typedef {import("./play_state.js").Notice} Notice
 * @typedef {import("./play_state.js").State} State
 * @typedef {import("./types.js").View} View
 * @typedef {[word: LessonWord, ...values: (string | number)[]]} Rule a rule, with what it says of this table
 * @typedef {{told: Rule[], waiting: Rule[], asked: string, isUnasked: boolean}} Lesson
 *   `told`: the rules that were acknowledged; `waiting`: those to come, the first of them on the table; `asked`: what
 *   the adviser was asked for last; `isUnasked`: whether its next hint is one that nobody has asked for */

/** Rounds with rules, and rounds in which the adviser speaks unasked. */
const [GUIDED, ADVISED] = [1, 3];
/** Cards left when the last trick is spoken of. */
const NEAR_END = 4;

/** @type {Lesson} */
export const FIRST_LESSON = { told: [], waiting: [], asked: "", isUnasked: false };

/** Return how many rounds have ended before the one on the table.
 * @param {State} state */
function roundOf({ server }) {
  return (server?.sheet.length ?? 0) - (server?.view.phase === "over" ? 1 : 0);
}

/** Return a state in which the rules wait that apply for the first time.
 * @param {State} state @returns {State} */
export function taught(state) {
  const { lesson, welcome } = state;
  if (!welcome?.lesson || roundOf(state) >= GUIDED) return state;
  const known = new Set([...lesson.told, ...lesson.waiting].map(([word]) => word));
  const added = rulesHere(state).filter(([word]) => !known.has(word) && known.add(word));
  return added.length ? { ...state, lesson: { ...lesson, waiting: [...lesson.waiting, ...added] } } : state;
}

/** Return a state in which the rule on the table has been read.
 * @param {State} state @returns {State} */
export function acknowledged(state) {
  const [rule, ...waiting] = state.lesson.waiting;
  return { ...state, lesson: { ...state.lesson, told: [...state.lesson.told, rule], waiting } };
}

/** Return the rule on the table, which is read before anything is chosen; a trick that has just ended is seen first.
 * @param {State} state @returns {Rule | undefined} */
export function ruleOf({ held, lesson }) {
  return held ? undefined : lesson.waiting[0];
}

/** Return the rules that are about what is on the table now.
 * @param {State} state @returns {Rule[]} */
function rulesHere({ server, hint, welcome, settings }) {
  if (!server) return [];
  const names = namesAt(server, settings.language);
  const { view, ask } = server;
  const own = view.viewer ?? 0;
  const level = rankText(view.level_rank ?? view.levels[own % 2]);
  const { phase, trick, bids, trump } = view;
  const bid = bids.at(-1);
  const hand = view.hands[String(own)];
  const adviser = welcome?.adviser ?? "";
  const [isLead, isFollow] = [ask?.kind === "lead", ask?.kind === "follow"];
  const isAsked = (ask?.kind ?? "next") !== "next" && (ask?.kind !== "bid" || ask.options.length > 0);
  const following = followRule(ask?.components ?? []);
  const suit = trumpText(trump ?? "");
  /** @type {[boolean, Rule][]} */
  const rules = [
    [true, ["teams"]],
    [true, ["tricks"]],
    [phase === "bid", ["trumps", level, level]],
    [server.redealt === "no_bid", ["redealt"]],
    [isAsked && ask?.kind === "bid", ["bid", adviser]],
    [isAsked, ["adviser", adviser]],
    [phase === "bid" && (bid?.seat ?? own) !== own, ["overturn", nameAmong(names, bid?.seat ?? own), level]],
    [isAsked && ask?.kind === "bid" && bid?.seat === own, ["reinforce"]],
    [ask?.kind === "bid" && server.window !== null, ["done"]],
    [ask?.kind === "bury", ["bury"]],
    [ask?.kind === "bury", ["short"]],
    [phase === "bury" && view.seat !== own, ["others", nameAmong(names, view.declarer ?? 0)]],
    [(isLead || isFollow) && trump !== "NT", ["order", suit, level, level, suit]],
    [(isLead || isFollow) && trump === "NT", ["orderNone", level]],
    [isLead || isFollow, ["forms"]],
    [isLead, ["lead"]],
    [isLead && Boolean(hint), [leadRule(hint?.components ?? [])]],
    [trick.thrown !== "", ["failed"]],
    [isFollow, ["follow"]],
    [isFollow, [following]],
    [isFollow && !hand.cards?.[ledSuit(view)], ["void"]],
    [isFollow && trick.points > 0, ["points", trick.points]],
    [(isLead || isFollow) && hand.size <= NEAR_END, ["last"]],
    [phase === "over", ["over", view.attackers_points]],
    [phase === "over", ["levels"]],
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
  const { view, move, window } = server;
  const isBid = ask.kind === "bid" && view.trump === null && ask.options.length > 0;
  if (!isBid && !["bury", "lead", "follow", "name", "forced"].includes(ask.kind)) return "";
  const asked = [move, ask.kind, window !== null, view.hands[String(view.viewer)].size, ...ask.options].join();
  return asked === lesson.asked ? "" : asked;
}

/** Return what the adviser has said unasked, once no rule waits; null for nothing.
 * @param {State} state @returns {Notice | null} */
export function adviceOf(state) {
  const { held, hint, server, welcome } = state;
  return welcome?.lesson && server?.ask && hint && !held && !ruleOf(state) ? ["hint", hint.cards] : null;
}

/** Return the rule on the table as text in a box; nothing if there is none.
 * @param {State} state @returns {HTMLElement[]} */
export function ruleBox(state) {
  const rule = ruleOf(state);
  return rule ? [make("p", { class: "rule" }, teach(state.settings.language, ...rule))] : [];
}

/** Return the button that says that the rule on the table has been read.
 * @param {State} state @param {(action: {type: "acknowledge"}) => void} dispatch */
export function readButton({ settings }, dispatch) {
  const onclick = () => dispatch({ type: "acknowledge" });
  return make("button", { class: "play", onclick }, teach(settings.language, "gotIt"));
}

/** Return the list of all rules that were told; nothing without a lesson.
 * @param {State} state @returns {HTMLElement[]} */
export function toldPanel({ lesson, settings }) {
  if (!lesson.told.length) return [];
  const { language } = settings;
  const rules = lesson.told.map((rule) => make("p", {}, teach(language, ...rule)));
  return [make("section", { class: "panel" }, make("h2", {}, teach(language, "told")), ...rules)];
}
