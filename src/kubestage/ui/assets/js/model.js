/** @file The cluster as the map needs it: a small record of each node and pod, and who is where. */

import { parse, requested } from "./quantities.js";

/** The first of these labels names the pool of a node. */
const POOL_LABELS = [
  "kubestage.dev/node-group", "karpenter.sh/nodepool", "cloud.google.com/gke-nodepool",
  "eks.amazonaws.com/nodegroup", "kubernetes.azure.com/agentpool", "agentpool",
];
const ZONE = "topology.kubernetes.io/zone";
export const RESOURCES = ["cpu", "memory", "pods"];

/**
 * @typedef {Object} PodRecord
 * @property {string} key @property {string} namespace @property {string} name
 * @property {string} node @property {string} phase @property {string} owner
 * @property {number} priority @property {string} profile @property {string} version
 * @property {Record<string, string>} labels @property {Record<string, number>} requests
 * @property {boolean} isMatch
 *
 * @typedef {Object} NodeRecord
 * @property {string} name @property {string} zone @property {string} pool
 * @property {Record<string, string>} labels @property {Record<string, number>} allocatable
 * @property {boolean} isReady @property {boolean} isCordoned @property {string} version
 * @property {boolean} isMatch
 */

/** @param {any} pod @returns {PodRecord} */
export function podRecord(pod) {
  const { metadata, spec, status } = pod;
  const owner = metadata.ownerReferences?.find((/** @type {any} */ each) => each.controller);
  return {
    key: `${metadata.namespace}/${metadata.name}`,
    namespace: metadata.namespace,
    name: metadata.name,
    node: spec.nodeName ?? "",
    phase: metadata.deletionTimestamp ? "Terminating" : status?.phase ?? "Pending",
    owner: owner ? `${owner.kind}/${owner.name}` : "",
    priority: spec.priority ?? 0,
    profile: spec.schedulerName ?? "",
    version: metadata.resourceVersion,
    labels: metadata.labels ?? {},
    requests: { cpu: requested(spec, "cpu"), memory: requested(spec, "memory"), pods: 1 },
    isMatch: true,
  };
}

/** @param {any} node @returns {NodeRecord} */
export function nodeRecord(node) {
  const { metadata, spec, status } = node;
  const labels = metadata.labels ?? {};
  const pool = POOL_LABELS.find((label) => labels[label]);
  const ready = status?.conditions?.find((/** @type {any} */ each) => each.type === "Ready");
  /** @type {Record<string, number>} */
  const allocatable = {};
  for (const resource of RESOURCES) allocatable[resource] = parse(status?.allocatable?.[resource]);
  return {
    name: metadata.name,
    zone: labels[ZONE] ?? "",
    pool: pool ? labels[pool] : "",
    labels,
    allocatable,
    isReady: ready?.status === "True",
    isCordoned: Boolean(spec?.unschedulable),
    version: metadata.resourceVersion,
    isMatch: true,
  };
}

/**
 * Whether a pod has ended, so that its node is free of it.
 * @param {PodRecord} pod
 */
const isOver = (pod) => pod.phase === "Succeeded" || pod.phase === "Failed";

/** All nodes and pods; those who read it are called after each change. */
export class Model {
  constructor() {
    /** @type {Map<string, PodRecord>} */
    this.pods = new Map();
    /** @type {Map<string, NodeRecord>} */
    this.nodes = new Map();
    /** @type {Map<string, Map<string, PodRecord>>} */
    this.placed = new Map();
    /** @type {Map<string, PodRecord>} */
    this.unplaced = new Map();
    /**
     * Nodes whose pods have changed, for the layout.
     * @type {Set<string>}
     */
    this.touched = new Set();
    this.nodesChanged = true;
    /**
     * What is looked for, if anything.
     * @type {import("./map/filter.js").Filter | null}
     */
    this.filter = null;
    this.revision = 0;
    this.isLoaded = { pods: false, nodes: false };
    /** @type {(() => void)[]} */
    this.listeners = [];
  }

  /** @param {() => void} listener */
  subscribe(listener) { this.listeners.push(listener); }

  changed() {
    this.revision += 1;
    for (const listener of this.listeners) listener();
  }

  /** @param {NodeRecord} node */
  putNode(node) {
    const before = this.nodes.get(node.name);
    node.isMatch = !this.filter || this.filter.node(node);
    this.nodes.set(node.name, node);
    // A heartbeat moves nothing.
    if (!before || isMoved(before, node)) this.nodesChanged = true;
    else if (before.isReady !== node.isReady || before.isCordoned !== node.isCordoned) this.touched.add(node.name);
  }

  /** @param {string} name */
  dropNode(name) {
    if (this.nodes.delete(name)) this.nodesChanged = true;
  }

  /** @param {PodRecord} pod */
  putPod(pod) {
    this.dropPod(pod.key);
    this.pods.set(pod.key, pod);
    pod.isMatch = !this.filter || this.filter.pod(pod);
    if (isOver(pod)) return;
    if (!pod.node) {
      this.unplaced.set(pod.key, pod);
      return;
    }
    let there = this.placed.get(pod.node);
    if (!there) this.placed.set(pod.node, there = new Map());
    there.set(pod.key, pod);
    this.touched.add(pod.node);
  }

  /** @param {string} key */
  dropPod(key) {
    const pod = this.pods.get(key);
    if (!pod) return;
    this.pods.delete(key);
    this.unplaced.delete(key);
    if (this.placed.get(pod.node)?.delete(key)) this.touched.add(pod.node);
  }

  clearPods() {
    for (const name of this.placed.keys()) this.touched.add(name);
    this.pods.clear();
    this.placed.clear();
    this.unplaced.clear();
  }

  /**
   * The pods that fill a node, in the order in which they are drawn.
   * @param {string} node @returns {PodRecord[]}
   */
  podsOn(node) {
    const there = [...(this.placed.get(node)?.values() ?? [])];
    return there.sort((a, b) => compare(a.namespace, b.namespace) || compare(a.owner, b.owner) || compare(a.name, b.name));
  }

  /**
   * How much of a node is requested.
   * @param {string} node @param {string} resource
   */
  requestedOn(node, resource) {
    let sum = 0;
    for (const pod of this.placed.get(node)?.values() ?? []) sum += pod.requests[resource];
    return sum;
  }
}

/** @param {NodeRecord} a @param {NodeRecord} b */
function isMoved(a, b) {
  if (a.zone !== b.zone || a.pool !== b.pool) return true;
  return isOther(a.allocatable, b.allocatable) || isOther(a.labels, b.labels);
}

/** @param {Record<string, any>} a @param {Record<string, any>} b */
function isOther(a, b) {
  if (a === b) return false;
  const names = Object.keys(a);
  return names.length !== Object.keys(b).length || names.some((name) => a[name] !== b[name]);
}

/** @param {string} a @param {string} b */
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
