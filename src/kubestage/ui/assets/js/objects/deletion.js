/** @file Deletes an object after a question. */

import { post } from "../api.js";
import { h } from "../dom.js";
import { attempt } from "../messages.js";
import * as route from "../route.js";

const POLICIES = [
  ["Background", "Delete what it owns as well, in the background"],
  ["Foreground", "Delete what it owns first"],
  ["Orphan", "Leave what it owns"],
];

/**
 * @param {import("./discovery.js").Resource} resource
 * @param {string} title
 * @param {string} path
 */
export function confirmDeletion(resource, title, path) {
  const policy = h(
    "select",
    { id: "propagation" },
    POLICIES.map(([value, text]) => h("option", { value }, text)),
  );
  const remove = async () => {
    dialog.close();
    const done = await attempt(() => post(path, { propagationPolicy: policy.value }, "DELETE"));
    if (done) route.change({ select: "" });
  };
  const dialog = h(
    "dialog",
    { className: "dialog", onclose: () => dialog.remove() },
    h("h2", {}, `Delete ${resource.kind} ${title}?`),
    h("p", {}, h("label", { for: "propagation" }, "Objects that it owns"), h("br"), policy),
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
