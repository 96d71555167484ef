// The cards under choice: now, or ahead while others decide. A part of the reducer.

import { takeOut } from "./cards.js";

/** @typedef {import("./messages.js").Extend} Extend
 * @typedef {import("./messages.js").Hint} Hint
 * @typedef {import("./play_state.js").Notice} Notice
 * @typedef {import("./play_state.js").State} State */

export const CHOOSING = ["bury", "lead", "follow"];
/** Phases in which others decide, and cards may be chosen ahead. */
const AHEAD = ["bury", "lead", "forced", "follow"];

/** Return those of some cards that the hand holds.
 * @param {string[]} cards @param {State} state */
export function heldOf(cards, state) {
  const hand = handOf(state);
  return cards.filter((card) => takeOut(card, hand));
}

/** Choose a card if it may join, otherwise say why not; not before a rule of the lesson is read. A trick that has ended
 * does not stay any longer.
 * @param {State} shown @param {string} card @returns {State} */
export function toggle(shown, card) {
  const state = { ...shown, held: null };
  if (!mayChoose(state) || isSent(state) || state.lesson.waiting.length) return state;
  const reason = reasonOf(state, card);
  if (reason) return { ...state, notice: ["reason", reason, card] };
  /** @param {string[]} cards */
  const count = (cards) => cards.filter((other) => other === card).length;
  const left = count(handOf(state)) - count(state.chosen);
  const barred = state.extend?.reasons ?? state.barred;
  if (left <= 0) return state;
  // What is chosen before the server's first word of a decision is settled by it, as what was chosen ahead.
  return { ...choose(state, [...state.chosen, card]), barred, isUnheard: state.isUnheard };
}

/** Put a chosen card back.
 * @param {State} state @param {string} card @returns {State} */
export function putBack(state, card) {
  const place = state.chosen.lastIndexOf(card);
  return place < 0 ? state : choose(state, state.chosen.filter((_, index) => index !== place));
}

/** Let other cards be the chosen ones, unless the play is on its way.
 * @param {State} state @param {string[]} chosen @returns {State} */
export function choose(state, chosen) {
  return isSent(state) ? state : { ...state, chosen, isUnheard: false, extend: null, barred: {}, notice: null };
}

/** Take what the server says of the chosen cards; what it says of others comes too late.
 * @param {State} state @param {Extend} message @returns {State} */
export function takeExtend(state, message) {
  /** @param {string[]} cards */
  const text = (cards) => [...cards].sort().join(" ");
  if (message.move !== state.server?.move) return state;
  if (text(message.cards.split(" ").filter(Boolean)) !== text(state.chosen)) return state;
  if (state.isUnheard) return settle(state, message);
  const wasChecking = state.notice?.[0] === "word" && state.notice[1] === "checking";
  /** @type {Notice | null} */
  const notice = message.wrong.length ? ["reason", message.wrong[0][1], message.wrong[0][0]] : null;
  return { ...state, extend: message, owed: message.owed, notice: notice ?? (wasChecking ? null : state.notice) };
}

/** Put back what was chosen ahead and may not be played, saying why, and put forward what every legal play holds; in a
 * lesson the pupil looks for it.
 * @param {State} state @param {Extend} message @returns {State} */
function settle(state, message) {
  const wrong = message.wrong.map(([card]) => card);
  const kept = state.chosen.filter((card) => !takeOut(card, wrong));
  const there = [...kept];
  const puts = state.settings.forced && !state.welcome?.lesson;
  const forced = puts ? message.forced.split(" ").filter(Boolean) : [];
  const chosen = [...kept, ...forced.filter((card) => !takeOut(card, there))];
  /** @type {Notice | null} */
  const notice = message.wrong.length ? ["reason", message.wrong[0][1], message.wrong[0][0]] : null;
  const isSame = chosen.length === state.chosen.length && !notice;
  const heard = { ...state, isUnheard: false, owed: message.owed };
  return isSame ? { ...heard, extend: message } : { ...choose(heard, chosen), notice };
}

/** @param {State} state @param {Hint} message @returns {State} */
export function takeHint(state, message) {
  if (message.move !== state.server?.move || isSent(state)) return state;
  const said = { ...state, hint: message, isAsking: false };
  if (state.lesson.isUnasked) return { ...said, lesson: { ...state.lesson, isUnasked: false } };
  const chosen = canChoose(state) ? choose(said, message.cards.split(" ").filter(Boolean)) : said;
  return { ...chosen, notice: ["hint", message.cards] };
}

/** Return whether cards of the hand are to be chosen.
 * @param {State} state */
export function canChoose(state) {
  return CHOOSING.includes(state.server?.ask?.kind ?? "");
}

/** Return whether others decide, and cards may be chosen for a decision to come; not in a lesson.
 * @param {State} state */
export function isAhead({ server, welcome }) {
  const seat = welcome?.seat ?? -1;
  if (!server || server.ask || server.fault || seat < 0 || welcome?.lesson) return false;
  if (server.substituted?.includes(seat)) return false;
  return AHEAD.includes(server.view.phase);
}

/** Return whether cards of the hand may be chosen, now or ahead.
 * @param {State} state */
export function mayChoose(state) {
  return canChoose(state) || isAhead(state);
}

/** Return whether the decision that is asked for has been answered, and the server has not said anything to it yet.
 * @param {State} state */
export function isSent(state) {
  return state.sent !== null && state.sent === state.server?.move;
}

/** Return whether the chosen cards may be played.
 * @param {State} state */
export function canConfirm(state) {
  return canChoose(state) && Boolean(state.extend?.is_whole) && !isSent(state) && state.connection === "open";
}

/** Return the cards of the viewer's hand.
 * @param {State} state @returns {string[]} */
export function handOf(state) {
  const hand = state.server?.view.hands[String(state.welcome?.seat)];
  return Object.values(hand?.cards ?? {}).flatMap((cards) => cards.split(" ").filter(Boolean));
}

/** Return why a card may not join the chosen ones, or null.
 * @param {State} state @param {string} card */
export function reasonOf(state, card) {
  if (!canChoose(state)) return null;
  const size = state.server?.ask?.size ?? null;
  if (!state.extend && size !== null && state.chosen.length >= size) return "enough";
  return (state.extend?.reasons ?? state.barred)[card] ?? null;
}
