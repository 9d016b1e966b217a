/** @file Empties the cluster, after a question that says what is lost. */

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { attempt } from "../messages.js";

/**
 * How many there are of a collection.
 * @param {string} path
 */
async function count(path) {
  const page = await get(`${path}?limit=1`);
  return page.items.length + (page.metadata.remainingItemCount ?? 0);
}

/** @param {HTMLElement} status */
async function ask(status) {
  const counted = await Promise.all(
    [
      ["nodes", "/api/v1/nodes"],
      ["pods", "/api/v1/pods"],
      ["Deployments", "/apis/apps/v1/deployments"],
    ].map(async ([name, path]) => `${await count(path)} ${name}`),
  );
  const { scenario } = await get("/kubestage/v1/clock");
  const empty = () =>
    attempt(async () => {
      dialog.close();
      const { removed } = await post("/kubestage/v1/reset");
      status.textContent = `${removed} objects were removed.`;
    });
  const dialog = h(
    "dialog",
    { className: "dialog", onclose: () => dialog.remove() },
    h("h2", {}, "Empty the cluster?"),
    h(
      "p",
      {},
      `Every object is removed: ${counted.join(", ")}, and all others. This cannot be undone; an export before it can.`,
    ),
    scenario && h("p", { className: "bad" }, `Scenario ${scenario} fails, and is removed.`),
    h(
      "p",
      { className: "faint" },
      "What every cluster has stays (namespaces, priority classes), and so do time and scheduler.",
    ),
    h(
      "p",
      { className: "actions" },
      h("button", { type: "button", className: "danger", onclick: empty }, "Empty it"),
      h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** @returns {HTMLElement} */
export function resetBox() {
  const status = h("p", { role: "status", className: "good" });
  return h(
    "section",
    { className: "box", "aria-label": "Reset" },
    h("h3", {}, "Reset"),
    h("p", { className: "faint" }, "Remove every object, without grace periods and finalizers."),
    h(
      "p",
      { className: "actions" },
      h("button", { type: "button", className: "danger", onclick: () => attempt(() => ask(status)) }, "Reset…"),
    ),
    status,
  );
}
