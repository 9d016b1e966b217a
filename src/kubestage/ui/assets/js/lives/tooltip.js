/** @file What is under the pointer, in words. */

import { fill, h } from "../dom.js";
import { readable, readableDuration } from "../time/instants.js";
import { INSTANTS, PHASES } from "./phases.js";

/**
 * @typedef {Object} Found
 * @property {import("./tracks.js").Group} group
 * @property {import("./lives.js").PodLife | null} pod
 * @property {number} index that of the slice
 * @property {import("./lives.js").Instant[]} instants those nearby
 * @property {number} ms
 */

/**
 * @param {HTMLElement} element
 * @param {import("./lives.js").Lives} lives
 * @param {Found | null} found
 * @param {[number, number] | null} point
 * @param {number} width
 */
export function showTooltip(element, lives, found, point, width) {
  element.hidden = !found || !point;
  if (!found || !point) return;
  const { pod, group } = found;
  fill(element, h("strong", {}, pod ? pod.name : group.title),
    (pod ? podLines(lives, found, pod) : groupLines(lives, group, found.ms)).map((line) => h("div", {}, line)));
  const left = point[0] > width - 300 ? point[0] - 14 - element.offsetWidth : point[0] + 14;
  element.style.transform = `translate(${Math.max(0, left)}px, ${point[1] + 16}px)`;
}

/** @param {import("./lives.js").Lives} lives @param {Found} found @param {import("./lives.js").PodLife} pod */
function podLines(lives, { index, instants }, pod) {
  const begin = pod.at[index];
  const end = pod.endOf(index, lives.end);
  const isOpen = end >= lives.end && pod.gone === Infinity;
  const { namespace, owner } = pod.template;
  return [
    `${PHASES[pod.phases[index]]?.[0] ?? pod.phases[index]} for ${readableDuration(end - begin)}${isOpen ? " so far" : ""}`,
    pod.texts[index],
    `${exact(lives, begin)} to ${isOpen ? "now" : exact(lives, end)}`,
    `in ${namespace}${owner ? `, ${owner}` : ""}`,
    begin >= pod.placed ? `on ${pod.node}` : "",
    ...instants.slice(0, 3).map((each) => `${exact(lives, each.ms)} ${INSTANTS[each.kind]?.[0] ?? each.kind}`
      + `${each.other ? ` by ${each.other.key}` : ""}: ${each.text}`),
  ].filter(Boolean);
}

/** @param {import("./lives.js").Lives} lives @param {import("./tracks.js").Group} group @param {number} ms */
function groupLines(lives, group, ms) {
  const state = (lives.states.get(group.key) ?? []).filter((each) => each.ms <= ms).at(-1);
  const replicas = (lives.replicas.get(group.key) ?? []).filter((each) => each.ms <= ms).at(-1);
  return [
    readable(lives.textAt(ms)),
    group.kind !== "node" ? "" : !state?.isThere ? "not there" : [state.isReady ? "ready" : "NotReady", state.isCordoned ? "cordoned" : ""].filter(Boolean).join(", "),
    group.kind === "workload" && replicas ? `${replicas.ready} of ${replicas.desired} replicas ready` : "",
    `${group.lanes.length} pods at once, at most`,
  ].filter(Boolean);
}

/**
 * The time of day to as many digits as it has.
 * @param {import("./lives.js").Lives} lives @param {number} ms
 */
const exact = (lives, ms) => lives.textAt(ms).slice(11, -1);
