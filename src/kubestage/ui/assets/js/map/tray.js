/** @file What lies beside the map: pods without a node, the legend, and the tooltip. */

import { fill, h, refill } from "../dom.js";
import { format } from "../quantities.js";
import { valueOf } from "./colours.js";

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
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const pod of model.pods.values()) {
    const value = valueOf(pod, by);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const all = [...counts].sort((a, b) => b[1] - a[1]);
  element.hidden = !all.length;
  refill(element, all.slice(0, MOST_VALUES).map(([value, count]) => {
    const swatch = h("span", { className: "swatch" });
    swatch.style.background = colours.of(by, value);
    return h("button", { type: "button", className: "quiet", "data-key": value, title: `Look for ${by} ${value}`, onclick: () => look(`${by}=${value}`) },
      swatch, value, " ", h("span", { className: "faint" }, count.toLocaleString("en")));
  }), all.length > MOST_VALUES && h("span", { className: "faint" }, `and ${all.length - MOST_VALUES} more`));
}

/**
 * The tooltip beside the pointer.
 * @param {HTMLElement} element @param {import("../model.js").Model} model
 * @param {ReturnType<import("./layout.js").Layout["at"]>} found @param {[number, number] | null} point @param {number} width
 */
export function showTooltip(element, model, found, point, width) {
  element.hidden = !found || !point;
  if (!found || !point) return;
  const { pod, box } = found;
  const lines = pod ? podLines(pod) : nodeLines(model, box.name);
  fill(element, h("strong", {}, pod ? pod.name : box.name), lines.map((line) => h("div", {}, line)));
  const left = point[0] > width - 280 ? point[0] - 14 - element.offsetWidth : point[0] + 14;
  element.style.transform = `translate(${Math.max(0, left)}px, ${point[1] + 14}px)`;
}

/** @param {import("../model.js").PodRecord} pod */
function podLines(pod) {
  const { requests } = pod;
  return [
    `pod in ${pod.namespace}, ${pod.phase}`, pod.owner, `on ${pod.node}`,
    `requests ${format("cpu", requests.cpu)} cpu, ${format("memory", requests.memory)} memory`,
    pod.priority ? `priority ${pod.priority}` : "",
  ].filter(Boolean);
}

/** @param {import("../model.js").Model} model @param {string} name */
function nodeLines(model, name) {
  const node = model.nodes.get(name);
  if (!node) return [];
  const used = (/** @type {string} */ resource) =>
    `${resource}: ${format(resource, model.requestedOn(name, resource))} of ${format(resource, node.allocatable[resource])}`;
  return [
    `node${node.zone ? ` in ${node.zone}` : ""}${node.pool ? `, pool ${node.pool}` : ""}`,
    node.isReady ? "" : "not ready", node.isCordoned ? "cordoned" : "", used("cpu"), used("memory"), used("pods"),
  ].filter(Boolean);
}
