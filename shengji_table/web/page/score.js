// The score sheet of a match.

import { rankText } from "./cards.js";
import { make, trumpText } from "./dom.js";
import { tell } from "./play_words.js";

/** @typedef {import("./messages.js").Score} Score
 * @typedef {import("./play_state.js").State} State
 * @typedef {import("./play_words.js").Language} Language */

const RANKS = [..."23456789TJQKA"];
const HEADS = /** @type {const} */ (["round", "levels", "trump", "declarer", "points", "result"]);

/** Return what is told beside the table.
 * @param {State} state @param {(seat: number) => string} nameOf */
export function sidePanels(state, nameOf) {
  const { language } = state.settings;
  const server = state.server;
  if (!server) return [];
  return server.sheet.length ? [sheetPanel(server.sheet, nameOf, language)] : [];
}

/** Return the lines that say what each seat has taken in the round that has just ended, and which levels the teams have
 * climbed, step by step.
 * @param {State} state @param {(seat: number) => string} nameOf */
export function endLines({ server, settings }, nameOf) {
  const line = server?.view.phase === "over" ? server.sheet.at(-1) : undefined;
  if (!line) return [];
  const className = settings.animations ? "climb" : "climb still";
  const taken = line.taken.map((points, seat) => `${nameOf(seat)} ${points}`).join(" · ");
  const climbs = [0, 1].filter((team) => line.levels[team] !== line.new_levels[team]).map((team) => {
    const steps = stepsBetween(line.levels[team], line.new_levels[team]);
    const shown = steps.map((rank, at) => make("b", {}, (at ? "→ " : "") + rankText(rank)));
    return make("p", { class: className }, teamText(team, nameOf), ...shown);
  });
  return [make("p", { class: "taken" }, tell(settings.language, "taken", taken)), ...climbs];
}

/** @param {string} old @param {string} now */
function stepsBetween(old, now) {
  const [from, to] = [old, now].map((rank) => RANKS.indexOf(rank));
  return from >= 0 && to > from ? RANKS.slice(from, to + 1) : [old, now];
}

/** @param {Score[]} sheet @param {(seat: number) => string} nameOf @param {Language} language */
function sheetPanel(sheet, nameOf, language) {
  const heads = HEADS.map((name) => make("th", {}, tell(language, name)));
  const rows = [...sheet].reverse().map((line) => make("tr", {}, ...cells(line, nameOf, language)));
  const head = make("thead", {}, make("tr", {}, ...heads));
  const table = make("table", { class: "sheet" }, head, make("tbody", {}, ...rows));
  const teams = [0, 1].map((team) => teamText(team, nameOf)).join(" : ");
  const whose = make("p", { class: "note" }, tell(language, "levelsOf", teams));
  return make("section", { class: "panel" }, make("h2", {}, tell(language, "sheet")), whose, table);
}

/** Return what a team is called: the names of its seats.
 * @param {number} team @param {(seat: number) => string} nameOf */
export function teamText(team, nameOf) {
  return `${nameOf(team)} · ${nameOf(team + 2)}`;
}

/** @param {Score} line @param {(seat: number) => string} nameOf @param {Language} language */
function cells(line, nameOf, language) {
  const result = tell(language, line.winner ?? "draw") + (line.rise ? ` +${line.rise}` : "");
  const winner = line.match_winner;
  const won = winner === null ? "" : ` · ${tell(language, "match", teamText(winner, nameOf))}`;
  const levels = [line.levels, line.new_levels].map((both) => both.map(rankText).join(":")).join(" → ");
  const trump = trumpText(line.trump) + (line.trump === "NT" ? " " : "") + rankText(line.level_rank);
  const texts = [line.round, levels, trump, nameOf(line.declarer), line.points, result + won];
  return texts.map((text) => make("td", {}, String(text)));
}
