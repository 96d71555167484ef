// What is drawn of the table: the view, with what is chosen, the order of the hand, and what seats are called.

import { mayChoose } from "./choosing.js";
import { botName } from "./lobby_words.js";
import { tell } from "./play_words.js";

/** @typedef {import("./messages.js").Shown} Shown
 * @typedef {import("./play_state.js").Settings} Settings
 * @typedef {import("./play_state.js").State} State
 * @typedef {import("./types.js").View} View */

/** Return the view to be drawn, or null before there is one.
 * @param {State} state @returns {View | null} */
export function viewOf(state) {
  const view = state.held ?? state.server?.view;
  if (!view) return null;
  const taken = mayChoose(state) ? state.chosen.join(" ") : view.taken;
  return ordered({ ...view, taken }, state.settings.order);
}

/** Return what the seats are called at the table: bots have names of people, oneself has none.
 * @param {Shown} server @param {Settings["language"]} language */
export function namesAt({ view, persons }, language) {
  return view.names.map((name, seat) => {
    if (seat === view.viewer) return tell(language, "you");
    return persons.includes(seat) ? name : botName(language, seat, view.names);
  });
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
