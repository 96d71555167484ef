// The play page's words in two languages.

import { fill } from "./sheet.js";

/** @typedef {keyof typeof WORDS} Language
 * @typedef {keyof typeof WORDS["en"]} Word */

const WORDS = {
  en: {
    title: "Shengji", dark: "Dark", light: "Light", colors: "Four colours", language: "中文", animations: "Animations",
    auto: "Play forced cards for me", down: "High cards first", up: "Low cards first", order: "order of the hand",
    confirm_bury: "Bury", confirm_lead: "Lead", confirm_follow: "Play", undo: "Undo", clear: "Clear", hint: "Hint",
    noBid: "No bid", done: "I am done", waitOthers: "Waiting for the others", next: "Next round",
    replay: "Replay and review",
    openReplay: "Open the replay", asking: "is being made …", you_bid: "You may bid {}",
    you_overturn: "You may overturn with {}", you_reinforce: "You may reinforce with {}",
    cannot_bid: "Nothing to bid with yet", ready: "I am done",
    you_overbid: "You may overbid with {}", noOverbid: "No overbid", wish_overbid: "You overbid with {} in your turn",
    window_overbid: "Overbids: {} seconds", offering_overbid: "Overbids may be made now",
    rebel: "Rebel", you_rebel: "Your hand is weak: you may", noRebel: "Do not rebel",
    wish_rebel: "You rebel in your turn", window_rebel: "Weak hands may rebel: {} seconds",
    offering_rebel: "Attackers with weak hands may rebel now",
    wish: "You bid {} as soon as it is your turn", window: "Last bids: {} seconds", you_name: "Name the trumps",
    you_bury: "Bury {} cards: {} chosen", you_lead: "Your lead: {} chosen", you_follow: "Follow with {}: {} chosen",
    you_forced: "The throw failed: choose what is led", turn: "{} is to play", turn_bury: "{} buries",
    turn_name: "{} names trumps",
    turn_forced: "{} chooses what is led", drawing: "Cards are drawn", over: "The round is over", watching: "You watch",
    forced: "Only one play is legal: it is made for you in a moment", away: "{} is not connected",
    unlearned: "No network was learned for these rules: {} decides as heuristic does",
    lost: "The connection is lost; trying again …", closed: "This window is closed: {}",
    noLink: "This address has no seat: use the link that was printed",
    fault: "The table has stopped: {}", refused: "Refused: {}", adviser: "{} would play {}",
    adviserPass: "{} would not bid",
    failed: "{} threw {}: it can be beaten, so {} is led", failedOpen: "{} threw {}: it can be beaten",
    other_suit: "{}: a lead is of one suit (trumps are one suit)",
    no_component: "{}: without throws a lead is one single, pair, tractor …",
    enough: "{}: these are enough cards; put one back first", owes_suit: "{}: cards of the led suit come first",
    owes: "{}: you must play {} of the led suit", single: "single", pair: "a pair", triple: "a triple", quad: "a quad",
    runs_of_pair: "a tractor of {} pairs", runs_of_triple: "a Titanic of {} triples", runs_of_quad: "a run of {} quads",
    stop: ".", list: ", ", sheet: "Score sheet", round: "Round", levels: "Levels", trump: "Trump",
    declarer: "Declarer",
    points: "Points", result: "Result", declarers: "declarers", attackers: "attackers", draw: "draw",
    match: "{} win the match",
    keys: "← → cards · space chooses · Enter plays · Backspace undo · H hint · 1–9 bids · D done · N next round",
    you: "you",
  },
  zh: {
    title: "升级", dark: "深色", light: "浅色", colors: "四色牌", language: "English", animations: "动画",
    auto: "只有一种出法时自动出", down: "大牌在前", up: "小牌在前", order: "理牌顺序",
    confirm_bury: "扣底", confirm_lead: "出牌", confirm_follow: "跟牌", undo: "撤回", clear: "重选", hint: "提示",
    noBid: "不亮", done: "不再亮", waitOthers: "等待其他人", next: "下一局", replay: "复盘与点评",
    openReplay: "打开复盘", asking: "正在生成……",
    you_bid: "可以亮主：{}", you_overturn: "可以反主：{}", you_reinforce: "可以加固：{}", cannot_bid: "还没有可亮的牌",
    ready: "好了", you_overbid: "可以反底：{}", noOverbid: "不反底", wish_overbid: "轮到你时用 {} 反底",
    window_overbid: "反底：还有 {} 秒", offering_overbid: "等各家决定是否反底",
    rebel: "造反", you_rebel: "你的牌弱，可以造反", noRebel: "不造反", wish_rebel: "轮到你时造反",
    window_rebel: "弱牌可以造反：还有 {} 秒", offering_rebel: "等抓分方决定是否造反",
    wish: "轮到你时亮 {}", window: "最后亮主：还有 {} 秒", you_name: "请定主",
    you_bury: "扣 {} 张底牌，已选 {} 张", you_lead: "请出牌，已选 {} 张", you_follow: "请跟 {} 张，已选 {} 张",
    you_forced: "甩牌失败：请选择要出的牌", turn: "轮到 {} 出牌", turn_bury: "{} 扣底", turn_name: "{} 定主",
    turn_forced: "{} 指定出牌", drawing: "摸牌中", over: "本局结束", watching: "旁观",
    forced: "只有一种出法，稍后自动出牌", away: "{} 未连接",
    unlearned: "没有为这套规则训练过的网络：{} 按 heuristic 出牌",
    lost: "连接中断，正在重连……", closed: "本窗口已关闭：{}", noLink: "地址里没有座位：请用服务器打印的链接",
    fault: "牌桌已停止：{}", refused: "不合规则：{}", adviser: "{} 会出 {}", adviserPass: "{} 不会亮",
    failed: "{} 甩 {}：有人能大过，只能出 {}", failedOpen: "{} 甩 {}：有人能大过",
    other_suit: "{}：领出的牌必须同一门（主牌算一门）",
    no_component: "{}：不许甩牌，只能领出单张、对子、拖拉机等",
    enough: "{}：张数已够，先撤回一张", owes_suit: "{}：必须先跟领出的花色",
    owes: "{}：领出的花色必须跟{}", single: "单张", pair: "对子", triple: "三张", quad: "四张",
    runs_of_pair: "{} 连对的拖拉机", runs_of_triple: "{} 连三张的泰坦尼克", runs_of_quad: "{} 连四张", stop: "。", list: "、",
    sheet: "记分表", round: "局", levels: "级别", trump: "主", declarer: "庄家",
    points: "得分", result: "结果", declarers: "庄家方", attackers: "抓分方", draw: "平局", match: "{} 方赢得整场",
    keys: "← → 移动 · 空格选牌 · 回车出牌 · 退格撤回 · H 提示 · 1–9 亮主 · D 不再亮 · N 下一局",
    you: "你",
  },
};

const WIDTHS = /** @type {const} */ (["single", "pair", "triple", "quad"]);

/** Return a word, with values in its gaps.
 * @param {Language} language @param {Word} name @param {...(string | number)} values @returns {string} */
export function tell(language, name, ...values) {
  return fill(WORDS[language][name], values);
}

/** Return what a follower owes, in words.
 * @param {Language} language @param {import("./messages.js").Owed[]} owed */
export function owedText(language, owed) {
  const wide = owed.filter(([width]) => width > 1);
  return wide
    .map(([width, length]) => {
      const kind = WIDTHS[width - 1];
      return length > 1 && kind !== "single" ? tell(language, `runs_of_${kind}`, length) : tell(language, kind);
    })
    .join(tell(language, "list"));
}
