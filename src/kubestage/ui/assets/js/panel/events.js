/** @file The Events of an object. */

import { get } from "../api.js";
import { h } from "../dom.js";
import { momentOf, selectionOf } from "../route.js";
import { isInstant, readable } from "../time/instants.js";

const MOST = 50;

/** @param {string} kind @param {string} name @param {string} [namespace] */
export async function events(kind, name, namespace = "") {
  const selector = encodeURIComponent(`involvedObject.kind=${kind},involvedObject.name=${name}`);
  const where = namespace ? `namespaces/${encodeURIComponent(namespace)}/` : "";
  const found = await get(`/api/v1/${where}events?fieldSelector=${selector}`);
  const at = (/** @type {any} */ event) => event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? "";
  const newest = found.items.sort((/** @type {any} */ a, /** @type {any} */ b) => at(b).localeCompare(at(a))).slice(0, MOST);
  if (!newest.length) return h("p", { className: "faint" }, "None.");
  return h("ul", { className: "events" }, newest.map((/** @type {any} */ event) => h("li", {},
    isInstant(at(event)) && h("a", { href: momentOf(at(event)), className: "moment", title: "Show this moment" }, readable(at(event)).slice(0, 19)), " ",
    h("strong", { className: event.type === "Warning" ? "bad" : "" }, event.reason),
    event.count > 1 && ` ×${event.count}`, " ", event.message, related(event.related))));
}

/**
 * The other object of an Event: who preempted a pod, for instance.
 * @param {any} about
 */
function related(about) {
  if (about?.kind !== "Pod") return null;
  const key = `${about.namespace}/${about.name}`;
  return [" (", h("a", { href: selectionOf("pod", key) }, key), ")"];
}
