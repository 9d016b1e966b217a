/** @file What can be done with a Scenario: pause, resume, add events, end, delete. */

import { post, send } from "../api.js";
import { h } from "../dom.js";
import { attempt } from "../messages.js";
import * as route from "../route.js";
import { RESOURCE, pathOfScenario } from "./resource.js";

const CLOCK = "/kubestage/v1/clock";

/**
 * Add events; those that are there stay.
 * @param {string} name @param {any[]} events
 */
export const addEvents = (name, events) =>
  send(pathOfScenario(name), {
    method: "PATCH",
    type: "application/strategic-merge-patch+json",
    body: JSON.stringify({ spec: { events } }),
  });

/**
 * The buttons that make sense now.
 * @param {any} run @param {any} clock @param {() => void} onDone
 */
export function actions(run, clock, onDone) {
  const button = (/** @type {string} */ text, /** @type {() => Promise<any>} */ action, className = "") =>
    h(
      "button",
      {
        type: "button",
        className,
        "data-key": text,
        onclick: () =>
          attempt(async () => {
            await action();
            onDone();
          }),
      },
      text,
    );
  const link = (/** @type {string} */ text, /** @type {string} */ href) => h("a", { href, "data-key": text }, text);
  const isGoing = ["Running", "Pending"].includes(run.phase);
  const isOpen = isGoing || run.phase === "Paused";
  const isStopped = clock.mode === "paused";
  const end = {
    id: `end-${(run.step ?? 0) + 1}`,
    step: (run.step ?? 0) + 1,
    operation: "Done",
    doneOperation: { done: true },
  };
  if (!run.isThere)
    return h("p", { className: "faint" }, "Only its record is left: explanations of its pods, by their address.");
  return h(
    "p",
    { className: "actions" },
    isOpen && isStopped && button("Resume", () => post(`${CLOCK}/resume`), "primary"),
    isGoing && !isStopped && button("Pause", () => post(`${CLOCK}/pause`)),
    isOpen && link("Add events…", route.format(["scenarios", run.name], { add: "1" })),
    run.phase === "Paused" && button("End it", () => addEvents(run.name, [end])),
    link(
      "YAML",
      route.format(["objects", RESOURCE.group, RESOURCE.version, RESOURCE.plural], { select: `/${run.name}` }),
    ),
    h(
      "button",
      {
        type: "button",
        className: "danger",
        "data-key": "Delete…",
        onclick: () => confirmDeletion(run.name, isOpen),
      },
      "Delete…",
    ),
  );
}

/** @param {string} name @param {boolean} isOpen */
function confirmDeletion(name, isOpen) {
  const remove = async () => {
    dialog.close();
    await attempt(async () => {
      await send(pathOfScenario(name), { method: "DELETE" });
      location.hash = route.format(["scenarios"]);
    });
  };
  const dialog = h(
    "dialog",
    { className: "dialog", onclose: () => dialog.remove() },
    h("h2", {}, `Delete Scenario ${name}?`),
    h(
      "p",
      {},
      isOpen ? "It ends here. The cluster stays as it is now." : "Its result goes with it; the cluster stays as it is.",
    ),
    h(
      "p",
      { className: "actions" },
      h("button", { type: "button", className: "danger", onclick: remove }, "Delete"),
      h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
