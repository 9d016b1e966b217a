/** @file Which workload a pod is of. */

import { selectionOf } from "../route.js";

/**
 * The groups of kinds that create pods.
 * @type {Record<string, string>}
 */
const GROUPS = {
  Deployment: "apps", ReplicaSet: "apps", StatefulSet: "apps", DaemonSet: "apps", Job: "batch", CronJob: "batch",
  ReplicationController: "",
};
const HASH = "pod-template-hash";

/**
 * @typedef {Object} Workload
 * @property {string} kind @property {string} namespace @property {string} name
 * @property {string} address of its panel
 */

/**
 * The workload that an owner stands for: the Deployment, if the hash of its template says that there is one.
 * @param {string} namespace @param {string} owner such as ReplicaSet/web-5d4
 * @param {Record<string, string>} labels of the pod
 * @returns {Workload | null}
 */
export function workloadOf(namespace, owner, labels) {
  const [kind, name] = owner.split("/");
  if (!(kind in GROUPS)) return null;
  const hash = labels[HASH];
  const isDeployed = kind === "ReplicaSet" && hash && name.endsWith(`-${hash}`);
  if (!isDeployed) return workload(kind, namespace, name);
  return workload("Deployment", namespace, name.slice(0, -hash.length - 1));
}

/** @param {string} kind @param {string} namespace @param {string} name @returns {Workload} */
export const workload = (kind, namespace, name) => ({
  kind, namespace, name, address: selectionOf("workload", [GROUPS[kind] ?? "", kind, namespace, name].join("/")),
});

/**
 * The workloads of the pods that match the filter.
 * @param {import("../model.js").Model} model @param {number} most @returns {Workload[]}
 */
export function workloads(model, most) {
  /** @type {Map<string, Workload>} */
  const found = new Map();
  for (const pod of model.pods.values()) {
    const one = pod.isMatch && workloadOf(pod.namespace, pod.owner, pod.labels);
    if (one) found.set(one.address, one);
    if (found.size === most) break;
  }
  return [...found.values()];
}
