/** @file The filter: words that all have to match. */

/**
 * @typedef {import("../model.js").PodRecord} PodRecord
 * @typedef {import("../model.js").NodeRecord} NodeRecord
 * @typedef {{pod: (pod: PodRecord) => boolean, node: (node: NodeRecord) => boolean}} Filter
 */

/** What can be named like a label. */
const FIELDS = ["namespace", "name", "node", "owner", "phase", "priority", "profile", "zone", "pool"];

/**
 * The filter that a text means; null if it is empty.
 * @param {string} text @returns {Filter | null}
 */
export function parse(text) {
  const words = text.trim().split(/\s+/).filter(Boolean);
  if (!words.length) return null;
  const tests = words.map(wordTest);
  return {
    pod: (pod) => tests.every((test) => test(pod, `${pod.key} ${pod.node}`)),
    node: (node) => tests.every((test) => test(node, node.name)),
  };
}

/** @param {string} word @returns {(record: any, names: string) => boolean} */
function wordTest(word) {
  const at = word.indexOf("=");
  if (at > 0) {
    const key = word.slice(0, at);
    const value = word.slice(at + 1);
    return (record) => {
      const label = record.labels[key];
      const field = FIELDS.includes(key) ? record[key] : undefined;
      return (label !== undefined && label.startsWith(value)) || (field !== undefined && String(field).startsWith(value));
    };
  }
  return (_record, names) => names.includes(word);
}

/**
 * Mark all records of a model.
 * @param {import("../model.js").Model} model @param {Filter | null} filter
 */
export function apply(model, filter) {
  model.filter = filter;
  for (const pod of model.pods.values()) pod.isMatch = !filter || filter.pod(pod);
  for (const node of model.nodes.values()) node.isMatch = !filter || filter.node(node);
}
