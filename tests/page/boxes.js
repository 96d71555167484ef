// Draws the play page for views, and measures where things are: runs in a browser, beside the page's modules.

import { useSheet } from "./sheet.js";
import { firstState } from "./play_state.js";
import { makePage } from "./play_view.js";

const answer = await fetch("/sheet.json");
useSheet(await answer.json());
const doing = { send: () => {}, dispatch: () => {}, now: () => null };
const LINE = {
  round: 12, levels: ["10", "A"], trump: "NT", level_rank: "T", declarer: 3, points: 115, winner: "declarers", rise: 3,
  new_levels: ["K", "A"], match_winner: null, match_over: false,
};
let show = null;
let rootLanguage = "";

/** Show a view as a person would see it who is to choose cards. */
function showCase({ view, ask, reasons }, language, how = {}) {
  const { rounds = 0, animations = false, away = [], notice = null, line = {}, waiting = null, hint = null } = how;
  const settings = { theme: "light", language, four_colors: false, order: "down", animations, notices: false };
  if (show === null || rootLanguage !== language) {
    const root = document.getElementById("page");
    show = makePage(root, doing);
    rootLanguage = language;
  }
  const welcome = { type: "welcome", version: 1, seat: view.viewer, names: view.names, rules: view.rules };
  const lesson = { ...firstState(settings).lesson, waiting: waiting ?? [] };
  const told = { lesson: waiting !== null, adviser: "heuristic", threshold: [view.threshold, 1], evening: "/evening" };
  const table = { persons: [0, 2], away, auto: true, sheet: Array(rounds).fill({ ...LINE, ...line }), fault: "", window: null, waiting: [] };
  const presence = { substituted: [], free: [], done: [], redealt: "" };
  const server = { type: "state", move: 1, view, ask, ...table, ...presence };
  const chosen = view.taken ? view.taken.split(" ") : [];
  const extend = { type: "extend", move: 1, cards: view.taken, is_whole: true, reasons, owed: [], size: null };
  show({ ...firstState(settings), connection: "open", welcome: { ...welcome, ...told }, server, chosen, extend, notice, lesson, hint });
}

const box = (part) => part.getBoundingClientRect();
/** Where the table is drawn: its ground, not the picture's element, which may be larger. */
const drawnBox = () => box(document.querySelector(".picture svg > g > rect"));
const meets = (a, b, by) =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left) > by && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > by;
const isOut = (a) => a.left < -1 || a.top < -1 || a.right > innerWidth + 1 || a.bottom > innerHeight + 1;

/** The boxes of rank and suit on a card's face, in hundredths of the card's width: the first two signs. */
function signsOf(card) {
  const href = card.getAttribute("href");
  if (!faces.has(href)) faces.set(href, facesSigns(card));
  return faces.get(href);
}
const faces = new Map();
function facesSigns(card) {
  const symbol = document.querySelector(card.getAttribute("href"));
  const signs = [...symbol.children].slice(1).filter((sign) => sign.tagName !== "rect");
  return signs.slice(0, 2).map((sign) => {
    const [, x, y, scale] = /translate\(([\d.-]+) ([\d.-]+)\) scale\(([\d.]+)\)/.exec(sign.getAttribute("transform"));
    const isText = sign.tagName === "g";
    const parts = isText ? [...sign.children].map((part) => Number(part.getAttribute("x") ?? 0)) : [0];
    const last = isText ? document.querySelector(sign.lastElementChild.getAttribute("href")).getBBox().width : 88;
    const wide = (Math.max(...parts) + (last || 44)) * Number(scale);
    return [Number(x), Number(y), wide, (isText ? 70 : 95) * Number(scale)];
  });
}

/** Measure what is shown: the smallest strip of a card in the hand, signs that are hidden, what lies where. */
function figures() {
  const svg = document.querySelector(".picture svg");
  const drawn = [...svg.querySelectorAll("use")].filter((part) => !part.closest("defs"));
  const isCard = (part) => /#sj-(light|dark)4?-/.test(part.getAttribute("href"));
  const cards = drawn.filter(isCard);
  const hand = cards.filter((card) => card.dataset.card);
  const boxes = hand.map(box);
  let strip = Infinity;
  let hidden = 0;
  let lowest = Infinity;
  hand.forEach((card, at) => {
    const mine = boxes[at];
    const unit = mine.width / 98;
    const later = boxes.slice(at + 1);
    for (const [place, [x, y, width, height]] of signsOf(card).entries()) {
      const left = mine.left + x * unit;
      const sign = { left, top: mine.top + y * unit, right: left + width * unit, bottom: mine.top + (y + height) * unit };
      if (place === 0) lowest = Math.min(lowest, height * unit);
      if (later.some((other) => meets(sign, other, 1.2))) hidden += 1;
    }
    const beside = later.filter((other) => other.left > mine.left + 1 && Math.abs(other.top - mine.top) < mine.height * 0.3);
    for (const other of beside) strip = Math.min(strip, other.left - mine.left);
  });
  const texts = [...svg.querySelectorAll("g[stroke-linecap], text")].filter((part) => !part.closest("defs"));
  const shown = cards.map((card) => [box(card), card.parentElement]);
  const isCovering = (mine) => shown.some(([card]) => meets(mine, card, 1));
  const textBoxes = texts.map(box);
  const over = textBoxes.filter(isCovering);
  const plates = [...svg.querySelectorAll("rect[stroke-width='2']:not([fill=none])")];
  const covered = plates.filter((part) => !part.closest("defs")).map(box).filter(isCovering);
  let crossed = 0;
  shown.forEach(([mine, owner], at) => {
    for (const [other, otherOwner] of shown.slice(at + 1)) if (owner !== otherOwner && meets(mine, other, 1)) crossed += 1;
  });
  const crossedTexts = textBoxes.filter((mine, at) => textBoxes.slice(at + 1).some((other) => meets(mine, other, 1)));
  const buttons = [...document.querySelectorAll(".buttons button")];
  const page = document.documentElement;
  const table = drawnBox();
  return {
    cards: hand.length, strip: hand.length > 1 ? strip : null, hidden, rank: hand.length ? lowest : null,
    texts_over_cards: over.length, plates_over_cards: covered.length, cards_over_cards: crossed,
    texts_over_texts: crossedTexts.length,
    outside: [...shown.map(([card]) => card), ...textBoxes].filter(isOut).length,
    buttons_outside: buttons.filter((button) => isOut(box(button))).length, buttons: buttons.length,
    scrolls: page.scrollWidth > innerWidth + 1 || page.scrollHeight > innerHeight + 1,
    table: Math.round(table.width), high: Math.round(table.height),
  };
}

/** Return the figures of each case. */
self.measure = (cases, language, how) =>
  cases.map((each) => {
    showCase(each, language, how);
    return figures();
  });

/** Measure the box of each rule of the lesson over a case: what of its text is cut, and what it covers. */
self.measureRules = (each, language, rules) =>
  rules.map((rule) => {
    showCase(each, language, { waiting: [rule] });
    const [shown, button] = [".rule", ".buttons .play"].map((where) => document.querySelector(where));
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = shown;
    const hand = [...document.querySelectorAll(".picture [data-card]")];
    const middle = box(shown);
    const onTop = document.elementFromPoint((middle.left + middle.right) / 2, (middle.top + middle.bottom) / 2);
    return {
      rule: rule[0], cut: Math.max(0, scrollHeight - clientHeight, scrollWidth - clientWidth),
      outside: [shown, button].map(box).filter(isOut).length, over_hand: hand.map(box).filter((card) => meets(card, middle, 1)).length,
      hidden: Number(onTop !== shown),
    };
  });
self.showCase = showCase;
document.body.dataset.ready = "yes";
