/** @file One of the two maps: the nodes and pods of a cluster, and what the other one has elsewhere. */

import { h } from "../dom.js";
import { Camera } from "../map/camera.js";
import { Colours } from "../map/colours.js";
import { listen } from "../map/gestures.js";
import { Layout } from "../map/layout.js";
import { Surface } from "../map/surface.js";
import { showTooltip } from "../map/tooltip.js";
import { showTray } from "../map/tray.js";
import { isDark } from "../theme.js";

const NO_USAGE = /** @type {any} */ ({ isOn: false });
const SETTINGS = { group: "zone", size: "cpu" };

/** @typedef {import("../model.js").Model} Model */

/** A map; both follow the same gestures. */
export class Side {
  /** @param {string} label @param {(key: string) => void} select */
  constructor(label, select) {
    this.select = select;
    /** @type {Side | null} */
    this.other = null;
    this.camera = new Camera();
    this.colours = new Colours();
    this.isWaiting = false;
    this.frames = 0;
    this.stamp = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.sharpTimer = undefined;
    /**
     * What is outlined: the pod and the node of a decision.
     * @type {string[]}
     */
    this.outlined = [];
    this.onlyDiffering = true;
    /** @type {[number, number] | null} */
    this.pointer = null;
    this.title = h("h2", {});
    this.count = h("span", { className: "faint", role: "status" });
    this.canvas = h("canvas", { tabIndex: 0, role: "img", "aria-label": label });
    this.tooltip = h("div", { className: "tooltip", role: "tooltip", hidden: true });
    const waiting = `Pods without a node, ${label}`;
    this.tray = h("div", { className: "tray", role: "group", "aria-label": waiting, hidden: true });
    this.element = h("section", { className: "side", "aria-label": label },
      h("header", {}, this.title, this.count), h("div", { className: "stage" }, this.canvas, this.tooltip), this.tray);
    this.surface = new Surface(this.canvas);
    const both = (/** @type {(side: Side) => void} */ act) => {
      for (const side of [this, this.other ?? this]) {
        act(side);
        side.schedule();
      }
    };
    listen(this.canvas, {
      zoom: (px, py, factor) => both((side) => {
        side.camera.zoom(px, py, factor);
        side.surface.movedAt = performance.now();
      }),
      pan: (dx, dy) => both((side) => side.camera.pan(dx, dy)),
      fit: () => both((side) => { side.camera.isFitted = true; }),
      click: (px, py) => this.click(px, py),
      hover: (point) => { this.pointer = point; this.schedule(); },
    });
    new ResizeObserver(() => this.schedule()).observe(this.canvas);
  }

  /**
   * Show a cluster.
   * @param {Model} model @param {string} title
   */
  use(model, title) {
    this.title.textContent = title;
    this.model = model;
    this.layout = new Layout(model);
    this.surface.stamp = "";
    this.camera.isFitted = true;
    model.subscribe(() => { if (model === this.model) { this.schedule(); this.other?.schedule(); } });
    this.schedule();
  }

  /** Draw before the next frame, once. */
  schedule() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      if (this.model && this.canvas.clientWidth) this.frame();
    });
  }

  frame() {
    const { surface, camera, model, layout } = this;
    if (!model || !layout) return;
    this.frames += 1;
    surface.resize();
    layout.update({ ...SETTINGS, aspect: surface.width / Math.max(1, surface.height) });
    camera.fit(layout, surface.width, surface.height);
    this.colours.isDark = isDark();
    const { parts } = this.colours;
    const { size } = SETTINGS;
    const colour = this.painter();
    const picture = { layout, model, colour, parts, isFiltered: false, size, ground: () => parts.box };
    const stamp = `${isDark()} ${this.onlyDiffering && this.other?.model?.revision}`;
    if (surface.show(camera, picture, stamp)) this.schedule();
    if (surface.sharpIn) this.sharpen(surface.sharpIn);
    for (const name of this.outlined) {
      const rect = this.rectOf(name);
      if (rect) surface.outline(camera, rect, parts.mark, 2.5);
    }
    const found = this.pointer && layout.at(...this.world(...this.pointer));
    showTooltip(this.tooltip, model, found, this.pointer, surface.width, NO_USAGE);
    this.beside();
  }

  /**
   * Draw again when nothing moves any more.
   * @param {number} ms
   */
  sharpen(ms) {
    this.sharpTimer ??= setTimeout(() => {
      this.sharpTimer = undefined;
      this.schedule();
    }, ms);
  }

  /** The colour of a pod: by its namespace; if both have it in the same place, it stands back. */
  painter() {
    const colour = this.colours.forPicture("namespace");
    const there = this.other?.model?.pods;
    if (!this.onlyDiffering || !there) return colour;
    const { muted } = this.colours.parts;
    return (/** @type {any} */ pod) => (there.get(pod.key)?.node === pod.node ? muted : colour(pod));
  }

  /** What is made of elements. */
  beside() {
    const { model } = this;
    if (!model) return;
    const revisions = `${model.revision} ${this.other?.model?.revision}`;
    const stamp = `${revisions} ${this.outlined.join()} ${this.onlyDiffering} ${isDark()}`;
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    const there = this.other?.model?.pods;
    let differing = 0;
    for (const pod of model.pods.values()) differing += there && there.get(pod.key)?.node !== pod.node ? 1 : 0;
    const counts = [model.nodes.size, model.pods.size, differing];
    const [nodes, pods, elsewhere] = counts.map((count) => count.toLocaleString("en"));
    this.count.textContent = `${nodes} nodes, ${pods} pods, ${elsewhere} not where the other has them`;
    const pod = this.outlined.find((name) => name.startsWith("pod/"))?.slice(4) ?? "";
    showTray(this.tray, model, this.painter(), pod, this.select);
  }

  /** @param {string} name pod/KEY or node/NAME @returns {any} */
  rectOf(name) {
    const at = name.indexOf("/");
    const key = name.slice(at + 1);
    const isNode = name.slice(0, at) === "node";
    const box = this.layout?.boxes.get(isNode ? key : this.model?.pods.get(key)?.node ?? "");
    if (!box) return null;
    if (isNode) return [box.x, box.y, box.side, box.side];
    const index = box.pods.findIndex((pod) => pod.key === key) * 4;
    return index < 0 ? null : [...box.rects.slice(index, index + 4)];
  }

  /** @param {number} px @param {number} py @returns {[number, number]} */
  world(px, py) { return [this.camera.x + px / this.camera.scale, this.camera.y + py / this.camera.scale]; }

  /** @param {number} px @param {number} py */
  click(px, py) {
    const pod = this.layout?.at(...this.world(px, py))?.pod;
    if (pod) this.select(pod.key);
  }

  /**
   * The middle of a pod, in pixels of the window; for tests.
   * @param {string} name
   */
  locate(name) {
    const rect = this.rectOf(name);
    if (!rect) return null;
    const { left, top } = this.canvas.getBoundingClientRect();
    const { x, y, scale } = this.camera;
    return [left + (rect[0] + rect[2] / 2 - x) * scale, top + (rect[1] + rect[3] / 2 - y) * scale];
  }
}
