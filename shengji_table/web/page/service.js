// The service worker of a page without a server: it keeps the files, and lets the tab that has the table answer what
// other tabs ask. What stands before it says which version it is.

/** @typedef {{waitUntil: (work: Promise<void>) => void}} Work
 * @typedef {{request: Request, respondWith: (answer: Promise<Response>) => void}} Asked
 * @typedef {{postMessage: (said: object, ports: MessagePort[]) => void}} Tab */

/** A service worker's own names, and VERSION, PYTHON and FIRST, which `make page` writes before this.
 * @type {any} */
const own = self;

/** Paths that the table answers, relative to the page's folder. */
const ANSWERED = /^(rules$|replay\/|evening\/)/;
/** Paths of which each version has its own content. */
const CHANGES = /\/files\.json$/;
const UNTIL_COMING = 10_000;
const NOBODY = "The tab with the table is closed: open the table, then load this page again. 牌桌所在的标签页已关闭：请先打开牌桌。";

own.addEventListener("install", (/** @type {Work} */ event) => event.waitUntil(install()));
own.addEventListener("activate", (/** @type {Work} */ event) => event.waitUntil(activate()));
own.addEventListener("fetch", (/** @type {Asked} */ event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(own.registration.scope)) return;
  const path = request.url.slice(own.registration.scope.length);
  if (ANSWERED.test(path)) event.respondWith(askTabs(path));
  else event.respondWith(CHANGES.test(path) || request.mode === "navigate" ? newest(request) : kept(request, path));
});

async function install() {
  await (await caches.open(own.VERSION)).addAll(own.FIRST);
  await own.skipWaiting();
}

/** Forget the files of other versions. */
async function activate() {
  const others = (await caches.keys()).filter((name) => name !== own.VERSION && name !== own.PYTHON);
  await Promise.all(others.map((name) => caches.delete(name)));
  await own.clients.claim();
}

/** Answer with a page as it is now; without a network, as it was last.
 * @param {Request} request @returns {Promise<Response>} */
async function newest(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const found = await caches.match(request, { ignoreSearch: true });
    if (found) return found;
    throw error;
  }
}

/** Answer with a file that is kept, or keep it.
 * @param {Request} request @param {string} path @returns {Promise<Response>} */
async function kept(request, path) {
  const found = await caches.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) {
    const cache = await caches.open(path.startsWith(`${own.PYTHON}/`) ? own.PYTHON : own.VERSION);
    await cache.put(request, answer.clone());
  }
  return answer;
}

/** @param {string} path @returns {Promise<Response>} */
async function askTabs(path) {
  /** @type {Tab[]} */
  const tabs = await own.clients.matchAll({ type: "window", includeUncontrolled: true });
  const answer = await Promise.any(tabs.map((tab) => askTab(tab, `/${path}`))).catch(() => null);
  if (answer) return responseOf(answer);
  return new Response(NOBODY, { status: 503, headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** @param {import("./in_page.js").Answer} answer */
function responseOf({ text, status, media_type, location, file, policy }) {
  if (location) return Response.redirect(location, status);
  /** @type {Record<string, string>} */
  const headers = { "content-type": `${media_type}; charset=utf-8` };
  if (file) headers["content-disposition"] = `attachment; filename=${file}`;
  if (policy) headers["content-security-policy"] = policy;
  return new Response(text, { status, headers });
}

/** Return a tab's answer; it fails if the tab has no table.
 * @param {Tab} tab @param {string} path @returns {Promise<import("./in_page.js").Answer>} */
function askTab(tab, path) {
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    const late = setTimeout(reject, UNTIL_COMING);
    port1.onmessage = ({ data }) => (data === "coming" ? clearTimeout(late) : resolve(data));
    tab.postMessage({ path }, [port2]);
  });
}
