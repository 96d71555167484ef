// The play page: connects, hears, shows, and does what keys and clicks say.

import { isSent } from "./choosing.js";
import { listenToKeys } from "./keys.js";
import { adviceDue } from "./lesson.js";
import { forgetSeat, startLobby } from "./lobby.js";
import { firstState, question, reduce } from "./play_state.js";
import { makeNotices } from "./notices.js";
import { makePage } from "./play_view.js";
import { tell } from "./play_words.js";
import { theServer } from "./server.js";
import { savedSettings, saveSettings } from "./settings.js";
import { useSheet } from "./sheet.js";
import { connect } from "./wire.js";

/** @typedef {import("./asking.js").Doing} Doing */

const HOLD = 1400;

/** @param {HTMLElement} root @param {string} link */
function start(root, link) {
  let state = firstState(savedSettings());
  let holding = 0;
  /** @type {Doing} */
  const doing = { send: (type, fields) => send(type, fields), dispatch, now: () => state, again: () => send.again() };
  const show = makePage(root, doing);
  const notify = makeNotices(document);

  /** @param {import("./play_state.js").Action | import("./play_state.js").Request} action */
  function dispatch(action) {
    const before = state;
    const move = state.server?.move;
    if (action.type === "askReplay") state = { ...state, replay: send("replay", { move }) ? "asked" : null };
    else if (action.type !== "askHint") state = reduce(state, action);
    else if (!state.isAsking && !isSent(state)) state = { ...state, isAsking: send("hint", { move }) };
    const asked = question(before, state);
    if (asked) send("choose", asked);
    const advice = adviceDue(state);
    if (advice && send("hint", { move: state.server?.move })) state = reduce(state, { type: "advice", asked: advice });
    if (state.held && state.held !== before.held) {
      clearTimeout(holding);
      holding = setTimeout(() => dispatch({ type: "release" }), HOLD);
    }
    if (action.type === "set") saveSettings(state.settings);
    if (theServer().isSeason() && before.server?.sheet.length !== state.server?.sheet.length) tellSeason();
    show(state);
    notify(before, state);
  }

  async function tellSeason() {
    dispatch({ type: "season", season: await (await theServer().get("season.json")).json() });
  }

  listenToKeys(root, doing);
  addEventListener("resize", () => show(state));
  setInterval(() => state.secondsLeft !== null && dispatch({ type: "second" }), 1000);
  const send = connect(
    link,
    (message) => dispatch({ type: "message", message }),
    (status, by) => {
      if (by === "link") forgetSeat(link);
      if (status !== state.connection) dispatch({ type: "connection", status, by });
    },
  );
  show(state);
}

const root = /** @type {HTMLElement} */ (document.getElementById("page"));
const answer = await fetch(new URL("./sheet.json", import.meta.url));
useSheet(await answer.json());
addEventListener("hashchange", () => location.reload());
const link = await theServer().link();
if (/^\d+\.t\./.test(link)) startLobby(root, link, savedSettings());
else if (link) start(root, link);
else root.replaceChildren(tell(savedSettings().language, "noLink"));
