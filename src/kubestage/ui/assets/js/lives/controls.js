/** @file What lies around the lives: filter, choices, scroll bar, legend, and words where there is nothing to draw. */

import { choice, fill, h } from "../dom.js";
import { attempt } from "../messages.js";
import * as route from "../route.js";
import { isDark } from "../theme.js";
import { readable } from "../time/instants.js";
import { INSTANTS, PHASES } from "./phases.js";
import { save } from "./save.js";

/** @type {[string, string][]} */
const GROUPS = [["node", "by node"], ["workload", "by workload"]];
/** @type {[string, string][]} */
const ROWS = [["tall", "with names"], ["thin", "thin"]];

/** The elements of the view. */
export class Controls {
  /** @param {HTMLElement} element @param {import("./view.js").LivesView} view */
  constructor(element, view) {
    this.canvas = h("canvas", { tabIndex: 0, role: "img", "aria-label": "Lives of pods" });
    this.tooltip = h("div", { className: "tooltip", role: "tooltip", hidden: true });
    this.empty = h("div", { className: "empty", hidden: true });
    this.spacer = h("div", {});
    // Keys scroll the canvas; this is for the mouse.
    this.bar = h("div", { className: "lives-bar", tabIndex: -1, "aria-hidden": "true" }, this.spacer);
    this.bar.addEventListener("scroll", () => view.scroll(this.bar.scrollTop));
    this.search = h("input", {
      type: "search", placeholder: "Filter: name, app=web", "aria-label": "Filter pods",
      oninput: () => route.change({ filter: this.search.value }),
    });
    this.status = h("span", { className: "faint", role: "status" });
    this.choices = h("span", { className: "choices" });
    this.legend = h("div", { className: "legend lives-legend", "aria-label": "Colours", role: "group" });
    fill(element, h("div", { className: "toolbar" }, this.search, this.status, this.choices),
      h("div", { className: "stage" }, this.canvas, this.bar, zoomButtons(view), this.tooltip, this.empty), this.legend);
  }

  /**
   * Show settings.
   * @param {{by: string, rows: string, filter: string}} settings
   */
  show({ by, rows, filter }) {
    if (document.activeElement !== this.search) this.search.value = filter;
    const key = `${by} ${rows}`;
    if (this.choices.dataset.key === key) return;
    this.choices.dataset.key = key;
    fill(this.choices,
      h("label", {}, "Pods ", choice("Group pods", GROUPS, by, (value) => route.change({ by: value }))),
      h("label", {}, "Lanes ", choice("Height of lanes", ROWS, rows, (value) => route.change({ rows: value }))),
      h("button", {
        type: "button", title: "A file for ui.perfetto.dev and chrome://tracing", onclick: () => attempt(() => save(by)),
      }, "Save as Perfetto trace"));
  }

  /**
   * Follow what was read.
   * @param {import("./view.js").LivesView} view @param {string} problem why nothing could be read
   */
  follow({ lives, tracks, filter }, problem) {
    const pods = lives.pods.length.toLocaleString("en");
    this.status.textContent = filter ? `${tracks.shown.toLocaleString("en")} of ${pods} pods` : `${pods} pods`;
    const span = lives.isLoaded ? ` from ${readable(lives.textAt(0))} to ${readable(lives.textAt(lives.end))}` : "";
    this.canvas.setAttribute("aria-label", `Lives of ${pods} pods${span}`);
    this.empty.hidden = !problem && (!lives.isLoaded || lives.pods.length > 0);
    if (problem) fill(this.empty, h("h2", {}, "The past cannot be read"), h("p", {}, problem));
    else if (!this.empty.hidden) {
      fill(this.empty, h("h2", {}, "No pods yet"),
        h("p", {}, "Each pod is drawn here from its creation to its end, on the lane of its node. Create some:"),
        h("pre", {}, "kubectl create deployment web --image=nginx --replicas=3"));
    }
  }

  /** What the colours mean. */
  showLegend() {
    const key = String(isDark());
    if (this.legend.dataset.key === key) return;
    this.legend.dataset.key = key;
    const entry = (/** @type {string} */ className) => (/** @type {[string, string, string]} */ [name, light, dark]) => {
      const swatch = h("span", { className });
      swatch.style.background = isDark() ? dark : light;
      return h("span", {}, swatch, name);
    };
    fill(this.legend, Object.values(PHASES).map(entry("swatch")), Object.values(INSTANTS).map(entry("swatch instant")));
  }
}

/** @param {import("./view.js").LivesView} view */
function zoomButtons(view) {
  const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {string} */ key) =>
    h("button", { type: "button", "aria-label": label, title: label, onclick: () => view.key(key) }, text);
  return h("div", { className: "zoom lives-zoom", role: "group", "aria-label": "Zoom" },
    button("+", "Zoom in (W or +)", "+"), button("−", "Zoom out (S or -)", "-"), button("⤢", "Show all (0)", "0"));
}
