/** @file What lies beside the map: pods without a node, and the legend. */

import { h, refill } from "../dom.js";
import { valueOf } from "./colours.js";
import { workloadOf } from "./workloads.js";

const MOST_CHIPS = 60;
const MOST_VALUES = 10;

/**
 * The pods that have no node.
 * @param {HTMLElement} element
 * @param {import("../model.js").Model} model
 * @param {(pod: any) => string} colour
 * @param {string} selected
 * @param {(key: string) => void} select
 */
export function showTray(element, model, colour, selected, select) {
  const all = [...model.unplaced.values()].sort((a, b) => Number(b.isMatch) - Number(a.isMatch));
  element.hidden = !all.length;
  const chips = all.slice(0, MOST_CHIPS).map((pod) => {
    const swatch = h("span", { className: "swatch" });
    swatch.style.background = colour(pod);
    return h("button", {
      type: "button", className: "chip", "aria-pressed": String(pod.key === selected), title: pod.key, "data-key": pod.key,
      onclick: () => select(pod.key),
    }, swatch, pod.name);
  });
  chips.forEach((chip, index) => chip.classList.toggle("dim", !all[index].isMatch));
  const rest = all.length - chips.length;
  refill(element, h("strong", {}, `${all.length} without a node`), chips, rest > 0 && h("span", { className: "faint" }, `and ${rest} more`));
}

/**
 * What the colours mean; a value can be clicked, to look for it.
 * @param {HTMLElement} element @param {import("../model.js").Model} model @param {string} by
 * @param {import("./colours.js").Colours} colours @param {(filter: string) => void} look
 */
export function showLegend(element, model, by, colours, look) {
  /**
   * How many pods have a value, and the first of them.
   * @type {Map<string, [number, any]>}
   */
  const counts = new Map();
  for (const pod of model.pods.values()) {
    const value = valueOf(pod, by);
    const found = counts.get(value);
    if (found) found[0] += 1;
    else counts.set(value, [1, pod]);
  }
  const all = [...counts].sort((a, b) => b[1][0] - a[1][0]);
  element.hidden = !all.length;
  refill(element, all.slice(0, MOST_VALUES).map(([value, [count, pod]]) => {
    const swatch = h("span", { className: "swatch" });
    swatch.style.background = colours.of(by, value);
    const owner = by === "owner" ? workloadOf(pod.namespace, pod.owner, pod.labels) : null;
    return [h("button", {
      type: "button", className: "quiet", "data-key": value, title: `Look for ${by} ${value}`,
      onclick: () => look(`${by}=${value}`),
    }, swatch, value, " ", h("span", { className: "faint" }, count.toLocaleString("en"))),
    owner && h("a", {
      href: owner.address, "data-key": `timeline ${value}`,
      "aria-label": `Timeline of ${owner.kind} ${owner.name}`, title: `Timeline of ${owner.kind} ${owner.name}`,
    }, "↗")];
  }).flat(), all.length > MOST_VALUES && h("span", { className: "faint" }, `and ${all.length - MOST_VALUES} more`));
}
