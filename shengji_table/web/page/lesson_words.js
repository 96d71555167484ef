// What a lesson says: one rule at a time, in two languages, short enough for the smallest window.
// `docs/rules.md` has the rules; these are those of two_deck.

import { fill } from "./sheet.js";

/** @typedef {import("./play_words.js").Language} Language
 * @typedef {keyof typeof WORDS["en"]} LessonWord */

const WORDS = {
  en: {
    told: "The rules so far", gotIt: "Got it",
    teams: "You and the player opposite are partners. In each round one pair are the declarers, the others the "
      + "attackers. The attackers win the round if they take 80 points, otherwise the declarers win.",
    tricks: "Each in turn plays a card: these four are a trick. The highest card wins the trick and the points in it:"
      + " a 5 counts 5, a 10 or a king counts 10, other cards nothing. There are 200 points.",
    trumps: "Cards are drawn one by one. Trumps beat all other cards: the jokers, every {} (the level of this round),"
      + " and one suit. Who shows a {} while cards are drawn makes its suit trumps.",
    redealt: "Nobody has bid, so there are no trumps and no declarer: the cards are dealt again.",
    bid: "You may bid by the button: the suit of the cards on it becomes trumps, and you declarer. That is good with"
      + " many cards of the suit. Below you read whether {} would bid; with each new card it may change its mind.",
    adviser: "Hints come from {}, a computer player that has learned by playing against itself. It sees only what you"
      + " see. You may always play something else.",
    overturn: "{} has bid. Two equal cards of rank {} beat one; two equal jokers beat these, and mean that no suit is"
      + " trumps.",
    reinforce: "You may show the second card of your bid, too: then only two equal jokers beat it.",
    done: "All cards are drawn. Who wants to bid does it now. Press “I am done” when you have no more bids: then the"
      + " round goes on.",
    bury: "You are declarer and have taken up 8 more cards, the kitty (marked). Bury any 8. The attackers get the"
      + " points in them only if they win the last trick, but then twice or more.",
    short: "It helps to bury all cards of a short suit: once you have none of it, you can beat it with trumps.",
    others: "{} is declarer, has taken up 8 more cards, the kitty, and buries 8. If the attackers win the last trick,"
      + " they get the points in these, twice or more.",
    order: "Trumps from high to low: big joker, little joker, {}{}, the other cards of rank {}, then {} from the ace"
      + " down. All trumps together are one suit.",
    orderNone: "No suit is trumps this time: only jokers and cards of rank {} are. Together they are one suit.",
    forms: "One may lead one card, a pair (two identical cards: same rank, same suit), or a tractor (neighbouring"
      + " pairs of one suit, such as 7 7 8 8).",
    lead: "You lead. The others must play as many cards, of the same suit if they can. The highest play wins, and who"
      + " wins leads to the next trick. Plain suits go from the ace down.",
    follow: "Follow suit: if you hold cards of the suit that was led, you must play them. The cards that you may play"
      + " are lit, the others grey.",
    void: "You have none of the suit led, so you may play anything. Trumps beat plain suits (a pair needs a pair of"
      + " trumps). If your partner is winning, you can also give points.",
    pair: "A pair was led: play a pair of its suit if you have one, otherwise any two cards of the suit.",
    tractor: "A tractor was led: neighbouring pairs. Play a tractor of its suit if you have one, else pairs, else any"
      + " cards of the suit, always as many as were led.",
    throw: "Several things were led at once, all of one suit: a throw. It stands because nobody can beat any part of"
      + " it. You answer each part as if it had been led alone.",
    leadPair: "The adviser would lead a pair: only a higher pair, or one of trumps, beats it, so the two cards are"
      + " stronger together.",
    leadTractor: "The adviser would lead a tractor: only a higher one as long, or one of trumps, beats it.",
    leadThrow: "The adviser would lead a throw: several things of one suit at once. If somebody can beat a part of it,"
      + " only that part is led.",
    failed: "The throw can be beaten, so only its smallest beaten part is led. All have seen the other cards.",
    points: "{} points lie in this trick. Add points if your side will win it, none if it will lose it.",
    last: "The round ends when all cards are played. If the attackers win the last trick, they get the points in the"
      + " kitty: twice for a single card, four times for a pair.",
    over: "The round is over: the attackers have {} points. With 80 or more they have won it, otherwise the declarers"
      + " have.",
    levels: "Winners rise from level 2 towards A. Declarers: one level, two if the attackers have below 40 points,"
      + " three at 0. Attackers: one level, two from 120 points on, and they declare next.",
    after: "Who reaches A first wins the match. Two more rounds come with hints. What your plays were worth: Replay and"
      + " review. All rules: Settings (☰), then Rules.",
  },
  zh: {
    told: "学过的规则", gotIt: "知道了",
    teams: "你和对面是搭档。每局一方是庄家，另一方是闲家。闲家抢到 80 分就赢这一局，抢不到就是庄家赢。",
    tricks: "四个人轮流各出一张，叫一圈。谁的牌最大，谁赢下这一圈和里面的分：5 算 5 分，10 和 K 各算 10 分，其他牌没有分，一共 200 分。",
    trumps: "现在一张一张摸牌。主牌大过其他所有牌：大小王、每一张 {}（这一局的级牌）和一门花色。摸牌时谁亮出一张 {}，它的花色就是主。",
    redealt: "没有人亮主，定不了主，也没有庄家，所以重新发牌。",
    bid: "点按钮就是亮主：上面那张牌的花色就是主，你来坐庄。这门牌多就值得亮。{} 亮不亮，看下面那行；每摸一张牌，它都可能改主意。",
    adviser: "提示来自 {}：一个电脑牌手，靠自己和自己打牌学会的。它看到的和你一样多。你随时可以不照它打。",
    overturn: "{} 亮了主。两张相同的 {} 大过一张，两张相同的王再大过它们，表示打无主。",
    reinforce: "你可以把另一张相同的也亮出来：这样只有两张相同的王才大得过。",
    done: "牌摸完了，要亮主就趁现在。不再亮了，就点“不再亮”，牌局才继续。",
    bury: "你坐庄，多拿了 8 张底牌（有记号），现在扣下任意 8 张。里面的分，闲家赢了最后一圈才拿得到，不过那时至少翻倍。",
    short: "最好把一门短花色扣光：手里没有这门，就可以用主牌压它。",
    others: "{} 坐庄，多拿了 8 张底牌，正在扣 8 张。闲家要是赢了最后一圈，里面的分至少翻倍归他们。",
    order: "主牌从大到小：大王、小王、{}{}、其他几张 {}，然后是 {} 从 A 往下。所有主牌合起来算一门。",
    orderNone: "这局打无主：只有大小王和 {} 是主牌，合起来算一门。",
    forms: "领出的可以是一张，可以是对子（两张完全相同的牌：点数、花色都一样），也可以是拖拉机（同一门里相连的对子，比如 7 7 8 8）。",
    lead: "轮到你领出。别人要出同样多的牌，有这门就得出这门。最大的赢，赢家领出下一圈。副牌每门从 A 往下排。",
    follow: "跟牌：手里有领出的花色就必须出。能出的牌是亮的，不能出的是灰的。",
    void: "你没有这门花色，可以随便出。主牌大过副牌（领出对子，就要用主牌对子）。搭档正大着，也可以给他垫分。",
    pair: "领出的是对子：有这门的对子必须出对子，没有就出这门任意两张。",
    tractor: "领出的是拖拉机，也就是相连的对子：有这门的拖拉机先出拖拉机，没有就出对子，再没有就出这门的其他牌，张数要一样多。",
    throw: "同一门的几手牌一起领出，叫甩牌。没有人压得住其中任何一手，甩牌才成立。每一手都按单独领出那样跟。",
    leadPair: "提示是出对子：只有更大的对子或主牌对子才压得住，两张一起出更有力。",
    leadTractor: "提示是出拖拉机：只有同样长、更大的拖拉机，或者主牌拖拉机，才压得住。",
    leadThrow: "提示是甩牌：同一门的几手牌一起出。只要有人压得住其中一手，就只能出被压住的那手。",
    failed: "这手甩牌有人压得住，只能出被压住的最小一手。其他牌大家都看到了。",
    points: "这一圈有 {} 分。自己这边能赢就垫分，赢不了就别送分。",
    last: "牌全部出完，这一局就结束。闲家赢了最后一圈，底牌里的分归他们：单张赢算 2 倍，对子赢算 4 倍。",
    over: "这一局打完了：闲家得了 {} 分。满 80 分闲家赢，不到 80 分庄家赢。",
    levels: "赢的一方从 2 往 A 升级。庄家赢：升一级，闲家不到 40 分升两级，0 分升三级。闲家赢：升一级，满 120 分升两级，下一局由他们坐庄。",
    after: "先打到 A 的一方赢得整场。接下来两局都有提示。想知道自己打得怎么样，点“复盘与点评”。全部规则在“设置”（☰）里的“规则”。",
  },
};

/** Return a sentence, with values in its gaps.
 * @param {Language} language @param {LessonWord} name @param {...(string | number)} values @returns {string} */
export function teach(language, name, ...values) {
  return fill(WORDS[language][name], values);
}
