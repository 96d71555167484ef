// What a person can do now: the line that says so, and the buttons.

import { canConfirm, isSent } from "./choosing.js";
import { cardLine, make, trumpText } from "./dom.js";
import { adviceOf, readButton, ruleOf } from "./lesson.js";
import { say } from "./lobby_words.js";
import { theServer } from "./server.js";
import { tell } from "./play_words.js";
import { waitText } from "./presence.js";
import { cardText, noticeText, whyNotNow } from "./reasons.js";
import { teamText } from "./score.js";

/** @typedef {import("./messages.js").Ask} Ask
 * @typedef {import("./messages.js").Sent} Sent
 * @typedef {import("./messages.js").Shown} Shown
 * @typedef {import("./play_state.js").Action} Action
 * @typedef {import("./play_state.js").Request} Request
 * @typedef {import("./play_state.js").State} State
 * @typedef {import("./play_words.js").Word} Word
 * @typedef {import("./types.js").View} View
 * @typedef {(name: Word, ...values: (string | number)[]) => string} Say
 * @typedef {{send: import("./messages.js").Send, dispatch: (action: Action | Request) => void,
 *   now: () => State, again: () => void}} Doing */

/** @typedef {"bid" | "overturn" | "reinforce" | "overbid" | "rebel"} Offer */

/** Seconds that are as good as no limit. */
const UNTIMED = 600;

/** The words for what may be said within a time.
 * @type {{[kind in Offer]: {window: Word, wish: Word, none: Word, done: Word}}} */
const OFFERS = {
  bid: { window: "window", wish: "wish", none: "noBid", done: "done" },
  overturn: { window: "window", wish: "wish_overturn", none: "noOverturn", done: "done" },
  reinforce: { window: "window", wish: "wish_reinforce", none: "noReinforce", done: "done" },
  overbid: { window: "window_overbid", wish: "wish_overbid", none: "noOverbid", done: "ready" },
  rebel: { window: "window_rebel", wish: "wish_rebel", none: "noRebel", done: "ready" },
};

/** Return what may be said: a bid for trumps that are named overbids, one over another's bid overturns that.
 * @param {View} view @returns {Offer} */
function offerOf(view) {
  if (view.phase === "rebel") return "rebel";
  if (view.trump !== null) return "overbid";
  const standing = view.bids.at(-1);
  if (!standing) return "bid";
  return standing.seat === view.viewer ? "reinforce" : "overturn";
}

/** Play the chosen cards, if they are a legal play; otherwise say why that cannot be done.
 * @param {Doing} doing */
export function confirm(doing) {
  const state = doing.now();
  if (ruleOf(state)) return doing.dispatch({ type: "acknowledge" });
  if (canConfirm(state)) answer(state.chosen.join(" "), doing);
  const notice = whyNotNow(state);
  if (notice) doing.dispatch({ type: "notice", notice });
}

/** Answer what is asked, once: nothing more is sent until the server has said something to it.
 * @param {string} cards @param {Doing} doing */
function answer(cards, doing) {
  const state = doing.now();
  if (isSent(state)) return;
  if (doing.send("play", { move: state.server?.move, cards })) doing.dispatch({ type: "sent" });
}

/** Do one of the listed answers: a bid, trumps, a component.
 * @param {string} option @param {Doing} doing */
export function take(option, doing) {
  const { server } = doing.now();
  if (!server?.ask) return;
  const { move, view, ask } = server;
  if (ask.kind !== "bid" && ask.kind !== "rebel") answer(option, doing);
  else doing.send("bid", { move, standing: view.bids.length, cards: ask.wish === option ? "" : option });
}

/** Return the buttons of what is asked.
 * @param {State} state @param {Doing} doing @returns {HTMLElement[]} */
export function buttonsOf(state, doing) {
  if (ruleOf(state)) return [readButton(state, doing.dispatch)];
  if (!state.server?.ask || state.held) return [];
  const { ask } = state.server;
  /** @type {Say} */
  const word = (name, ...values) => tell(state.settings.language, name, ...values);
  const say = (/** @type {Sent} */ type) => () => doing.send(type, { move: doing.now().server?.move });
  const once = { "aria-disabled": String(state.isAsking), onclick: () => doing.dispatch({ type: "askHint" }) };
  const adviser = make("button", { class: "hint", ...once }, word("hint")); // not `disabled`: the focus stays on it
  const hint = theServer().isSeason() ? [] : [adviser];
  if (ask.kind === "next") {
    const isReady = ask.is_done;
    const on = word(isMatchOver(state.server) ? "nextMatch" : "next");
    const label = isReady ? waitText(state, state.settings.language) : on;
    const next = make("button", { class: "play next", disabled: isReady, onclick: say("done") }, label);
    return [replayButton(state, doing), next];
  }
  if (ask.kind === "bid" || ask.kind === "rebel") {
    const { view, window } = state.server;
    const offer = offerOf(view);
    const words = OFFERS[offer];
    const wish = ask.wish ? [make("button", { onclick: () => take(ask.wish, doing) }, word(words.none))] : [];
    const isLast = window !== null;
    const hasHint = ask.options.length > 0 && offer !== "overbid" && offer !== "rebel";
    const label = word(ask.is_done ? "waitOthers" : words.done);
    const done = make("button", { class: "play", disabled: ask.is_done, onclick: say("done") }, label);
    const options = [...optionButtons(ask, state, doing), ...wish, ...(hasHint ? hint : [])];
    return isLast ? [...options, done] : options;
  }
  if (ask.kind === "name" || ask.kind === "forced") return [...optionButtons(ask, state, doing), ...hint];
  return [...hint, ...cardButtons(ask.kind, state, doing)];
}

/** Return the buttons of a decision about cards.
 * @param {"bury" | "lead" | "follow"} kind @param {State} state @param {Doing} doing */
export function cardButtons(kind, state, doing) {
  const { language } = state.settings;
  const isNone = state.chosen.length === 0;
  const undo = () => doing.dispatch({ type: "undo" });
  const clear = () => doing.dispatch({ type: "choose", cards: [] });
  const play = () => confirm(doing);
  return [
    make("button", { class: "undo", disabled: isNone || isSent(state), onclick: undo }, tell(language, "undo")),
    make("button", { class: "clear", disabled: isNone || isSent(state), onclick: clear }, tell(language, "clear")),
    make("button", { class: "play", disabled: !canConfirm(state), onclick: play }, tell(language, `confirm_${kind}`)),
  ];
}

/** @param {State} state @param {Doing} doing */
function replayButton(state, doing) {
  const { language } = state.settings;
  if (state.replay === "asked") {
    const { done, total } = state.compiling ?? { done: 0, total: 0 };
    const text = done < total ? tell(language, "compiling", done, total) : tell(language, "asking");
    return make("button", { disabled: true }, text);
  }
  if (state.replay) {
    const seat = state.server?.view.viewer ?? -1;
    const href = state.replay + (seat < 0 ? "" : `#mine=${seat}`);
    const link = { class: "button", href, target: "_blank", rel: "noopener" };
    return make("a", link, tell(language, "openReplay"));
  }
  const ask = () => doing.dispatch({ type: "askReplay" });
  return make("button", { class: "replay", onclick: ask }, tell(language, "replay"));
}

/** Return the buttons of the answers that can be listed.
 * @param {Ask} ask @param {State} state @param {Doing} doing */
export function optionButtons(ask, state, doing) {
  const { language } = state.settings;
  const { view } = /** @type {import("./messages.js").Shown} */ (state.server);
  return ask.options.map((option) => {
    const isHint = state.hint?.cards === option;
    const properties = {
      class: isHint ? "option hinted" : "option",
      "aria-pressed": ask.kind === "bid" || ask.kind === "rebel" ? String(ask.wish === option) : null,
      disabled: isSent(state),
      onclick: () => take(option, doing),
    };
    if (ask.kind === "rebel") return make("button", properties, tell(language, "rebel"));
    if (ask.kind === "name") return make("button", properties, trumpText(option));
    const verb = ask.kind === "bid" ? [make("small", {}, tell(language, `verb_${offerOf(view)}`)), " "] : [];
    return make("button", properties, ...verb, cardLine(option, language));
  });
}

/** Return the line that says what is going on, and what is asked.
 * @param {State} state @param {(seat: number) => string} nameOf @returns {(Node | string)[]} */
export function captionOf(state, nameOf) {
  const { language } = state.settings;
  /** @type {Say} */
  const word = (name, ...values) => tell(language, name, ...values);
  const server = state.server;
  if (!server) return [word("connecting")];
  if (server.fault) return [word(`fault_${server.fault}`)];
  if (server.waiting.length) return [say(language, "notBegun")];
  const told = askedText(server, state, nameOf, word);
  const said = state.notice ?? adviceOf(state);
  const notice = said && make("span", { class: "notice" }, noticeText(said, state));
  return notice ? [...told, " · ", notice] : told;
}

/** @param {Shown} server @param {State} state @param {(seat: number) => string} nameOf @param {Say} word */
function askedText(server, state, nameOf, word) {
  const { ask, view } = server;
  const textOf = (/** @type {string} */ cards) => cardText(cards, state.settings.language);
  const thrown = view.trick.thrown ? [thrownText(view, nameOf, word, textOf), " "] : [];
  const ahead = !ask && state.chosen.length ? [" · ", word("ahead", state.chosen.length)] : [];
  if (state.held || !ask) return [...thrown, watchText(server, nameOf, word), ...ahead];
  if (ask.kind === "next") return [overText(server, nameOf, word)];
  if (ask.kind === "bid" || ask.kind === "rebel") return [bidText(ask, server.view, state.secondsLeft, word, textOf)];
  if (ask.is_forced && ask.kind === "follow" && server.auto) return [...thrown, word("forced")];
  return [...thrown, word(`you_${ask.kind}`, ...(ask.size === null ? [] : [ask.size]), state.chosen.length)];
}

/** @param {View} view @param {(seat: number) => string} nameOf @param {Say} word
 * @param {(cards: string) => string} textOf */
function thrownText(view, nameOf, word, textOf) {
  const { leader, thrown, plays } = view.trick;
  if (leader === null) return "";
  const led = plays[String(leader)];
  const isOpen = view.phase === "forced";
  return word(isOpen ? "failedOpen" : "failed", nameOf(leader), ...[thrown, led].map(textOf)) + word("stop");
}

/** Return whether a match has ended with the round: what comes next is another one.
 * @param {Shown} server */
function isMatchOver(server) {
  return server.sheet.at(-1)?.match_over ?? false;
}

/** @param {Shown} server @param {(seat: number) => string} nameOf @param {Say} word */
function overText(server, nameOf, word) {
  if (!isMatchOver(server)) return word("over");
  const winner = server.sheet.at(-1)?.match_winner ?? null;
  const won = winner === null ? [] : [word("match", teamText(winner, nameOf)) + word("stop")];
  return [word("matchOver") + word("stop"), ...won].join(" ");
}

/** @param {Shown} server @param {(seat: number) => string} nameOf @param {Say} word */
function watchText(server, nameOf, word) {
  const { view } = server;
  const { phase, seat } = view;
  if (phase === "over") return overText(server, nameOf, word);
  const isOffered = phase === "rebel" || (phase === "bid" && view.trump !== null);
  if (isOffered) {
    const offer = phase === "rebel" ? "rebel" : "overbid";
    const isOut = view.viewer !== null && view.viewer >= 0 && !server.substituted.includes(view.viewer);
    return [word(`offering_${offer}`) + word("stop"), ...(isOut ? [word(`other_${offer}`)] : [])].join(" ");
  }
  if (phase === "bid") return word("drawing");
  if (seat === null) return "";
  if (seat === view.viewer) return word("yourTurn");
  return word(phase === "lead" || phase === "follow" ? "turn" : `turn_${phase}`, nameOf(seat));
}

/** @param {Ask} ask @param {View} view @param {number | null} seconds @param {Say} word
 * @param {(cards: string) => string} textOf */
function bidText(ask, view, seconds, word, textOf) {
  const offer = offerOf(view);
  const { window, wish } = OFFERS[offer];
  const isTimed = seconds !== null && seconds < UNTIMED;
  const parts = seconds === null ? [] : [(isTimed ? word(window, seconds) : word("drawn")) + word("stop")];
  const cards = (/** @type {string[]} */ texts) => (offer === "rebel" ? [] : [texts.map(textOf).join(" · ")]);
  if (ask.wish) parts.push(word(wish, ...cards([ask.wish])));
  else if (ask.options.length) parts.push(word(`you_${offer}`, ...cards(ask.options)));
  else if (seconds === null) parts.push(word("drawing") + word("stop"), word("no_bid_yet"));
  else parts.push(word(`cannot_${offer}`));
  return parts.join(" ");
}
