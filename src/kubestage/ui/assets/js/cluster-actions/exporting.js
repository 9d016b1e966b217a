/** @file Saves all objects of the cluster to a file. */

import { send } from "../api.js";
import { h } from "../dom.js";
import { attempt } from "../messages.js";

/** @param {string} name @param {string} text @param {string} type */
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** @returns {HTMLElement} */
export function exportBox() {
  const save = (/** @type {string} */ format, /** @type {string} */ accept, /** @type {string} */ name) =>
    attempt(async () => {
      const text = await (await send(`/kubestage/v1/export?format=${format}`, { accept })).text();
      download(name, text, accept);
    });
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) =>
    h("button", { type: "button", onclick }, text);
  return h(
    "section",
    { className: "box", "aria-label": "Export" },
    h("h3", {}, "Export"),
    h(
      "p",
      { className: "faint" },
      "All objects with their status, without Events, Leases and Scenarios. For an import, or for kubestage run.",
    ),
    h(
      "p",
      { className: "actions" },
      button("YAML", () => save("list", "application/yaml", "cluster.yaml")),
      button("JSON", () => save("list", "application/json", "cluster.json")),
      button("kube-scheduler-simulator", () => save("kss", "application/json", "simulator.json")),
    ),
  );
}
