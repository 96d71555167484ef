// A drawer at the side of the page, over the table: the settings and the score sheet.

import { make } from "./dom.js";

/** @typedef {{element: HTMLElement, toggle: (name: string, sign: string) => HTMLElement,
 *   open: () => void, close: () => void, show: (title: string, close: string) => void}} Drawer */

/** Make the drawer; `toggle` makes a button that opens and closes it, with a sign or its title on it.
 * @param {...HTMLElement} content what it holds @returns {Drawer} */
export function makeDrawer(...content) {
  const title = make("h2", {});
  const closer = make("button", { class: "closer", type: "button" }, "×");
  const head = make("div", { class: "drawer-head" }, title, closer);
  const element = make("aside", { class: "drawer", id: "drawer", tabindex: 0, hidden: true }, head, ...content);
  /** @type {{made: HTMLElement, sign: string}[]} */
  const toggles = [];
  const set = (/** @type {boolean} */ isOpen) => {
    element.hidden = !isOpen;
    for (const { made } of toggles) made.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) closer.focus();
  };
  closer.addEventListener("click", () => set(false));
  // While it is open, keys are not for the cards behind it.
  const hear = (/** @type {KeyboardEvent} */ event) => {
    if (element.hidden) return;
    if (event.key === "Escape") set(false);
    event.stopPropagation();
  };
  document.addEventListener("keydown", hear, true);
  return {
    element,
    open: () => set(true),
    close: () => set(false),
    toggle: (name, sign) => {
      const says = { "aria-controls": "drawer", "aria-expanded": "false" };
      const made = make("button", { class: `toggle ${name}`, ...says }, sign);
      made.addEventListener("click", () => set(element.hidden === true));
      toggles.push({ made, sign });
      return made;
    },
    show: (name, close) => {
      title.replaceChildren(name);
      element.setAttribute("aria-label", name);
      closer.setAttribute("aria-label", close);
      for (const { made, sign } of toggles) {
        made.setAttribute("aria-label", name);
        if (!sign) made.replaceChildren(name);
      }
    },
  };
}
