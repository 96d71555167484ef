// The hand as cards to choose: clicks, keys, and which cards cannot join.

import { wordsOf } from "./card_rows.js";
import { takeOut } from "./cards.js";
import { mayChoose, reasonOf } from "./choosing.js";
import { toSvg } from "./elements.js";
import { ruleOf } from "./lesson.js";
import { reasonText } from "./reasons.js";
import { cardName, phrase } from "./spoken.js";
import { drawTable } from "./table.js";
import { markCards } from "./taken_up.js";

/** @typedef {import("./play_state.js").Action} Action
 * @typedef {import("./play_state.js").State} State
 * @typedef {import("./sheet.js").Style} Style
 * @typedef {import("./types.js").Valued} Valued
 * @typedef {import("./types.js").View} View */

/** Draw a table whose viewer may choose cards.
 * @param {View} view @param {Style} style @param {State} state @param {(action: Action) => void} dispatch
 * @param {Valued | null} values what the viewer's plays are worth, if that may be seen */
export function drawChoosable(view, style, state, dispatch, values = null) {
  const made = toSvg(drawTable(view, style, values), document);
  nameCards(made, style.language);
  markCards(made, state.server?.ask?.kitty ?? "", style.colors.win);
  makeChoosable(made, state, dispatch);
  return made;
}

/** Name the cards of the drawn hand, which is a group of things to read or to choose.
 * @param {SVGElement} picture @param {string} language */
function nameCards(picture, language) {
  picture.setAttribute("role", "group");
  const hand = picture.querySelector("[data-hand]");
  if (!hand) return;
  hand.setAttribute("role", "group");
  hand.setAttribute("aria-label", phrase(language, "hand"));
  for (const card of cardsOf(picture)) {
    card.setAttribute("role", "img");
    card.setAttribute("aria-label", cardName(card.dataset.card ?? "", language));
  }
}

/** Make the cards of the drawn hand ones to choose.
 * @param {SVGElement} picture @param {State} state @param {(action: Action) => void} dispatch */
function makeChoosable(picture, state, dispatch) {
  if (!mayChoose(state)) return;
  const left = [...state.chosen];
  const wrong = (state.extend?.wrong ?? []).map(([card]) => card);
  const hinted = state.welcome?.lesson ? wordsOf(state.hint?.cards ?? "") : [];
  for (const card of cardsOf(picture)) {
    const name = card.dataset.card ?? "";
    const place = left.indexOf(name);
    const isRaised = place >= 0;
    if (isRaised) left.splice(place, 1);
    const spoils = isRaised ? wrong.indexOf(name) : -1;
    if (spoils >= 0) wrong.splice(spoils, 1);
    const reason = isRaised ? null : reasonOf(state, name);
    card.classList.add("card");
    card.classList.toggle("grey", reason !== null);
    card.classList.toggle("wrong", spoils >= 0);
    card.classList.toggle("hinted", takeOut(name, hinted));
    card.setAttribute("tabindex", "-1");
    card.setAttribute("role", "checkbox");
    card.setAttribute("aria-checked", String(isRaised));
    card.setAttribute("aria-disabled", String(reason !== null));
    if (reason) card.setAttribute("aria-description", reasonText(state, reason, name));
    if (!ruleOf(state)) card.addEventListener("click", () => dispatch({ type: "toggle", card: name, isRaised }));
  }
}

/** Return the cards of the hand in a picture.
 * @param {Element} picture @returns {SVGElement[]} */
export function cardsOf(picture) {
  return [...picture.querySelectorAll("[data-card]")].map((card) => /** @type {SVGElement} */ (card));
}

/** Move the focus along the hand.
 * @param {Element} picture @param {number} at where it was @param {number} by
 * @returns {number} where it is */
export function moveFocus(picture, at, by) {
  const cards = cardsOf(picture);
  if (!cards.length) return -1;
  const next = at < 0 ? (by > 0 ? 0 : cards.length - 1) : (at + by + cards.length) % cards.length;
  cards[next].focus();
  return next;
}

/** Return which card of the hand has the focus, or -1.
 * @param {Element} picture */
export function focusedCard(picture) {
  return cardsOf(picture).findIndex((card) => card === document.activeElement);
}
