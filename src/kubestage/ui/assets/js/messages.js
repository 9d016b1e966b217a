/** @file Messages that appear for a while. */

import { byId, h } from "./dom.js";

const SHOWN_MS = 8000;

/** @param {string} text */
export function show(text) {
  const message = h("p", { className: "message" }, text,
    h("button", { type: "button", className: "quiet", "aria-label": "Close", onclick: () => message.remove() }, "×"));
  byId("messages").append(message);
  setTimeout(() => message.remove(), SHOWN_MS);
}

/**
 * Run something, and show the words of the server if it refuses.
 * @param {() => Promise<any>} action
 */
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    show(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
