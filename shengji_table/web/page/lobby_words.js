// Words about who sits where, who is waited for, and the rounds of an evening, in two languages.

import { fill } from "./sheet.js";

/** @typedef {import("./play_words.js").Language} Language
 * @typedef {keyof typeof WORDS["en"]} LobbyWord */

const WORDS = {
  en: {
    both: "{} and {}", comma: ", ", freeSeat: "a free seat", guest: "{} guest", guests: "{} guests",
    notBegun: "Cards are dealt once everybody is here",
    waitFor: "Waiting for {}", start: "Start without them", away: "{} is not connected",
    takeOver: "Bot takes over", release: "Free the seat",
    substituted: "{} plays for {}", substitutedYou: "{} plays for you", back: "I am back",
    freeMark: "free",
    no_bid: "Nobody has bid: the cards are dealt again",
    rebellion: "A weak hand has rebelled: the cards are dealt again",
    lobby: "Take a seat", yourName: "Your name", needName: "Type your name first",
    sit: "Sit here", sitAs: "I am {}",
    watch: "Watch only", mySeat: "Back to my seat", seat: "Seat {}", partners: "Opposite seats are partners",
    free: "free", freeSubstituted: "free; {} plays here so far", here: "is here",
    program: "a bot: {}", gone: "not connected",
    allTaken: "All seats are taken; you can watch",
    askThem: "A seat of somebody who is not connected can be freed by those at the table: ask them",
    evening: "All rounds", noRounds: "No round has ended yet",
    who: "Player", played: "Rounds", won: "Won", risen: "Levels", replay: "Replay", review: "With review",
    lost: "Lost a round", accuracy: "Accuracy", reviewAll: "Review all rounds",
    record: "Save the record", reviewing: "Reviewing: {} of {}",
    curves: "Levels lost to decisions, round by round",
    making: "A review takes some seconds", played_by: "{} decided {} times for {}", language: "中文",
    team: "{} & {}",
  },
  zh: {
    both: "{}、{}", comma: "、", freeSeat: "空位", guest: "{} 位客人", guests: "{} 位客人",
    notBegun: "人到齐就发牌",
    waitFor: "等待 {}", start: "不等了，开始", away: "{} 未连接", takeOver: "由电脑代打", release: "让出座位",
    substituted: "{} 正在代 {} 打", substitutedYou: "{} 正在代你打", back: "我回来了",
    freeMark: "空位",
    no_bid: "无人亮主，重新发牌", rebellion: "有人造反，重新发牌",
    lobby: "请选座位", yourName: "你的名字", needName: "请先输入名字", sit: "坐这里", sitAs: "我是 {}",
    watch: "旁观", mySeat: "回到我的座位", seat: "座位 {}", partners: "对面是搭档",
    free: "空位", freeSubstituted: "空位，目前由 {} 代打", here: "已到", program: "电脑牌手：{}", gone: "未连接",
    allTaken: "座位已满，可以旁观", askThem: "有人离线：可请同桌的人让出座位", evening: "全部牌局", noRounds: "还没有打完的一局",
    who: "牌手", played: "局数", won: "赢", risen: "升级", replay: "复盘", review: "带点评",
    lost: "每局失误", accuracy: "准确率", reviewAll: "点评全部牌局", record: "保存牌谱", reviewing: "正在点评：{} / {}",
    curves: "每局因失误损失的级数",
    making: "点评需要几秒钟", played_by: "{} 打了 {} 手，代替 {}", language: "English",
    team: "{}、{}",
  },
};

/** Why the server refuses a seat or a name, in Chinese.
 * @type {Record<string, string>} */
const REASONS = {
  "it holds a control character": "名字里有控制字符",
  "it holds a character that cannot be seen, or that changes the direction of text": "名字里有看不见或改变文字方向的字符",
  "it holds half a character": "名字里有残缺的字符",
  "it holds a character that has no meaning": "名字里有没有意义的字符",
  "it holds a line break": "名字里有换行",
  "a name is needed": "请先输入名字",
  "it has more than 24 characters": "名字超过 24 个字",
  "it has too many marks on one letter": "名字里一个字母上的符号太多",
  "this seat is not for guests": "这个座位不能选",
  "somebody has taken this seat just now: choose another": "这个座位刚刚有人坐了，请另选一个",
  "this seat is kept for somebody: take it without another name": "这个座位是给别人留的",
  "somebody at the table has this name: choose another": "已经有人叫这个名字，请换一个",
};

/** Return a word, with values in its gaps.
 * @param {Language} language @param {LobbyWord} name @param {...(string | number)} values @returns {string} */
export function say(language, name, ...values) {
  return fill(WORDS[language][name], values);
}

/** What bots are called at the table; records and lists of players name the players.
 * @type {Record<Language, string[]>} */
const BOTS = {
  en: ["Ada", "Cleo", "Hugo", "Mia", "Ivo", "Nora", "Otto", "Pia"],
  zh: ["小方", "王平", "张亮", "方胜", "大亮", "小胜", "王选", "张胜"],
};

/** Return what the bot of a seat is called: no name that a person has.
 * @param {Language} language @param {number} seat @param {string[]} names of all seats */
export function botName(language, seat, names) {
  return BOTS[language].filter((name) => !names.includes(name))[seat];
}

/** Return why the server refuses a seat or a name.
 * @param {Language} language @param {string} reason */
export function refusalText(language, reason) {
  return language === "zh" ? (REASONS[reason] ?? reason) : reason;
}

/** Return names as one text.
 * @param {Language} language @param {string[]} names */
export function listed(language, names) {
  if (names.length < 2) return names.join("");
  return say(language, "both", names.slice(0, -1).join(say(language, "comma")), names.at(-1) ?? "");
}
