/** @file A node: how full it is, and what is on it. */

import { get, pathOf } from "../api.js";
import { facts, fill, h } from "../dom.js";
import { RESOURCES } from "../model.js";
import { format } from "../quantities.js";
import { format as address, selectionOf } from "../route.js";
import { events } from "./events.js";
import { metadataFacts } from "./facts.js";
import { showTimeline } from "./timeline.js";

const MOST_PODS = 250;

/** @param {HTMLElement} element @param {string} name @param {import("../model.js").Model} model @param {AbortSignal} signal */
export async function showNode(element, name, model, signal) {
  const node = await get(pathOf("", "v1", "nodes", name), { signal });
  const happened = h("div", {});
  const timeline = h("div", {}, h("p", { className: "faint" }, "Loading…"));
  const pods = model.podsOn(name);
  fill(element,
    h("section", {}, h("h3", {}, "Requested of allocatable"), bars(name, model)),
    nodeFacts(node),
    h("section", {}, h("h3", {}, "Timeline"), timeline),
    h("section", {}, h("h3", {}, "Conditions"), conditions(node.status?.conditions ?? [])),
    h("section", {}, h("h3", {}, `Pods (${pods.length})`),
      pods.length ? h("ul", { className: "pods" }, pods.slice(0, MOST_PODS).map((pod) => h("li", {},
        h("a", { href: selectionOf("pod", pod.key) }, pod.key), " ",
        h("span", { className: "faint" }, `${format("cpu", pod.requests.cpu)} cpu, ${format("memory", pod.requests.memory)}`))))
        : h("p", { className: "faint" }, "None.")),
    h("section", {}, h("h3", {}, "Events"), happened));
  await Promise.all([
    events("Node", name).then((list) => fill(happened, list)),
    showTimeline(timeline, { kind: "Node", name }, signal),
  ]);
}

/** @param {string} name @param {import("../model.js").Model} model */
function bars(name, model) {
  const node = model.nodes.get(name);
  return h("div", { className: "bars" }, RESOURCES.map((resource) => {
    const whole = node?.allocatable[resource] ?? 0;
    const used = model.requestedOn(name, resource);
    const part = whole ? used / whole : 0;
    const bar = h("div", { className: part > 1 ? "fill over" : "fill" });
    bar.style.width = `${Math.min(100, part * 100)}%`;
    const text = `${format(resource, used)} of ${format(resource, whole)} (${Math.round(part * 100)}%)`;
    return h("div", { className: "meter", role: "meter", "aria-label": resource, "aria-valuenow": Math.round(part * 100), "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuetext": text },
      h("span", {}, resource), h("div", { className: "track" }, bar), h("span", { className: "number" }, text));
  }));
}

/** @param {any} node */
function nodeFacts(node) {
  const { metadata, spec } = node;
  const taints = spec?.taints ?? [];
  /** @type {[string, any][]} */
  const rows = [
    ["Taints", taints.map((/** @type {any} */ taint) => h("div", { className: "pair" }, `${taint.key}${taint.value ? `=${taint.value}` : ""}:${taint.effect}`))],
    ["Schedulable", spec?.unschedulable ? "no: cordoned" : "yes"],
    ...metadataFacts(metadata),
    ["", h("a", { href: address(["objects", "v1", "nodes"], { select: `/${metadata.name}` }) }, "YAML")],
  ];
  return facts(rows.filter(([, value]) => !Array.isArray(value) || value.length));
}

/** @param {any[]} found */
function conditions(found) {
  if (!found.length) return h("p", { className: "faint" }, "None are reported.");
  const isGood = (/** @type {any} */ each) => (each.type === "Ready") === (each.status === "True");
  return h("ul", { className: "conditions" }, found.map((each) => h("li", {},
    h("strong", { className: isGood(each) ? "good" : "bad" }, `${each.type}: ${each.status}`),
    each.reason && h("span", { className: "faint" }, ` ${each.reason}`))));
}
