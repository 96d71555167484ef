// The view value (see render/view.py and docs/pictures.md): how it changes, and what one seat may see of it.

/** @typedef {import("./types.js").View} View */

/** Return a value with a change made: objects are merged key by key, anything else is replaced.
 * @param {unknown} value @param {unknown} change @returns {unknown} */
export function merged(value, change) {
  if (!isObject(change)) return change;
  /** @type {Object<string, unknown>} */
  const result = isObject(value) ? { ...value } : {};
  for (const [name, part] of Object.entries(change)) result[name] = merged(result[name], part);
  return result;
}

/** @param {unknown} value @returns {value is Object<string, unknown>} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Return what a seat, or a watcher (-1), may see of an open view: for replays, which have everything.
 * @param {View} view @param {number | null} viewer @returns {View} */
export function seenBy(view, viewer) {
  if (viewer === null) return view;
  const hands = Object.entries(view.hands).map(([seat, hand]) => [
    seat,
    Number(seat) === viewer ? hand : { ...hand, cards: null },
  ]);
  const seesBuried = view.phase === "over" || view.takers[view.takers.length - 1] === viewer;
  const isHidden = (view.phase === "bid" || view.phase === "rebel") && view.seat !== viewer;
  const passedOn = Object.entries(view.passed_on).filter(([seat]) => Number(seat) === viewer);
  return {
    ...view,
    viewer,
    seat: isHidden ? null : view.seat,
    hands: Object.fromEntries(hands),
    taken: view.seat === viewer ? view.taken : "",
    kitty: null,
    buried: seesBuried ? view.buried : null,
    buried_points: seesBuried ? view.buried_points : null,
    passed_on: Object.fromEntries(passedOn),
  };
}
