// Who is waited for, who is away and who plays in whose place: the lines above what is asked, with their buttons.

import { make } from "./dom.js";
import { listed, say } from "./lobby_words.js";

/** @typedef {import("./messages.js").Shown} Shown
 * @typedef {import("./play_state.js").State} State
 * @typedef {import("./play_words.js").Language} Language
 * @typedef {import("./types.js").View} View
 * @typedef {{send: import("./messages.js").Send}} Sending */

/** Return the lines about who is not there; nothing, mostly.
 * @param {State} state @param {Sending} doing @param {(seat: number) => string} nameOf @returns {HTMLElement[]} */
export function presenceLines(state, doing, nameOf) {
  const { server } = state;
  if (!server || state.connection !== "open") return [];
  const { language } = state.settings;
  const own = state.welcome?.seat ?? -1;
  const by = state.welcome?.substitute ?? "";
  const named = (/** @type {number} */ seat) => (server.free.includes(seat) ? say(language, "freeSeat") : nameOf(seat));
  const mayAct = own >= 0 && !server.substituted.includes(own);
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) => make("button", { onclick }, text);
  /** @param {string} text @param {...(HTMLElement | null)} does */
  const line = (text, ...does) => make("p", {}, make("span", {}, text), ...does);
  const release = (/** @type {number} */ seat) =>
    mayRelease(seat) ? button(say(language, "release"), () => doing.send("release", { seat })) : null;
  const mayRelease = (/** @type {number} */ seat) =>
    mayAct && server.away.includes(seat) && !server.free.includes(seat);
  if (server.waiting.length) {
    const names = awaited(server, language, nameOf);
    const start = button(say(language, "start"), () => doing.send("start"));
    const gone = server.away.filter(mayRelease).map((seat) => line(say(language, "away", nameOf(seat)), release(seat)));
    return [line(say(language, "waitFor", names), mayAct ? start : null), ...gone];
  }
  const lines = server.redealt ? [line(say(language, server.redealt))] : [];
  if (server.substituted.includes(own)) {
    lines.push(line(say(language, "substitutedYou", by), button(say(language, "back"), () => doing.send("back"))));
  }
  const others = server.substituted.filter((seat) => seat !== own);
  const kept = others.filter((seat) => !mayRelease(seat)).map(named);
  if (kept.length) lines.push(line(say(language, "substituted", by, listed(language, kept))));
  for (const seat of others.filter(mayRelease)) {
    lines.push(line(say(language, "substituted", by, named(seat)), release(seat)));
  }
  for (const seat of server.away.filter((each) => !server.substituted.includes(each))) {
    const replace = button(say(language, "takeOver"), () => doing.send("replace", { seat }));
    lines.push(line(say(language, "away", named(seat)), mayAct ? replace : null, release(seat)));
  }
  return lines;
}

/** Return whom the first round waits for; guests who have no seat yet are counted.
 * @param {Shown} server @param {Language} language @param {(seat: number) => string} nameOf */
function awaited({ waiting, free }, language, nameOf) {
  const names = waiting.filter((seat) => !free.includes(seat)).map(nameOf);
  const numGuests = waiting.length - names.length;
  const guests = say(language, numGuests === 1 ? "guest" : "guests", numGuests);
  return listed(language, numGuests ? [...names, guests] : names);
}

/** Return what a person waits for who wants to go on with the next round.
 * @param {State} state @param {Language} language */
export function waitText(state, language) {
  const { server } = state;
  if (!server) return "";
  const awaited = server.persons.filter((seat) => !server.done.includes(seat));
  return say(language, "waitFor", listed(language, awaited.map((seat) => server.view.names[seat])));
}

/** Return a view that says which seats are free, where bots play, and who is away; one's own name stays.
 * @param {View} view @param {Shown} server @param {Language} language @returns {import("./seats.js").MarkedView} */
export function withPresence(view, server, language) {
  const { away, free, persons, substituted } = server;
  const isOwn = (/** @type {number} */ seat) => seat === view.viewer;
  const isFree = (/** @type {number} */ seat) => free.includes(seat) && !isOwn(seat);
  const names = view.names.map((name, seat) => (isFree(seat) ? say(language, "freeMark") : name));
  const marks = names.map((_, seat) => {
    if (!isOwn(seat) && (substituted.includes(seat) || !persons.includes(seat))) return "bot";
    return away.includes(seat) && !isFree(seat) && !isOwn(seat) ? "away" : "";
  });
  return { ...view, names, marks };
}
