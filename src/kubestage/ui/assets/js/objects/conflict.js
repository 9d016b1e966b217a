/** @file Somebody else has changed the object that is edited: what they changed, and ways to go on. */

import { fill, h } from "../dom.js";
import { merge, view } from "../text/difference.js";

/**
 * @param {HTMLElement} element
 * @param {string} base the text with which the user began
 * @param {string} mine the user's text now
 * @param {string} theirs the object as it is now
 * @param {(text: string) => void} onChoice
 */
export function showConflict(element, base, mine, theirs, onChoice) {
  const both = merge(base, mine, theirs);
  const version = /^ {2}resourceVersion:.*$/m;
  // With their version, the text replaces whatever they have written.
  const overwriting = mine.replace(version, version.exec(theirs)?.[0] ?? "");
  const button = (/** @type {string} */ text, /** @type {string} */ className, /** @type {string} */ chosen) =>
    h("button", { type: "button", className, onclick: () => onChoice(chosen) }, text);
  fill(
    element,
    h("h3", {}, "Somebody else has changed it meanwhile"),
    h(
      "p",
      {},
      both === null
        ? "You have both changed the same lines. Your text is kept until you choose."
        : "Your text is kept. Their changes and yours do not touch each other.",
    ),
    view(base, theirs, "What they changed"),
    h(
      "p",
      { className: "actions" },
      both !== null && button("Use both changes", "primary", both),
      button("Keep mine, overwrite theirs", both === null ? "primary" : "", overwriting),
      button("Take theirs, drop mine", "danger", theirs),
    ),
  );
  /** @type {any} */ (element.querySelector("button"))?.focus();
}
