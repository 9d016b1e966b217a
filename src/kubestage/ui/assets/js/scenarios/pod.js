/** @file Every attempt at a pod of a Scenario. */

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { attempts } from "../panel/attempts.js";
import * as route from "../route.js";

/** The panel beside a run. */
export class PodStory {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.shown = "";
  }

  /** @param {string} name of the Scenario @param {string} pod namespace/name, or empty */
  async open(name, pod) {
    const shown = pod && `${name} ${pod}`;
    if (shown === this.shown) return;
    this.shown = shown;
    this.element.hidden = !pod;
    if (!pod) return;
    const body = h("div", { className: "body" }, h("p", { className: "faint" }, "Loading…"));
    fill(
      this.element,
      h(
        "header",
        {},
        h("h2", {}, h("span", { className: "faint" }, "pod"), " ", pod),
        h(
          "button",
          {
            type: "button",
            className: "quiet",
            "aria-label": "Close (Escape)",
            onclick: () => route.change({ pod: "" }, true),
          },
          "×",
        ),
      ),
      body,
    );
    try {
      const path = pod.split("/").map(encodeURIComponent).join("/");
      const found = await get(`/kubestage/v1/runs/${encodeURIComponent(name)}/pods/${path}`);
      if (shown !== this.shown) return;
      const steps = [
        ["created", found.createdAt],
        ["bound", found.boundAt],
        ["preempted", found.preemptedAt],
      ]
        .filter(([, step]) => step !== null)
        .map(([word, step]) => `${word} in step ${step}`);
      fill(
        body,
        h(
          "p",
          {},
          `${found.status}${found.node ? ` on ${found.node}` : ""}${steps.length ? `: ${steps.join(", ")}` : ""}.`,
        ),
        found.preemptedBy && h("p", {}, `Preempted by ${found.preemptedBy}.`),
        found.reason && h("p", {}, found.reason),
        attempts(found),
        found.notes.map((/** @type {string} */ note) => h("p", { className: "faint" }, note)),
      );
    } catch (error) {
      if (shown === this.shown) fill(body, h("p", {}, error instanceof Error ? error.message : String(error)));
    }
  }
}
