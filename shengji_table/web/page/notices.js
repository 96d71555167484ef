// Tells a person whose turn it is who looks elsewhere: the title, the icon, a soft sound, a short vibration.
//
// All of it follows from what the state tells this seat. The time for bids is announced whether or not the hand holds
// one, so that nobody in the same room hears what it holds.

import { isSent } from "./choosing.js";
import { roleOf } from "./header.js";
import { tell } from "./play_words.js";

/** @typedef {import("./play_state.js").State} State
 * @typedef {import("./types.js").View} View */

const NOTES = [659, 880];
const [WON, LOST] = [[523, 659, 784, 1047], [523, 440]];
const LOUDNESS = 0.06;
const SECONDS_A_NOTE = 0.16;
const SHAKE = 60;

/** Return whether the table waits for this person: a play that is not made for them, a time for bids, the next round.
 * @param {State} state */
export function isCalled(state) {
  const { server } = state;
  if (!server?.ask || state.connection !== "open" || isSent(state)) return false;
  const { kind, is_done: isDone, is_forced: isForced } = server.ask;
  if (kind === "bid" || kind === "rebel") return server.window !== null && !isDone;
  return !isDone && !(isForced && server.auto);
}

/** Return the notes of a round that has just ended: they rise for who has won it; null at other times.
 * @param {State} before @param {State} state */
export function notesOfEnd(before, { server }) {
  const { result, viewer } = server?.view ?? {};
  if (!result || !before.server || before.server.view.result || (viewer ?? -1) < 0) return null;
  const isWon = result.winner !== null && roleOf(Number(viewer), /** @type {View} */ (server?.view)) === result.winner;
  return isWon ? WON : LOST;
}

/** Return whether a state calls a person whom the state before did not call. The end of a round has its own sound.
 * @param {State} before @param {State} state */
export function isNewCall(before, state) {
  const [old, now] = [before.server, state.server];
  if (!old || !now?.ask || !isCalled(state) || now.ask.kind === "next") return false;
  const wasAsked = old.ask?.kind === now.ask.kind && old.move === now.move;
  return !(wasAsked && (old.window === null) === (now.window === null));
}

/** Return what gives the notices of a page, state after state.
 * @param {Document} page @returns {(before: State, state: State) => void} */
export function makeNotices(page) {
  /** @type {AudioContext | null} */
  let audio = null;
  // Browsers allow sounds and vibration only after the person has touched the page.
  const allow = () => {
    audio ??= new AudioContext();
    if (audio.state === "suspended") void audio.resume();
  };
  for (const gesture of ["pointerdown", "keydown"]) page.addEventListener(gesture, allow, { once: true });

  return (before, state) => {
    const { language, notices } = state.settings;
    const called = isCalled(state);
    const title = tell(language, "title");
    page.title = called ? `● ${tell(language, "yourTurn")} – ${title}` : title;
    setIcon(page, called ? "icon_turn.svg" : "icon.svg");
    const ended = notesOfEnd(before, state);
    if (!notices || !audio || !(ended || isNewCall(before, state))) return;
    chime(audio, ended ?? NOTES);
    if (!ended) navigator.vibrate?.(SHAKE);
  };
}

/** @param {Document} page @param {string} name */
function setIcon(page, name) {
  const link = page.querySelector('link[rel="icon"]');
  const address = link?.getAttribute("href")?.replace(/[^/]*$/, name);
  if (link && address && link.getAttribute("href") !== address) link.setAttribute("href", address);
}

/** Play soft notes, one after the other.
 * @param {AudioContext} audio @param {number[]} notes */
function chime(audio, notes) {
  notes.forEach((frequency, place) => {
    const begin = audio.currentTime + place * SECONDS_A_NOTE;
    const tone = audio.createOscillator();
    const gain = audio.createGain();
    tone.frequency.value = frequency;
    gain.gain.setValueAtTime(0, begin);
    gain.gain.linearRampToValueAtTime(LOUDNESS, begin + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.0001, begin + 2 * SECONDS_A_NOTE);
    tone.connect(gain).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + 2 * SECONDS_A_NOTE);
  });
}
