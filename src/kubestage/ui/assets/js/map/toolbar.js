/** @file The controls above the map: filter, grouping, area, colour. */

import { choice, fill, h } from "../dom.js";
import * as route from "../route.js";
import { COLOURINGS } from "./colours.js";
import { GROUPS, labelKeys } from "./groups.js";
import { workloads } from "./workloads.js";

const SIZES = /** @type {[string, string][]} */ ([["cpu", "cpu"], ["memory", "memory"], ["pods", "pods"]]);
const MOST_FOUND = 4;

/** The controls; what they choose is in the address. */
export class Toolbar {
  constructor() {
    this.search = h("input", {
      type: "search", placeholder: "Filter: name, app=web", "aria-label": "Filter pods and nodes",
      oninput: () => route.change({ filter: this.search.value }),
    });
    this.matches = h("span", { className: "faint", role: "status" });
    this.found = h("span", { className: "found", role: "group", "aria-label": "Workloads that match" });
    this.choices = h("span", { className: "choices" });
    this.keys = h("datalist", { id: "label-keys" });
    this.element = h("div", { className: "toolbar" }, this.search, this.matches, this.found, this.choices, this.keys);
  }

  /** @param {Record<string, string>} settings @param {import("../model.js").Model} model */
  show({ group, size, colour, filter }, model) {
    if (document.activeElement !== this.search) this.search.value = filter;
    const key = `${group} ${size} ${colour}`;
    if (this.choices.dataset.key === key) return;
    this.choices.dataset.key = key;
    const isLabel = group.startsWith("label:");
    const by = h("input", {
      type: "text", className: "label-key", value: group.slice(6), placeholder: "label",
      "aria-label": "Label to group nodes by",
      onchange: () => route.change({ group: `label:${by.value.trim()}` }),
    });
    by.setAttribute("list", "label-keys");
    if (isLabel) fill(this.keys, labelKeys(model).map((each) => h("option", { value: each })));
    fill(this.choices,
      labelled("Nodes ", "Group nodes", GROUPS, isLabel ? "label:" : group, "group"), isLabel && by,
      labelled("Area ", "Area of pods", SIZES, size, "size"),
      labelled("Colour ", "Colour of pods", COLOURINGS, colour, "colour"));
    if (group === "label:") by.focus();
  }

  /**
   * How much matches, and which workloads those pods are of.
   * @param {import("../model.js").Model} model
   */
  count(model) {
    let matching = 0;
    for (const pod of model.pods.values()) matching += pod.isMatch ? 1 : 0;
    const [pods, nodes] = [model.pods.size.toLocaleString("en"), model.nodes.size.toLocaleString("en")];
    const text = model.filter ? `${matching.toLocaleString("en")} of ${pods} pods` : `${nodes} nodes, ${pods} pods`;
    this.matches.textContent = text;
    const found = model.filter ? workloads(model, MOST_FOUND) : [];
    fill(this.found, found.map(({ kind, namespace, name, address }) =>
      h("a", { href: address, title: `The timeline of ${kind} ${namespace}/${name}` }, `${kind} ${name}`)));
  }
}

/**
 * A choice with its label; the address has what is chosen.
 * @param {string} text @param {string} label @param {[string, string][]} options @param {string} value
 * @param {string} setting
 */
const labelled = (text, label, options, value, setting) =>
  h("label", {}, text, choice(label, options, value, (chosen) => route.change({ [setting]: chosen })));
