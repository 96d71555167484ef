// A page of a server on one's own machine: rules of a club, saved where `shengji rules --save` saves them.

import { make } from "./dom.js";
import { here } from "./here_words.js";
import { PRESETS, rulesName } from "./preset_names.js";
import { rulesForm } from "./rules_menu.js";
import { applySettings, savedSettings } from "./settings.js";

const settings = savedSettings();
const { language } = settings;
const said = make("p", { role: "status", class: "note" });
const form = make("div", {});

/** @param {string} name @param {string} rules */
async function save(name, rules) {
  const answer = await fetch("club", { method: "POST", body: JSON.stringify({ name, rules }) }).catch(() => null);
  const text = answer ? await answer.text() : here(language, "unreached");
  said.replaceChildren(answer?.ok ? here(language, "savedAs", text, `shengji serve --rules '${name}'`) : text);
}

/** @param {string} preset */
const begin = (preset) => form.replaceChildren(...rulesForm(menu, preset, language, save));

const menu = await (await fetch(new URL("./rules_menu.json", import.meta.url))).json();
const choose = (/** @type {Event} */ event) => begin(/** @type {HTMLSelectElement} */ (event.target).value);
const presets = PRESETS.map((preset) =>
  make("option", { value: preset, selected: preset === "house" }, rulesName(preset, language)));
const select = make("select", { id: "rules", onchange: choose }, ...presets);
const start = make("label", {}, here(language, "rules"), " ", select);
applySettings(settings);
begin("house");
const main = make("main", { class: "lobby here" }, make("h1", {}, here(language, "club")), start, form, said);
/** @type {HTMLElement} */ (document.getElementById("page")).replaceChildren(main);
