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

/** @typedef {{theme: string, language: string, layout: string, four_colors: boolean, aspect?: number}} StyleNames
 *   `aspect`: the width of the place for the picture, over its height; without one, the layout is drawn as it is */
/** @typedef {StyleNames & {colors: import("./types.js").Colors, places: import("./types.js").Places,
 *   forView: (view: {viewer: number | null}) => Style, word: (name: string, ...values: (string | number)[]) => string,
 *   suitColor: (suit: string) => string, groundColor: (suit: string) => string}} Style */

/** Return how a picture looks.
 * @param {StyleNames} names @param {boolean} allOpen whether all hands have room for their cards; `forView` sets it
 * @returns {Style} */
export function makeStyle(names, allOpen = false) {
  const places = placesFor(names.layout, allOpen, names.aspect);
  const colors = sheet.layout.themes[names.theme];
  const suits = names.four_colors ? FOUR_COLORS : TWO_COLORS;
  return {
    ...names,
    colors,
    places,
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

/** @typedef {import("./types.js").Places} Places */

/** Return where things are in a layout that follows its window: it is drawn between those two of its shapes of which
 * one is too high and one too wide. What is apart in both of them is apart in between.
 * @param {string} layout @param {boolean} allOpen @param {number | undefined} aspect @returns {Places} */
function placesFor(layout, allOpen, aspect) {
  const { layouts, open, openShapes, shapes: closed } = sheet.layout;
  const first = { ...layouts[layout], ...(allOpen ? open[layout] : {}) };
  if (aspect === undefined) return first;
  const shapes = [first];
  for (const change of (allOpen ? openShapes : closed)[layout] ?? []) {
    shapes.push({ ...shapes[shapes.length - 1], ...change });
  }
  const aspectOf = (/** @type {Places} */ { size: [width, height] }) => width / height;
  shapes.sort((one, other) => aspectOf(one) - aspectOf(other));
  const at = shapes.findIndex((shape) => aspectOf(shape) >= aspect);
  if (at <= 0) return shapes[at < 0 ? shapes.length - 1 : 0];
  const [[width, height], [wider, lower]] = [shapes[at - 1].size, shapes[at].size];
  return between(shapes[at - 1], shapes[at], (aspect * height - width) / (wider - width - aspect * (lower - height)));
}

/** Return a value between two of one form, number by number.
 * @template T @param {T} one @param {T} other @param {number} share @returns {T} */
function between(one, other, share) {
  if (typeof one === "number") return /** @type {T} */ (one + (Number(other) - one) * share);
  if (typeof one !== "object" || one === null) return one;
  const partOf = (/** @type {object} */ whole, /** @type {string} */ name) => Reflect.get(whole, name);
  const parts = Object.keys(one).map((name) => [name, between(partOf(one, name), partOf(Object(other), name), share)]);
  return /** @type {T} */ (Array.isArray(one) ? parts.map(([, part]) => part) : Object.fromEntries(parts));
}

/** The smallest window with the layout `wide`: for replays, and where 24 pixels of each card are to show. */
export const WIDE = { replay: [620, 481], table: [980, 740] };

/** Return the layout for a window: if it is smaller, `low` for phones held across, `narrow` for phones held upright.
 * @param {number} width @param {number} height @param {number[]} least the smallest window with the layout `wide` */
export function layoutFor(width, height, [leastWidth, leastHeight] = WIDE.replay) {
  if (width >= leastWidth && height >= leastHeight) return "wide";
  return width > height ? "low" : "narrow";
}

/** Put values into the gaps of a text.
 * @param {string} text @param {(string | number)[]} values @returns {string} */
export function fill(text, values) {
  const rest = [...values];
  return text.replace(/\{\}/g, () => String(rest.shift()));
}
