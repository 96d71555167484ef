// The page's words in two languages; the picture's own words are in the card sheet.

import { fill } from "./sheet.js";

export const LANGUAGES = { en: "English", zh: "中文" };

const WORDS = {
  en: {
    title: "Shengji replay", round: "Round", allHands: "all hands", seatView: "seen by {}", watcher: "a watcher", dark: "Dark", light: "Light",
    colors: "Four colours", language: "中文", first: "round’s start", trickBack: "back a trick", back: "back", play: "play",
    pause: "pause", on: "on", trickOn: "on a trick", last: "round’s end", position: "position in the round",
    tricks: "Tricks", rounds: "Rounds", points: "Attackers’ points", start: "The cards are dealt", pass: "{} passes",
    bid: "{} bids", name: "{} names trumps:", bury: "{} buries", buryHidden: "{} buries the kitty’s number of cards",
    lead: "{} leads", forced: "{} chooses what is led:", follow: "{} plays", failed: "{} throws, and the throw fails:",
    wins: "{} wins the trick", review: "Costly decisions", reviewBy: "valued by {}", cost: "costs {} levels",
    chosen: "played", none: "no bid", help: "← → plays · , . decisions · ↑ ↓ tricks · PgUp PgDn rounds · space",
    link: "copy link", trick: "trick {}", opening: "Opening", deal: "deal {}", view: "view", noTrump: "no trump",
    levels: "levels", result: "result", declarersWin: "declarers +{}", attackersWin: "attackers +{}", draw: "draw",
    match: "the match is over",
  },
  zh: {
    title: "升级复盘", round: "局", allHands: "明牌", seatView: "{} 的视角", watcher: "旁观", dark: "深色", light: "浅色",
    colors: "四色牌", language: "English", first: "本局开头", trickBack: "上一圈", back: "后退", play: "播放",
    pause: "暂停", on: "前进", trickOn: "下一圈", last: "本局结尾", position: "本局进度",
    tricks: "各圈", rounds: "各局", points: "抓分方得分", start: "开始摸牌", pass: "{} 不亮",
    bid: "{} 亮主", name: "{} 定主", bury: "{} 扣底", buryHidden: "{} 扣底",
    lead: "{} 首出", forced: "{} 选定首出", follow: "{} 出", failed: "{} 甩牌失败",
    wins: "{} 赢得本圈", review: "代价最大的决定", reviewBy: "由 {} 评估", cost: "损失 {} 级",
    chosen: "实际", none: "不亮", help: "← → 逐手 · , . 逐步 · ↑ ↓ 逐圈 · PgUp PgDn 逐局 · 空格播放",
    link: "复制链接", trick: "第 {} 圈", opening: "开局", deal: "第 {} 副", view: "视角", noTrump: "无主",
    levels: "级", result: "结果", declarersWin: "庄家方 +{}", attackersWin: "抓分方 +{}", draw: "平局",
    match: "整场结束",
  },
};

/** Return a word of the page, with values in its gaps.
 * @param {string} language @param {string} name @param {...any} values @returns {string} */
export function say(language, name, ...values) {
  return fill(WORDS[language][name], values);
}
