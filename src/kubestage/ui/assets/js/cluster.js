/** @file Keeps the model equal to the server's nodes and pods. */

import { nodeRecord, podRecord } from "./model.js";
import { Reflector } from "./watch.js";

/**
 * Follow nodes and pods.
 * @param {import("./model.js").Model} model
 * @param {(state: string) => void} onState
 */
export function follow(model, onState) {
  /** @type {Record<string, string>} */
  const states = { nodes: "loading", pods: "loading" };
  const state = (/** @type {string} */ kind) => (/** @type {string} */ now) => {
    states[kind] = now;
    const all = Object.values(states);
    onState(all.includes("lost") ? "lost" : all.includes("loading") ? "loading" : "live");
  };
  new Reflector("/api/v1/nodes", {
    state: state("nodes"),
    listed(items, isFirst, isLast) {
      if (isFirst) model.nodes.clear();
      for (const item of items) model.putNode(nodeRecord(item));
      finish(model, "nodes", isLast);
    },
    changed(type, object) {
      if (type === "DELETED") model.dropNode(object.metadata.name);
      else model.putNode(nodeRecord(object));
      model.changed();
    },
  }, undefined, true);
  new Reflector("/api/v1/pods", {
    state: state("pods"),
    listed(items, isFirst, isLast) {
      if (isFirst) model.clearPods();
      for (const item of items) model.putPod(podRecord(item));
      finish(model, "pods", isLast);
    },
    changed(type, object) {
      if (type === "DELETED") model.dropPod(`${object.metadata.namespace}/${object.metadata.name}`);
      else model.putPod(podRecord(object));
      model.changed();
    },
  }, undefined, true);
}

/** @param {import("./model.js").Model} model @param {"nodes" | "pods"} kind @param {boolean} isLast */
function finish(model, kind, isLast) {
  if (kind === "nodes") model.nodesChanged = true;
  if (isLast) model.isLoaded[kind] = true;
  model.changed();
}
