/** @file The map: the canvas and the controls around it. */

import { choice, fill, h } from "../dom.js";
import * as route from "../route.js";
import { isDark } from "../theme.js";
import { Camera } from "./camera.js";
import { COLOURINGS, Colours } from "./colours.js";
import { showEmpty } from "./empty.js";
import * as filters from "./filter.js";
import { listen, onKey } from "./gestures.js";
import { Layout, NAME } from "./layout.js";
import { Surface } from "./surface.js";
import { showLegend, showTooltip, showTray } from "./tray.js";

const BESIDE_MS = 250;
const GROUPS = /** @type {[string, string][]} */ ([["zone", "by zone"], ["pool", "by pool"], ["none", "ungrouped"]]);
const SIZES = /** @type {[string, string][]} */ ([["cpu", "cpu"], ["memory", "memory"], ["pods", "pods"]]);
const DEFAULTS = { group: "zone", size: "cpu", colour: "namespace", filter: "", select: "" };

/** The view of nodes and pods. */
export class MapView {
  /** @param {HTMLElement} element @param {import("../model.js").Model} model */
  constructor(element, model) {
    this.element = element;
    this.model = model;
    this.layout = new Layout(model);
    this.camera = new Camera();
    this.colours = new Colours();
    this.settings = { ...DEFAULTS };
    this.frames = this.besideAt = 0;
    this.isWaiting = false;
    /** @type {[number, number] | null} */
    this.pointer = null;
    this.revealed = "";
    this.build();
    this.surface = new Surface(this.canvas);
    this.actions = {
      zoom: (px, py, factor) => { this.camera.zoom(px, py, factor); this.moved(); },
      pan: (dx, dy) => { this.camera.pan(dx, dy); this.schedule(); },
      click: (px, py) => this.click(px, py),
      hover: (point) => { this.pointer = point; this.schedule(); },
      fit: () => { this.camera.isFitted = true; this.schedule(); },
    };
    listen(this.canvas, this.actions);
    model.subscribe(() => this.schedule());
    new ResizeObserver(() => this.schedule()).observe(this.canvas);
  }

  build() {
    this.canvas = h("canvas", { tabIndex: 0, role: "img", "aria-label": "Map of nodes and their pods" });
    this.tooltip = h("div", { className: "tooltip", role: "tooltip", hidden: true });
    this.empty = h("div", { className: "empty", hidden: true });
    this.tray = h("div", { className: "tray", "aria-label": "Pods without a node", role: "group", hidden: true });
    this.legend = h("div", { className: "legend", "aria-label": "Colours", role: "group" });
    this.search = h("input", {
      type: "search", placeholder: "Filter: name, app=web", "aria-label": "Filter pods and nodes",
      oninput: () => route.change({ filter: this.search.value }),
    });
    this.matches = h("span", { className: "faint", role: "status" });
    this.choices = h("span", { className: "choices" });
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick }, text);
    const zoom = h("div", { className: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", "Zoom in (+)", () => this.key("+")), button("−", "Zoom out (-)", () => this.key("-")),
      button("⤢", "Show all (0)", () => this.actions.fit()));
    fill(this.element,
      h("div", { className: "toolbar" }, this.search, this.matches, this.choices),
      h("div", { className: "stage" }, this.canvas, zoom, this.tooltip, this.empty),
      this.tray, this.legend);
  }

  /** Show what an address says. @param {Record<string, string>} query */
  open(query) {
    const before = this.settings;
    this.settings = { ...DEFAULTS, ...query };
    const { group, size, colour, filter, select } = this.settings;
    if (document.activeElement !== this.search) this.search.value = filter;
    if (filter !== before.filter) filters.apply(this.model, filters.parse(filter));
    if (select !== before.select) this.revealed = "";
    const key = `${group} ${size} ${colour}`;
    if (this.choices.dataset.key !== key) {
      this.choices.dataset.key = key;
      fill(this.choices,
        h("label", {}, "Nodes ", choice("Group nodes", GROUPS, group, (value) => route.change({ group: value }))),
        h("label", {}, "Area ", choice("Area of pods", SIZES, size, (value) => route.change({ size: value }))),
        h("label", {}, "Colour ", choice("Colour of pods", COLOURINGS, colour, (value) => route.change({ colour: value }))));
    }
    this.besideAt = 0;
    this.schedule();
  }

  moved() {
    this.surface.movedAt = performance.now();
    this.schedule();
  }

  /** Draw before the next frame, once. */
  schedule() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      if (!this.element.hidden) this.frame();
    });
  }

  frame() {
    const { surface, camera, layout, model, settings } = this;
    this.frames += 1;
    surface.resize();
    const aspect = surface.width / Math.max(1, surface.height);
    layout.update({ ...settings, aspect });
    camera.fit(layout, surface.width, surface.height);
    this.reveal();
    this.colours.isDark = isDark();
    const picture = {
      layout, model, colour: this.colours.forPicture(settings.colour), parts: this.colours.parts,
      isFiltered: Boolean(model.filter), size: settings.size,
    };
    const stamp = JSON.stringify([model.revision, settings, isDark()]);
    if (surface.show(camera, picture, stamp)) this.schedule();
    this.mark(picture.parts);
    this.beside();
  }

  /** Outline what is selected and what is under the pointer, and name the latter. */
  mark(parts) {
    const { camera, layout, surface } = this;
    const rect = this.rectOf(this.settings.select);
    if (rect) surface.outline(camera, rect, parts.mark, 2.5);
    const found = this.pointer && layout.at(...this.world(...this.pointer));
    if (found) {
      const name = found.pod ? `pod/${found.pod.key}` : `node/${found.box.name}`;
      const under = this.rectOf(name);
      if (under && name !== this.settings.select) surface.outline(camera, under, parts.faint, 1.5);
    }
    this.canvas.classList.toggle("over", Boolean(found));
    showTooltip(this.tooltip, this.model, found, this.pointer, surface.width);
  }

  /** What is made of elements follows at a slower pace. */
  beside() {
    const now = performance.now();
    if (now - this.besideAt < BESIDE_MS) {
      this.besideTimer ??= setTimeout(() => { this.besideTimer = undefined; this.schedule(); }, BESIDE_MS);
      return;
    }
    if (this.besideRevision === this.model.revision && this.besideAt) return;
    this.besideAt = now;
    this.besideRevision = this.model.revision;
    const { model, settings, colours } = this;
    showEmpty(this.empty, model);
    const key = settings.select.startsWith("pod/") ? settings.select.slice(4) : "";
    showTray(this.tray, model, colours.forPicture(settings.colour), key, (pod) => this.select(`pod/${pod}`));
    showLegend(this.legend, model, settings.colour, colours, (filter) => route.change({ filter }));
    let matching = 0;
    for (const pod of model.pods.values()) matching += pod.isMatch ? 1 : 0;
    const [pods, nodes] = [model.pods.size.toLocaleString("en"), model.nodes.size.toLocaleString("en")];
    this.matches.textContent = model.filter ? `${matching.toLocaleString("en")} of ${pods} pods` : `${nodes} nodes, ${pods} pods`;
    this.canvas.setAttribute("aria-label", `Map of ${nodes} nodes and ${pods} pods`);
  }

  /** @param {string} name @returns {[number, number, number, number] | null} */
  rectOf(name) {
    const [kind, ...rest] = name.split("/");
    const key = rest.join("/");
    const box = this.layout.boxes.get(kind === "node" ? key : this.model.pods.get(key)?.node ?? "");
    if (!box) return null;
    if (kind === "node") return [box.x, box.y, box.side, box.side];
    const at = box.pods.findIndex((pod) => pod.key === key) * 4;
    return at < 0 ? null : /** @type {any} */ ([...box.rects.slice(at, at + 4)]);
  }

  /** The middle of a node or pod, in pixels of the window. @param {string} name */
  locate(name) {
    const rect = this.rectOf(name);
    if (!rect) return null;
    const { left, top } = this.canvas.getBoundingClientRect();
    const { x, y, scale } = this.camera;
    // A node is pointed at by its name, where no pod is.
    const down = name.startsWith("node/") ? -NAME / 2 : rect[3] / 2;
    return [left + (rect[0] + rect[2] / 2 - x) * scale, top + (rect[1] + down - y) * scale];
  }

  reveal() {
    const { select } = this.settings;
    const rect = this.revealed === select ? null : this.rectOf(select);
    if (!rect) return;
    this.revealed = select;
    this.camera.reveal({ x: rect[0], y: rect[1], side: rect[2] }, this.surface.width, this.surface.height);
  }

  /** @param {number} px @param {number} py @returns {[number, number]} */
  world(px, py) { return [this.camera.x + px / this.camera.scale, this.camera.y + py / this.camera.scale]; }

  /** @param {number} px @param {number} py */
  click(px, py) {
    const found = this.layout.at(...this.world(px, py));
    const name = found ? (found.pod ? `pod/${found.pod.key}` : `node/${found.box.name}`) : "";
    this.revealed = name;
    this.select(name);
  }

  /** @param {string} name */
  select(name) { route.change({ select: name }, true); }

  /** @param {string} key */
  key(key) { return onKey(new KeyboardEvent("keydown", { key }), this.surface, this.actions); }
}
