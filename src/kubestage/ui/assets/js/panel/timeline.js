/** @file The timeline of a node or workload: its numbers as small plots, and what happened, newest first. */

import { ApiError, get, shown } from "../api.js";
import { fill, h } from "../dom.js";
import { current, momentOf, selectionOf } from "../route.js";
import { isInstant, nanoseconds, readable } from "../time/instants.js";
import { KINDS } from "../time/marks.js";
import { colourOf } from "../time/strip.js";
import { sparkline } from "./sparkline.js";

const PAGE = 100;

/**
 * Fill an element with the timeline of an object.
 * @param {HTMLElement} element
 * @param {Record<string, string>} about kind, name, and namespace and group if it has them
 * @param {AbortSignal} signal
 */
export async function showTimeline(element, about, signal) {
  const path = `/kubestage/v1/history/timeline?${new URLSearchParams({ ...about, limit: String(PAGE) })}`;
  const found = await get(path, { signal }).catch((error) => {
    if (error instanceof ApiError && [404, 409].includes(error.code)) return null;
    throw error;
  });
  if (!found) {
    fill(element, h("p", { className: "faint" }, "The past has nothing of it."));
    return;
  }
  const list = h("ol", { className: "timeline", "aria-label": "Timeline" });
  const more = h("button", { type: "button" }, "Show earlier");
  const add = (/** @type {any} */ page) => {
    list.append(...[...page.entries].reverse().map(entry));
    more.hidden = !page.leftOut;
    more.onclick = async () => add(await get(`${path}&before=${page.leftOut}`, { signal }));
  };
  add(found);
  const seen = found.series.filter((/** @type {any} */ each) => each.points.length);
  fill(element, found.autoscalers.length > 0 && h("p", {}, `Scaled by ${found.autoscalers.join(", ")}.`),
    seen.length > 0 && h("div", { className: "sparklines" },
      seen.map((/** @type {any} */ each) => sparkline(each, found.begin, found.end))),
    found.entries.length ? list : h("p", { className: "faint" }, "Nothing happened to it yet."), more);
  // What is at the moment that is shown comes into sight.
  const first = list.querySelector("li:not(.later)");
  if (shown.at && first) requestAnimationFrame(() => { list.scrollTop = first.offsetTop - list.offsetTop - 40; });
}

/** @param {any} found */
function entry({ at, kind, subject, text, severity }) {
  const swatch = h("span", { className: "swatch", title: KINDS[kind]?.[0] ?? kind });
  if (kind in KINDS) swatch.style.background = colourOf(kind);
  const isLater = isInstant(shown.at) && nanoseconds(at) > nanoseconds(shown.at);
  const address = subjectAddress(subject);
  return h("li", { className: isLater ? "later" : "" },
    h("a", { href: momentOf(at), className: "moment", title: "Show this moment" }, readable(at)), " ", swatch,
    h("span", { className: severity === "bad" ? "bad" : "" }, text),
    address && ["\u00a0", h("a", {
      href: address, "aria-label": `Show this ${subject.split("/")[0]}`, title: `Show ${subject}`,
    }, "↗")]);
}

/**
 * Where a pod or node is shown.
 * @param {string} subject such as pod/shop/web
 */
function subjectAddress(subject) {
  const [kind, ...rest] = subject.split("/");
  const isElsewhere = subject !== current().query.select;
  return isElsewhere && (kind === "pod" || kind === "node") ? selectionOf(kind, rest.join("/")) : null;
}
