// The puzzle page's words in two languages.

import { fill } from "./sheet.js";

/** @typedef {import("./play_words.js").Language} Language
 * @typedef {keyof typeof WORDS["en"]} PuzzleWord */

const WORDS = {
  en: {
    title: "Puzzles", number: "Puzzle {} of {}", level: "level {}", loading: "Loading …",
    asks_bid: "Do you bid?", asks_rebel: "Do you rebel?", asks_name: "Which suit do you make trumps?",
    asks_bury: "Which {} cards do you bury?", asks_lead: "What do you lead?", asks_follow: "What do you play?",
    asks_forced: "Which component is led?", drawn: "{} of {} cards are drawn", noBid: "No bid", noRebel: "Do not rebel",
    valuing: "Your play is being valued …", failed: "The server does not answer: is it still running?",
    best: "Right: the best play", near: "As good as the best play", wrong: "This costs {} levels.",
    bestIs: "Best:", tell: "Show the solution", streak: "in a row", next: "Next puzzle",
    again: "Try again", solution: "Solution", theme: "Theme: {}",
    progress: "Progress", tried: "tried", solved: "solved at once", loss: "levels lost a puzzle", forget: "Start over",
    sure: "Forget what you have solved in this browser?", rules: "Rules", levels: "Level", themes: "Theme",
    all: "{}: all",
    noneLeft: "You have tried all of these. Choose others, or start over.",
    how: "One play is clearly best. Values are levels, the mean of 10,000 sampled deals.",
    counts: "Your first answer counts. It is kept in this browser only.",
    keys: "← → cards · space chooses · Enter plays · Backspace undo · 1–9 bids · N next puzzle",
    penalty: "a throw that fails", trick: "this trick", last: "the last trick", declarer: "who declares",
    trumps: "trumps", winners: "winning cards", pairs: "pairs and tractors", later: "later tricks",
    many: "several things at once",
  },
  zh: {
    title: "练习题", number: "第 {} 题，共 {} 题", level: "难度 {}", loading: "正在读取……",
    asks_bid: "亮不亮主？", asks_rebel: "造不造反？", asks_name: "定什么主？",
    asks_bury: "扣哪 {} 张底牌？", asks_lead: "领出什么？", asks_follow: "跟什么？",
    asks_forced: "出哪一组？", drawn: "已摸 {} 张，共 {} 张", noBid: "不亮", noRebel: "不造反",
    valuing: "正在给你的出法估值……", failed: "服务器没有回答，它还在运行吗？",
    best: "答对了，这是最好的一手", near: "和最好的一手一样好", wrong: "这一手损失 {} 级。", bestIs: "最好的是：",
    tell: "看解答", streak: "连对", next: "下一题", again: "再试一次", solution: "解答", theme: "主题：{}",
    progress: "进度", tried: "做过", solved: "一次做对", loss: "平均每题损失（级）", forget: "从头开始",
    sure: "要清除这个浏览器里的做题记录吗？", rules: "规则", levels: "难度", themes: "主题", all: "{}：全部",
    noneLeft: "这些题都做过了。换一类题，或者从头开始。",
    how: "每题只有一手明显最好。估值的单位是级，是一万副抽样牌局的平均。",
    counts: "只算第一次的回答，记录只存在这个浏览器里。",
    keys: "← → 移动 · 空格选牌 · 回车出牌 · 退格撤回 · 1–9 亮主 · N 下一题",
    penalty: "甩牌失败", trick: "这一圈", last: "最后一圈", declarer: "谁坐庄",
    trumps: "主牌", winners: "大牌", pairs: "对子和拖拉机", later: "后面几圈",
    many: "几方面合起来",
  },
};

/** Return a word, with values in its gaps.
 * @param {Language} language @param {PuzzleWord} name @param {...(string | number)} values @returns {string} */
export function say(language, name, ...values) {
  return fill(WORDS[language][name], values);
}
