/** @file The clusters of the server: which is shown, and how to get to another. */

import { ApiError, base, get, send, shown } from "../api.js";
import { fill, h } from "../dom.js";
import { attempt } from "../messages.js";
import { readable } from "./instants.js";
import { closing } from "./popover.js";

const PATH = "/kubestage/v1/clusters";
const POLL_MS = 5000;
const PAST = "This is the past: fork here to change it.";
const KEPT = "This is a kept run: fork it to change it.";

/** The name of the cluster that is shown; "" is the one at the root of the server. */
export const NAME = base ? decodeURIComponent(base.slice("/clusters/".length)) : "";

/** Shows the clusters in the header, if there are several. */
export class Clusters {
  /** @param {HTMLElement} element @param {() => void} onChange */
  constructor(element, onChange) {
    this.element = element;
    this.onChange = onChange;
    /** @type {any[]} */
    this.all = [];
    this.summary = h("summary", { title: "Clusters of this server" });
    this.list = h("ul", { className: "popover cluster-list", "aria-label": "Clusters" });
    this.details = h("details", { className: "clusters", ontoggle: () => attempt(() => this.read()) },
      this.summary, this.list);
    fill(element, closing(this.details));
    this.poll();
  }

  /** The row of the cluster that is shown. */
  get current() { return this.all.find((each) => each.name === NAME); }

  get isKept() { return Boolean(this.current?.isReadOnly); }

  async poll() {
    for (;;) {
      if (!document.hidden) {
        const isServed = await this.read().then(() => true, (error) => !isMissing(error));
        if (!isServed) return;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async read() {
    const { clusters } = await get(PATH, { isServer: true });
    this.all = clusters;
    this.draw();
    this.onChange();
  }

  /** Why nothing can be changed, if so. */
  get refusal() { return shown.at ? PAST : this.isKept ? KEPT : ""; }

  draw() {
    this.element.hidden = this.all.length < 2 && !NAME;
    this.summary.textContent = titleOf(this.current ?? { name: NAME });
    if (!this.details.open) return fill(this.list);
    const at = /** @type {HTMLElement} */ (document.activeElement);
    const key = this.list.contains(at) ? at.dataset.key : undefined;
    fill(this.list, this.all.map((each) => this.row(each)));
    if (key !== undefined) this.list.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
    return undefined;
  }

  /** @param {any} cluster */
  row(cluster) {
    const { name, kind, origin, now, nodes, pods, isReadOnly } = cluster;
    const from = origin ? `from ${origin.cluster || "the first cluster"} at ${readable(origin.at)}; ` : "";
    const isFork = kind === "fork";
    return h("li", { className: name === NAME ? "marked" : "" },
      h("a", {
        href: addressOf(name), "aria-current": name === NAME ? "true" : null, "data-key": `open ${name}`,
      }, titleOf(cluster)), " ",
      h("span", { className: "tag" }, isReadOnly ? `${kind}, kept` : kind),
      isFork && h("button", {
        type: "button", className: "quiet", "aria-label": `Close ${titleOf(cluster)}`, title: "Close this fork",
        "data-key": `close ${name}`, onclick: () => this.close(name),
      }, "×"),
      h("div", { className: "faint" }, `${from}now ${readable(now)}, ${nodes} nodes, ${pods} pods`));
  }

  /** @param {string} name */
  async close(name) {
    const done = await attempt(() => send(`${PATH}/${encodeURIComponent(name)}`, { method: "DELETE", isServer: true }));
    if (!done) return;
    if (name === NAME) location.href = addressOf("");
    else await attempt(() => this.read());
  }
}

/** @param {any} error */
const isMissing = (error) => error instanceof ApiError && error.code === 404;

/** @param {any} cluster */
const titleOf = ({ title, name }) => title || name || "cluster";

/**
 * The page of another cluster.
 * @param {string} name
 */
export const addressOf = (name) => `${location.pathname}${name ? `?cluster=${encodeURIComponent(name)}` : ""}#/map`;
