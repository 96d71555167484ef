// Draws the play page for views, and measures where things are: runs in a browser, beside the page's modules.

import { useSheet } from "./sheet.js";
import { firstState } from "./play_state.js";
import { makePage } from "./play_view.js";
import { firstPuzzles } from "./puzzle_state.js";
import { makePuzzlePage } from "./puzzle_view.js";
import { viewsOf } from "./replay_state.js";
import { makePage as makeReplayPage } from "./replay_view.js";

const answer = await fetch("/sheet.json");
useSheet(await answer.json());
const doing = { send: () => {}, dispatch: () => {}, now: () => null };
const LINE = {
  round: 12, levels: ["10", "A"], trump: "NT", level_rank: "T", declarer: 3, points: 115,
  taken: [20, 45, 10, 60], winner: "declarers", rise: 3,
  new_levels: ["K", "A"], match_winner: null, match_over: false,
};
let show = null;
let shownAs = "";

/** Show a view as a person would see it who is to choose cards. */
function showCase({ view, ask, reasons }, language, how = {}) {
  const { place = "table", rounds = 0, animations = false, away = [], persons = [0, 2], notice = null, line = {} } = how;
  const { waiting = null, hint = null } = how;
  const settings = { theme: "light", language, four_colors: false, order: "down", animations, notices: false, forced: true };
  if (shownAs !== place + language) {
    show = (place === "puzzle" ? makePuzzlePage : makePage)(document.getElementById("page"), doing);
    shownAs = place + language;
  }
  const welcome = { type: "welcome", version: 1, seat: view.viewer, names: view.names, rules: view.rules };
  const lesson = { ...firstState(settings).lesson, waiting: waiting ?? [] };
  const told = { lesson: waiting !== null, adviser: "heuristic", threshold: [view.threshold, 1], evening: "/evening" };
  const table = { persons, away, auto: true, sheet: Array(rounds).fill({ ...LINE, ...line }), fault: "", window: null, waiting: [] };
  const presence = { substituted: [], free: [], done: [], redealt: "" };
  const server = { type: "state", move: 1, view, ask, ...table, ...presence };
  const chosen = view.taken ? view.taken.split(" ") : [];
  const extend = { type: "extend", move: 1, cards: view.taken, is_whole: true, reasons, owed: [], size: null, wrong: [], forced: "" };
  const shown = { connection: "open", welcome: { ...welcome, ...told }, server, chosen, extend, notice, lesson, hint };
  const state = { ...firstState(settings), ...shown };
  const listed = [{ key: "", rules: view.rules, level: 2, theme: "trick" }];
  show(place === "table" ? state : { ...firstPuzzles(settings, {}), table: state, listed, number: 0 });
}

/** Show a step of a replay's last round. */
function showReplay(replay, ply, viewer, language) {
  const settings = { theme: "light", language, four_colors: false, isPlaying: false, values: true, mine: [], learns: false };
  shownAs = "replay";
  const round = replay.rounds.length - 1;
  makeReplayPage(document.getElementById("page"), replay, viewsOf(replay), () => {})({ ...settings, round, ply, viewer });
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

/** Return what a drawn text says: its letters are symbols, named by their code points. */
function textOf(part) {
  const letters = [...part.querySelectorAll("use")].map((use) => use.getAttribute("href").replace("#sj-", ""));
  return part.textContent || letters.map((code) => String.fromCodePoint(...code.split("-").map((one) => parseInt(one, 16)))).join("");
}

/** Return what the plates say, by seat. */
function textsOfPlates() {
  const plates = [...document.querySelectorAll(".picture [data-plate]")];
  const textsIn = (plate) => [...plate.querySelectorAll("g[stroke-linecap], text")].map(textOf);
  return Object.fromEntries(plates.map((plate) => [plate.dataset.plate, textsIn(plate)]));
}

/** Return the sizes of all text of the page that is seen; the picture's is drawn. */
function fontSizes() {
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim();
  const parts = [...document.querySelectorAll("body *:not(svg *)")].filter((part) => [...part.childNodes].some(isText));
  const seen = parts.filter((part) => part.getClientRects().length && box(part).width > 1.5 && !part.closest(".spoken"));
  return seen.map((part) => parseFloat(getComputedStyle(part).fontSize));
}

/** Measure what is shown: the smallest strip of a card in the hand, signs that are hidden, what lies where. */
function figures() {
  const svg = document.querySelector(".picture svg");
  const drawn = [...svg.querySelectorAll("use")].filter((part) => !part.closest("defs"));
  const isCard = (part) => /#sj-(light|dark)4?-/.test(part.getAttribute("href"));
  const cards = drawn.filter(isCard);
  const lowestHand = [...svg.querySelectorAll("[data-hand]")].sort((one, other) => box(other).bottom - box(one).bottom)[0];
  const hand = cards.filter((card) => card.dataset.card && card.closest("[data-hand]") === lowestHand);
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
  const frames = [...svg.querySelectorAll("[data-play] > rect")].map(box);
  const buttons = [...document.querySelectorAll(".buttons button")];
  const pressed = [...document.querySelectorAll(".controls button, .controls a.button, .controls .buttons a")].filter((one) => one.getClientRects().length);
  const page = document.documentElement;
  const table = drawnBox();
  const isTable = document.querySelector("main.playing") !== null;
  return {
    cards: hand.length, strip: hand.length > 1 ? strip : null, hidden, rank: hand.length ? lowest : null,
    texts_over_cards: over.length, plates_over_cards: covered.length, cards_over_cards: crossed,
    texts_over_texts: crossedTexts.length,
    texts_over_frames: textBoxes.filter((mine) => frames.some((frame) => meets(mine, frame, 0.5))).length,
    button: Math.min(...pressed.map((button) => box(button).height)),
    text: Math.min(...fontSizes()),
    cut: texts.filter((part) => /^.{0,2}…$/u.test(textOf(part))).length, plates: textsOfPlates(),
    outside: [...shown.map(([card]) => card), ...textBoxes].filter(isOut).length,
    buttons_outside: buttons.filter((button) => isOut(box(button))).length, buttons: buttons.length,
    scrolls: page.scrollWidth > innerWidth + 1 || (isTable && page.scrollHeight > innerHeight + 1),
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

/** Return the figures of each step of a replay. */
self.measureReplay = (replay, plies, viewer, language) =>
  plies.map((ply) => {
    showReplay(replay, ply, viewer, language);
    return figures();
  });
self.showCase = showCase;
document.body.dataset.ready = "yes";
