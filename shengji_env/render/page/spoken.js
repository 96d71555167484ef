// A view in words, in two languages: for who cannot see the picture.

import { wordsOf, handCards } from "./card_rows.js";
import { fill } from "./sheet.js";
import { resultTitle } from "./table.js";

/** @typedef {import("./types.js").Trick} Trick
 * @typedef {import("./types.js").View} View
 * @typedef {import("./sheet.js").Style} Style
 * @typedef {"en" | "zh"} Tongue
 * @typedef {keyof typeof PHRASES["en"]} Phrase
 * @typedef {(seat: number) => string} NameOf */

const PHRASES = {
  en: {
    table: "The table in words", hand: "Hand", round: "Round {}", trick: "trick {}", drawn: "{} of {} cards drawn",
    unnamed: "Trumps are not named yet", trump: "Trumps: {}", level: "Level: {}", declarer: "Declarer: {}, partner {}",
    points: "Attackers’ points: {} of {}", bid: "Bid by {}: {}", onTable: "On the table: {}", led: "{} led {}",
    played: "{}: {}", winning: "Winning: {}", inTrick: "Points in the trick: {}", failed: "The throw {} failed",
    last: "Last trick: {}", won: "Won by {}", left: "Cards left: {}", known: "{}, known: {}",
    handOf: "Hand of {}, {} cards: {}", turn: "To move: {}", stop: ". ", comma: ", ", semicolon: "; ", times: "{} × {}",
    T: "trumps", S: "spades", H: "hearts", C: "clubs", D: "diamonds", NT: "no trump", card: "{1} of {0}",
    LJ: "little joker", BJ: "big joker", J: "jack", Q: "queen", K: "king", A: "ace",
  },
  zh: {
    table: "牌桌文字说明", hand: "手牌", round: "第 {} 局", trick: "第 {} 圈", drawn: "已摸 {} / {} 张",
    unnamed: "尚未定主", trump: "主花色：{}", level: "打 {}", declarer: "庄家：{}，对家 {}",
    points: "闲家得分：{} / {}", bid: "{} 亮主：{}", onTable: "桌上：{}", led: "{} 领出{}",
    played: "{} 出{}", winning: "目前最大：{}", inTrick: "本圈 {} 分", failed: "甩牌失败：{}",
    last: "上一圈：{}", won: "{} 赢得", left: "剩余张数：{}", known: "{}，已亮出：{}",
    handOf: "{} 的手牌，{} 张：{}", turn: "轮到：{}", stop: "。", comma: "、", semicolon: "；", times: "{} {} 张",
    T: "主牌", S: "黑桃", H: "红桃", C: "梅花", D: "方块", NT: "无主", card: "{0}{1}",
    LJ: "小王", BJ: "大王", J: "J", Q: "Q", K: "K", A: "A",
  },
};

/** Return a phrase, with values in its gaps.
 * @param {string} language @param {Phrase} name @param {...(string | number)} values */
export function phrase(language, name, ...values) {
  return fill(PHRASES[/** @type {Tongue} */ (language)][name], values);
}

/** Return what a card is called: "queen of clubs".
 * @param {string} card @param {string} language */
export function cardName(card, language) {
  if (card === "LJ" || card === "BJ") return phrase(language, card);
  const rank = "JQKA".includes(card[1]) ? phrase(language, /** @type {Phrase} */ (card[1])) : card[1];
  const suit = phrase(language, /** @type {Phrase} */ (card[0]));
  const text = PHRASES[/** @type {Tongue} */ (language)].card;
  return text.replace("{0}", suit).replace("{1}", rank === "T" ? "10" : rank);
}

/** Return what cards are called, equal ones once.
 * @param {string[]} cards @param {string} language */
function cardNames(cards, language) {
  const names = [...new Set(cards)].map((card) => {
    const count = cards.filter((other) => other === card).length;
    return count > 1 ? phrase(language, "times", cardName(card, language), count) : cardName(card, language);
  });
  return names.join(phrase(language, "comma"));
}

/** Return a view as paragraphs.
 * @param {View} view @param {Style} style @param {NameOf} nameOf @returns {string[]} */
export function spokenView(view, style, nameOf) {
  const { language } = style;
  const say = (/** @type {Phrase} */ name, /** @type {(string | number)[]} */ ...values) =>
    phrase(language, name, ...values);
  const cards = (/** @type {string} */ texts) => cardNames(wordsOf(texts), language);
  const result = view.result ? [resultTitle(view.result, view, style)] : [];
  const turn = view.seat === null ? [] : [say("turn", nameOf(view.seat))];
  return [
    [...result, ...roundFacts(view, say, nameOf), ...turn],
    trickFacts(view.trick, say, nameOf, cards, "onTable"),
    view.last_trick ? trickFacts(view.last_trick, say, nameOf, cards, "last") : [],
    handFacts(view, say, nameOf, cards),
  ]
    .filter((facts) => facts.length)
    .map((facts) => facts.map((fact) => fact + say("stop")).join("").trim());
}

/** @typedef {(name: Phrase, ...values: (string | number)[]) => string} Saying */

/** @param {View} view @param {Saying} say @param {NameOf} nameOf */
function roundFacts(view, say, nameOf) {
  const isPlay = ["lead", "forced", "follow"].includes(view.phase);
  const facts = [say("round", view.match_round) + (isPlay ? say("comma") + say("trick", view.tricks + 1) : "")];
  if (view.trump === null) facts.push(say("unnamed"), say("drawn", view.drawn, view.to_draw));
  else facts.push(say("trump", say(/** @type {Phrase} */ (view.trump))));
  if (view.level_rank) facts.push(say("level", view.level_rank === "T" ? "10" : view.level_rank));
  if (view.declarer !== null) facts.push(say("declarer", nameOf(view.declarer), nameOf((view.declarer + 2) % 4)));
  if (view.trump !== null) facts.push(say("points", view.attackers_points, view.threshold));
  return facts;
}

/** @param {Trick} trick @param {Saying} say @param {NameOf} nameOf @param {(texts: string) => string} cards
 * @param {"onTable" | "last"} where @returns {string[]} */
function trickFacts(trick, say, nameOf, cards, where) {
  const { leader } = trick;
  if (leader === null || !trick.plays[leader]) return [];
  const plays = [0, 1, 2, 3].flatMap((turn) => {
    const seat = (leader + turn) % 4;
    return trick.plays[seat] ? [say(turn ? "played" : "led", nameOf(seat), cards(trick.plays[seat]))] : [];
  });
  const facts = [say(where, plays.join(say("semicolon")))];
  if (trick.thrown) facts.push(say("failed", cards(trick.thrown)));
  if (trick.winning !== null) facts.push(say(where === "last" ? "won" : "winning", nameOf(trick.winning)));
  if (trick.points) facts.push(say("inTrick", trick.points));
  return facts;
}

/** @param {View} view @param {Saying} say @param {NameOf} nameOf @param {(texts: string) => string} cards */
function handFacts(view, say, nameOf, cards) {
  const bid = view.bids[view.bids.length - 1];
  const facts = bid ? [say("bid", nameOf(bid.seat), cards(bid.cards))] : [];
  const seats = Object.keys(view.hands).map(Number);
  const hidden = seats.filter((seat) => view.hands[seat].cards === null && view.hands[seat].size);
  const counts = hidden.map((seat) => {
    const { size, known } = view.hands[seat];
    const text = `${nameOf(seat)} ${size}`;
    return known ? say("known", text, cards(known)) : text;
  });
  if (counts.length) facts.push(say("left", counts.join(say("semicolon"))));
  for (const seat of seats) {
    const { size, cards: groups } = view.hands[seat];
    if (!groups || !size) continue;
    const suits = handCards(groups, view.trump).map((suit) => cards(suit.map(([card]) => card).join(" ")));
    facts.push(say("handOf", nameOf(seat), size, suits.join(say("semicolon"))));
  }
  return facts;
}
