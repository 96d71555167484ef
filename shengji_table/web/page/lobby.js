// The page of a guest who has no seat yet: the four seats, a name, and what takes a seat.

import { make } from "./dom.js";
import { botName, refusalText, say } from "./lobby_words.js";
import { tell } from "./play_words.js";
import { rulesName } from "./preset_names.js";
import { connect } from "./wire.js";

/** @typedef {import("./messages.js").Lobby} Lobby
 * @typedef {import("./messages.js").LobbySeat} LobbySeat
 * @typedef {import("./play_state.js").Settings} Settings
 * @typedef {import("./play_words.js").Language} Language */

const MAX_NAME = 24;
const REMEMBERED = "shengji-seat-";

/** Forget a seat whose link opens nothing any more.
 * @param {string} link */
export function forgetSeat(link) {
  const isIts = (/** @type {string} */ key) => key.startsWith(REMEMBERED) && localStorage.getItem(key) === link;
  for (const key of Object.keys(localStorage).filter(isIts)) localStorage.removeItem(key);
}

/** Show a table's seats to a guest, until one is taken: then the page's address becomes that of the seat.
 * @param {HTMLElement} root @param {string} link @param {Pick<Settings, "language" | "theme">} settings */
export function startLobby(root, link, settings) {
  let language = settings.language;
  /** @type {Lobby | null} */
  let lobby = null;
  let problem = "";
  document.documentElement.dataset.theme = settings.theme;
  const heading = make("h2", {});
  const hint = make("p", { class: "note" });
  const input = /** @type {HTMLInputElement} */ (
    make("input", { id: "guest-name", maxlength: MAX_NAME, autocomplete: "nickname", spellcheck: "false" })
  );
  const label = make("label", { for: "guest-name" });
  const alert = make("p", { class: "problem", role: "alert" });
  const seats = make("div", { class: "seats" });
  const others = make("p", { class: "buttons" });
  const title = make("h1", {});
  const other = make("button", { class: "language", onclick: switchLanguage });
  const toRules = make("a", { class: "button", href: "rules", target: "_blank", rel: "noopener" });
  const form = make("p", { class: "guest" }, label, input);
  root.replaceChildren(
    make("header", {}, title, make("div", { class: "tools" }, toRules, other)),
    make("main", { class: "lobby" }, heading, form, alert, seats, hint, others),
  );

  const send = connect(
    link,
    (message) => {
      if (message.type === "lobby") lobby = message;
      else if (message.type === "refused") problem = refusalText(language, message.reason);
      else if (message.type === "seated") sitDown(message.link);
      show();
    },
    (status, by) => {
      if (status === "open") return;
      problem = by ? tell(language, `closed_${by}`) : tell(language, status === "lost" ? "lost" : "connecting");
      show();
    },
  );

  function switchLanguage() {
    language = language === "en" ? "zh" : "en";
    problem = "";
    show();
  }

  /** @param {string} seated */
  function sitDown(seated) {
    if (!seated.includes(".w.")) localStorage.setItem(REMEMBERED + link, seated);
    location.replace(`#${seated}`);
  }

  /** @param {LobbySeat} seat */
  function take(seat) {
    const name = seat.name ? "" : input.value.trim();
    problem = seat.name || name ? "" : say(language, "needName");
    if (!problem) send("take", { seat: seat.seat, name });
    show();
    if (problem) input.focus();
  }

  function show() {
    document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
    const rules = lobby?.rules ?? "";
    title.replaceChildren(tell(language, "title"), make("small", { title: rules }, rulesName(rules, language)));
    toRules.replaceChildren(tell(language, "rules"));
    other.replaceChildren(say(language, "language"));
    const isFull = lobby !== null && !lobby.seats.some((seat) => seat.is_free);
    heading.replaceChildren(say(language, isFull ? "allTaken" : "lobby"));
    label.replaceChildren(say(language, "yourName"));
    form.hidden = !lobby?.seats.some((seat) => seat.is_free && !seat.name);
    const isLost = isFull && lobby?.seats.some((seat) => !seat.is_here);
    hint.replaceChildren(say(language, isLost ? "askThem" : "partners"));
    alert.replaceChildren(problem);
    if (lobby) seats.replaceChildren(...lobby.seats.map((seat) => seatElement(seat, /** @type {Lobby} */ (lobby))));
    const mine = localStorage.getItem(REMEMBERED + link);
    const back = mine ? [make("button", { class: "play", onclick: () => sitDown(mine) }, say(language, "mySeat"))] : [];
    others.replaceChildren(...back, make("button", { onclick: () => send("watch") }, say(language, "watch")));
  }

  /** @param {LobbySeat} seat @param {Lobby} shown */
  function seatElement(seat, shown) {
    const names = shown.seats.map((each) => each.name);
    const name = seat.is_person ? seat.name : botName(language, seat.seat, names);
    const who = name ? make("b", {}, make("bdi", {}, name)) : null;
    const text = say(language, seat.name ? "sitAs" : "sit", seat.name);
    const button = seat.is_free ? make("button", { class: "play", onclick: () => take(seat) }, text) : null;
    const note = make("small", {}, noteOf(seat, shown));
    const place = make("small", {}, say(language, "seat", seat.seat + 1));
    return make("section", { class: `seat at-${seat.seat}` }, place, who, note, button);
  }

  /** @param {LobbySeat} seat @param {Lobby} shown */
  function noteOf(seat, shown) {
    if (!seat.is_person) return say(language, "program", seat.name);
    if (!seat.is_free) return say(language, seat.is_here ? "here" : "gone");
    return shown.has_begun ? say(language, "freeSubstituted", shown.substitute) : say(language, "free");
  }

  show();
}
