// How the value of a round went, and where decisions have cost some of it.

import { make } from "./dom.js";
import { element, toSvg } from "./elements.js";
import { lastPly } from "./replay_state.js";
import { signedValue } from "./values.js";
import { say } from "./words.js";

/** @typedef {import("./replay_state.js").State} State */
/** @typedef {import("./types.js").Review} Review */

export const CURVE = { width: 300, height: 90, pad: 6 };
const [SMALLEST, LARGEST, GROWTH] = [2, 6, 8];

/** Return where a ply is in a curve, from its left end.
 * @param {number} ply @param {number} end the last ply */
export function placeOf(ply, end) {
  return CURVE.pad + ((CURVE.width - 2 * CURVE.pad) * ply) / Math.max(1, end);
}

/** Make a click on a curve go there.
 * @param {SVGElement} drawing @param {number} end the last ply
 * @param {import("./replay_state.js").Dispatch} dispatch */
export function listenToJumps(drawing, end, dispatch) {
  drawing.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect();
    const { width, pad } = CURVE;
    const x = ((event.clientX - box.left) / box.width) * width - pad;
    dispatch({ type: "go", ply: Math.round((x / (width - 2 * pad)) * end) });
  });
}

/** Draw the round's value for the attackers as steps, if all hands are open, and dots where decisions cost some.
 * @param {State} state @param {import("./types.js").Round} round @param {Review} review
 * @param {number | null} declarer the round's declarer @param {import("./replay_state.js").Dispatch} dispatch */
export function valuePanel(state, round, review, declarer, dispatch) {
  const end = lastPly(round);
  const sign = (declarer ?? 1) % 2 ? 1 : -1;
  /** @type {[ply: number, value: number][]} */
  const course = state.viewer === null ? review.course.map(([ply, value]) => [ply, sign * value]) : [];
  const costs = review.valued.filter((each) => each.cost && (state.viewer === null || state.viewer === each.seat));
  const valueAt = (/** @type {number} */ ply) => course.filter(([at]) => at <= ply).at(-1)?.[1] ?? 0;
  const values = [...course.map(([, value]) => value), 0];
  const [low, high] = [Math.min(...values, -0.5), Math.max(...values, 0.5)];
  const room = CURVE.height - 2 * CURVE.pad;
  const down = (/** @type {number} */ value) => CURVE.pad + (room * (high - value)) / (high - low);
  const dots = costs.map((each) => {
    const side = each.seat % 2 === (declarer ?? 1) % 2 ? "declarers" : "attackers";
    const r = Math.min(LARGEST, SMALLEST + GROWTH * each.cost);
    return element("circle", { cx: placeOf(each.ply, end), cy: down(valueAt(each.ply)), r, class: `loss ${side}` });
  });
  const path = course.map(([ply, value], index) => {
    const [x, y] = [placeOf(ply, end), down(value)];
    return index ? `H${x}V${y}` : `M${x} ${y}`;
  });
  const zero = { x1: CURVE.pad, x2: CURVE.width - CURVE.pad, y1: down(0), y2: down(0) };
  const label = say(state.language, course.length ? "value" : "losses");
  const drawing = toSvg(
    element(
      "svg",
      { viewBox: `0 0 ${CURVE.width} ${CURVE.height}`, class: "curve values", role: "img", "aria-label": label },
      element("line", { ...zero, class: "threshold" }),
      element("path", { d: path.join("") || "M0 0", class: "growth" }),
      ...dots,
      element("circle", { cx: placeOf(state.ply, end), cy: down(valueAt(state.ply)), r: 4, class: "now" }),
    ),
    document,
  );
  listenToJumps(drawing, end, dispatch);
  const title = course.length ? say(state.language, "figure", label, signedValue(valueAt(state.ply))) : label;
  const note = make("p", { class: "note" }, say(state.language, course.length ? "valueNote" : "lossesNote"));
  return make("section", { class: "panel" }, make("h2", {}, title), drawing, note);
}
