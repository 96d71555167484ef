// Where a replay stands, as a pure reducer: no element of the page is read or made here.

import { merged, seenBy } from "./views.js";

/** @typedef {import("./types.js").Decision} Decision */
/** @typedef {import("./types.js").Replay} Replay */
/** @typedef {import("./types.js").Round} Round */
/** @typedef {import("./types.js").View} View */
/** @typedef {import("./words.js").Language} Language */
/** `values`: whether candidates' values are drawn; `mine`: the seats whose decisions are listed first;
 * `learns`: whether costly decisions are asked again, without the answer; `told`: the ply whose answer is shown then.
 * @typedef {{round: number, ply: number, viewer: number | null, theme: "light" | "dark", language: Language,
 *   four_colors: boolean, isPlaying: boolean, values: boolean, mine: number[],
 *   learns: boolean, told: number}} State */
/** @typedef {"decision" | "play" | "trick"} Stop */
/** @typedef {{type: "go", round?: number, ply: number}
 *   | {type: "step", by: number, unit: Stop | "round" | "difference"}
 *   | {type: "look", viewer: number | null} | {type: "set", name: keyof State, value: State[keyof State]}
 *   | {type: "tick"}} Action */
/** @typedef {(action: Action) => void} Dispatch */

/** Return the next state.
 * @param {State} state @param {Action} action
 * @param {Replay} replay @returns {State} */
export function reduce(state, action, replay) {
  switch (action.type) {
    case "go":
      return goTo(state, action.round ?? state.round, action.ply, replay);
    case "step":
      return step(state, action.by, action.unit, replay);
    case "look":
      return { ...state, viewer: action.viewer };
    case "set":
      return { ...state, [action.name]: action.value };
    case "tick":
      return isAtEnd(state, replay) ? { ...state, isPlaying: false } : goOn(state, replay);
    default:
      return state;
  }
}

/** @param {State} state @param {number} round @param {number} ply @param {Replay} replay @returns {State} */
function goTo(state, round, ply, replay) {
  const place = clamp(round, 0, replay.rounds.length - 1);
  return { ...state, round: place, ply: clamp(ply, 0, lastPly(replay.rounds[place])) };
}

/** Go on by a play, but stop where another player first differs.
 * @param {State} state @param {Replay} replay @returns {State} */
function goOn(state, replay) {
  const next = step(state, 1, "play", replay);
  const first = replay.rounds[state.round].beside?.differences[0] ?? -1;
  const isPassed = state.ply < first && (next.round !== state.round || next.ply >= first);
  return isPassed ? { ...state, ply: first, isPlaying: false } : next;
}

/** Go to the next difference between two players, or back to the one before, of any round.
 * @param {State} state @param {number} by 1 or -1 @param {Replay} replay @returns {State} */
function toDifference(state, by, replay) {
  const all = replay.rounds.flatMap((round, number) =>
    (round.beside?.differences ?? []).map((ply) => ({ round: number, ply })),
  );
  const isAfter = (/** @type {{round: number, ply: number}} */ place) =>
    place.round - state.round || place.ply - state.ply;
  const found = by > 0 ? all.find((place) => isAfter(place) > 0) : all.filter((place) => isAfter(place) < 0).at(-1);
  return found ? { ...state, ...found } : state;
}

/** Go on or back by a unit: round, or the next ply at which a decision, a play or a trick ends.
 * @param {State} state @param {number} by 1 or -1 @param {Stop | "round" | "difference"} unit
 * @param {Replay} replay @returns {State} */
function step(state, by, unit, replay) {
  if (unit === "difference") return toDifference(state, by, replay);
  if (unit === "round") return goTo(state, state.round + by, 0, replay);
  const round = replay.rounds[state.round];
  const stops = stopsOf(round, unit);
  const ply = by > 0 ? stops.find((stop) => stop > state.ply) : stops.filter((stop) => stop < state.ply).at(-1);
  if (ply !== undefined) return { ...state, ply };
  const next = state.round + by;
  if (next < 0 || next >= replay.rounds.length) return state;
  return goTo(state, next, by > 0 ? 0 : Infinity, replay);
}

/** Return the plies at which one can stop: the ply is the number of decisions made.
 * @param {Round} round @param {Stop} unit @returns {number[]} */
export function stopsOf(round, unit) {
  const ends = [0];
  let follows = 0;
  round.decisions.forEach((decision, ply) => {
    if ("follow" in decision) follows += 1;
    const endsTrick = "follow" in decision && follows % 3 === 0;
    const isPass = ("bid" in decision && decision.bid === null) || decision.rebel === false;
    const ends_ = { decision: true, play: !isPass, trick: endsTrick || "bury" in decision };
    if (ends_[unit]) ends.push(ply + 1);
  });
  return ends;
}

/** @param {Round} round */
export function lastPly(round) {
  return round.decisions.length;
}

/** @param {State} state @param {Replay} replay */
function isAtEnd(state, replay) {
  return state.round === replay.rounds.length - 1 && state.ply === lastPly(replay.rounds[state.round]);
}

/** Return the number of a round, everywhere the same: that in its match if matches are played, else its place here.
 * @param {Replay} replay @param {number} round */
export function numberOf(replay, round) {
  const isOfMatch = replay.rounds.some((each) => each.start.match_round > 1);
  return isOfMatch ? replay.rounds[round].start.match_round : round + replay.first_number;
}

/** Return a function that gives the open view at a ply of a round; it remembers the round under way.
 * @param {Replay} replay @returns {(round: number, ply: number) => View} */
export function viewsOf(replay) {
  let known = -1;
  /** @type {View[]} */
  let views = [];
  return (round, ply) => {
    if (round !== known) {
      known = round;
      views = [{ ...replay.rounds[round].start, match_round: numberOf(replay, round) }];
      for (const change of replay.rounds[round].changes) {
        const view = /** @type {View} */ (merged(views[views.length - 1], change));
        views.push({ ...view, match_round: views[0].match_round });
      }
    }
    return views[ply];
  };
}

/** Return the decision after which the state stands, as its viewer may hear of it; null at the beginning.
 * @param {State} state @param {Replay} replay @param {View} view @returns {Decision | null} */
export function heardDecision(state, replay, view) {
  if (state.ply === 0) return null;
  const decision = replay.rounds[state.round].decisions[state.ply - 1];
  if (state.viewer === null || decision.seat === state.viewer) return decision;
  if (("bid" in decision && decision.bid === null) || decision.rebel === false) return null;
  return "bury" in decision && view.phase !== "over" ? { ...decision, bury: null } : decision;
}

/** Return what is to be seen.
 * @param {State} state @param {(round: number, ply: number) => View} views */
export function visible(state, views) {
  return seenBy(views(state.round, state.ply), state.viewer);
}

/** Read a link to a ply, such as "#round=2&ply=35&seat=0", as actions.
 * @param {string} fragment @returns {Action[]} */
export function readLink(fragment) {
  const link = new URLSearchParams(fragment.replace(/^#/, ""));
  const readNumber = (/** @type {string} */ name) => {
    const text = link.get(name) ?? "";
    return /^-?\d{1,9}$/.test(text) ? Number(text) : null;
  };
  const [round, ply, seat, mine] = ["round", "ply", "seat", "mine"].map(readNumber);
  /** @type {Action[]} */
  const actions = [];
  if (round !== null || ply !== null) actions.push({ type: "go", round: (round ?? 1) - 1, ply: ply ?? 0 });
  if (seat !== null && seat >= -1 && seat < 4) actions.push({ type: "look", viewer: seat });
  if (mine !== null && mine >= 0 && mine < 4) actions.push({ type: "set", name: "mine", value: [mine] });
  return actions;
}

/** Return the link to where a state stands.
 * @param {State} state */
export function linkOf(state) {
  const seat = state.viewer === null ? "" : `&seat=${state.viewer}`;
  const mine = state.mine?.length ? `&mine=${state.mine[0]}` : "";
  return `#round=${state.round + 1}&ply=${state.ply}${seat}${mine}`;
}

/** @param {number} value @param {number} low @param {number} high */
function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}
