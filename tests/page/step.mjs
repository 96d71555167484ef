// Steps through a replay with the page's reducer, for tests: reads {replay, state, actions} from standard input, writes
// the states, and the link to each as the page reads it back.

import { readFileSync } from "node:fs";

const [, , folder] = process.argv;
const { linkOf, readLink, reduce, stopsOf } = await import(`${folder}/replay_state.js`);

const { replay, state, actions } = JSON.parse(readFileSync(0, "utf8"));
const states = [];
let now = state;
for (const action of actions) {
  now = reduce(now, action, replay);
  const read = readLink(linkOf(now)).reduce((before, next) => reduce(before, next, replay), state);
  states.push({ ...now, link: [read.round, read.ply, read.viewer] });
}
const stops = replay.rounds.map((round) => ["decision", "play", "trick"].map((unit) => stopsOf(round, unit)));
process.stdout.write(JSON.stringify({ states, stops }));
