// The connection to the server: messages out and in, and connecting again when it is lost.

import { theServer } from "./server.js";

const VERSION = 3;
const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000;
/** After these the page does not try again by itself (see `web/refusals.py`).
 * @type {{[code: number]: import("./play_state.js").ClosedBy}} */
const CLOSED = { 4400: "rude", 4403: "link", 4409: "taken", 4413: "full", 4426: "version" };

/** Connect with a link's fragment, and stay connected. Messages that cannot be sent now are dropped: what is seen then
 * comes anew with the next connection.
 * @param {string} link @param {(message: import("./messages.js").Message) => void} hear
 * @param {(status: import("./play_state.js").Connection, by: import("./play_state.js").ClosedBy) => void} changed
 * @returns {import("./messages.js").Send & {again: () => void}} what sends a message; `again` connects again */
export function connect(link, hear, changed) {
  /** @type {import("./server.js").Socket | null} */
  let socket = null;
  let wait = FIRST_WAIT;
  let waiting = 0;

  function open() {
    clearTimeout(waiting);
    waiting = 0;
    const opened = theServer().openSocket();
    socket = opened;
    opened.onopen = () => opened.send(JSON.stringify({ type: "hello", version: VERSION, link }));
    opened.onmessage = (event) => {
      if (socket !== opened) return;
      wait = FIRST_WAIT;
      changed("open", "");
      hear(JSON.parse(event.data));
    };
    opened.onclose = (event) => socket === opened && lose(CLOSED[event.code] ?? "");
  }

  /** @param {import("./play_state.js").ClosedBy} by */
  function lose(by) {
    socket?.close();
    socket = null;
    changed(by ? "closed" : "lost", by);
    if (by) return;
    waiting = setTimeout(open, wait);
    wait = Math.min(LONGEST_WAIT, wait * 2);
  }

  // A socket notices only after a long time that the network has gone.
  addEventListener("offline", () => theServer().isRemote && socket !== null && lose(""));
  addEventListener("online", () => waiting && socket === null && open());
  open();
  /** @type {import("./messages.js").Send} */
  const send = (type, fields = {}) => {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify({ type, ...fields }));
    return true;
  };
  const again = () => {
    changed("connecting", "");
    open();
  };
  return Object.assign(send, { again });
}
