// The hand as cards to choose: clicks, keys, and which cards cannot join.

import { canChoose, reasonOf } from "./play_state.js";
import { cardName, phrase } from "./spoken.js";

/** @typedef {import("./messages.js").Reason} Reason
 * @typedef {import("./play_state.js").Action} Action
 * @typedef {import("./play_state.js").State} State */

/** Name the cards of the drawn hand, which is a group of things to read or to choose.
 * @param {SVGElement} picture @param {string} language */
export function nameCards(picture, language) {
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
 * @param {SVGElement} picture @param {State} state @param {(action: Action) => void} dispatch
 * @param {(reason: Reason, card: string) => string} explain */
export function makeChoosable(picture, state, dispatch, explain) {
  if (!canChoose(state) || state.held) return;
  const left = [...state.chosen];
  const wrong = (state.extend?.wrong ?? []).map(([card]) => card);
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
    card.setAttribute("tabindex", "-1");
    card.setAttribute("role", "checkbox");
    card.setAttribute("aria-checked", String(isRaised));
    card.setAttribute("aria-disabled", String(reason !== null));
    if (reason) card.setAttribute("aria-description", explain(reason, name));
    card.addEventListener("click", () => dispatch({ type: "toggle", card: name, isRaised }));
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
