// What rule sets are called.

import { fill } from "./sheet.js";

/** @typedef {import("./words.js").Language} Language */

/** @type {{[language in Language]: Object<string, string>}} */
const PRESET_NAMES = {
  en: {
    one_deck: "One deck", one_deck_45: "One deck, 45 points", two_deck: "Two decks", competition: "Competition",
    duplicate: "Duplicate", three_deck: "Three decks", four_deck: "Four decks", house: "House rules",
    small_two_ranks: "Small game of two ranks", small_three_ranks: "Small game of three ranks",
    small_four_ranks: "Small game of four ranks", chaodipi: "Chaodipi", contest: "Contest for programs",
    botzone: "Botzone",
  },
  zh: {
    one_deck: "一副牌", one_deck_45: "一副牌（45 分）", two_deck: "两副牌", competition: "竞赛规则",
    duplicate: "复式赛", three_deck: "三副牌", four_deck: "四副牌", house: "两副牌（常见打法）",
    small_two_ranks: "小游戏（两个点数）", small_three_ranks: "小游戏（三个点数）",
    small_four_ranks: "小游戏（四个点数）", chaodipi: "炒地皮", contest: "程序比赛", botzone: "Botzone",
  },
};

export const PRESETS = Object.keys(PRESET_NAMES.en);

/** @type {{[language in Language]: string}} */
const CHANGED = { en: "{}, with changes", zh: "{}（有改动）" };

/** Return the name of a rule set; what differs from its preset is not listed.
 * @param {string} rules @param {Language} language */
export function rulesName(rules, language) {
  const [preset, changes] = rules.split("(");
  const name = PRESET_NAMES[language][preset] ?? preset;
  return changes === undefined ? name : fill(CHANGED[language], [name]);
}
