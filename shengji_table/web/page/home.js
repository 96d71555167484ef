// The start of the page without a server: what one may do, and under which rules.

import { make } from "./dom.js";
import { here } from "./here_words.js";
import { loadKept } from "./keeping.js";
import { PRESETS, rulesName } from "./preset_names.js";
import { rulesForm } from "./rules_menu.js";
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

/** Return where rules are made and saved under a name, beginning with those that are chosen. */
function otherRules() {
  const save = (/** @type {string} */ name, /** @type {string} */ text) => {
    chosen = text;
    saveRules({ ...savedRules(), [name || text]: text });
  };
  const form = rulesForm(menu, chosen, settings.language, save);
  return make("details", {}, make("summary", {}, phrase("other")), ...form);
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

const load = async (/** @type {string} */ name) => (await fetch(new URL(name, import.meta.url))).json();
useSheet(await load("./sheet.json"));
const menu = await load("./rules_menu.json");
isKept = Boolean(await loadKept().catch(() => undefined));
show();
navigator.serviceWorker?.register("service.js").catch(() => {});
