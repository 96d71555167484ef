// What a lesson says: one rule at a time, in two languages. `docs/rules.md` has the rules; these are those of two_deck.

import { fill } from "./sheet.js";

/** @typedef {import("./play_words.js").Language} Language
 * @typedef {keyof typeof WORDS["en"]} LessonWord */

const WORDS = {
  en: {
    told: "The rules so far", hint: "Hint:",
    teams: "You and the player opposite are partners. In each round one pair are the declarers, the others the "
      + "attackers: they win the round with 80 of the 200 points. A 5 counts 5, a 10 or a king 10, no other card "
      + "anything.",
    trumps: "Cards are drawn one by one. Jokers, the cards of rank {} and one suit will be trumps: they beat all"
      + " others. Who shows a {} while cards are drawn makes its suit trumps, and in the first round becomes declarer.",
    bid: "You can bid: press the button to show the card. Bid if you have many cards of this suit, or soon will.",
    overturn: "{} has bid. Two equal cards of rank {} beat one, two equal jokers beat these and mean no trump suit.",
    bury: "You are declarer. You have taken up the 8 cards of the kitty (marked); now bury any 8. If the attackers win "
      + "the last trick, they get the points in the kitty, twice or more. Get rid of a short suit.",
    others: "{} is declarer, has taken up the kitty and buries 8 cards.",
    lead: "You lead: one card, a pair (two identical cards), or a tractor (pairs of neighbouring ranks). "
      + "The highest play wins the trick, and who wins it leads to the next.",
    follow: "Follow suit: if you hold the suit that was led, you must play it. The cards that you may play are lit,"
      + " the others grey. All trumps, jokers and cards of rank {} included, are one suit.",
    void: "You have none of the suit led, so you may play anything. Trumps win the trick (for a pair a pair of trumps) "
      + "if no higher ones fall; if your partner is winning it, give points.",
    pair: "A pair was led: play a pair of its suit if you have one, otherwise any two cards of the suit.",
    tractor: "A tractor was led: pairs of neighbouring ranks, here as many cards as you must play. Answer with a"
      + " tractor of the suit if you have one, else with pairs, else with any cards of the suit.",
    throw: "Several components of one suit were led at once: a throw. It stands because nobody can beat any part "
      + "of it. You answer each part as if it had been led alone.",
    leadPair: "The hint is a pair: it can only be beaten by a higher pair, so its two cards are stronger together.",
    leadTractor: "The hint is a tractor: only a higher tractor of the same length beats it.",
    leadThrow: "The hint is a throw: several components of one suit at once. If somebody can beat a part of it, "
      + "only that part is led.",
    failed: "The throw can be beaten, so only its smallest beaten part is led. All have seen the other cards.",
    points: "{} points lie in this trick. Add points to a trick that your side will win, none to one it will lose.",
    last: "The end is near. If the attackers win the last trick, they get the points in the kitty, twice for a single "
      + "card, four times for a pair: keep something strong for it.",
    over: "The attackers have {} points. Below 80 the declarers rise: one level, two below 40, three at 0. From 80 on "
      + "the attackers take over, and rise one level, from 120 on two. The first pair to reach A wins the match.",
    after: "Two more rounds come with hints; after them there is the button Hint. All rules: Settings, then Rules.",
  },
  zh: {
    told: "学过的规则", hint: "提示：",
    teams: "你和对面是搭档。每局一方是庄家，另一方是闲家：全副牌共 200 分，闲家抢到 80 分就赢。5 算 5 分，10 和 K 各算 10 分，其他牌没有分。",
    trumps: "一张一张摸牌。大小王、所有的 {} 和一门花色是主牌，主牌大过其他牌。摸牌时亮出一张 {}，它的花色就是主；第一局谁亮主谁坐庄。",
    bid: "你可以亮主：点按钮亮出这张牌。这门牌多，或者估计会多，就亮。",
    overturn: "{} 亮了主。两张相同的 {} 大过一张，两张相同的王再大过它们，表示打无主。",
    bury: "你坐庄，已拿起 8 张底牌（有记号），现在扣下任意 8 张。闲家要是赢了最后一圈，底牌里的分至少翻倍归他们。可以趁机扣掉一门短花色。",
    others: "{} 坐庄，拿起底牌，正在扣 8 张。",
    lead: "轮到你领出：可以出单张、对子（两张完全相同的牌）或拖拉机（相连的对子）。最大的赢这一圈，赢家领出下一圈。",
    follow: "跟牌：手里有领出的花色就必须跟。能出的牌是亮的，不能出的是灰的。所有主牌（包括王和 {}）算一门。",
    void: "你没有这门花色，可以随便出。可以用主牌毙（领出对子，就要用主牌对子），只要没有更大的就赢；搭档正大着，就给他垫分。",
    pair: "领出的是对子：有这门的对子必须出对子，没有就出这门任意两张。",
    tractor: "领出的是拖拉机，也就是相连的对子，你要出同样多的牌：有这门的拖拉机先出拖拉机，没有就出对子，再没有就出这门的其他牌。",
    throw: "同一门的几组牌一起领出，叫甩牌。别人压不住其中任何一组，甩牌才成立。每一组都按单独领出那样跟。",
    leadPair: "提示是出对子：只有更大的对子才压得住，两张一起出更有力。",
    leadTractor: "提示是出拖拉机：只有同样长、更大的拖拉机才压得住。",
    leadThrow: "提示是甩牌：同一门的几组牌一起出。只要有人压得住其中一组，就只能出被压住的那组。",
    failed: "这手甩牌有人压得住，只能出被压住的最小一组。其他牌大家都看到了。",
    points: "这一圈有 {} 分。自己这边能赢就垫分，赢不了就别送分。",
    last: "快到最后一圈了。闲家赢最后一圈就能抠底：单张赢，底牌的分算 2 倍，对子赢算 4 倍。留一手大牌。",
    over: "闲家得了 {} 分。不到 80 分庄家升一级，不到 40 分升两级，0 分升三级；满 80 分闲家上台并升一级，满 120 分升两级。先打到 A 的一方赢得整场。",
    after: "接下来两局都有提示，之后可以点“提示”按钮。全部规则在“设置”里的“规则”。",
  },
};

/** Return a sentence, with values in its gaps.
 * @param {Language} language @param {LessonWord} name @param {...(string | number)} values @returns {string} */
export function teach(language, name, ...values) {
  return fill(WORDS[language][name], values);
}
