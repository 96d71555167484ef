// What answers the page: a server, or a Worker of the page's own (`in_page.js`).

/** @typedef {{readyState: number, onopen: (() => void) | null, onmessage: ((event: {data: string}) => void) | null,
 *   onclose: ((event: {code: number}) => void) | null, send: (text: string) => void, close: () => void}} Socket
 *   what the page uses of a WebSocket
 * @typedef {{isRemote: boolean, isSeason: () => boolean, link: () => Promise<string>, openSocket: () => Socket,
 *   get: (path: string) => Promise<Response>}} Server
 *   `isSeason`: whether the table plays a season; `link`: the fragment of the link that was opened; `get` takes a path
 *   relative to the page's */

/** @type {Server} */
let server = {
  isRemote: true,
  isSeason: () => false,
  link: async () => location.hash.slice(1),
  openSocket: () => {
    const folder = location.pathname.replace(/[^/]*$/, "");
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    return /** @type {any} */ (new WebSocket(`${scheme}://${location.host}${folder}socket`));
  },
  get: (path) => fetch(path),
};

/** Let something else answer, from the beginning.
 * @param {Server} other */
export function useServer(other) {
  server = other;
}

/** @returns {Server} */
export function theServer() {
  return server;
}
