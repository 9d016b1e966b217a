/** @file A decision that differs: what each cluster decided, and why, beside each other. */

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { explanation } from "../panel/attempts.js";
import { readable } from "../time/instants.js";

const PATH = "/kubestage/v1/comparison";
const NOT_KEPT = "What the plugins found was not kept: there were many attempts before.";

/** @param {any} decision */
const outcome = (decision) => (decision.node ? `scheduled on ${decision.node}` : decision.result);

/**
 * What differs, in one sentence.
 * @param {import("./pair.js").Difference} difference @param {string[]} titles
 */
export function sentence({ what, left, right }, titles) {
  const only = left ?? right;
  if (!left || !right) return `Only ${titles[left ? 0 : 1]} tried ${only.pod} here: ${outcome(only)}.`;
  if (what === "pod") return `Another pod was next in turn: ${left.pod} on the left, ${right.pod} on the right.`;
  return `${left.pod}: ${outcome(left)} on the left, ${outcome(right)} on the right.`;
}

/**
 * Show both explanations.
 * @param {HTMLElement} element @param {import("./pair.js").Pair} pair
 * @param {import("./pair.js").Difference} difference @param {AbortSignal} signal
 */
export async function showDecision(element, pair, difference, signal) {
  const [left, right] = pair.names.map(encodeURIComponent);
  const found = await get(`${PATH}/${difference.number}?left=${left}&right=${right}`, { isServer: true, signal });
  if (signal.aborted) return;
  fill(element, column(pair, 0, difference.left, found.left), column(pair, 1, difference.right, found.right));
}

/** @param {import("./pair.js").Pair} pair @param {number} index @param {any} decision @param {any} explained */
function column(pair, index, decision, explained) {
  const title = h("h3", {}, pair.titles[index]);
  if (!decision) return h("section", {}, title, h("p", { className: "faint" }, "It made no such attempt."));
  return h("section", {}, title,
    h("p", {}, h("a", { href: addressOf(pair.names[index], decision) }, decision.pod), ` ${outcome(decision)} `,
      h("span", { className: "faint" }, `at ${readable(decision.at)}, attempt ${decision.number}`)),
    decision.message && h("p", {}, decision.message),
    explained ? explanation(explained) : h("p", { className: "faint" }, NOT_KEPT));
}

/**
 * The pod on the map of its cluster, at that moment.
 * @param {string} name @param {any} decision
 */
function addressOf(name, decision) {
  const cluster = name ? `?cluster=${encodeURIComponent(name)}` : "";
  const query = new URLSearchParams({ select: `pod/${decision.pod}`, at: decision.at });
  return `${location.pathname}${cluster}#/map?${query}`;
}
