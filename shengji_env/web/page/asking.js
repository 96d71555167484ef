// What a person can do now: the line that says so, and the buttons.

import { cardLine, make, trumpText } from "./dom.js";
import { canChoose } from "./play_state.js";
import { owedText, tell } from "./play_words.js";

/** @typedef {import("./play_state.js").State} State
 * @typedef {{send: (type: string, fields?: any) => void, dispatch: (action: any) => void, now: () => State}} Doing */

/** Return whether the chosen cards may be played. @param {State} state */
export function canConfirm(state) {
  return canChoose(state) && Boolean(state.extend?.is_whole) && state.extend?.cards.split(" ").length === state.chosen.length;
}

/** Play the chosen cards, if they are a legal play. @param {Doing} doing */
export function confirm(doing) {
  const state = doing.now();
  if (canConfirm(state)) doing.send("play", { move: state.server?.move, cards: state.chosen.join(" ") });
}

/** Do one of the listed answers: a bid, trumps, a component. @param {string} option @param {Doing} doing */
export function take(option, doing) {
  const { move, view, ask } = doing.now().server ?? {};
  if (ask.kind !== "bid") return doing.send("play", { move, cards: option });
  doing.send("bid", { move, standing: view.bids.length, cards: ask.wish === option ? "" : option });
}

/** Return the buttons of what is asked. @param {State} state @param {Doing} doing @returns {HTMLElement[]} */
export function buttonsOf(state, doing) {
  const ask = state.server?.ask;
  if (!ask || state.held) return [];
  const word = (/** @type {string} */ name, /** @type {any[]} */ ...values) => tell(state.settings.language, name, ...values);
  const say = (/** @type {string} */ type) => () => doing.send(type, { move: doing.now().server?.move });
  const hint = make("button", { class: "hint", onclick: say("hint") }, word("hint"));
  if (ask.kind === "next") {
    const isReady = ask.is_done;
    const next = make("button", { class: "play", disabled: isReady, onclick: say("done") }, word(isReady ? "waitOthers" : "next"));
    return [replayButton(state, doing), next].filter((button) => button !== null);
  }
  if (ask.kind === "bid") {
    const wish = ask.wish ? [make("button", { onclick: () => take(ask.wish, doing) }, word("noBid"))] : [];
    const isLast = state.server?.window !== null;
    const done = make("button", { class: "play", disabled: ask.is_done, onclick: say("done") }, word(ask.is_done ? "waitOthers" : "done"));
    return [...optionButtons(state, doing), ...wish, ...(ask.options.length ? [hint] : []), ...(isLast ? [done] : [])];
  }
  if (!canChoose(state)) return [...optionButtons(state, doing), hint];
  const isNone = state.chosen.length === 0;
  return [
    hint,
    make("button", { class: "undo", disabled: isNone, onclick: () => doing.dispatch({ type: "undo" }) }, word("undo")),
    make("button", { class: "clear", disabled: isNone, onclick: () => doing.dispatch({ type: "choose", cards: [] }) }, word("clear")),
    make("button", { class: "play", disabled: !canConfirm(state), onclick: () => confirm(doing) }, word(`confirm_${ask.kind}`)),
  ];
}

/** @param {State} state @param {Doing} doing */
function replayButton(state, doing) {
  const { language } = state.settings;
  if (state.replay === "asked") return make("button", { disabled: true }, tell(language, "asking"));
  if (state.replay) return make("a", { class: "button", href: state.replay, target: "_blank", rel: "noopener" }, tell(language, "openReplay"));
  const ask = () => doing.dispatch({ type: "askReplay" });
  return make("button", { class: "replay", onclick: ask }, tell(language, "replay"));
}

/** @param {State} state @param {Doing} doing */
function optionButtons(state, doing) {
  const { ask } = state.server ?? {};
  return ask.options.map((/** @type {string} */ option) => {
    const isHint = state.hint?.cards === option;
    const properties = {
      class: isHint ? "option hinted" : "option", "aria-pressed": String(ask.wish === option), onclick: () => take(option, doing),
    };
    return make("button", properties, ask.kind === "name" ? trumpText(option) : cardLine(option));
  });
}

/** Return the line that says what is going on, and what is asked.
 * @param {State} state @param {(seat: number) => string} nameOf @returns {(Node | string)[]} */
export function captionOf(state, nameOf) {
  const { language } = state.settings;
  const word = (/** @type {string} */ name, /** @type {any[]} */ ...values) => tell(language, name, ...values);
  const server = state.server;
  if (state.connection === "closed") return [word("closed", state.closedBy)];
  if (state.connection === "lost") return [word("lost")];
  if (!server) return [""];
  if (server.fault) return [word("fault", server.fault)];
  if (state.notice) return [noticeText(state)];
  const { ask, view } = server;
  const thrown = view.trick.thrown ? [thrownText(view, nameOf, word), " "] : [];
  if (state.held || !ask) return [...thrown, watchText(view, nameOf, word)];
  if (ask.kind === "next") return [word("over")];
  if (ask.kind === "bid") return [bidText(server, state.secondsLeft, word)];
  if (ask.is_forced && ask.kind === "follow" && server.auto) return [...thrown, word("forced")];
  return [...thrown, word(`you_${ask.kind}`, ...(ask.size === null ? [] : [ask.size]), state.chosen.length)];
}

/** @param {State} state */
function noticeText(state) {
  const { language } = state.settings;
  const [kind, ...values] = state.notice ?? [];
  if (kind === "hint") {
    const who = state.welcome?.adviser;
    return values[0] ? tell(language, "adviser", who, cardText(values[0])) : tell(language, "adviserPass", who);
  }
  if (kind === "reason") return reasonText(state, values[0], values[1]);
  return tell(language, kind, ...values);
}

/** Say why a card may not join. @param {State} state @param {string} reason @param {string} card */
export function reasonText(state, reason, card) {
  const { language } = state.settings;
  return tell(language, reason, cardText(card), owedText(language, state.extend?.owed ?? []));
}

/** @param {string} cards */
function cardText(cards) {
  if (cards.length === 1 || cards === "NT") return trumpText(cards);
  return [...cardLine(cards).children].map((card) => card.textContent).join(" ");
}

/** @param {any} view @param {(seat: number) => string} nameOf @param {(name: string, ...values: any[]) => string} word */
function thrownText(view, nameOf, word) {
  const { leader, thrown, plays } = view.trick;
  const led = plays[String(leader)];
  const isOpen = view.phase === "forced";
  return word(isOpen ? "failedOpen" : "failed", nameOf(leader), cardText(thrown), cardText(led)) + ".";
}

/** @param {any} view @param {(seat: number) => string} nameOf @param {(name: string, ...values: any[]) => string} word */
function watchText(view, nameOf, word) {
  if (view.phase === "over") return word("over");
  if (view.phase === "bid") return word("drawing");
  if (view.seat === null) return "";
  const special = ["bury", "name", "forced"].includes(view.phase);
  return word(special ? `turn_${view.phase}` : "turn", nameOf(view.seat));
}

/** @param {any} server @param {number | null} seconds @param {(name: string, ...values: any[]) => string} word */
function bidText(server, seconds, word) {
  const { ask } = server;
  const parts = seconds === null ? [] : [`${word("window", seconds)}.`];
  if (ask.wish) parts.push(word("wish", cardText(ask.wish)));
  else if (ask.options.length) parts.push(word("you_bid", ask.options.map(cardText).join(" · ")));
  else if (seconds === null) parts.push(`${word("drawing")}. ${word("cannot_bid")}`);
  return parts.join(" ");
}
