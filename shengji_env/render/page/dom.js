// Elements of the page: made by one small function, never from markup.

import { rankText } from "./cards.js";

/** @typedef {string | number | boolean | null | ((event: Event) => void)} Property */

/** Make an element. Functions are listeners (`onclick`), other properties attributes; null and false are left out.
 * @param {string} tag @param {Object<string, Property>} properties @param {...(Node | string | null)} children
 * @returns {HTMLElement} */
export function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== null && value !== false) made.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (child !== null) made.append(child);
  }
  return made;
}

/** @type {Object<string, string>} */
const SYMBOLS = { C: "♣", D: "♦", H: "♥", S: "♠" };
/** @type {Object<string, Object<string, string>>} */
const JOKERS = { en: { LJ: "☆LJ", BJ: "★BJ" }, zh: { LJ: "小王", BJ: "大王" } };

/** Make a line of cards as text, the suits with their colours.
 * @param {string} cards @param {string} language @returns {HTMLElement} */
export function cardLine(cards, language) {
  const parts = cards.split(" ").filter(Boolean).map((card) => {
    const joker = JOKERS[language][card];
    if (joker) return make("span", { class: card === "BJ" ? "red" : "black" }, joker);
    return make("span", { class: "DH".includes(card[0]) ? "red" : "black" }, SYMBOLS[card[0]] + rankText(card[1]));
  });
  return make("span", { class: "cards" }, ...parts);
}

/** Return the symbol of a trump suit, or its text.
 * @param {string} trump */
export function trumpText(trump) {
  return SYMBOLS[trump] ?? trump;
}
