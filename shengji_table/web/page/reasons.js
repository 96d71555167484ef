// Why something is not possible, and what the adviser says, in words.

import { canChoose, canConfirm, isSent } from "./choosing.js";
import { cardLine, trumpText } from "./dom.js";
import { owedText, tell } from "./play_words.js";

/** @typedef {import("./messages.js").Reason} Reason
 * @typedef {import("./messages.js").RefusalCode} RefusalCode
 * @typedef {import("./play_state.js").Notice} Notice
 * @typedef {import("./play_state.js").State} State
 * @typedef {import("./play_words.js").Word} Word */

/** @type {Reason[]} */
const REASONS = ["other_suit", "no_component", "enough", "owes_suit", "owes"];

/** Return a notice in words.
 * @param {Notice} notice @param {State} state */
export function noticeText(notice, state) {
  const { language } = state.settings;
  switch (notice[0]) {
    case "reason":
      return reasonText(state, notice[1], notice[2]);
    case "refused":
      return refusalText(state, notice[1], notice[2]);
    case "word":
      return tell(language, notice[1], ...notice.slice(2));
    default:
      return adviceText(state, notice[1]);
  }
}

/** Say why a card may not join.
 * @param {State} state @param {Reason} reason @param {string} card */
export function reasonText(state, reason, card) {
  const { language } = state.settings;
  return tell(language, reason, cardText(card, language), owedText(language, state.extend?.owed ?? state.owed));
}

/** @param {State} state @param {RefusalCode | Reason} code @param {string} cards */
function refusalText(state, code, cards) {
  const { language } = state.settings;
  const isReason = REASONS.some((reason) => reason === code);
  if (isReason) return reasonText(state, /** @type {Reason} */ (code), cards);
  return tell(language, `refused_${/** @type {RefusalCode} */ (code)}`, cardText(cards, language));
}

/** Return what the adviser would do, and why.
 * @param {State} state @param {string} cards */
export function adviceText(state, cards) {
  const { language } = state.settings;
  const who = state.welcome?.adviser ?? "";
  const kind = state.server?.ask?.kind ?? "follow";
  const word = kind === "next" ? "adviser_follow" : /** @type {Word} */ (`adviser_${kind}`);
  const passes = state.server?.window === null ? "adviserWaits" : "adviserPass";
  const advice = cards ? tell(language, word, who, cardText(cards, language)) : tell(language, passes, who);
  const why = whyText(state);
  return why ? `${advice}${language === "zh" ? "。" : ". "}${why}` : advice;
}

/** Return what the cards say of the hint.
 * @param {State} state */
function whyText(state) {
  const { language } = state.settings;
  const { hint } = state;
  if (!hint?.why) return "";
  return hint.why[language].replaceAll("{A}", cardText(hint.cards, language));
}

/** Return cards, or trumps, as text.
 * @param {string} cards @param {string} language */
export function cardText(cards, language) {
  if (cards.length === 1 || cards === "NT") return trumpText(cards);
  return [...cardLine(cards, language).children].map((card) => card.textContent).join(" ");
}

/** Return why Enter does nothing now; null if it does something, or if the page says so anyway.
 * @param {State} state @returns {Notice | null} */
export function whyNotNow(state) {
  const { server } = state;
  if (!server || state.welcome?.seat === -1 || state.connection !== "open" || canConfirm(state)) return null;
  if (isSent(state)) return ["word", "sending"];
  if (!server.ask) return ["word", server.view.phase === "over" ? "over" : "notYourTurn"];
  const { kind, size } = server.ask;
  if (kind === "next") return ["word", "enterNext"];
  if (!canChoose(state)) return ["word", kind === "bid" || kind === "rebel" ? "enterBid" : "enterOption"];
  if (!state.chosen.length) return ["word", "chooseFirst"];
  if (!state.extend) return ["word", "checking"];
  if (state.extend.wrong.length) return ["reason", state.extend.wrong[0][1], state.extend.wrong[0][0]];
  if (size !== null) return ["word", "tooFew", size, state.chosen.length];
  return ["word", "notWhole"];
}
