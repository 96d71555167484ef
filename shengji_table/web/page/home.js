// The start of the page without a server: what one may do, and under which rules.

import { make } from "./dom.js";
import { here } from "./here_words.js";
import { loadKept } from "./keeping.js";
import { PRESETS, rulesName } from "./preset_names.js";
import { applySettings, savedSettings, saveSettings } from "./settings.js";
import { useSheet } from "./sheet.js";

const SAVED = "shengji-rules";
const DEFAULT = "two_deck";

/** @typedef {import("./here_words.js").HereWord} HereWord
 * @typedef {Object<string, string>} Saved rules as text, by the name that they were given */

let settings = savedSettings();
let isKept = false;
let chosen = DEFAULT;

/** @returns {Saved} */
function savedRules() {
  try {
    return JSON.parse(localStorage.getItem(SAVED) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {Saved} saved */
function saveRules(saved) {
  localStorage.setItem(SAVED, JSON.stringify(saved));
  show();
}

/** @param {HereWord} name */
const phrase = (name) => here(settings.language, name);

/** @param {string} href @param {HereWord} name @param {string} [className] */
const link = (href, name, className = "button") => make("a", { class: className, href }, phrase(name));

/** @param {string} label @param {string} value */
const option = (label, value) => make("option", { value, selected: value === chosen }, label);

function rulesChoice() {
  const own = Object.entries(savedRules()).map(([name, text]) => option(name, text));
  const presets = PRESETS.map((preset) => option(rulesName(preset, settings.language), preset));
  const choose = (/** @type {Event} */ event) => {
    chosen = /** @type {HTMLSelectElement} */ (event.target).value;
    show();
  };
  const groups = own.length ? [make("optgroup", { label: phrase("saved") }, ...own)] : [];
  const select = make("select", { id: "rules", onchange: choose }, ...presets, ...groups);
  return make("p", {}, make("label", { for: "rules" }, phrase("rules")), " ", select, " ", ...forgetting());
}

/** Return the button that forgets the chosen rules, if they are one's own. */
function forgetting() {
  const saved = savedRules();
  const name = Object.keys(saved).find((each) => saved[each] === chosen);
  if (name === undefined) return [];
  const forget = () => {
    chosen = DEFAULT;
    delete saved[name];
    saveRules(saved);
  };
  return [make("button", { onclick: forget }, phrase("forget"))];
}

/** Return where rules are written and saved under a name. */
function otherRules() {
  const field = (/** @type {"text" | "name"} */ name, /** @type {string} */ value) =>
    /** @type {HTMLInputElement} */ (make("input", { id: `rules-${name}`, value, spellcheck: "false" }));
  const [text, name] = [field("text", chosen), field("name", "")];
  const save = () => {
    if (!text.value.trim()) return text.focus();
    chosen = text.value.trim();
    saveRules({ ...savedRules(), [name.value.trim() || chosen]: chosen });
  };
  return make("details", {}, make("summary", {}, phrase("other")),
    make("p", {}, make("label", { for: "rules-text" }, phrase("text")), " ", text),
    make("p", {}, make("label", { for: "rules-name" }, phrase("name")), " ", name, " ",
      make("button", { onclick: save }, phrase("save"))));
}

/** @param {Partial<import("./play_state.js").Settings>} change */
const set = (change) => () => {
  settings = { ...settings, ...change };
  saveSettings(settings);
  show();
};

function show() {
  applySettings(settings);
  const language = settings.language === "en" ? "zh" : "en";
  const theme = settings.theme === "dark" ? "light" : "dark";
  const table = `table.html?new=table&rules=${encodeURIComponent(chosen)}`;
  const main = make("main", { class: "lobby here" },
    make("h1", {}, "升级 Shengji"), make("p", {}, phrase("about")),
    isKept ? make("p", {}, link("table.html", "goOn", "button play")) : null,
    rulesChoice(), otherRules(),
    make("nav", {}, link(table, "table", isKept ? "button" : "button play"), link("table.html?new=lesson", "lesson"),
      link("table.html?new=season", "season"),
      link("puzzles.html", "puzzles")),
    isKept ? make("p", { class: "note" }, phrase("replaces")) : null,
    make("p", { class: "tools" }, make("button", { onclick: set({ language }) }, phrase("language")),
      make("button", { onclick: set({ theme }) }, phrase(theme)), " ",
      link("licences.txt", "licences")));
  /** @type {HTMLElement} */ (document.getElementById("page")).replaceChildren(main);
}

const sheet = await fetch(new URL("./sheet.json", import.meta.url));
useSheet(await sheet.json());
isKept = Boolean(await loadKept().catch(() => undefined));
show();
navigator.serviceWorker?.register("service.js").catch(() => {});
