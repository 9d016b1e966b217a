/** @file What would make a pending pod fit. */

import { h } from "../dom.js";

/** @param {any} advice */
export function adviceList(advice) {
  if (advice.fits) {
    const victims = advice.victims.length ? `, if ${advice.victims.join(", ")} are preempted` : "";
    return h("p", {}, `It fits now, on ${advice.node}${victims}.`);
  }
  return h("div", {},
    advice.numbers.map((/** @type {string} */ line) => h("p", {}, `It ${line}.`)),
    advice.changes.length === 0 && h("p", {}, "No single change, pair or triple of changes was found."),
    h("ol", { className: "advice" }, advice.changes.map((/** @type {any} */ change) => h("li", {}, change.text,
      change.provedOn && h("span", { className: "faint" }, ` (then it is on ${change.provedOn})`),
      h("details", {}, h("summary", {}, "patch"), h("pre", {}, JSON.stringify(change.patch, null, 2)))))),
    advice.changes.length > 0 && h("p", { className: "faint" }, "Each was proved by scheduling on a copy of the cluster."));
}
