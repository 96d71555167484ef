// Lets a submission to the contest ChannonTian/80fen-contest (its README, §2 and §3) play here:
// shengji arena 'exec:node docs/bots/contest.js PATH/TO/index.js?name=who' heuristic --rules contest --deals 10
//
// Where it has no method or no answer, the legal answer plays that comes with every question; there it would cost points.
// Then, and where it bids what is no bid, the arena is told that the decision is not its own.
// What it prints goes to standard error.

const bot = require(require("path").resolve(process.argv[2]))();
const RANKS = "23456789TJQKA";
const JOKERS = { 15: "LJ", 16: "BJ" };
const STRENGTHS = [(card) => card, (card) => `${card} ${card}`, () => "LJ LJ", () => "BJ BJ"];

const words = (text) => text.split(" ").filter((word) => word);
const word = ({ suit, rank }) => JOKERS[rank] ?? suit + RANKS[rank - 2];
const rankOf = (name) => RANKS.indexOf(name) + 2;
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
console.log = console.error;

function deck() {
  const ranks = [...RANKS].map(rankOf);
  const cards = [..."SHDC"].flatMap((suit) => ranks.map((rank) => ({ suit, rank })));
  cards.push({ suit: "X", rank: 15 }, { suit: "X", rank: 16 });
  return [...cards, ...cards].map((card, id) => Object.freeze({ ...card, id }));
}

let free, hand, view, answered;
const defended = [-1, -1]; // the highest level at which each team has declared and held

// Cards by their text; those that the submission has named itself come first.
function take(text, from) {
  return words(text).map((name) => {
    const card = [...answered, ...from].find((each) => from.includes(each) && word(each) === name);
    if (!card) throw new Error(`${name} is not there`);
    return from.splice(from.indexOf(card), 1)[0];
  });
}

function play(seat, text) {
  view.history.push({ seat, cards: take(text, seat === view.seat ? hand : free) });
}

const hear = {
  round({ seat, levels, declarer, first_drawer, match_round }) {
    [free, hand, answered] = [deck(), [], []];
    if (match_round === 0) defended.fill(-1);
    const numbers = levels.map(rankOf);
    view = {
      seat, myTeam: seat % 2, levels: numbers, dealer: declarer ?? -1, dealerKnown: declarer !== null,
      firstTaker: first_drawer, round: match_round, played: [...defended], gates: [2, 5, 10, 13], kittySize: 8,
      trumpRank: numbers[(declarer ?? seat) % 2], trump: null, declSeat: -1, curDecl: null, rebelHappened: false,
      history: [], buriedKnown: [],
    };
  },
  draw: ({ cards }) => hand.push(...take(cards, free)),
  kitty: ({ cards }) => hand.push(...take(cards, free)),
  bid({ seat, bid }) {
    const strength = bid[1] === "J" && "LB".includes(bid[0]) ? (bid[0] === "L" ? 3 : 4) : words(bid).length;
    view.curDecl = { seat, suit: strength > 2 ? null : bid[0], strength };
    view.rebelHappened ||= strength > 2;
  },
  trumps({ trump, level_rank, declarer }) {
    view.trumpRank = rankOf(level_rank);
    view.trump = { suit: trump === "NT" ? null : trump, rank: view.trumpRank };
    view.declSeat = declarer;
  },
  bury: ({ bury }) => bury && (view.buriedKnown = take(bury, hand)),
  lead: ({ seat, lead }) => play(seat, lead),
  follow: ({ seat, follow }) => play(seat, follow),
  led({ seat, led }) {
    const thrown = view.history.pop().cards;
    (seat === view.seat ? hand : free).push(...thrown);
    play(seat, led);
  },
  result({ result }) {
    const team = view.declSeat % 2;
    if (result.winner === "declarers") defended[team] = Math.max(defended[team], view.trumpRank);
  },
};

function rebelReason() {
  const isTrump = ({ suit, rank }) => suit === "X" || rank === view.trumpRank || suit === view.trump.suit;
  const pts = hand.reduce((sum, { rank }) => sum + ({ 5: 5, 10: 10, 13: 10 }[rank] ?? 0), 0);
  const nT = hand.filter(isTrump).length;
  return { pts, nT, byPts: pts <= 15, byTrump: nT <= 3 };
}

function seen(phase, more = {}) {
  const now = { hand: Object.freeze([...hand]), history: Object.freeze([...view.history]) };
  return Object.freeze({ ...view, ...now, phase, ...more });
}

function cardsOf(answer) {
  if (!answer) return undefined;
  answered = (answer.cards ?? answer).map(({ id }) => hand.find((card) => card.id === id) ?? { suit: "?", rank: 2 });
  return answered.map(word).join(" ");
}

const decide = {
  bid() {
    const bid = bot.onDeal?.(seen("deal"));
    return bid ? STRENGTHS[bid.strength - 1](bid.suit + RANKS[view.trumpRank - 2]) : "";
  },
  rebel: () => (bot.onRebel?.(seen("rebel", { rebelReason: rebelReason() })) ? "rebel" : ""),
  bury: () => cardsOf(bot.discard?.(seen("discard"))),
  lead: () => cardsOf(bot.lead?.(seen("lead", { trickNo: view.history.length / 4 }))),
  follow() {
    const trickNo = Math.floor(view.history.length / 4);
    return cardsOf(bot.follow?.(seen("follow", { trickNo }), view.history.slice(4 * trickNo)));
  },
};

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    hear[message.type]?.(message);
    if (message.type === "hello") say({ type: "ready", protocol: 2 });
    if (message.type === "decide") {
      let cards = decide[message.kind]?.();
      const own = cards !== undefined && (message.kind !== "bid" || ["", ...message.options].includes(cards));
      if (!own) cards = message.legal; // a bid that beats nothing is none
      say({ type: "play", move: message.move, cards, own });
    }
    if (message.type === "end") process.exit();
  });
