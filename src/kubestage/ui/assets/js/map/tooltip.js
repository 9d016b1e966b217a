/** @file The tooltip of the map: what is under the pointer. */

import { fill, h } from "../dom.js";
import { format } from "../quantities.js";

/**
 * The tooltip beside the pointer.
 * @param {HTMLElement} element @param {import("../model.js").Model} model
 * @param {ReturnType<import("./layout.js").Layout["at"]>} found @param {[number, number] | null} point @param {number} width
 * @param {import("./usage.js").Usage} usage
 */
export function showTooltip(element, model, found, point, width, usage) {
  element.hidden = !found || !point;
  if (!found || !point) return;
  const { pod, box } = found;
  const lines = pod ? podLines(pod, usage) : nodeLines(model, box.name, usage);
  fill(element, h("strong", {}, pod ? pod.name : box.name), lines.map((line) => h("div", {}, line)));
  const left = point[0] > width - 280 ? point[0] - 14 - element.offsetWidth : point[0] + 14;
  element.style.transform = `translate(${Math.max(0, left)}px, ${point[1] + 14}px)`;
}

/** @param {import("../model.js").PodRecord} pod @param {import("./usage.js").Usage} usage */
function podLines(pod, usage) {
  const { requests } = pod;
  return [
    `pod in ${pod.namespace}, ${pod.phase}`, pod.owner, `on ${pod.node}`,
    `requests ${format("cpu", requests.cpu)} cpu, ${format("memory", requests.memory)} memory`,
    usedLine(usage.isOn && usage.pods.get(pod.key)),
    pod.priority ? `priority ${pod.priority}` : "",
  ].filter(Boolean);
}

/** @param {Record<string, number> | undefined | false} used */
const usedLine = (used) => (used ? `uses ${format("cpu", used.cpu)} cpu, ${format("memory", used.memory)} memory` : "");

/** @param {import("../model.js").Model} model @param {string} name @param {import("./usage.js").Usage} usage */
function nodeLines(model, name, usage) {
  const node = model.nodes.get(name);
  if (!node) return [];
  const used = (/** @type {string} */ resource) =>
    `${resource}: ${format(resource, model.requestedOn(name, resource))} of ${format(resource, node.allocatable[resource])}`;
  return [
    `node${node.zone ? ` in ${node.zone}` : ""}${node.pool ? `, pool ${node.pool}` : ""}`,
    node.isReady ? "" : "not ready", node.isCordoned ? "cordoned" : "", used("cpu"), used("memory"), used("pods"),
    usedLine(usage.isOn && usage.nodes.get(name)),
  ].filter(Boolean);
}
