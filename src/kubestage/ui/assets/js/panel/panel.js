/** @file The panel at the side: what is selected. */

import { ApiError } from "../api.js";
import { fill, h } from "../dom.js";
import * as route from "../route.js";
import { showNode } from "./node.js";
import { showPod } from "./pod.js";
import { showWorkload } from "./workload.js";

const SETTLED_MS = 300;
/** What is followed by any change of the cluster is read less often. */
const WORKLOAD_MS = 2000;

/** Shows the selected node, pod or workload at the moment that is shown, and follows its changes. */
export class Panel {
  /** @param {HTMLElement} element @param {import("../time/travel.js").Travel} travel */
  constructor(element, travel) {
    this.element = element;
    this.travel = travel;
    this.name = this.at = this.version = "";
    /**
     * Until when the model of the moment is there.
     * @type {Promise<any>}
     */
    this.moved = Promise.resolve();
    /** @type {AbortController | null} */
    this.abort = null;
    travel.live.subscribe(() => this.follow());
  }

  get model() { return this.travel.model; }

  /**
   * @param {string} name such as pod/shop/web, node/worker-1 or workload/apps/Deployment/shop/web; empty for none
   * @param {string} at the moment
   * @param {Promise<any>} moved
   */
  open(name, at, moved) {
    this.moved = moved;
    if (name === this.name && at === this.at) return;
    const isOther = name !== this.name;
    Object.assign(this, { name, at, version: "" });
    this.abort?.abort();
    this.element.hidden = !name;
    if (!name) return;
    if (isOther) {
      this.body = h("div", { className: "body" }, h("p", { className: "faint" }, "Loading…"));
      this.frame(name, this.body);
    }
    this.load();
  }

  /**
   * A heading, a way to close it, and what it holds.
   * @param {string} name @param {HTMLElement} body
   */
  frame(name, body) {
    const [kind, ...rest] = name.split("/");
    const [heading, key] = kind === "workload" ? [rest[1], rest.slice(2)] : [kind, rest];
    fill(this.element, h("header", {},
      h("h2", {}, h("span", { className: "faint" }, heading), " ", key.filter(Boolean).join("/")),
      h("button", {
        type: "button", className: "quiet", "aria-label": "Close (Escape)", title: "Close (Escape)",
        onclick: () => route.change({ select: "" }, true),
      }, "×")), body);
  }

  /** What changes the answer: the object itself, and for a node or workload its pods. */
  versionNow() {
    const [kind, ...rest] = this.name.split("/");
    const key = rest.join("/");
    const { model } = this;
    if (kind === "pod") return model.pods.get(key)?.version ?? "gone";
    // A workload changes at every change of its pods, and its pods are not known here: any change counts.
    if (kind === "workload") return String(model.revision);
    const there = [...(model.placed.get(key)?.values() ?? [])].map((pod) => pod.version);
    return `${model.nodes.get(key)?.version ?? "gone"} ${there.join()}`;
  }

  follow() {
    if (!this.name || this.timer || this.at) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.name && !this.at && this.versionNow() !== this.version) this.load();
    }, this.name.startsWith("workload/") ? WORKLOAD_MS : SETTLED_MS);
  }

  async load() {
    this.abort?.abort();
    const abort = this.abort = new AbortController();
    await this.moved;
    // A node shows its pods, so both have to be known.
    if (abort.signal.aborted || !this.model.isLoaded.nodes || !this.model.isLoaded.pods) return;
    this.version = this.versionNow();
    // Shown when it is complete, so that nothing flickers.
    const fresh = h("div", { className: "body" });
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
      await this.showIn(fresh, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) return;
      const gone = this.at ? "It was not there at this moment." : "It is not there (any more).";
      fill(fresh, h("p", {}, error instanceof ApiError && error.code === 404 ? gone : String(error)));
    }
    swap();
  }

  /** @param {HTMLElement} element @param {AbortSignal} signal */
  showIn(element, signal) {
    const [kind, ...rest] = this.name.split("/");
    const key = rest.join("/");
    if (kind === "pod") return showPod(element, key, signal);
    if (kind === "workload") return showWorkload(element, rest, signal);
    return showNode(element, key, this.model, signal);
  }
}
