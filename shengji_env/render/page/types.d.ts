// Types of what Python writes and the page's modules read: the view, the card sheet, a replay. For `tsc` alone.

export type Seat = number;
export type Phase = "bid" | "name" | "rebel" | "bury" | "lead" | "forced" | "follow" | "over";
export type Side = "declarers" | "attackers";

/** The cards of each effective suit. */
export type Groups = { [suit: string]: string };
/** Cards by seat, "0" to "3". */
export type Plays = { [seat: string]: string };

/** `render.view.View`, which says what the fields mean. */
export interface View {
  rules: string;
  viewer: Seat | null;
  names: string[];
  match_round: number;
  phase: Phase;
  seat: Seat | null;
  levels: string[];
  level_rank: string | null;
  trump: string | null;
  declarer: Seat | null;
  takers: Seat[];
  rebellions: number;
  drawn: number;
  to_draw: number;
  tricks: number;
  attackers_points: number;
  threshold: number;
  bids: Bid[];
  hands: { [seat: string]: Hand };
  taken: string;
  trick: Trick;
  last_trick: Trick | null;
  turned: string;
  kitty: string | null;
  buried: string | null;
  buried_points: number | null;
  passed_on: Plays;
  result: Result | null;
}

export interface Bid {
  seat: Seat;
  cards: string;
}

export interface Hand {
  size: number;
  cards: Groups | null;
  known: string;
}

export interface Trick {
  leader: Seat | null;
  winning: Seat | null;
  points: number;
  plays: Plays;
  thrown: string;
}

export interface Result {
  winner: Side | null;
  levels: number;
  levels_lost: number;
  kitty_points: number;
  kitty_multiplier: number;
  next_declarer: Seat | null;
  match_over: boolean;
  match_winner: number | null;
}

/** The card sheet: `picture/glyphs.json`, `layout.json` and `words.json`. */
export interface Sheet {
  glyphs: {
    letters: { [letter: string]: [width: number, path: string] };
    shapes: { [name: string]: string };
  };
  layout: {
    themes: { [theme: string]: Colors };
    layouts: { [layout: string]: Places };
    /** What is elsewhere, in steps, where the layout follows its window: each over the one before. */
    shapes: { [layout: string]: Partial<Places>[] };
    openShapes: { [layout: string]: Partial<Places>[] };
    /** What is elsewhere with all hands open. */
    open: { [layout: string]: Partial<Places> };
  };
  words: { [language: string]: { [name: string]: string } };
}

export type CardColor = "black" | "red" | "green" | "blue";
export type GroundColor = "ink" | "signal" | "move" | Side;
export type ColorName =
  | CardColor
  | GroundColor
  | ("page" | "felt" | "line" | "soft" | "panel" | "card" | "edge" | "back" | "weave" | "win" | "plate" | "mark");
export type Colors = { [name in ColorName]: string };

export type Point = [x: number, y: number];
export type Box = [x: number, y: number, width: number, height: number];
/** A line: its middle or its left end, and how long it may be. */
export type Line = [x: number, y: number, room: number];

/** Where things are in a picture. */
export interface Places {
  size: [width: number, height: number];
  felt: Box;
  cell: [height: number, size: number];
  trump: Line;
  levels: Line;
  round: [x: number, y: number, anchor: number, size: number, room: number];
  points: Line;
  strip: number;
  seats: Spot[];
  center: Point;
  mark: number;
  text: number;
  thrown: number;
  smallCard: number;
  result: Box;
  last: Box;
  kitty: Box;
  /** Where the values of a seat's candidates are, by its place; of the lowest alone where only its hand is open. */
  values: Box[];
}

/** Where a seat's things are. */
export interface Spot {
  plate: Line;
  hand: Box;
  card: number;
  /** What shows of each card at least, where the room says so. */
  strip?: number;
  lines: "flow" | "suits" | "backs" | "count";
  play: [x: number, y: number, room: number, card: number];
}

/** `records.replays.Replay.to_json()`. */
export interface Replay {
  rules: string;
  first_number: number;
  rounds: Round[];
  settings?: Partial<import("./replay_state.js").State>;
}

export interface Round {
  table: number | null;
  start: View;
  /** What each decision changes in the view: objects are merged key by key. */
  changes: object[];
  decisions: Decision[];
  tricks: { leader: Seat; led: string; winner: Seat; points: number }[];
  result: { winner: Side | null; levels: number; attackers_points: number };
  trump: string;
  levels: string[];
  /** Who ended the deals before this one by a rebellion, in order. */
  rebels: Seat[];
  review: Review | null;
  beside: Beside | null;
}

/** `records.replays.Beside`: another player on the deal of a round. */
export interface Beside {
  name: string;
  differences: number[];
  table: Round | null;
}

/** A decision, as in records: besides the seat it has one of the others. */
export interface Decision {
  seat: Seat;
  bid?: string | null;
  /** Cards drawn by then, with a bid. */
  drawn?: number;
  name?: string;
  rebel?: boolean;
  bury?: string | null;
  lead?: string;
  forced?: string;
  follow?: string;
  /** Who decided in the place of the seat's own player. */
  by?: string;
}

/** `shengji_table.review.reviewing.review_round()`. */
export interface Review {
  by: string;
  seats: Seat[];
  decisions: number;
  summary: Summary[];
  /** Levels that seats 0 and 2 win with these cards if four champions play. */
  par: number | null;
  costly: number[];
  valued: Valued[];
  course: [ply: number, value: number][];
}

/** What the decisions of a seat come to: `shengji_table.review.summarising`. */
export interface Summary {
  seat: Seat;
  decisions: number;
  /** The share of what its decisions could have lost that they did not lose. */
  accuracy: number | null;
  lost: { bid: number; bury: number; lead: number; follow: number };
}

/** A decision, with what its candidates are worth: `render.decision_values.DecisionValues`. */
export interface Valued {
  ply: number;
  seat: Seat;
  cost: number;
  error?: number;
  options: [answer: string | null, value: number][];
  played: number | null;
  second?: number | null;
  /** Why the best candidate is better than what was played, with {A} for the one and {B} for the other. */
  why?: { en: string; zh: string };
}
