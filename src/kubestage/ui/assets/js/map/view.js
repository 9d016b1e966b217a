/** @file The map: the canvas and the controls around it. */

import { fill, h } from "../dom.js";
import * as route from "../route.js";
import { isDark } from "../theme.js";
import { Camera } from "./camera.js";
import { Colours } from "./colours.js";
import { showEmpty } from "./empty.js";
import * as filters from "./filter.js";
import { listen, onKey } from "./gestures.js";
import { Layout, NAME } from "./layout.js";
import { rectOf } from "./places.js";
import { Surface } from "./surface.js";
import { showTooltip } from "./tooltip.js";
import { Toolbar } from "./toolbar.js";
import { showLegend, showTray } from "./tray.js";
import { Usage } from "./usage.js";

const BESIDE_MS = 250;
const DEFAULTS = { group: "zone", size: "cpu", colour: "namespace", filter: "", select: "" };

/** The view of nodes and pods. */
export class MapView {
  /** @param {HTMLElement} element @param {import("../model.js").Model} model */
  constructor(element, model) {
    this.element = element;
    /** @type {Map<import("../model.js").Model, Layout>} One for each model: a change of models moves nothing. */
    this.layouts = new Map();
    this.model = model;
    this.layout = this.layoutOf(model);
    this.camera = new Camera();
    this.colours = new Colours();
    this.settings = { ...DEFAULTS };
    this.frames = this.besideAt = 0;
    this.isWaiting = false;
    /** @type {[number, number] | null} */
    this.pointer = null;
    this.revealed = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.sharpTimer = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.besideTimer = undefined;
    this.besideRevision = -1;
    this.usage = new Usage(() => { this.besideAt = 0; this.schedule(); });
    this.toolbar = new Toolbar();
    this.build();
    this.surface = new Surface(this.canvas);
    /** @type {import("./gestures.js").Actions} */
    this.actions = {
      zoom: (px, py, factor) => { this.camera.zoom(px, py, factor); this.moved(); },
      pan: (dx, dy) => { this.camera.pan(dx, dy); this.schedule(); },
      click: (px, py) => this.click(px, py),
      hover: (point) => { this.pointer = point; this.schedule(); },
      fit: () => { this.camera.isFitted = true; this.schedule(); },
    };
    listen(this.canvas, this.actions);
    new ResizeObserver(() => this.schedule()).observe(this.canvas);
  }

  /**
   * Show another model: that of now, or that of a past moment.
   * @param {import("../model.js").Model} model
   */
  use(model) {
    if (model === this.model) return;
    const { filter } = this.model;
    if (model.filter !== filter) filters.apply(model, filter);
    this.model = model;
    this.layout = this.layoutOf(model);
    this.besideAt = 0;
    this.schedule();
  }

  /** @param {import("../model.js").Model} model */
  layoutOf(model) {
    let layout = this.layouts.get(model);
    if (!layout) {
      this.layouts.set(model, layout = new Layout(model));
      model.subscribe(() => { if (model === this.model) this.schedule(); });
    }
    layout.dirty = null;
    return layout;
  }

  build() {
    this.canvas = h("canvas", { tabIndex: 0, role: "img", "aria-label": "Map of nodes and their pods" });
    this.tooltip = h("div", { className: "tooltip", role: "tooltip", hidden: true });
    this.empty = h("div", { className: "empty", hidden: true });
    this.tray = h("div", { className: "tray", "aria-label": "Pods without a node", role: "group", hidden: true });
    this.legend = h("div", { className: "legend", "aria-label": "Colours", role: "group" });
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick }, text);
    const zoom = h("div", { className: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", "Zoom in (+)", () => this.key("+")), button("−", "Zoom out (-)", () => this.key("-")),
      button("⤢", "Show all (0)", () => this.actions.fit()));
    fill(this.element,
      this.toolbar.element,
      h("div", { className: "stage" }, this.canvas, zoom, this.tooltip, this.empty),
      this.tray, this.legend);
  }

  /**
   * Show what an address says.
   * @param {Record<string, string>} query
   */
  open(query) {
    const before = this.settings;
    this.settings = { ...DEFAULTS, ...query };
    const { filter, select, colour } = this.settings;
    if (filter !== before.filter) filters.apply(this.model, filters.parse(filter));
    if (select !== before.select) this.revealed = "";
    this.usage.follow(colour === "usage");
    this.toolbar.show(this.settings, this.model);
    // Another moment alone is followed at the pace of the model.
    const [old, now] = [before, this.settings].map((each) => JSON.stringify({ ...each, at: "" }));
    if (old !== now) this.besideAt = 0;
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
    const { parts } = this.colours;
    const picture = {
      layout, model, colour: this.podColours(), parts, isFiltered: Boolean(model.filter), size: settings.size,
      ground: () => parts.box,
    };
    if (settings.colour === "usage") this.usage.paint(picture, this.colours);
    const { group, size, colour, filter } = settings;
    const stamp = [group, size, colour, filter, isDark(), this.colours.stamp(colour), this.usage.revision].join(" ");
    if (surface.show(camera, picture, stamp)) this.schedule();
    const { sharpIn } = surface;
    if (sharpIn) this.sharpTimer ??= setTimeout(() => { this.sharpTimer = undefined; this.schedule(); }, sharpIn);
    this.mark(picture.parts);
    this.beside();
  }

  podColours() {
    const { colour, size } = this.settings;
    return colour === "usage" ? this.usage.forPicture(this.colours, size) : this.colours.forPicture(colour);
  }

  /**
   * Outline what is selected and what is under the pointer, and name the latter.
   * @param {Record<string, string>} parts
   */
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
    showTooltip(this.tooltip, this.model, found, this.pointer, surface.width, this.usage);
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
    showTray(this.tray, model, this.podColours(), key, (pod) => this.select(`pod/${pod}`));
    if (settings.colour === "usage") this.usage.showLegend(this.legend, colours.isDark, settings.size);
    else showLegend(this.legend, model, settings.colour, colours, (filter) => route.change({ filter }));
    this.toolbar.count(model);
    const [pods, nodes] = [model.pods.size.toLocaleString("en"), model.nodes.size.toLocaleString("en")];
    this.canvas.setAttribute("aria-label", `Map of ${nodes} nodes and ${pods} pods`);
  }

  /** @param {string} name */
  rectOf(name) { return rectOf(this.layout, this.model, name); }

  /**
   * The middle of a node or pod, in pixels of the window.
   * @param {string} name
   */
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
