/** @file The panel at the side: what is selected. */

import { ApiError } from "../api.js";
import { fill, h } from "../dom.js";
import * as route from "../route.js";
import { showNode } from "./node.js";
import { showPod } from "./pod.js";

const SETTLED_MS = 300;

/** Shows the selected node or pod, and follows its changes. */
export class Panel {
  /** @param {HTMLElement} element @param {import("../model.js").Model} model */
  constructor(element, model) {
    this.element = element;
    this.model = model;
    this.name = "";
    this.version = "";
    /** @type {AbortController | null} */
    this.abort = null;
    model.subscribe(() => this.follow());
  }

  /** @param {string} name such as pod/shop/web or node/worker-1; empty for none */
  open(name) {
    if (name === this.name) return;
    this.name = name;
    this.version = "";
    this.abort?.abort();
    this.element.hidden = !name;
    if (!name) return;
    this.body = h("div", { className: "body" }, h("p", { className: "faint" }, "Loading…"));
    this.frame(name, this.body);
    this.load();
  }

  /** A heading, a way to close it, and what it holds. @param {string} name @param {HTMLElement} body */
  frame(name, body) {
    const [kind, ...rest] = name.split("/");
    fill(this.element, h("header", {},
      h("h2", {}, h("span", { className: "faint" }, kind), " ", rest.filter(Boolean).join("/")),
      h("button", { type: "button", className: "quiet", "aria-label": "Close (Escape)", title: "Close (Escape)", onclick: () => route.change({ select: "" }, true) }, "×")), body);
  }

  /** What changes the answer: the object itself, and for a node what is on it. */
  versionNow() {
    const [kind, ...rest] = this.name.split("/");
    const key = rest.join("/");
    if (kind === "pod") return this.model.pods.get(key)?.version ?? "gone";
    const there = [...(this.model.placed.get(key)?.values() ?? [])].map((pod) => pod.version);
    return `${this.model.nodes.get(key)?.version ?? "gone"} ${there.join()}`;
  }

  follow() {
    if (!this.name || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.name && this.versionNow() !== this.version) this.load();
    }, SETTLED_MS);
  }

  async load() {
    // A node shows its pods, so both have to be known.
    if (!this.model.isLoaded.nodes || !this.model.isLoaded.pods) return;
    this.abort?.abort();
    const abort = this.abort = new AbortController();
    this.version = this.versionNow();
    const [kind, ...rest] = this.name.split("/");
    const key = rest.join("/");
    // Shown when it is complete, so that nothing flickers.
    const fresh = h("div", { className: "body" });
    const show = kind === "pod" ? showPod(fresh, key, abort.signal) : showNode(fresh, key, this.model, abort.signal);
    const swap = () => {
      if (abort.signal.aborted || fresh.isConnected || !this.body) return;
      const { scrollTop } = this.body;
      this.body.replaceWith(fresh);
      this.body = fresh;
      fresh.scrollTop = scrollTop;
    };
    const observer = new MutationObserver(() => { observer.disconnect(); swap(); });
    observer.observe(fresh, { childList: true });
    try {
      await show;
    } catch (error) {
      if (abort.signal.aborted) return;
      fill(fresh, h("p", {}, error instanceof ApiError && error.code === 404 ? "It is not there (any more)." : String(error)));
    }
    swap();
  }
}
