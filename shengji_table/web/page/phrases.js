// What persons say to one another: fixed phrases, which stand over the table for a moment.

import { make } from "./dom.js";
import { tell } from "./play_words.js";

/** @typedef {import("./messages.js").Shown} Shown
 * @typedef {import("./play_state.js").State} State */

const PHRASES = {
  en: ["Hello!", "Well played!", "Thank you!", "Sorry!", "What a trick!", "One moment, please", "Take your time",
    "Good game!"],
  zh: ["大家好！", "打得好！", "谢谢！", "不好意思！", "真漂亮！", "请稍等", "不着急，慢慢来", "打得开心！"],
};

/** Make the place where phrases stand; return it, and what shows those that are new in a state.
 * @returns {{element: HTMLElement, show: (state: State, nameOf: (seat: number) => string) => void}} */
export function makePhrases() {
  const element = make("div", { class: "phrases", "aria-live": "polite" });
  /** @type {Shown["said"] | null} */
  let known = null;
  return {
    element,
    show: ({ server, settings }, nameOf) => {
      if (!server) return;
      const said = server.said ?? [];
      const before = known?.map(String);
      for (const [seat, phrase] of said.filter((each) => before && !before.includes(String(each)))) {
        const text = tell(settings.language, "says", nameOf(seat), PHRASES[settings.language][phrase] ?? "");
        const line = make("p", { onanimationend: () => line.remove() }, text);
        element.append(line);
      }
      known = said;
    },
  };
}

/** Return the phrases as buttons, where somebody can hear them.
 * @param {State} state @param {import("./asking.js").Doing} doing @param {() => void} close the drawer
 * @returns {HTMLElement[]} */
export function phrasePanel({ server, settings, welcome }, doing, close) {
  if ((welcome?.seat ?? -1) < 0 || (server?.persons.length ?? 0) < 2) return [];
  const buttons = PHRASES[settings.language].map((text, phrase) => {
    const say = () => {
      doing.send("say", { phrase });
      close();
    };
    return make("button", { onclick: say }, text);
  });
  const title = make("h2", {}, tell(settings.language, "phrases"));
  return [make("section", { class: "panel" }, title, make("div", { class: "tools" }, ...buttons))];
}
