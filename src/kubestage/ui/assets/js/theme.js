/** @file Light or dark: as the system has it, unless the user chose. */

const KEY = "kubestage.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => {
  const chosen = localStorage.getItem(KEY);
  return chosen ? chosen === "dark" : dark.matches;
};

/** @param {HTMLElement} button @param {() => void} onChange */
export function start(button, onChange) {
  const apply = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Use the ${isDark() ? "light" : "dark"} theme`);
    onChange();
  };
  button.addEventListener("click", () => {
    localStorage.setItem(KEY, isDark() ? "light" : "dark");
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
}
