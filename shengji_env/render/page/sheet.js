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

/** @typedef {{theme: string, language: string, layout: string, four_colors: boolean,
 *   room?: [width: number, height: number]}} StyleNames
 *   `room`: of the place for the picture, in pixels; without one, the layout is drawn as it is */
/** @typedef {StyleNames & {colors: import("./types.js").Colors, places: import("./types.js").Places,
 *   forView: (view: {viewer: number | null}) => Style, word: (name: string, ...values: (string | number)[]) => string,
 *   suitColor: (suit: string) => string, groundColor: (suit: string) => string}} Style */

/** Return how a picture looks.
 * @param {StyleNames} names @param {boolean} allOpen whether all hands have room for their cards; `forView` sets it
 * @returns {Style} */
export function makeStyle(names, allOpen = false) {
  const places = placesIn(names.layout, allOpen, names.room);
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

/** Pixels that show of each card of the hand that is drawn lowest, where it has rows enough: 24, with roundings. */
const STRIP = 24.5;

/** Return where things are in a layout that is drawn in some room.
 * @param {string} layout @param {boolean} allOpen @param {[number, number] | undefined} room @returns {Places} */
function placesIn(layout, allOpen, room) {
  const places = placesFor(layout, allOpen, room && room[0] / room[1]);
  if (!room) return places;
  const strip = STRIP / Math.min(room[0] / places.size[0], room[1] / places.size[1]);
  return { ...places, seats: places.seats.map((spot, turn) => (turn ? spot : { ...spot, strip })) };
}

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

/** The smallest window with the layout `wide`: for replays, and where 24 pixels of each card are to show; the smallest
 * room of a picture beside lists. */
export const WIDE = { replay: [620, 481], table: [980, 740], picture: [880, 520] };
/** Width over height of rooms from which on a picture is one of a phone held across. */
const ACROSS = 1.25;

/** Return the layout for a window: if it is smaller, `low` for phones held across, `narrow` for phones held upright.
 * @param {number} width @param {number} height @param {number[]} least the smallest window with the layout `wide` */
export function layoutFor(width, height, [leastWidth, leastHeight] = WIDE.replay) {
  if (width >= leastWidth && height >= leastHeight) return "wide";
  return width > height ? "low" : "narrow";
}

const HAN = /^\p{Script=Han}$/u;

/** Return layout and room of a picture that has an element of its own beside lists.
 * @param {HTMLElement} picture @returns {{layout: string, room: [number, number]}} */
export function layoutIn({ clientWidth: width, clientHeight: height }) {
  const [leastWidth, leastHeight] = WIDE.picture;
  const layout = width >= leastWidth && height >= leastHeight ? "wide" : width > ACROSS * height ? "low" : "narrow";
  return { layout, room: [width, Math.max(1, height)] };
}

/** Put values into the gaps of a text. Blanks around a gap are not for Chinese beside Chinese.
 * @param {string} text @param {(string | number)[]} values @returns {string} */
export function fill(text, values) {
  const rest = [...values];
  return text.replace(/( ?)\{\}( ?)/g, (gap, left, right, at) => {
    const value = String(rest.shift());
    const blank = (/** @type {string} */ space, /** @type {(string | undefined)[]} */ ...sides) =>
      sides.every((side) => HAN.test(side ?? "")) ? "" : space;
    return blank(left, text[at - 1], value[0]) + value + blank(right, value.at(-1), text[at + gap.length]);
  });
}
