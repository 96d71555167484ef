// The card sheet: letters, shapes, colours, places and words, which Python draws from too (see picture/sheet.py).

/** @typedef {import("./types.js").Sheet} Sheet */
/** @typedef {Object<string, import("./types.js").CardColor>} Suits */

/** The sheet's content by file: glyphs, layout, words.
 * @type {Sheet} */
export const sheet = /** @type {Sheet} */ ({});

/** Take the sheet's content, once, before anything is drawn.
 * @param {Sheet} content */
export function useSheet(content) {
  Object.assign(sheet, content);
}

/** @type {Suits} */
const TWO_COLORS = { C: "black", D: "red", H: "red", S: "black" };
/** @type {Suits} */
const FOUR_COLORS = { C: "green", D: "blue", H: "red", S: "black" };
/** @type {Record<import("./types.js").CardColor, import("./types.js").GroundColor>} */
const ON_GROUND = { black: "ink", red: "signal", green: "move", blue: "declarers" };

/** @typedef {{theme: string, language: string, layout: string, four_colors: boolean}} StyleNames */
/** @typedef {ReturnType<typeof makeStyle>} Style */

/** Return how a picture looks.
 * @param {StyleNames} names */
export function makeStyle(names) {
  const colors = sheet.layout.themes[names.theme];
  const suits = names.four_colors ? FOUR_COLORS : TWO_COLORS;
  return {
    ...names,
    colors,
    places: sheet.layout.layouts[names.layout],
    /** Return a word, with values in its gaps.
     * @param {string} name @param {...(string | number)} values */
    word: (name, ...values) => fill(sheet.words[names.language][name], values),
    /** Return the colour of a suit on a card.
     * @param {string} suit @returns {string} */
    suitColor: (suit) => colors[suits[suit]],
    /** Return the colour of a suit on the picture's ground.
     * @param {string} suit @returns {string} */
    groundColor: (suit) => colors[ON_GROUND[suits[suit]]],
  };
}

/** Put values into the gaps of a text.
 * @param {string} text @param {(string | number)[]} values @returns {string} */
export function fill(text, values) {
  const rest = [...values];
  return text.replace(/\{\}/g, () => String(rest.shift()));
}
