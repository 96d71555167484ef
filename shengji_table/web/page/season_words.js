// Words about how strong somebody is, in two languages.

import { fill } from "./sheet.js";

/** @typedef {import("./play_words.js").Language} Language
 * @typedef {keyof typeof WORDS["en"]} SeasonWord */

const WORDS = {
  en: {
    strong: "How strong are you?", progress: "{} of {} deals played",
    about: "Your partner and your opponents are {}. {} have played the same cards in your seat.",
    levels: "Levels that your team has won; with −, the other team",
    deal: "deal", you: "you", mean: "mean", comma: ", ",
    against: "{} levels a round against {} in your seat (95 %: {} to {})",
    unsure: "{} levels a round against {} in your seat; how sure that is, these deals cannot say",
    few: "About one in twenty such intervals misses the true difference; one that contains 0 does not say who is " +
      "stronger. More deals make them narrower.",
    save: "Save as a file", kept: "The file holds these deals and a random name, nothing else about you.",
    more: "{} more deals", all: "These were all deals.",
  },
  zh: {
    strong: "你有多强？", progress: "已打 {} 局，共 {} 局",
    about: "对家和对手都是 {}。同样的牌，{} 也在你的座位上打过。",
    levels: "你方赢的级数；带 − 的是对方赢的", deal: "局", you: "你", mean: "平均", comma: "、",
    against: "每局 {} 级，与同座位的 {} 相比（95 %：{} 至 {}）",
    unsure: "每局 {} 级，与同座位的 {} 相比；这几局还看不出误差有多大",
    few: "这样的区间，二十个里大约有一个不包含真实的差距；区间包含 0，就分不出谁更强。打得越多，区间越窄。",
    save: "保存为文件", kept: "文件里只有这些牌局和一个随机的名字，没有其他个人信息。",
    more: "再打 {} 局", all: "所有的牌都打完了。",
  },
};

/** Return a word, with values in its gaps.
 * @param {Language} language @param {SeasonWord} name @param {...(string | number)} values @returns {string} */
export function say(language, name, ...values) {
  return fill(WORDS[language][name], values);
}
