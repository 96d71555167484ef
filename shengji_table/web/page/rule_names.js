// What rule sets are called, and what their threshold means.

import { tell } from "./play_words.js";
import { rulesName } from "./preset_names.js";

/** @typedef {import("./messages.js").Welcome} Welcome
 * @typedef {import("./play_words.js").Language} Language */

/** Return a rule set in a line: its name, and what the attackers get at the threshold.
 * @param {Welcome} welcome @param {Language} language */
export function rulesLine(welcome, language) {
  const [points, levels] = welcome.threshold;
  const reached = levels ? tell(language, "reached", points, levels) : tell(language, "reachedOnly", points);
  return `${rulesName(welcome.rules, language)} · ${reached}`;
}
