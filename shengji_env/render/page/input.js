// What a person does with keys and fingers, as actions.

/** @typedef {import("./replay_state.js").Dispatch} Dispatch */

/** @type {Object<string, import("./replay_state.js").Action>} */
const KEYS = {
  ArrowRight: { type: "step", by: 1, unit: "play" },
  ArrowLeft: { type: "step", by: -1, unit: "play" },
  ArrowDown: { type: "step", by: 1, unit: "trick" },
  ArrowUp: { type: "step", by: -1, unit: "trick" },
  ".": { type: "step", by: 1, unit: "decision" },
  ",": { type: "step", by: -1, unit: "decision" },
  PageDown: { type: "step", by: 1, unit: "round" },
  PageUp: { type: "step", by: -1, unit: "round" },
  n: { type: "step", by: 1, unit: "difference" },
  p: { type: "step", by: -1, unit: "difference" },
  Home: { type: "go", ply: 0 },
  End: { type: "go", ply: Infinity },
};
const SWIPE = 40;

/** Make keys act, but in fields that use them themselves.
 * @param {Document} page @param {Dispatch} dispatch @param {() => boolean} isPlaying */
export function listenToKeys(page, dispatch, isPlaying) {
  page.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const isBusy = target.tagName === "SELECT" || event.ctrlKey || event.metaKey || event.altKey;
    const isSpace = event.key === " " && target.tagName !== "BUTTON";
    const known = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
    /** @type {import("./replay_state.js").Action | undefined} */
    const action = isSpace ? { type: "set", name: "isPlaying", value: !isPlaying() } : known;
    if (isBusy || !action) return;
    event.preventDefault();
    dispatch(action);
  });
}

/** Make a swipe to the left go on by a play, one to the right go back.
 * @param {HTMLElement} area @param {Dispatch} dispatch */
export function listenToSwipes(area, dispatch) {
  let start = 0;
  area.addEventListener("touchstart", (event) => (start = event.changedTouches[0].clientX), { passive: true });
  area.addEventListener("touchend", (event) => {
    const moved = event.changedTouches[0].clientX - start;
    if (Math.abs(moved) > SWIPE) dispatch({ type: "step", by: moved < 0 ? 1 : -1, unit: "play" });
  });
}
