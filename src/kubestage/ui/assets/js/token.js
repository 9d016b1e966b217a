/** @file The token of a server beyond loopback: asked for once, kept while the tab is open. */

import { h } from "./dom.js";

const KEY = "kubestage.token";

/** @type {Promise<void> | null} */
let asking = null;

/** The token, or nothing. */
export const token = () => sessionStorage.getItem(KEY) ?? "";

/**
 * Ask for another token than the one that was refused; many requests wait for one answer.
 * @param {string} refused
 * @returns {Promise<void>}
 */
export function ask(refused) {
  if (token() !== refused) return Promise.resolve();
  asking ??= show(refused).finally(() => { asking = null; });
  return asking;
}

/** @param {string} refused @returns {Promise<void>} */
function show(refused) {
  return new Promise((resolve) => {
    const field = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
    const form = h("form", { method: "dialog" },
      h("h2", {}, "This server requires a token"),
      h("p", {}, refused ? "The token was refused. " : "",
        "It is in the file ", h("code", {}, "token"), " of the data directory, and was printed when it was created."),
      h("label", { for: "token" }, "Token"), field,
      h("p", { className: "actions" }, h("button", { type: "submit", className: "primary" }, "Use it")));
    const dialog = h("dialog", { className: "dialog", oncancel: (/** @type {Event} */ event) => event.preventDefault() }, form);
    form.addEventListener("submit", () => {
      sessionStorage.setItem(KEY, field.value.trim());
      dialog.remove();
      resolve();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
