// What the page knows, as a pure reducer: what the server has told, and what the person has chosen so far.

/** @typedef {import("./messages.js").Extend} Extend
 * @typedef {import("./messages.js").Hint} Hint
 * @typedef {import("./messages.js").Message} Message
 * @typedef {import("./messages.js").Reason} Reason
 * @typedef {import("./messages.js").Shown} Shown
 * @typedef {import("./messages.js").Welcome} Welcome
 * @typedef {import("./types.js").View} View
 * @typedef {{theme: "light" | "dark", language: import("./play_words.js").Language, four_colors: boolean,
 *   order: "down" | "up", animations: boolean}} Settings
 * @typedef {"open" | "lost" | "closed"} Connection `closed` is for good
 * @typedef {["refused", string] | ["hint", string] | ["reason", Reason, string]} Notice
 * @typedef {{settings: Settings, connection: Connection, closedBy: string, welcome: Welcome | null,
 *   server: Shown | null, held: View | null, chosen: string[], extend: Extend | null, hint: Hint | null,
 *   notice: Notice | null, replay: string | null, secondsLeft: number | null}} State
 * @typedef {{type: "message", message: Message} | {type: "toggle", card: string, isRaised: boolean}
 *   | {type: "choose", cards: string[]} | {type: "undo" | "second" | "release"}
 *   | {type: "set", name: keyof Settings, value: Settings[keyof Settings]}
 *   | {type: "connection", status: Connection, reason: string}} Action what the reducer does */

export const CHOOSING = ["bury", "lead", "follow"];

/** Return the state before anything is known.
 * @param {Settings} settings @returns {State} */
export function firstState(settings) {
  return {
    settings, connection: "lost", closedBy: "", welcome: null, server: null, held: null, chosen: [], extend: null,
    hint: null, notice: null, replay: null, secondsLeft: null,
  };
}

/** Return the next state.
 * @param {State} state @param {Action} action @returns {State} */
export function reduce(state, action) {
  switch (action.type) {
    case "message":
      return hear(state, action.message);
    case "toggle":
      return action.isRaised ? putBack(state, action.card) : toggle(state, action.card);
    case "choose":
      return { ...state, chosen: action.cards, extend: null, notice: null };
    case "undo":
      return { ...state, chosen: state.chosen.slice(0, -1), extend: null, notice: null };
    case "second":
      return { ...state, secondsLeft: state.secondsLeft === null ? null : Math.max(0, state.secondsLeft - 1) };
    case "release":
      return { ...state, held: null };
    case "set":
      return { ...state, settings: { ...state.settings, [action.name]: action.value } };
    case "connection":
      return { ...state, connection: action.status, closedBy: action.reason };
    default:
      return state;
  }
}

/** @param {State} state @param {Message} message @returns {State} */
function hear(state, message) {
  switch (message.type) {
    case "welcome":
      return { ...state, welcome: message };
    case "state":
      return see(state, message);
    case "extend":
      return message.move === state.server?.move ? { ...state, extend: message } : state;
    case "hint":
      return takeHint(state, message);
    case "refused":
      return { ...state, notice: ["refused", message.reason] };
    case "replay":
      return { ...state, replay: message.path };
    default:
      return state;
  }
}

/** Take a new state of the table; what was chosen stays while the same is asked.
 * @param {State} state @param {Shown} message @returns {State} */
function see(state, message) {
  const before = state.server;
  const isSame = before !== null && before.move === message.move && before.ask?.kind === message.ask?.kind;
  const kept = isSame ? {} : { chosen: [], extend: null, hint: null, notice: null };
  const replay = message.view.phase === "over" ? state.replay : null;
  const held = isSame ? state.held : heldTrick(before?.view, message.view);
  const secondsLeft = isSame && before.window !== null && message.window !== null ? state.secondsLeft : message.window;
  return { ...state, ...kept, replay, secondsLeft, held: state.settings.animations ? held : null, server: message };
}

/** Return the view of a trick that has just ended, which stays on the table for a moment; null if none has.
 * @param {View | undefined} before @param {View} view @returns {View | null} */
function heldTrick(before, view) {
  const trick = view.last_trick;
  const isNew = before && trick && view.phase === "lead" && before.tricks + 1 === view.tricks;
  return isNew ? { ...view, phase: "follow", seat: null, trick, last_trick: before.last_trick, taken: "" } : null;
}

/** Choose a card if it may join, otherwise say why not.
 * @param {State} state @param {string} card @returns {State} */
function toggle(state, card) {
  if (!canChoose(state)) return state;
  const reason = reasonOf(state, card);
  if (reason) return { ...state, notice: ["reason", reason, card] };
  /** @param {string[]} cards */
  const count = (cards) => cards.filter((other) => other === card).length;
  const left = count(handOf(state)) - count(state.chosen);
  return left > 0 ? { ...state, chosen: [...state.chosen, card], extend: null, notice: null } : state;
}

/** Put a chosen card back.
 * @param {State} state @param {string} card @returns {State} */
function putBack(state, card) {
  const place = state.chosen.lastIndexOf(card);
  if (place < 0) return state;
  return { ...state, chosen: state.chosen.filter((_, index) => index !== place), extend: null, notice: null };
}

/** @param {State} state @param {Hint} message @returns {State} */
function takeHint(state, message) {
  if (message.move !== state.server?.move) return state;
  const chosen = canChoose(state) ? message.cards.split(" ").filter(Boolean) : state.chosen;
  return { ...state, hint: message, chosen, extend: null, notice: ["hint", message.cards] };
}

/** Return whether cards of the hand are to be chosen.
 * @param {State} state */
export function canChoose(state) {
  return CHOOSING.includes(state.server?.ask?.kind ?? "");
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
  return canChoose(state) ? (state.extend?.reasons[card] ?? null) : null;
}

/** Return what the server must be asked when a state follows another: which cards may join; null for nothing.
 * @param {State} before @param {State} state @returns {{move: number, cards: string} | null} */
export function question(before, state) {
  const { server } = state;
  if (server === null || !canChoose(state) || state.extend !== null) return null;
  const isNew = before.chosen !== state.chosen || before.server?.move !== server.move || !before.server;
  const wasAsked = before.server?.ask?.kind === server.ask?.kind && !isNew;
  return wasAsked ? null : { move: server.move, cards: state.chosen.join(" ") };
}

/** Return the view to be drawn, or null before there is one.
 * @param {State} state @returns {View | null} */
export function viewOf(state) {
  if (state.held) return ordered(state.held, state.settings.order);
  if (state.server === null) return null;
  const { view } = state.server;
  const taken = canChoose(state) ? state.chosen.join(" ") : view.taken;
  return ordered({ ...view, taken }, state.settings.order);
}

/** Return a view in which the viewer's own seat has another name.
 * @param {View} view @param {string} name @returns {View} */
export function withOwnName(view, name) {
  return { ...view, names: view.names.map((other, seat) => (seat === view.viewer ? name : other)) };
}

/** Return a view with the viewer's hand in another order.
 * @param {View} view @param {Settings["order"]} order @returns {View} */
function ordered(view, order) {
  const hand = view.hands[String(view.viewer)];
  if (!hand?.cards || order !== "up") return view;
  const groups = Object.entries(hand.cards).map(([suit, cards]) => [suit, cards.split(" ").reverse().join(" ")]);
  const cards = Object.fromEntries(groups.reverse());
  return { ...view, hands: { ...view.hands, [String(view.viewer)]: { ...hand, cards } } };
}
