/** @file Why a pod is where it is: its facts, its attempts, and what would make it fit. */

import { ApiError, get, pathOf } from "../api.js";
import { facts, fill, h } from "../dom.js";
import { workloadOf } from "../map/workloads.js";
import { format, requested } from "../quantities.js";
import { format as address, selectionOf } from "../route.js";
import { adviceList } from "./advice.js";
import { attempts } from "./attempts.js";
import { events } from "./events.js";
import { metadataFacts } from "./facts.js";

const EXPLANATIONS = "/kubestage/v1/explanations";

/** @param {HTMLElement} element @param {string} key @param {AbortSignal} signal */
export async function showPod(element, key, signal) {
  const [namespace, name] = key.split("/");
  const where = `${EXPLANATIONS}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  const [pod, found] = await Promise.all([
    get(pathOf("", "v1", "namespaces", namespace, "pods", name), { signal }).catch(unlessGone),
    get(`${where}?advice=false`, { signal }),
  ]);
  if (!pod && !found.attempts.length && !found.reason) throw new ApiError(404, "");
  const advice = h("div", {}, h("p", { className: "faint" }, "Looking for changes that help…"));
  const happened = h("div", {});
  fill(element, pod ? podFacts(pod) : h("p", {}, "It is gone; this is what is remembered."),
    found.status === "Pending" && h("section", {}, h("h3", {}, "What would make it fit"), advice),
    h("section", {}, h("h3", {}, found.status === "Pending" ? "Why it has no node" : "Why there"),
      found.reason && h("p", {}, linked(found.reason)),
      found.notes.map((/** @type {string} */ note) => h("p", { className: "faint" }, note)),
      attempts(found)),
    h("section", {}, h("h3", {}, "Events"), happened));
  const later = [events("Pod", name, namespace).then((list) => fill(happened, list))];
  if (found.status === "Pending") {
    later.push(get(where, { signal }).then((full) => fill(advice,
      full.advice ? adviceList(full.advice) : h("p", { className: "faint" }, "It does not wait for a node any more."))));
  }
  await Promise.all(later);
}

/** @param {any} error */
function unlessGone(error) {
  if (error instanceof ApiError && error.code === 404) return null;
  throw error;
}

/**
 * Why a pod is not there; who preempted it is a link.
 * @param {string} reason
 */
function linked(reason) {
  const found = /^(preempted by )(\S+\/\S+)( on )(\S+)$/.exec(reason);
  if (!found) return reason;
  const [, before, pod, on, node] = found;
  return [before, h("a", { href: selectionOf("pod", pod) }, pod), on, h("a", { href: selectionOf("node", node) }, node)];
}

/** @param {any} pod */
function podFacts(pod) {
  const { metadata, spec, status } = pod;
  const owner = metadata.ownerReferences?.find((/** @type {any} */ each) => each.controller);
  const top = owner && workloadOf(metadata.namespace, `${owner.kind}/${owner.name}`, metadata.labels ?? {});
  const ready = status?.containerStatuses?.filter((/** @type {any} */ each) => each.ready).length ?? 0;
  return facts([
    ["Phase", metadata.deletionTimestamp ? "Terminating" : status?.phase],
    ["Ready", `${ready} of ${spec.containers.length} containers`],
    ["Node", spec.nodeName && h("a", { href: selectionOf("node", spec.nodeName) }, spec.nodeName)],
    ["Owner", top ? h("a", { href: top.address, title: "Its timeline" }, `${top.kind} ${top.name}`) : owner ? `${owner.kind} ${owner.name}` : ""],
    ["Requests", ["cpu", "memory"].map((each) => `${format(each, requested(spec, each))} ${each}`).join(", ")],
    ["Priority", `${spec.priority ?? 0}${spec.priorityClassName ? ` (${spec.priorityClassName})` : ""}`],
    ["Profile", spec.schedulerName],
    ["Images", spec.containers.map((/** @type {any} */ each) => each.image).join(", ")],
    ...metadataFacts(metadata),
    ["", h("a", { href: address(["objects", "v1", "pods"], { select: `${metadata.namespace}/${metadata.name}` }) }, "YAML")],
  ]);
}
