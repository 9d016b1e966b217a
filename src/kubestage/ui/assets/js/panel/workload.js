/** @file A workload: its replicas, its pods and where they are, and its timeline. */

import { get, pathOf } from "../api.js";
import { facts, fill, h } from "../dom.js";
import { workload, workloadOf } from "../map/workloads.js";
import { resources } from "../objects/discovery.js";
import { format as address, selectionOf } from "../route.js";
import { events } from "./events.js";
import { metadataFacts } from "./facts.js";
import { showTimeline } from "./timeline.js";

const MOST_PODS = 250;

/** @param {HTMLElement} element @param {string[]} name group, kind, namespace and name @param {AbortSignal} signal */
export async function showWorkload(element, [group, kind, namespace, name], signal) {
  const resource = await resourceOf(group, kind);
  const path = pathOf(group, resource.version, "namespaces", namespace, resource.plural, name);
  const object = await get(path, { signal });
  const query = selectorOf(object.spec?.selector);
  const pods = await get(pathOf("", "v1", "namespaces", namespace, "pods") + query, { signal });
  const own = pods.items.filter((/** @type {any} */ pod) => isOf(pod, kind, name));
  const happened = h("div", {}, h("p", { className: "faint" }, "Loading…"));
  const told = h("div", {});
  const owner = controllerOf(object);
  fill(element,
    facts([
      ["Replicas", replicas(object)],
      ["Owner", owner && ownerLink(workload(owner.kind, namespace, owner.name))],
      ["Images", imagesOf(object)],
      ...metadataFacts(object.metadata),
      ["", h("a", { href: objectAddress(resource, `${namespace}/${name}`) }, "YAML")],
    ]),
    h("section", {}, h("h3", {}, "Timeline"), happened),
    h("section", {}, h("h3", {}, `Pods (${own.length})`), podList(own)),
    h("section", {}, h("h3", {}, "Events"), told));
  await Promise.all([
    showTimeline(happened, { group, kind, namespace, name }, signal),
    events(kind, name, namespace).then((list) => fill(told, list)),
  ]);
}

/** @type {import("../objects/discovery.js").Resource[]} */
let known = [];

/**
 * The resource of a kind, as the server has it.
 * @param {string} group @param {string} kind
 */
async function resourceOf(group, kind) {
  const find = () => known.find((each) => each.kind === kind && each.group === group);
  if (!find()) known = await resources();
  const found = find();
  if (!found) throw new Error(`The server has no kind ${kind} in ${group || "the core group"}.`);
  return found;
}

/**
 * The part of an address by which a workload selects its pods, if it does so by equal labels.
 * @param {any} selector
 */
function selectorOf(selector) {
  const pairs = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length ? `?labelSelector=${encodeURIComponent(pairs.join())}` : "";
}

/** @param {import("../map/workloads.js").Workload} owner */
const ownerLink = (owner) => h("a", { href: owner.address }, `${owner.kind} ${owner.name}`);

/** @param {any} object */
const controllerOf = (object) => object.metadata.ownerReferences?.find((/** @type {any} */ each) => each.controller);

/**
 * Whether a pod belongs to a workload.
 * @param {any} pod @param {string} kind @param {string} name
 */
function isOf(pod, kind, name) {
  const owner = controllerOf(pod);
  if (!owner) return false;
  if (owner.kind === kind && owner.name === name) return true;
  if (kind === "CronJob" && owner.kind === "Job") return owner.name.replace(/-\d+$/, "") === name;
  const top = workloadOf(pod.metadata.namespace, `${owner.kind}/${owner.name}`, pod.metadata.labels ?? {});
  return top?.kind === kind && top.name === name;
}

/** @param {any} object */
function replicas({ spec = {}, status = {} }) {
  const desired = spec.replicas ?? status.desiredNumberScheduled ?? spec.completions ?? spec.parallelism;
  const ready = status.readyReplicas ?? status.numberReady ?? status.ready ?? 0;
  const done = status.succeeded ? `, ${status.succeeded} succeeded` : "";
  return desired === undefined ? "" : `${ready} of ${desired} ready${done}`;
}

/** @param {any} object */
const imagesOf = ({ spec }) =>
  (spec?.template?.spec?.containers ?? []).map((/** @type {any} */ each) => each.image).join(", ");

/** @param {import("../objects/discovery.js").Resource} resource @param {string} key */
const objectAddress = ({ group, version, plural }, key) =>
  address(["objects", ...(group ? [group] : []), version, plural], { select: key });

/** @param {any[]} pods */
function podList(pods) {
  if (!pods.length) return h("p", { className: "faint" }, "None.");
  return h("ul", { className: "pods" }, pods.slice(0, MOST_PODS).map(({ metadata, spec, status }) => h("li", {},
    h("a", { href: selectionOf("pod", `${metadata.namespace}/${metadata.name}`) }, metadata.name), " ",
    spec.nodeName ? ["on ", h("a", { href: selectionOf("node", spec.nodeName) }, spec.nodeName)] : "without a node", " ",
    h("span", { className: "faint" }, metadata.deletionTimestamp ? "Terminating" : status?.phase ?? ""))));
}
