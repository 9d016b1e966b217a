/** @file Settings of Scenarios, and of what is reported of scheduling. */

import { get, post } from "../api.js";
import { choice, h } from "../dom.js";

const PATH = "/kubestage/v1/settings";

/** @returns {Promise<HTMLElement>} */
export async function settingsBox() {
  const status = h("p", { role: "status", className: "faint" });
  const change = async (/** @type {any} */ changes) => {
    try {
      await post(PATH, changes, "PATCH");
      status.className = "good";
      status.textContent = "Changed.";
    } catch (error) {
      status.className = "bad";
      status.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const field = (/** @type {string} */ label, /** @type {any} */ input) =>
    h("div", { className: "field" }, h("span", {}, label), input);
  const frame = (/** @type {any[]} */ ...content) =>
    h("section", { className: "box", "aria-label": "Settings" }, h("h3", {}, "Settings"), ...content);
  try {
    const found = await get(PATH);
    const annotate = h("input", {
      type: "checkbox",
      checked: found.resultAnnotations,
      onchange: () => change({ resultAnnotations: annotate.checked }),
    });
    const components = Object.entries(found.components ?? {}).map(([name, value]) => `${name}=${value}`);
    return frame(
      h(
        "p",
        { className: "faint" },
        "Those of Scenarios hold for Scenarios that start later and do not choose for themselves.",
      ),
      h(
        "div",
        { className: "fields" },
        field(
          "Kept of each attempt",
          choice(
            "Kept of each attempt",
            [
              ["summary", "nothing"],
              ["decisions", "a row"],
              ["full", "all verdicts and scores"],
            ],
            found.detail,
            (detail) => change({ detail }),
          ),
        ),
        field(
          "Result is written",
          choice(
            "Result is written",
            [
              ["AtMovingNextStep", "after each step"],
              ["OnPause", "when paused or ended"],
              ["OnDone", "when ended"],
            ],
            found.resultStrategy,
            (resultStrategy) => change({ resultStrategy }),
          ),
        ),
        h("label", {}, annotate, " results as annotations of pods, as kube-scheduler-simulator has them"),
      ),
      components.length > 0 && h("p", { className: "faint" }, `The server was started with ${components.join(", ")}.`),
      status,
    );
  } catch (error) {
    return frame(h("p", { className: "faint" }, error instanceof Error ? error.message : String(error)));
  }
}
