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
    openReplay: "Open the replay", asking: "is being made …",
    compiling: "What reviews need is being compiled, once for this version: {} of {} parts", you_bid: "You may bid {}",
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
    forced: "Only one play is legal: it is made for you in a moment",
    connecting: "Connecting …", lost: "The connection is lost; trying again …",
    closed_link: "This link is not, or no longer, a seat here", again_link: "Try again",
    closed_taken: "Your seat was opened in another window", again_taken: "Take the seat back",
    closed_full: "Too many look at this table", again_full: "Try again",
    closed_rude: "The server did not understand this page", again_rude: "Try again",
    closed_version: "The server is newer than this page", again_version: "Load the page again",
    noLink: "This address has no seat: use the link that was printed",
    fault_player: "The table has stopped: a player has failed",
    fault_server: "The table has stopped: the server’s log says why",
    refused_watching: "Who watches does not play", refused_unknown: "The server did not understand this",
    refused_not_now: "It is not your turn any more: the table has gone on", refused_no_bids: "No bids are made now",
    refused_other_bid: "Another bid has been made meanwhile", refused_no_bid: "You cannot bid {} now",
    refused_no_answer: "You cannot answer with {} now", refused_no_hint: "The adviser says nothing to this",
    refused_no_round: "No round has ended yet", refused_unread: "These are not cards of your hand",
    refused_player: "The adviser has failed", refused_too_few: "These are too few cards",
    refused_illegal: "The rules do not allow this",
    refused_substituted: "A player decides for you: say first that you are back",
    refused_not_substituted: "Nobody decides for you", refused_has_substitute: "A player decides for this seat already",
    refused_not_away: "A player takes over only for somebody who is not connected",
    refused_begun: "The table has begun", refused_not_begun: "The table has not begun yet",
    refused_no_seat: "Take a seat first", refused_guest: "This seat, or this name, cannot be had",
    adviser_follow: "{} would play {}", adviser_lead: "{} would lead {}", adviser_bury: "{} would bury {}",
    adviser_bid: "{} would bid {}", adviser_name: "{} would name {}", adviser_rebel: "{} would rebel",
    adviser_forced: "{} would choose {}", adviserPass: "{} would not bid",
    sending: "Your play is on its way", notYourTurn: "It is not your turn",
    checking: "One moment: checking the cards …",
    enterNext: "The round is over: N goes on", enterBid: "1 … 9 bid, D says that you are done",
    enterOption: "Choose with 1 … 9", chooseFirst: "Choose cards first", tooFew: "{} cards are needed: {} chosen",
    notWhole: "These cards are not a lead yet", yourTurn: "Your turn", sound: "Sound and vibration",
    changed: "{}, with changes", reached: "{} points: attackers rise by {}",
    reachedOnly: "{} points: attackers take over, no level",
    verb_bid: "Bid", verb_overturn: "Overturn", verb_reinforce: "Reinforce", verb_overbid: "Overbid",
    verb_rebel: "Rebel", noOverturn: "Do not overturn", noReinforce: "Do not reinforce",
    wish_overturn: "You overturn with {} as soon as it is your turn",
    wish_reinforce: "You reinforce with {} as soon as it is your turn",
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
    you: "you", drawer: "Settings · Scores", levelsOf: "Levels: {}",
    noSheet: "No round has ended yet", close: "close",
  },
  zh: {
    title: "升级", dark: "深色", light: "浅色", colors: "四色牌", language: "English", animations: "动画",
    auto: "只有一种出法时自动出", down: "大牌在前", up: "小牌在前", order: "理牌顺序",
    confirm_bury: "扣底", confirm_lead: "出牌", confirm_follow: "跟牌", undo: "撤回", clear: "重选", hint: "提示",
    noBid: "不亮", done: "不再亮", waitOthers: "等待其他人", next: "下一局", replay: "复盘与点评",
    openReplay: "打开复盘", asking: "正在生成……",
    compiling: "点评程序正在编译，每个版本只需一次：已完成 {} / {}",
    you_bid: "可以亮主：{}", you_overturn: "可以反主：{}", you_reinforce: "可以加固：{}", cannot_bid: "还没有可亮的牌",
    ready: "好了", you_overbid: "可以反底：{}", noOverbid: "不反底", wish_overbid: "轮到你时用 {} 反底",
    window_overbid: "反底：还有 {} 秒", offering_overbid: "等各家决定是否反底",
    rebel: "造反", you_rebel: "你的牌弱，可以造反", noRebel: "不造反", wish_rebel: "轮到你时造反",
    window_rebel: "弱牌可以造反：还有 {} 秒", offering_rebel: "等抓分方决定是否造反",
    wish: "轮到你时亮 {}", window: "最后亮主：还有 {} 秒", you_name: "请定主",
    you_bury: "扣 {} 张底牌，已选 {} 张", you_lead: "请出牌，已选 {} 张", you_follow: "请跟 {} 张，已选 {} 张",
    you_forced: "甩牌失败：请选择要出的牌", turn: "轮到 {} 出牌", turn_bury: "{} 扣底", turn_name: "{} 定主",
    turn_forced: "{} 指定出牌", drawing: "摸牌中", over: "本局结束", watching: "旁观",
    forced: "只有一种出法，稍后自动出牌",
    connecting: "正在连接……", lost: "连接中断，正在重连……",
    closed_link: "这个链接不是（或不再是）这里的座位", again_link: "再试一次",
    closed_taken: "你的座位已在另一个窗口打开", again_taken: "回到这里",
    closed_full: "这张牌桌的人太多了", again_full: "再试一次",
    closed_rude: "服务器看不懂这个页面", again_rude: "再试一次",
    closed_version: "服务器已更新，请重新打开页面", again_version: "重新打开",
    noLink: "地址里没有座位：请用服务器打印的链接",
    fault_player: "牌桌已停止：有一位玩家出错", fault_server: "牌桌已停止：原因见服务器日志",
    refused_watching: "旁观者不能出牌", refused_unknown: "服务器看不懂这条消息",
    refused_not_now: "已经不轮到你了", refused_no_bids: "现在不能亮主",
    refused_other_bid: "已有人抢先亮主", refused_no_bid: "现在不能亮 {}",
    refused_no_answer: "现在不能用 {}", refused_no_hint: "这里没有提示",
    refused_no_round: "还没有打完一局", refused_unread: "你手里没有这些牌",
    refused_player: "提示出错", refused_too_few: "张数不够", refused_illegal: "不合规则",
    refused_substituted: "正在代打：请先点“我回来了”", refused_not_substituted: "没有人代你打",
    refused_has_substitute: "这个座位已经有人代打", refused_not_away: "只能代打未连接的人",
    refused_begun: "牌局已经开始", refused_not_begun: "牌局还没有开始", refused_no_seat: "请先选座位",
    refused_guest: "这个座位或名字不能用",
    adviser_follow: "{} 会出 {}", adviser_lead: "{} 会领出 {}", adviser_bury: "{} 会扣 {}",
    adviser_bid: "{} 会亮 {}", adviser_name: "{} 会定 {}", adviser_rebel: "{} 会造反",
    adviser_forced: "{} 会选 {}", adviserPass: "{} 不会亮",
    sending: "正在出牌……", notYourTurn: "还没轮到你", checking: "请稍等，正在检查……",
    enterNext: "本局结束，按 N 进入下一局", enterBid: "按 1–9 亮主，按 D 不再亮",
    enterOption: "按 1–9 选择", chooseFirst: "请先选牌", tooFew: "需要 {} 张，已选 {} 张",
    notWhole: "这些牌还不能领出", yourTurn: "轮到你", sound: "声音和振动",
    changed: "{}（有改动）", reached: "满 {} 分上台并升 {} 级", reachedOnly: "满 {} 分上台，不升级",
    verb_bid: "亮主", verb_overturn: "反主", verb_reinforce: "加固", verb_overbid: "反底",
    verb_rebel: "造反", noOverturn: "不反", noReinforce: "不加固",
    wish_overturn: "轮到你时用 {} 反主", wish_reinforce: "轮到你时用 {} 加固",
    failed: "{} 甩 {}：有人能大过，只能出 {}", failedOpen: "{} 甩 {}：有人能大过",
    other_suit: "{}：领出的牌必须同一门（主牌算一门）",
    no_component: "{}：不许甩牌，只能领出单张、对子、拖拉机等",
    enough: "{}：张数已够，先撤回一张", owes_suit: "{}：必须先跟领出的花色",
    owes: "{}：必须跟{}", single: "单张", pair: "对子", triple: "三张", quad: "四张",
    runs_of_pair: "{} 连对拖拉机", runs_of_triple: "{} 连三张拖拉机", runs_of_quad: "{} 连四张拖拉机", stop: "。", list: "、",
    sheet: "记分表", round: "局", levels: "级别", trump: "主", declarer: "庄家",
    points: "得分", result: "结果", declarers: "庄家方", attackers: "抓分方", draw: "平局", match: "{} 方赢得整场",
    keys: "← → 移动 · 空格选牌 · 回车出牌 · 退格撤回 · H 提示 · 1–9 亮主 · D 不再亮 · N 下一局",
    you: "你", drawer: "设置 · 记分", levelsOf: "级别：{}", noSheet: "还没有打完一局", close: "关闭",
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
