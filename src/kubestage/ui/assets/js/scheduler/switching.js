/** @file Asks before another scheduler takes over: what changes, and what that does to a Scenario. */

import { h } from "../dom.js";
import { view } from "../text/difference.js";

/**
 * @param {string} before @param {string} after configurations with all defaults
 * @param {string | null} scenario the one that runs or is paused
 * @param {() => void} onSwitch
 */
export function confirmSwitch(before, after, scenario, onSwitch) {
  const dialog = h(
    "dialog",
    { className: "dialog wide", onclose: () => dialog.remove() },
    h("h2", {}, "Switch to this configuration?"),
    view(before, after, "What changes"),
    h(
      "p",
      {},
      "A scheduler of the new configuration takes over. Pods stay where they are; those that wait are tried again.",
    ),
    scenario &&
      h(
        "p",
        { className: "bad" },
        `Scenario ${scenario} will fail: its result would come from two different schedulers.`,
      ),
    h(
      "p",
      { className: "actions" },
      h(
        "button",
        {
          type: "button",
          className: "primary",
          onclick: () => {
            dialog.close();
            onSwitch();
          },
        },
        "Switch",
      ),
      h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
