// A bot in one file, with nothing but Node: shengji arena 'exec:node docs/bots/simple.js' greedy
//
// It leads its highest plain card, never bids, and otherwise gives the legal answer that comes with every question.

const RANKS = "23456789TJQKA";
let hand = [];
let trick = [];
let seat = 0;
let isTrump = () => false;

const words = (cards) => cards.split(" ").filter((card) => card);
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

function drop(cards) {
  for (const card of words(cards)) hand.splice(hand.indexOf(card), 1);
}

function decide(question) {
  const plain = hand.filter((card) => !isTrump(card));
  if (question.kind !== "lead" || !plain.length) return question.legal;
  return plain.reduce((best, card) => (RANKS.indexOf(card[1]) > RANKS.indexOf(best[1]) ? card : best));
}

const hear = {
  hello: () => say({ type: "ready", protocol: 2 }),
  round: (message) => ([seat, hand, trick] = [message.seat, [], []]),
  draw: (message) => hand.push(...words(message.cards)),
  kitty: (message) => hand.push(...words(message.cards)),
  trumps: ({ trump, level_rank }) =>
    (isTrump = (card) => card === "LJ" || card === "BJ" || card[0] === trump || card[1] === level_rank),
  bury: (message) => message.bury && drop(message.bury),
  lead: (message) => (trick[message.seat] = message.lead),
  led: (message) => (trick[message.seat] = message.led), // a throw has failed: the other cards went back
  follow: (message) => (trick[message.seat] = message.follow),
  trick: () => {
    drop(trick[seat]);
    trick = [];
  },
  decide: (message) => say({ type: "play", move: message.move, cards: decide(message) }),
  end: () => process.exit(),
};

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    hear[message.type]?.(message);
  });
