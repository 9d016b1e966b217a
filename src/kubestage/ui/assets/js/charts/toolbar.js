/** @file Which charts are shown, and of what stretch of time. */

import { choice, fill, h } from "../dom.js";
import * as route from "../route.js";

/** Of so many workloads replicas are shown, unless one is chosen. */
export const SHOWN = 4;

/** Choices of groups and workloads; they are in the address. */
export class Toolbar {
  constructor() {
    this.element = h("div", { className: "toolbar" });
    this.key = "";
  }

  /** @param {import("./view.js").Row[]} rows */
  show(rows) {
    const { group = "", workload = "", from = "", to = "", at = "", chart = "" } = route.current().query;
    const groups = [...new Set(rows.map((each) => each.group))];
    const workloads = rows.filter((each) => each.group === "Workloads" && each.subject).map((each) => each.subject);
    const key = JSON.stringify([group, workload, from, to, at, chart, groups, workloads]);
    if (key === this.key) return;
    this.key = key;
    const first = workloads.length > SHOWN ? `the first ${SHOWN} of ${workloads.length}` : "all";
    const setGroup = (/** @type {string} */ value) => route.change({ group: value, chart: "" }, true);
    const setWorkload = (/** @type {string} */ value) => route.change({ workload: value, chart: "" }, true);
    fill(this.element,
      h("label", {}, "Group", choice("Group of charts", [["", "all"], ...groups.map(pair)], group, setGroup)),
      h("label", {}, "Workload", choice("Workload", [["", first], ...workloads.map(pair)], workload, setWorkload)),
      chart && button("All charts", { chart: "" }),
      (from || to) && button("Whole time", { from: "", to: "" }),
      at && button(`Cursor at ${at.slice(11, 19)} ×`, { at: "" }),
      h("span", { className: "faint hint-line" }, "Click: go to that moment. Drag: zoom."));
  }
}

/** @param {string} value @returns {[string, string]} */
const pair = (value) => [value, value];

/** @param {string} text @param {Record<string, string>} changes of the address */
const button = (text, changes) => h("button", { type: "button", onclick: () => route.change(changes, true) }, text);
