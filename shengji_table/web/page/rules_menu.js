// The rules of a club: what people quarrel about as a menu, which writes the rules as text; a name to save them under.

import { make } from "./dom.js";
import { here } from "./here_words.js";

/** @typedef {import("./play_words.js").Language} Language
 * @typedef {string | number | boolean} Value
 * @typedef {{option: string, meaning: string[], values: [Value, string, string][]}} Row in English and Chinese
 * @typedef {{presets: Object<string, Object<string, Value>>, decks: Object<string, Row[]>}} Menu
 *   what `tools/rules_menu.py` writes */

/** @type {(value: Value) => string} */
const asText = (value) => (value === true ? "True" : value === false ? "False" : String(value));

/** Return the preset of rules as text, and what is changed of it.
 * @param {string} text @returns {[string, Map<string, string>]} */
export function readRules(text) {
  const [preset, changes = ""] = text.split("(");
  const found = [...changes.matchAll(/(\w+)\s*=\s*([^,)]*)/g)];
  return [preset.trim(), new Map(found.map(([, name, value]) => [name, value.trim()]))];
}

/** Return rules as text in which an option has a value; `usual` is the preset's.
 * @param {string} text @param {string} option @param {string} value @param {string} usual */
export function withOption(text, option, value, usual) {
  const [preset, own] = readRules(text);
  if (value === usual) own.delete(option);
  else own.set(option, value);
  const changes = [...own].map(([name, each]) => `${name}=${each}`).join(", ");
  return changes ? `${preset}(${changes})` : preset;
}

/** @param {Row} row @param {string} usual what the preset has
 * @param {HTMLInputElement} text @param {Language} language */
function choice({ option, meaning, values }, usual, text, language) {
  const now = readRules(text.value)[1].get(option) ?? usual;
  const known = values.some(([value]) => asText(value) === now) ? values : [...values, [now, now, now]];
  const shown = known.map(([value, ...said]) => {
    const plain = value === true ? here(language, "yes") : here(language, value === false ? "no" : "none");
    const label = said[Number(language === "zh")] || plain;
    return make("option", { value: asText(value), selected: asText(value) === now }, String(label));
  });
  const change = (/** @type {Event} */ event) => {
    const select = /** @type {HTMLSelectElement} */ (event.target);
    text.value = withOption(text.value, option, select.value, usual);
  };
  const select = make("select", { onchange: change, name: option }, ...shown);
  return make("label", {}, meaning[Number(language === "zh")], select);
}

/** Return the menu, the rules as text, and a name: with these, `save` is called.
 * @param {Menu} menu @param {string} rules as they are at first @param {Language} language
 * @param {(name: string, rules: string) => void} save */
export function rulesForm(menu, rules, language, save) {
  const field = (/** @type {"text" | "name"} */ name, /** @type {string} */ value) =>
    /** @type {HTMLInputElement} */ (make("input", { id: `rules-${name}`, value, spellcheck: "false" }));
  const [text, name] = [field("text", rules), field("name", "")];
  const options = make("div", { class: "menu" });
  const fill = () => {
    const preset = menu.presets[readRules(text.value)[0]];
    const rows = preset ? menu.decks[asText(preset.decks)] : [];
    options.replaceChildren(...rows.map((row) => choice(row, asText(preset[row.option]), text, language)));
  };
  text.addEventListener("change", fill);
  fill();
  const done = () => (text.value.trim() ? save(name.value.trim(), text.value.trim()) : text.focus());
  return [
    options, make("p", {}, make("label", { for: "rules-text" }, here(language, "text")), " ", text),
    make("p", {}, make("label", { for: "rules-name" }, here(language, "name")), " ", name, " ",
      make("button", { onclick: done }, here(language, "save"))),
  ];
}
