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
/** @typedef {StyleNames & {colors: import("./types.js").Colors, places: import("./types.js").Places,
 *   forView: (view: {viewer: number | null}) => Style, word: (name: string, ...values: (string | number)[]) => string,
 *   suitColor: (suit: string) => string, groundColor: (suit: string) => string}} Style */

/** Return how a picture looks.
 * @param {StyleNames} names @param {boolean} allOpen whether all hands have room for their cards; `forView` sets it
 * @returns {Style} */
export function makeStyle(names, allOpen = false) {
  const places = sheet.layout.layouts[names.layout];
  const colors = sheet.layout.themes[names.theme];
  const suits = names.four_colors ? FOUR_COLORS : TWO_COLORS;
  return {
    ...names,
    colors,
    places: allOpen ? { ...places, ...sheet.layout.open[names.layout] } : places,
    /** Return the style with room for the hands that a view shows. */
    forView: (view) => makeStyle(names, view.viewer === null),
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

const NARROW = 620;
const LOW = 480;

/** Return the layout for a window: `low` for phones held across, `narrow` for phones held upright.
 * @param {number} width @param {number} height */
export function layoutFor(width, height) {
  if (height <= LOW && width > height) return "low";
  return width < NARROW ? "narrow" : "wide";
}

/** Put values into the gaps of a text.
 * @param {string} text @param {(string | number)[]} values @returns {string} */
export function fill(text, values) {
  const rest = [...values];
  return text.replace(/\{\}/g, () => String(rest.shift()));
}
