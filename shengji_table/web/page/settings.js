// What a person has set: kept in the browser, and shared by all pages.

const SAVED = "shengji-settings";

/** @typedef {import("./play_state.js").Settings} Settings */

/** Return what was set last, or else what the browser says.
 * @returns {Settings} */
export function savedSettings() {
  /** @type {Settings} */
  const first = {
    theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    language: navigator.language.startsWith("zh") ? "zh" : "en", four_colors: false, order: "down", animations: true,
    notices: true, forced: true, counter: false,
  };
  try {
    return { ...first, ...JSON.parse(localStorage.getItem(SAVED) ?? "{}") };
  } catch {
    return first;
  }
}

/** @param {Settings} settings */
export function saveSettings(settings) {
  localStorage.setItem(SAVED, JSON.stringify(settings));
}

/** Let the page look as it was set.
 * @param {Settings} settings */
export function applySettings(settings) {
  document.documentElement.dataset.theme = settings.theme;
  document.documentElement.lang = settings.language === "zh" ? "zh-Hans" : "en";
}
