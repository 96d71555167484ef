// The card counter: what a seat has not seen, by suit and rank. The server says which cards, if the table allows it.

import { rankText } from "./cards.js";
import { wordsOf } from "./card_rows.js";
import { make, trumpText } from "./dom.js";
import { tell } from "./play_words.js";
import { cardName } from "./spoken.js";

const RANKS = [..."AKQJT98765432"];
const SUITS = [..."SHCD"];

/** Return the table of unseen cards; nothing while there is none, or nobody wants it.
 * @param {import("./play_state.js").State} state @returns {HTMLElement[]} */
export function counterPanel({ server, settings }) {
  if (!settings.counter || !server?.unseen) return [];
  const { language } = settings;
  const cards = wordsOf(server.unseen);
  const count = (/** @type {string} */ card) => cards.filter((other) => other === card).length;
  const cell = (/** @type {string} */ card) =>
    make("td", { title: cardName(card, language) }, String(count(card) || "·"));
  const row = (/** @type {string} */ suit) => make("tr", {}, make("th", {}, trumpText(suit)),
    ...RANKS.map((rank) => cell(suit + rank)));
  const heads = make("tr", {}, make("th", {}), ...RANKS.map((rank) => make("th", {}, rankText(rank))));
  const jokers = ["BJ", "LJ"].map((joker) => `${cardName(joker, language)} ${count(joker)}`).join(" · ");
  const table = make("table", {}, heads, ...SUITS.map(row));
  const title = make("h2", {}, tell(language, "unseen", cards.length));
  return [make("section", { class: "panel counter" }, title, table, make("p", { class: "note" }, jokers))];
}
