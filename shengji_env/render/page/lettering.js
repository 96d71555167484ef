// Text as strokes: every letter is a symbol of its own (see picture/lettering.py).

import { element, place } from "./elements.js";
import { sheet } from "./sheet.js";

/** @typedef {import("./elements.js").Element} Element */

const CAPITAL = 70;
const LETTER_GAP = 15;
const HAN_WIDTH = 80;
const DENSE = 0.8;
const OTHER_WIDTH = 55;
const OTHER_WIDE = 98;
const FIRST_WIDE = 0x1100;
/** The fewest letters that a shortened text keeps. */
const FEWEST = 3;

/** Return the letters of a text; a ten is one letter of its own.
 * @param {string} text @returns {string[]} */
function lettersOf(text) {
  return text === "10" ? ["10"] : [...text];
}

/** Return how wide a text is; `size` is the height of a capital.
 * @param {string} text @param {number} size */
export function textWidth(text, size) {
  const glyphs = sheet.glyphs.letters;
  const widths = lettersOf(text).map((letter) => (letter in glyphs ? glyphs[letter][0] : otherWidth(letter)));
  const sum = widths.reduce((total, width) => total + width, 0);
  return ((sum + LETTER_GAP * Math.max(0, widths.length - 1)) * size) / CAPITAL;
}

/** @param {string} letter */
function otherWidth(letter) {
  return (letter.codePointAt(0) ?? 0) >= FIRST_WIDE ? OTHER_WIDE : OTHER_WIDTH;
}

/** Draw a text: its anchor (0 left, 0.5 middle, 1 right) at x, the top of its capitals at y.
 * @param {string} text @param {number} x @param {number} y @param {number} size @param {string} color
 * @param {{anchor?: number, weight?: number}} how @returns {Element} */
export function drawText(text, x, y, size, color, { anchor = 0, weight = 10 } = {}) {
  const glyphs = sheet.glyphs.letters;
  const left = x - anchor * textWidth(text, size);
  const letters = lettersOf(text);
  if (!letters.every((letter) => letter in glyphs)) return plainText(text, left, y, size, color);
  const uses = [];
  let at = 0;
  for (const letter of letters) {
    if (letter !== " ") uses.push(element("use", { href: `#${letterId(letter)}`, x: at }));
    at += glyphs[letter][0] + LETTER_GAP;
  }
  const thinner = letters.some((letter) => glyphs[letter][0] === HAN_WIDTH) ? DENSE : 1;
  const look = { fill: "none", stroke: color, "stroke-linecap": "round", "stroke-linejoin": "round" };
  const transform = place(left, y, size / CAPITAL);
  return element("g", { ...look, "stroke-width": weight * thinner, transform }, ...uses);
}

/** @param {string} text @param {number} left @param {number} y @param {number} size @param {string} color */
function plainText(text, left, y, size, color) {
  const look = { fill: color, "font-family": "system-ui, sans-serif", "font-size": size * 1.4 };
  return element("text", { x: left, y: y + size, ...look }, text);
}

/** Return as much of a text as fits: three letters and more, or nothing.
 * @param {string} text @param {number} size @param {number} width */
export function shorten(text, size, width) {
  if (textWidth(text, size) <= width) return text;
  let letters = [...text];
  while (letters.length && textWidth(letters.join("") + "…", size) > width) letters = letters.slice(0, -1);
  return letters.length < FEWEST ? "" : letters.join("") + "…";
}

/** Return how wide a text is that was shortened as far as possible.
 * @param {string} text @param {number} size */
export function leastWidth(text, size) {
  return Math.min(textWidth(text, size), textWidth([...text].slice(0, FEWEST).join("") + "…", size));
}

/** Return the id of a letter's symbol.
 * @param {string} letter */
export function letterId(letter) {
  return "sj-" + [...letter].map((character) => (character.codePointAt(0) ?? 0).toString(16)).join("-");
}

/** Return the symbol of a letter.
 * @param {string} letter */
export function letterSymbol(letter) {
  return element("path", { id: letterId(letter), d: sheet.glyphs.letters[letter][1] });
}

/** Draw one of the sheet's shapes in a square.
 * @param {string} name @param {number} x @param {number} y @param {number} size @param {string} color */
export function drawShape(name, x, y, size, color) {
  return element("use", { href: `#sj-${name}`, fill: color, transform: place(x, y, size / 100) });
}

/** Return the symbol of a shape.
 * @param {string} name */
export function shapeSymbol(name) {
  return element("path", { id: `sj-${name}`, d: sheet.glyphs.shapes[name] });
}
