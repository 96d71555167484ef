// Types of the messages, as `web/messages.py` explains them. For `tsc` alone.

import { Phase, Seat, Side, View } from "./types.js";

/** What a message to the server may hold. */
export interface Fields {
  move?: number;
  standing?: number;
  cards?: string;
  on?: boolean;
}
export type Sent = "choose" | "play" | "bid" | "done" | "hint" | "auto" | "replay";
export type Send = (type: Sent, fields?: Fields) => void;

/** What the server sends. */
export type Message = Welcome | Shown | Extend | Hint | Accepted | Refused | ReplayLink;

export interface Welcome {
  type: "welcome";
  version: number;
  seat: Seat;
  names: string[];
  rules: string;
  adviser: string;
  unlearned: string[];
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
  auto: boolean;
  sheet: Score[];
  fault: string;
}

/** `web.messages.Ask`. */
export interface Ask {
  kind: Exclude<Phase, "over"> | "next";
  size: number | null;
  options: string[];
  wish: string;
  is_done: boolean;
  is_forced: boolean;
}

/** A line of the score sheet. */
export interface Score {
  round: number;
  levels: string[];
  trump: string;
  level_rank: string;
  declarer: Seat;
  points: number;
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
  reasons: { [card: string]: Reason | null };
  owed: Owed[];
  size: number | null;
}
export type Owed = [width: number, length: number];

export interface Hint {
  type: "hint";
  move: number;
  cards: string;
}

export interface Accepted {
  type: "accepted";
  move: number;
}

export interface Refused {
  type: "refused";
  move: number;
  reason: string;
}

export interface ReplayLink {
  type: "replay";
  path: string;
}
