// The score sheet of a match, who is not connected, and whose network is missing.

import { make, trumpText } from "./dom.js";
import { tell } from "./play_words.js";

/** @typedef {import("./messages.js").Score} Score
 * @typedef {import("./play_state.js").State} State
 * @typedef {import("./play_words.js").Language} Language */

const HEADS = /** @type {const} */ (["round", "levels", "trump", "declarer", "points", "result"]);

/** Return the panels beside the table.
 * @param {State} state @param {(seat: number) => string} nameOf */
export function sidePanels(state, nameOf) {
  const { language } = state.settings;
  const server = state.server;
  if (!server) return [];
  const away = server.away.map((seat) => make("p", { class: "away" }, tell(language, "away", nameOf(seat))));
  const names = state.welcome?.unlearned ?? [];
  const unlearned = names.map((name) => make("p", { class: "away unlearned" }, tell(language, "unlearned", name)));
  return [...unlearned, ...away, ...(server.sheet.length ? [sheetPanel(server.sheet, language)] : [])];
}

/** @param {Score[]} sheet @param {Language} language */
function sheetPanel(sheet, language) {
  const heads = HEADS.map((name) => make("th", {}, tell(language, name)));
  const rows = [...sheet].reverse().map((line) => make("tr", {}, ...cells(line, language)));
  const head = make("thead", {}, make("tr", {}, ...heads));
  const table = make("table", { class: "sheet" }, head, make("tbody", {}, ...rows));
  return make("section", { class: "panel" }, make("h2", {}, tell(language, "sheet")), table);
}

/** @param {Score} line @param {Language} language */
function cells(line, language) {
  const result = tell(language, line.winner ?? "draw") + (line.rise ? ` +${line.rise}` : "");
  const winner = line.match_winner;
  const won = winner === null ? "" : ` · ${tell(language, "match", `${winner} · ${winner + 2}`)}`;
  const texts = [
    line.round, `${line.levels.join(":")} → ${line.new_levels.join(":")}`, trumpText(line.trump) + line.level_rank,
    line.declarer, line.points, result + won,
  ];
  return texts.map((text) => make("td", {}, String(text)));
}
