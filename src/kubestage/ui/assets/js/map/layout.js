/** @file Where nodes and pods are on the map. What has not changed is not computed again. */

import { groupName, naturally } from "./groups.js";
import { fillBox } from "./strips.js";

const SIDE = 100;
const GAP = 10;
const CELL = SIDE + GAP;
/** The names of nodes are above them. */
export const NAME = 12;
const ROW = SIDE + NAME + 4;
export const PADDING = 10;
const GROUP_GAP = 24;
/** A small node beside a large one is still visible. */
const LEAST_SIDE = 0.4;

/**
 * @typedef {import("../model.js").NodeRecord} NodeRecord
 * @typedef {import("../model.js").PodRecord} PodRecord
 *
 * @typedef {Object} Box a node; `rects` has x, y, width and height of each pod
 * @property {string} name @property {number} x @property {number} y @property {number} side
 * @property {PodRecord[]} pods @property {Float32Array} rects @property {number} whole how much the node has
 *
 * @typedef {Object} Group nodes in rows of equal cells
 * @property {string} name @property {Box[]} boxes @property {number} columns
 * @property {number} x @property {number} y @property {number} width @property {number} height
 */

/** The layout of a model. */
export class Layout {
  /** @param {import("../model.js").Model} model */
  constructor(model) {
    this.model = model;
    /** @type {Group[]} */
    this.groups = [];
    /** @type {Map<string, Box>} */
    this.boxes = new Map();
    this.width = this.height = this.header = 0;
    this.key = this.size = "";
    /** @type {Set<Box> | null} The boxes that have to be drawn again; null is all. */
    this.dirty = null;
  }

  /**
   * Follow the model; whether nodes have moved.
   * @param {{group: string, size: string, aspect: number}} options
   */
  update({ group, size, aspect }) {
    const { model } = this;
    const key = `${group} ${size} ${aspect.toFixed(1)}`;
    if (model.nodesChanged || key !== this.key) {
      this.key = key;
      const before = this.size === size ? this.boxes : new Map();
      this.size = size;
      this.arrange(group, size, aspect);
      for (const box of this.boxes.values()) this.reuse(before.get(box.name), box) || this.fill(box, size);
      model.nodesChanged = false;
      model.touched.clear();
      this.dirty = null;
      return true;
    }
    for (const name of model.touched) {
      const box = this.boxes.get(name);
      if (!box) continue;
      this.fill(box, size);
      this.dirty?.add(box);
    }
    model.touched.clear();
    return false;
  }

  /**
   * Take over the rectangles of a box that has only moved.
   * @param {Box | undefined} before @param {Box} box
   */
  reuse(before, box) {
    if (!before || before.side !== box.side || before.whole !== box.whole || this.model.touched.has(box.name)) return false;
    const [dx, dy] = [box.x - before.x, box.y - before.y];
    const { rects } = before;
    for (let at = 0; at < rects.length; at += 4) {
      rects[at] += dx;
      rects[at + 1] += dy;
    }
    box.rects = rects;
    box.pods = before.pods;
    return true;
  }

  /** @param {Box} box @param {string} size */
  fill(box, size) {
    const node = /** @type {NodeRecord} */ (this.model.nodes.get(box.name));
    box.pods = this.model.podsOn(box.name);
    const whole = node.allocatable[size];
    box.rects = fillBox(box.pods.map((pod) => (whole ? pod.requests[size] / whole : 0)), box);
  }

  /** @param {string} by @param {string} size @param {number} aspect */
  arrange(by, size, aspect) {
    /** @type {Map<string, NodeRecord[]>} */
    const found = new Map();
    let largest = 0;
    for (const node of this.model.nodes.values()) {
      const name = groupName(node, by);
      const there = found.get(name);
      if (there) there.push(node);
      else found.set(name, [node]);
      largest = Math.max(largest, node.allocatable[size]);
    }
    const names = [...found.keys()].sort(naturally);
    this.groups = names.map((name) => ({
      name: by === "none" ? "" : name || `no ${by.replace(/^label:/, "label ")}`,
      boxes: (found.get(name) ?? [])
        .sort((a, b) => b.allocatable[size] - a.allocatable[size] || naturally(a.name, b.name))
        .map((node) => boxOf(node, size, largest)),
      columns: 1, x: 0, y: 0, width: 0, height: 0,
    }));
    this.boxes = new Map(this.groups.flatMap((group) => group.boxes.map((box) => [box.name, box])));
    this.header = by === "none" ? 0 : Math.max(14, Math.sqrt(this.boxes.size) * 4);
    this.shelve(aspect);
  }

  /**
   * Put the groups on shelves, all equally wide, so that the whole has the aspect of the canvas.
   * @param {number} aspect
   */
  shelve(aspect) {
    const { groups } = this;
    const count = groups.length;
    if (!count) return;
    const perShelf = Math.ceil(count / Math.max(1, Math.round(Math.sqrt(count / aspect / 1.5))));
    const most = Math.max(...groups.map((group) => group.boxes.length));
    let best = { error: Infinity, columns: 1 };
    for (let columns = 1; columns <= most; columns += Math.max(1, columns >> 3)) {
      this.place(columns, perShelf);
      const error = Math.abs(Math.log(this.width / this.height / aspect));
      if (error < best.error) best = { error, columns };
    }
    this.place(best.columns, perShelf);
    for (const group of groups) putBoxes(group, this.header);
  }

  /** @param {number} columns @param {number} perShelf */
  place(columns, perShelf) {
    const width = columns * CELL - GAP + 2 * PADDING;
    let y = 0;
    for (let start = 0; start < this.groups.length; start += perShelf) {
      const shelf = this.groups.slice(start, start + perShelf);
      let tallest = 0;
      shelf.forEach((group, index) => {
        const rows = Math.ceil(group.boxes.length / columns);
        Object.assign(group, { columns, x: index * (width + GROUP_GAP), y, width });
        group.height = this.header + rows * ROW + 2 * PADDING;
        tallest = Math.max(tallest, group.height);
      });
      for (const group of shelf) group.height = tallest;
      y += tallest + GROUP_GAP;
    }
    this.width = Math.min(perShelf, this.groups.length) * (width + GROUP_GAP) - GROUP_GAP;
    this.height = y - GROUP_GAP;
  }

  /**
   * The boxes that a rectangle may touch: cells are regular, so they are found without a search.
   * @param {number} left @param {number} top @param {number} right @param {number} bottom
   * @returns {Generator<Box>}
   */
  *within(left, top, right, bottom) {
    for (const group of this.groups) {
      const x = group.x + PADDING;
      const y = group.y + PADDING + this.header;
      const firstColumn = Math.max(0, Math.floor((left - x) / CELL));
      const lastColumn = Math.min(group.columns - 1, Math.floor((right - x) / CELL));
      const firstRow = Math.max(0, Math.floor((top - y) / ROW));
      const lastRow = Math.floor((bottom - y) / ROW);
      for (let row = firstRow; row <= lastRow && row * group.columns < group.boxes.length; row += 1) {
        for (let column = firstColumn; column <= lastColumn; column += 1) {
          const box = group.boxes[row * group.columns + column];
          if (box) yield box;
        }
      }
    }
  }

  /**
   * What is at a point.
   * @param {number} x @param {number} y @returns {{box: Box, pod: PodRecord | null} | null}
   */
  at(x, y) {
    for (const box of this.within(x, y, x, y)) {
      // The name counts as well: a full node has no other free place.
      if (x > box.x + box.side || y > box.y + box.side || x < box.x || y < box.y - NAME) continue;
      const { rects } = box;
      for (let index = 0; index < box.pods.length; index += 1) {
        const at = index * 4;
        if (x >= rects[at] && x <= rects[at] + rects[at + 2] && y >= rects[at + 1] && y <= rects[at + 1] + rects[at + 3]) {
          return { box, pod: box.pods[index] };
        }
      }
      return { box, pod: null };
    }
    return null;
  }
}

/** @param {NodeRecord} node @param {string} size @param {number} largest @returns {Box} */
function boxOf(node, size, largest) {
  const part = largest ? Math.sqrt(node.allocatable[size] / largest) : 1;
  const side = SIDE * Math.max(part, LEAST_SIDE);
  return { name: node.name, x: 0, y: 0, side, pods: [], rects: new Float32Array(0), whole: node.allocatable[size] };
}

/** @param {Group} group @param {number} header */
function putBoxes(group, header) {
  group.boxes.forEach((box, index) => {
    box.x = group.x + PADDING + (index % group.columns) * CELL;
    box.y = group.y + PADDING + header + Math.floor(index / group.columns) * ROW + NAME + SIDE - box.side;
  });
}
