/** @file Facts that every object has. */

import { h } from "../dom.js";

const LONGEST = 300;
/** A copy of the whole object, which says nothing new. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** @param {any} metadata @returns {[string, any][]} */
export function metadataFacts(metadata) {
  return [
    ["Created", metadata.creationTimestamp?.replace("T", " ").replace("Z", "")],
    ["Labels", pairs(metadata.labels)],
    ["Annotations", pairs(metadata.annotations)],
  ];
}

/** @param {Record<string, string> | undefined} map */
function pairs(map) {
  const entries = Object.entries(map ?? {}).filter(([key]) => key !== LAST_APPLIED);
  if (!entries.length) return "";
  return entries.map(([key, value]) => h("div", { className: "pair" }, `${key}=${value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value}`));
}
