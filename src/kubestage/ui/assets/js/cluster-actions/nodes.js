/** @file Adds nodes to the cluster. */

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { plainNode } from "../map/empty.js";

const MOST = 500;

/**
 * The next numbers that no node has.
 * @param {number} count
 */
async function freeNumbers(count) {
  const { items } = await get("/api/v1/nodes?limit=10000");
  const names = new Set(items.map((/** @type {any} */ node) => node.metadata.name));
  const found = [];
  for (let number = 0; found.length < count; number += 1) if (!names.has(`node-${number}`)) found.push(number);
  return found;
}

/** @param {string} id @param {string} label @param {string} value @param {any} [more] */
const field = (id, label, value, more = {}) => {
  const input = h("input", { id, value, required: true, autocomplete: "off", ...more });
  return { input, row: h("div", { className: "field" }, h("label", { for: id }, label), input) };
};

/** @returns {HTMLElement} */
export function nodesBox() {
  const count = field("node-count", "How many", "3", { type: "number", min: "1", max: String(MOST) });
  const cpu = field("node-cpu", "CPU", "8");
  const memory = field("node-memory", "Memory", "32Gi");
  const pods = field("node-pods", "Pods", "110");
  const status = h("p", { role: "status", className: "faint" });
  const add = async () => {
    status.className = "faint";
    try {
      const wanted = Math.min(Number(count.input.value), MOST);
      let done = 0;
      for (const number of await freeNumbers(wanted)) {
        const has = { cpu: cpu.input.value, memory: memory.input.value, pods: pods.input.value };
        await post("/api/v1/nodes", plainNode(number, has));
        done += 1;
        status.textContent = `${done} of ${wanted} added.`;
      }
    } catch (error) {
      status.className = "bad";
      status.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  return h(
    "section",
    { className: "box", "aria-label": "Add nodes" },
    h("h3", {}, "Add nodes"),
    h("p", { className: "faint" }, "Equal ones, in three zones by turns. For others, use “New…” among objects."),
    h(
      "form",
      {
        className: "fields",
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          add();
        },
      },
      count.row,
      cpu.row,
      memory.row,
      pods.row,
      h("p", { className: "actions" }, h("button", { type: "submit", className: "primary" }, "Add nodes")),
    ),
    status,
  );
}
