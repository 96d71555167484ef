// What the page knows, as a pure reducer: what the server has told, and what the person has chosen so far.

import { canChoose, choose, heldOf, isAhead, putBack, takeExtend, takeHint, toggle } from "./choosing.js";
import { acknowledged, FIRST_LESSON, taught } from "./lesson.js";

/** @typedef {import("./messages.js").Compiling} Compiling
 * @typedef {import("./messages.js").Extend} Extend
 * @typedef {import("./messages.js").Hint} Hint
 * @typedef {import("./messages.js").Message} Message
 * @typedef {import("./messages.js").Owed} Owed
 * @typedef {import("./messages.js").Reason} Reason
 * @typedef {import("./messages.js").Reasons} Reasons
 * @typedef {import("./messages.js").RefusalCode} RefusalCode
 * @typedef {import("./messages.js").Shown} Shown
 * @typedef {import("./messages.js").Welcome} Welcome
 * @typedef {import("./types.js").View} View
 * @typedef {{theme: "light" | "dark", language: import("./play_words.js").Language, four_colors: boolean,
 *   order: "down" | "up", animations: boolean, notices: boolean, forced: boolean, counter: boolean}} Settings
 * @typedef {"connecting" | "open" | "lost" | "closed"} Connection `lost` is tried again, `closed` is not
 * @typedef {"" | "rude" | "link" | "taken" | "full" | "version"} ClosedBy
 * @typedef {["refused", RefusalCode | Reason, string] | ["hint", string] | ["reason", Reason, string]
 *   | ["word", import("./play_words.js").Word, ...(string | number)[]]} Notice
 * @typedef {{settings: Settings, connection: Connection, closedBy: ClosedBy, welcome: Welcome | null,
 *   isFresh: boolean, server: Shown | null, held: View | null, chosen: string[], isUnheard: boolean,
 *   extend: Extend | null, barred: Reasons, owed: Owed[], sent: number | null, isAsking: boolean, hint: Hint | null,
 *   notice: Notice | null, replay: string | null, compiling: Compiling | null, secondsLeft: number | null,
 *   lesson: import("./lesson.js").Lesson,
 *   season: import("./messages.js").SeasonShown | null}} State
 *   `isFresh`: the connection is new, and no state has come; `isUnheard`: the server has not yet said anything of the
 *   cards of this decision, and they were chosen ahead, if at all; `barred`: what could not join fewer cards than are
 *   chosen; `sent`: the move that was answered; `isAsking`: the person has asked for a hint that has not come
 * @typedef {{type: "message", message: Message} | {type: "season", season: import("./messages.js").SeasonShown}
 *   | {type: "advice", asked: string}
 *   | {type: "toggle", card: string, isRaised: boolean}
 *   | {type: "choose", cards: string[]} | {type: "undo" | "second" | "release" | "sent" | "acknowledge"}
 *   | {type: "notice", notice: Notice}
 *   | {type: "set", name: keyof Settings, value: Settings[keyof Settings]}
 *   | {type: "connection", status: Connection, by: ClosedBy}} Action what the reducer does
 * @typedef {{type: "askReplay"} | {type: "askHint"}} Request what the server is asked for */

/** Return the state before anything is known.
 * @param {Settings} settings @returns {State} */
export function firstState(settings) {
  return {
    settings, connection: "connecting", closedBy: "", welcome: null, isFresh: false, server: null, held: null,
    chosen: [], isUnheard: true, extend: null, barred: {}, owed: [], sent: null, isAsking: false, hint: null,
    notice: null, replay: null, compiling: null, secondsLeft: null, lesson: FIRST_LESSON, season: null,
  };
}

/** Return the next state.
 * @param {State} state @param {Action} action @returns {State} */
export function reduce(state, action) {
  switch (action.type) {
    case "message":
      return taught(hear(state, action.message));
    case "acknowledge":
      return acknowledged(state);
    case "advice":
      return { ...state, lesson: { ...state.lesson, asked: action.asked, isUnasked: true } };
    case "toggle":
      return action.isRaised ? putBack(state, action.card) : toggle(state, action.card);
    case "choose":
      return choose(state, action.cards);
    case "undo":
      return choose(state, state.chosen.slice(0, -1));
    case "sent":
      return { ...state, sent: state.server?.move ?? null, notice: null };
    case "notice":
      return { ...state, notice: action.notice };
    case "season":
      return { ...state, season: action.season };
    case "second":
      return { ...state, secondsLeft: state.secondsLeft === null ? null : Math.max(0, state.secondsLeft - 1) };
    case "release":
      return { ...state, held: null };
    case "set":
      return { ...state, settings: { ...state.settings, [action.name]: action.value } };
    case "connection":
      return { ...state, connection: action.status, closedBy: action.by, sent: null, isAsking: false,
        replay: told(state.replay) };
    default:
      return state;
  }
}

/** @param {State} state @param {Message} message @returns {State} */
function hear(state, message) {
  switch (message.type) {
    case "welcome":
      return { ...state, welcome: message, isFresh: true };
    case "state":
      return see(state, message);
    case "extend":
      return takeExtend(state, message);
    case "hint":
      return takeHint(state, message);
    case "refused":
      return { ...state, sent: null, isAsking: false, notice: ["refused", message.code, message.cards] };
    case "replay":
      return state.replay === "asked" ? { ...state, replay: message.path, compiling: null } : state; // or too late
    case "compiling":
      return { ...state, compiling: message };
    default:
      return state;
  }
}

/** Return the path of a replay; null for one that was asked for, since the answer does not come over another socket.
 * @param {string | null} replay */
function told(replay) {
  return replay === "asked" ? null : replay;
}

/** Take a new state of the table; what was chosen stays while the same is asked.
 * @param {State} state @param {Shown} message @returns {State} */
function see(state, message) {
  const before = state.server;
  const isSame = before !== null && before.move === message.move && before.ask?.kind === message.ask?.kind;
  const chosen = isAhead(state) ? heldOf(state.chosen, { ...state, server: message }) : [];
  const none = { extend: null, barred: {}, owed: [], sent: null, isAsking: false, hint: null, notice: null };
  const kept = isSame ? {} : { ...none, chosen, isUnheard: true };
  const replay = message.view.phase === "over" ? state.replay : null;
  const held = isSame ? state.held : heldTrick(before?.view, message.view);
  const secondsLeft = isSame && before.window !== null && message.window !== null ? state.secondsLeft : message.window;
  const shown = { replay, secondsLeft, held: state.settings.animations ? held : null, server: message };
  return { ...state, ...kept, ...shown, isFresh: false };
}

/** Return the view of a trick that has just ended, which stays on the table for a moment; null if none has.
 * @param {View | undefined} before @param {View} view @returns {View | null} */
function heldTrick(before, view) {
  const trick = view.last_trick;
  const isNew = before && trick && view.phase === "lead" && before.tricks + 1 === view.tricks;
  return isNew ? { ...view, phase: "follow", seat: null, trick, last_trick: before.last_trick, taken: "" } : null;
}

/** Return what the server must be asked when a state follows another: which cards may join; null for nothing.
 * @param {State} before @param {State} state @returns {{move: number, cards: string} | null} */
export function question(before, state) {
  const { server } = state;
  if (server === null || !canChoose(state) || state.extend !== null || state.isFresh) return null;
  const isNew = before.chosen !== state.chosen || before.server?.move !== server.move || before.isFresh;
  const wasAsked = before.server?.ask?.kind === server.ask?.kind && !isNew;
  return wasAsked ? null : { move: server.move, cards: state.chosen.join(" ") };
}
