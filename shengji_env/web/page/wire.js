// The connection to the server: messages out and in, and connecting again when it is lost.

const VERSION = 1;
const FINAL = [4403, 4409];
const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000;

/** Connect with a link's fragment, and stay connected. Messages that cannot be sent now are dropped: what is seen then
 * comes anew with the next connection.
 * @param {string} link @param {(message: import("./messages.js").Message) => void} hear
 * @param {(status: import("./play_state.js").Connection, reason: string) => void} changed
 * @returns {import("./messages.js").Send} what sends a message */
export function connect(link, hear, changed) {
  /** @type {WebSocket | null} */
  let socket = null;
  let wait = FIRST_WAIT;

  function open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const opened = new WebSocket(`${scheme}://${location.host}/socket`);
    socket = opened;
    opened.onopen = () => opened.send(JSON.stringify({ type: "hello", version: VERSION, link }));
    opened.onmessage = (event) => {
      wait = FIRST_WAIT;
      changed("open", "");
      hear(JSON.parse(event.data));
    };
    opened.onclose = (event) => {
      const isFinal = FINAL.includes(event.code);
      changed(isFinal ? "closed" : "lost", event.reason);
      if (isFinal) return;
      setTimeout(open, wait);
      wait = Math.min(LONGEST_WAIT, wait * 2);
    };
  }

  open();
  return (type, fields = {}) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type, ...fields }));
  };
}
