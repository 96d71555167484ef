// Types of the messages, as `web/messages.py` explains them. For `tsc` alone.

import { Phase, Seat, Side, View } from "./types.js";

/** What a message to the server may hold. */
export interface Fields {
  move?: number;
  standing?: number;
  cards?: string;
  on?: boolean;
  seat?: Seat;
  name?: string;
  phrase?: number;
}
export type Sent =
  | ("choose" | "play" | "bid" | "done" | "hint" | "auto" | "replay" | "say")
  | ("start" | "replace" | "release" | "back" | "take" | "watch");
/** Returns whether it could be sent. */
export type Send = (type: Sent, fields?: Fields) => boolean;

/** What the server sends. */
export type Message = Welcome | Shown | Extend | Hint | Accepted | Refused | ReplayLink | Compiling | Lobby | Seated;

export interface Welcome {
  type: "welcome";
  version: number;
  seat: Seat;
  names: string[];
  rules: string;
  adviser: string;
  substitute: string;
  evening: string;
  threshold: [points: number, levels: number];
  lesson: boolean;
}

/** Everything that a viewer sees now. */
export interface Shown {
  type: "state";
  move: number;
  view: View;
  ask: Ask | null;
  window: number | null;
  persons: Seat[];
  away: Seat[];
  free: Seat[];
  waiting: Seat[];
  substituted: Seat[];
  done: Seat[];
  redealt: "no_bid" | "rebellion" | "";
  auto: boolean;
  sheet: Score[];
  fault: "" | "player" | "server";
  unseen: string | null;
  said: [seat: Seat, phrase: number, count: number][];
}

/** `web.messages.Ask`. */
export interface Ask {
  kind: Exclude<Phase, "over"> | "next";
  size: number | null;
  options: string[];
  wish: string;
  is_done: boolean;
  is_forced: boolean;
  kitty: string;
  components: Component[];
}
export type Component = [width: number, length: number];

/** A line of the score sheet. */
export interface Score {
  round: number;
  levels: string[];
  trump: string;
  level_rank: string;
  declarer: Seat;
  points: number;
  taken: number[];
  winner: Side | null;
  rise: number;
  new_levels: string[];
  match_winner: number | null;
  match_over: boolean;
}

export type Reason = "other_suit" | "no_component" | "enough" | "owes_suit" | "owes";

export interface Extend {
  type: "extend";
  move: number;
  cards: string;
  is_whole: boolean;
  reasons: Reasons;
  owed: Owed[];
  size: number | null;
  wrong: [card: string, reason: Reason][];
  forced: string;
}
export type Reasons = { [card: string]: Reason | null };
export type Owed = [width: number, length: number];

export interface Hint {
  type: "hint";
  move: number;
  cards: string;
  /** What the cards say of it, with {A} for the hint. */
  why: { en: string; zh: string } | null;
  components: Component[];
}

export interface Accepted {
  type: "accepted";
  move: number;
}

/** Keys of `web.refusals.REFUSALS`. */
export type RefusalCode =
  | "watching" | "unknown" | "not_now" | "no_bids" | "other_bid" | "no_bid" | "no_answer" | "too_often" | "no_hint" | "no_round"
  | "unread" | "player" | "too_few" | "illegal" | "substituted" | "not_substituted" | "has_substitute" | "not_away"
  | "is_free" | "begun" | "not_begun" | "no_seat" | "guest" | "unvalued";

export interface Refused {
  type: "refused";
  move: number;
  reason: string;
  code: RefusalCode | Reason;
  cards: string;
}

export interface ReplayLink {
  type: "replay";
  path: string;
}

export interface Compiling {
  type: "compiling";
  done: number;
  total: number;
}

/** A seat, as guests see it. */
export interface LobbySeat {
  seat: Seat;
  name: string;
  is_free: boolean;
  is_here: boolean;
  is_person: boolean;
}

export interface Lobby {
  type: "lobby";
  rules: string;
  substitute: string;
  seats: LobbySeat[];
  has_begun: boolean;
}

export interface Seated {
  type: "seated";
  link: string;
}

/** `web.evening.Evening`. */
export interface Evening {
  rules: string;
  names: string[];
  substitute: string;
  rounds: EveningRound[];
  players: EveningPlayer[];
}

export interface EveningRound extends Score {
  number: number;
  names: string[];
  lost: number[] | null;
  substituted: { [seat: string]: number };
}

export interface EveningPlayer {
  name: string;
  rounds: number;
  won: number;
  levels: number;
  lost: number | null;
  accuracy: number | null;
}

/** `web.puzzle_desk.ListedPuzzle`. */
export interface ListedPuzzle {
  key: string;
  rules: string;
  level: 1 | 2 | 3;
  theme: "penalty" | "trick" | "last" | "declarer" | "trumps" | "winners" | "pairs" | "later" | "many";
}

/** `web.puzzle_desk.Solution`. */
export interface Solution {
  options: [answer: string | null, value: number][];
  played: number;
  loss: number;
  other: string | null;
  why: { en: string; zh: string };
}

/** `season.verdict.Against`. */
export interface SeasonAgainst {
  player: string;
  made: number[];
  difference: number | null;
  interval: [low: number, high: number] | null;
}

/** `season.verdict.SeasonShown`. */
export interface SeasonShown {
  deals: number;
  block: number;
  others: string;
  made: number[];
  players: SeasonAgainst[];
}
