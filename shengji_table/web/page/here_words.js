// Words of the page without a server, in two languages.

import { fill } from "./sheet.js";

/** @typedef {import("./play_words.js").Language} Language
 * @typedef {keyof typeof WORDS["en"]} HereWord */

const WORDS = {
  en: {
    about: "The Chinese card game with levels and trumps: you and three learned players, in this page alone. Nothing is"
      + " uploaded.",
    goOn: "Go on with your table", table: "New table", lesson: "Learn the game", puzzles: "Puzzles",
    season: "How strong are you?", replaces: "A new table takes the place of the one that is kept here.",
    rules: "Rules", saved: "Your rules", other: "Rules of your club", text: "As text", name: "Name",
    save: "Save", yes: "Yes", no: "No", none: "None", club: "Rules of your club",
    savedAs: "Saved: {}. Play by them: {}", unreached: "The server does not answer",
    forget: "Forget", language: "中文", dark: "Dark", light: "Light",
    loading: "Loading the game: {} of {} MB", once: "Your browser keeps this for the next time.",
    starting: "Starting …", home: "To the start", reload: "Load the page again",
    kept: "Your round is kept, as far as it was played.",
    noWasm: "This browser cannot run the game: it has no WebAssembly. A current Firefox, Chrome, Edge or Safari can.",
    noStorage: "This browser keeps nothing for this page: if you load it again, the round is lost.",
    elsewhere: "Your table is open in another tab: close it there, or go on there.",
    licences: "Licences",
    unloaded: "The game could not be loaded: {}", died: "The game has stopped: {}", refused: "This cannot begin: {}",
  },
  zh: {
    about: "升级（拖拉机）：你和三位学出来的电脑牌手，全部在本页内运行，不上传任何东西。",
    goOn: "继续你的牌桌", table: "开新桌", lesson: "学打升级", puzzles: "练习题", season: "测测你的水平",
    replaces: "开新桌会取代这里保存的牌桌。", rules: "规则", saved: "你的规则", other: "你们的打法", text: "规则文本",
    name: "名称", save: "保存", yes: "是", no: "否", none: "没有", club: "你们的打法",
    savedAs: "已保存：{}。这样打：{}", unreached: "服务器没有回答", forget: "删除", language: "English", dark: "深色", light: "浅色",
    loading: "正在下载：{} / {} MB", once: "浏览器会保存下来，下次不用再下载。", starting: "正在启动……", home: "回到首页",
    reload: "重新加载", kept: "已打的牌都保存着。",
    noWasm: "这个浏览器没有 WebAssembly，无法运行。请用新版的 Firefox、Chrome、Edge 或 Safari。",
    noStorage: "浏览器不为本页保存数据：刷新后这一局就没有了。", elsewhere: "你的牌桌已在另一个标签页打开：请到那里继续，或先关闭它。",
    licences: "许可证", unloaded: "下载失败：{}", died: "程序已停止：{}", refused: "无法开始：{}",
  },
};

/** Return a word in a language, with values in its gaps.
 * @param {Language} language @param {HereWord} name @param {...(string | number)} values */
export function here(language, name, ...values) {
  return fill(WORDS[language][name], values);
}
