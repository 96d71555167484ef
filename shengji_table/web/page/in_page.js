// A page without a server: a Worker has the table (`web/page_host.py`), and the browser keeps what happens at it.

import { make } from "./dom.js";
import { here } from "./here_words.js";
import { loadKept, saveKept } from "./keeping.js";
import { useServer } from "./server.js";
import { applySettings, savedSettings } from "./settings.js";

/** @typedef {import("./here_words.js").HereWord} HereWord
 * @typedef {{text: string, status: number, media_type: string, location: string, file: string,
 *   policy: string}} Answer */

const LOCK = "shengji-table";
const MEGABYTE = 1e6;
const UNTIL_SERVICE = 3000;

const root = /** @type {HTMLElement} */ (document.getElementById("page"));
const settings = savedSettings();
const asked = new URLSearchParams(location.search);
const isPuzzles = /\/puzzles(\.html)?$/.test(location.pathname);
/** @type {Map<number, import("./server.js").Socket>} */
const sockets = new Map();
/** @type {Map<number, (answer: Answer) => void>} */
const waiting = new Map();
/** @type {(link: string) => void} */
let ready = () => {};
/** @type {Promise<string>} */
const link = new Promise((resolve) => (ready = resolve));
/** @type {import("./keeping.js").Kept} */
let kept = { kind: "table", text: "", speed: 1 };
let last = 0;
/** @type {Worker | null} */
let worker = null;
let saving = Promise.resolve();

/** @param {HereWord} name @param {...(string | number)} values */
const phrase = (name, ...values) => here(settings.language, name, ...values);

/** @param {...HTMLElement} content */
function show(...content) {
  root.replaceChildren(make("main", { class: "lobby here" }, make("h1", {}, "升级 Shengji"), ...content));
}

/** Say why it does not go on, and what can be done.
 * @param {HereWord} why @param {string} [detail] */
function stop(why, detail = "") {
  worker?.terminate();
  worker = null;
  const again = make("button", { class: "play", onclick: () => location.reload() }, phrase("reload"));
  const home = make("a", { class: "button", href: "./" }, phrase("home"));
  const note = kept.text ? [make("p", {}, phrase("kept"))] : [];
  show(make("p", { role: "alert", class: "problem" }, phrase(why, detail)), ...note, make("p", {}, again, " ", home));
}

/** @param {number} done @param {number} total bytes */
function showProgress(done, total) {
  const megabytes = (/** @type {number} */ bytes) => (bytes / MEGABYTE).toFixed(1);
  const text = done < total ? phrase("loading", megabytes(done), megabytes(total)) : phrase("starting");
  const bar = make("progress", { max: total, value: done, "aria-label": text });
  show(make("p", { "aria-live": "polite" }, text), bar, make("p", { class: "note" }, phrase("once")));
}

/** @param {object} said */
function tell(said) {
  worker?.postMessage(said);
}

/** @param {any} said what `web/page_host.py`, or the Worker itself, says */
function hear(said) {
  if (said.type === "progress") showProgress(said.done, said.total);
  else if (said.type === "loaded") tell(beginning());
  else if (said.type === "ready") ready(said.link);
  else if (said.type === "failed") stop(said.why ?? "refused", said.reason);
  else if (said.type === "keep") keep(said.text);
  else if (said.type === "text") sockets.get(said.socket)?.onmessage?.({ data: said.text });
  else if (said.type === "closed") sockets.get(said.socket)?.onclose?.({ code: said.code });
  else if (said.type === "answer") waiting.get(said.id)?.(said);
}

/** Return how the Worker begins; the address then names the kept table alone, so that the page can be loaded again. */
function beginning() {
  const address = new URL("./", location.href).href;
  const begins = { type: "begin", address, kind: "puzzles", rules: "", kept: null, speed: 1 };
  if (isPuzzles) return begins;
  const rules = asked.get("rules") ?? "two_deck";
  const isNew = asked.has("new");
  if (isNew) kept = { kind: asked.get("new") ?? "table", text: "", speed: Number(asked.get("speed") ?? 1) || 1 };
  history.replaceState(null, "", location.pathname);
  return { ...begins, kind: kept.kind, speed: kept.speed, rules, kept: isNew ? null : kept.text };
}

/** @param {string} text */
function keep(text) {
  kept = { ...kept, text: kept.text + text };
  const whole = kept;
  saving = saving.then(() => saveKept(whole)).then(() => {}, () => warn());
}

let hasWarned = false;
function warn() {
  if (hasWarned) return;
  hasWarned = true;
  document.body.prepend(make("p", { role: "alert", class: "problem" }, phrase("noStorage")));
}

/** @returns {import("./server.js").Socket} */
function openSocket() {
  const number = (last += 1);
  /** @type {import("./server.js").Socket} */
  const socket = {
    readyState: WebSocket.OPEN, onopen: null, onmessage: null, onclose: null,
    send: (text) => tell({ type: "text", socket: number, text }),
    close: () => {
      socket.readyState = WebSocket.CLOSED;
      if (sockets.delete(number)) tell({ type: "close", socket: number });
    },
  };
  sockets.set(number, socket);
  tell({ type: "open", socket: number });
  queueMicrotask(() => socket.onopen?.());
  return socket;
}

/** @param {string} path @returns {Promise<Answer>} */
async function ask(path) {
  await link;
  const id = (last += 1);
  tell({ type: "ask", id, path });
  const answer = await new Promise((/** @type {(answer: Answer) => void} */ resolve) => waiting.set(id, resolve));
  waiting.delete(id);
  return answer;
}

/** @param {string} path relative to the page's @returns {Promise<Response>} */
async function get(path) {
  const { text, status } = await ask(`/${path}`);
  return new Response(text, { status });
}

/** Return whether no other tab has the table; it is this one's until it is closed.
 * @returns {Promise<boolean>} */
function takeTable() {
  return new Promise((resolve) => {
    if (!navigator.locks) resolve(true);
    else navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock && new Promise(() => {});
    });
  });
}

/** Let a service worker keep the files, and pass on what other tabs ask: replays, rules, all rounds. */
async function startService() {
  const service = navigator.serviceWorker;
  if (!service) return;
  service.addEventListener("message", async ({ data, ports: [port] }) => {
    port.postMessage("coming");
    port.postMessage(await ask(data.path));
  });
  service.startMessages();
  const isThere = service.controller ? null : new Promise((resolve) => (service.oncontrollerchange = resolve));
  await service.register("service.js");
  await Promise.race([isThere, new Promise((resolve) => setTimeout(resolve, UNTIL_SERVICE))]);
}

async function begin() {
  applySettings(settings);
  if (typeof WebAssembly !== "object") return stop("noWasm");
  if (!isPuzzles && !(await takeTable())) return stop("elsewhere");
  if (!isPuzzles && !asked.has("new")) {
    const found = await loadKept().catch(() => undefined);
    if (!found) return location.replace("./");
    kept = found;
  }
  await startService().catch(() => {});
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = ({ message }) => stop("died", message);
}

useServer({ isRemote: false, isSeason: () => kept.kind === "season", link: () => link, openSocket, get });
begin();
