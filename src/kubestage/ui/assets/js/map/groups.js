/** @file Groups of nodes: by which field or label, and in which order. */

/** @type {[string, string][]} */
export const GROUPS = [["zone", "by zone"], ["pool", "by pool"], ["none", "ungrouped"], ["label:", "by label…"]];

/**
 * The group of a node.
 * @param {import("../model.js").NodeRecord} node @param {string} by
 */
export function groupName(node, by) {
  if (by.startsWith("label:")) return node.labels[by.slice(6)] ?? "";
  return by === "zone" ? node.zone : by === "pool" ? node.pool : "";
}

/**
 * The keys of labels by which nodes can be grouped.
 * @param {import("../model.js").Model} model @returns {string[]}
 */
export function labelKeys(model) {
  /** @type {Set<string>} */
  const keys = new Set();
  for (const node of model.nodes.values()) for (const key of Object.keys(node.labels)) keys.add(key);
  return [...keys].sort();
}

/** @type {Map<string, string>} */
const keys = new Map();

/**
 * A name with its numbers filled up, so that node-10 comes after node-9.
 * @param {string} name
 */
function keyOf(name) {
  let key = keys.get(name);
  if (key === undefined) keys.set(name, key = name.replace(/\d+/g, (digits) => digits.padStart(12, "0")));
  return key;
}

/**
 * The order of names; it is needed for all nodes whenever one comes or goes.
 * @param {string} a @param {string} b
 */
export function naturally(a, b) {
  const [one, other] = [keyOf(a), keyOf(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}
