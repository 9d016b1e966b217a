/** @file What the map shows before there is anything. */

import { post } from "../api.js";
import { fill, h } from "../dom.js";
import { attempt } from "../messages.js";

const ZONES = ["zone-a", "zone-b", "zone-c"];

/**
 * A node as `kubestage serve --nodes` creates it.
 * @param {number} index
 * @param {{cpu: string, memory: string, pods: string}} [has]
 */
export function plainNode(index, has = { cpu: "8", memory: "32Gi", pods: "110" }) {
  const name = `node-${index}`;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": `standard-${has.cpu}`, "topology.kubernetes.io/region": "region",
        "topology.kubernetes.io/zone": ZONES[index % ZONES.length],
      },
    },
    status: { capacity: has, allocatable: has, conditions: [{ type: "Ready", status: "True" }] },
  };
}

/** @param {HTMLElement} element @param {import("../model.js").Model} model */
export function showEmpty(element, model) {
  const isLoaded = model.isLoaded.nodes;
  element.hidden = !isLoaded || model.nodes.size > 0;
  if (element.hidden || element.childElementCount) return;
  const create = () => attempt(async () => {
    for (let index = 0; index < 5; index += 1) await post("/api/v1/nodes", plainNode(index));
  });
  fill(element,
    h("h2", {}, "No nodes yet"),
    h("p", {}, "Pods need nodes. Start the server with some:"),
    h("pre", {}, "kubestage serve --nodes 5"),
    h("p", {}, "or create them here, as equal ones in three zones:"),
    h("p", {}, h("button", { type: "button", className: "primary", onclick: create }, "Create five nodes")),
    h("p", { className: "faint" }, "Then, in a terminal: ", h("code", {}, "kubectl create deployment web --image=nginx --replicas=3")));
}
