// How strong somebody is: what they made of each deal, what players made in the same seat, and the verdict in the end.

import { make } from "./dom.js";
import { say } from "./season_words.js";
import { theServer } from "./server.js";

/** @typedef {import("./messages.js").SeasonShown} SeasonShown
 * @typedef {import("./messages.js").SeasonAgainst} SeasonAgainst
 * @typedef {import("./play_words.js").Language} Language
 * @typedef {{save: () => void, more: () => void}} Does what the buttons do: save the file, go on to the next deal */

/** Return the panel of a table that plays a season; nothing at another one.
 * @param {import("./play_state.js").State} state @param {import("./asking.js").Doing} doing */
export function seasonPanels({ season, settings, server }, doing) {
  const more = () => doing.send("done", { move: server?.move });
  return season ? [seasonPanel(season, settings.language, { save, more })] : [];
}

/** Let the browser save the file with the deals. */
async function save() {
  const text = await (await theServer().get("season.jsonl")).blob();
  const href = URL.createObjectURL(text);
  make("a", { href, download: "shengji_season.jsonl" }).click();
  setTimeout(() => URL.revokeObjectURL(href));
}

/** Return the panel; the verdict comes when a test is over, which is so after every `block` of deals.
 * @param {SeasonShown} season @param {Language} language @param {Does} does */
export function seasonPanel(season, language, does) {
  const { deals, block, others, made, players } = season;
  const end = Math.min(deals, block * Math.max(1, Math.ceil(made.length / block)));
  const names = players.map((each) => each.player).join(say(language, "comma"));
  const parts = made.length ? [results(season, language)] : [note(say(language, "about", others, names))];
  if (made.length === end) parts.push(...verdict(season, language, does));
  const progress = make("p", {}, say(language, "progress", made.length, end));
  return make("section", { class: "panel season" }, make("h2", {}, say(language, "strong")), progress, ...parts);
}

/** Return the table of the deals played, the newest first, with their mean.
 * @param {SeasonShown} season @param {Language} language */
function results({ made, players }, language) {
  const all = [made, ...players.map((each) => each.made)];
  const names = [say(language, "deal"), say(language, "you"), ...players.map((each) => each.player)];
  const means = all.map((each) => signed(each.reduce((sum, levels) => sum + levels, 0) / made.length, 2));
  const rows = made.map((_, index) => row("td", [String(index + 1), ...all.map((each) => signed(each[index], 0))]));
  return make("table", {}, make("caption", {}, say(language, "levels")),
    make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.reverse()), make("tfoot", {}, row("th", [say(language, "mean"), ...means])));
}

/** @param {"td" | "th"} kind @param {string[]} texts */
function row(kind, texts) {
  return make("tr", {}, ...texts.map((text) => make(kind, {}, text)));
}

/** @param {SeasonShown} season @param {Language} language @param {Does} does */
function verdict({ deals, block, made, players }, language, does) {
  const hasMore = made.length < deals;
  const save = make("button", { class: "save", onclick: does.save }, say(language, "save"));
  const more = make("button", { class: "more", onclick: does.more }, say(language, "more", block));
  return [
    ...players.map((each) => make("p", { class: "verdict" }, verdictText(each, language))),
    note(say(language, "few")),
    make("p", {}, save, " ", hasMore ? more : null),
    note(say(language, "kept"), hasMore ? "" : ` ${say(language, "all")}`),
  ];
}

/** @param {SeasonAgainst} found @param {Language} language */
function verdictText({ player, difference, interval }, language) {
  const by = signed(difference ?? 0, 1);
  if (!interval) return say(language, "unsure", by, player);
  return say(language, "against", by, player, signed(interval[0], 1), signed(interval[1], 1));
}

/** @param {...string} texts */
function note(...texts) {
  return make("p", { class: "note" }, ...texts);
}

/** Return a number with its sign; zero has none.
 * @param {number} value @param {number} digits */
function signed(value, digits) {
  const size = Math.abs(value).toFixed(digits);
  if (!Number(size)) return size;
  return (value < 0 ? "−" : "+") + size;
}
