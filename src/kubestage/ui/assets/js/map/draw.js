/** @file Draws the part of the map that is visible. */

import { inkOn } from "./ink.js";
import { NAME, PADDING } from "./layout.js";

/** Below this many pixels, a node is one block, and a pod has no border. */
const BLOCK = 5;
const BORDERED = 5;
const NAMED_NODE = 64;
const NAMED_POD = 46;

/**
 * @typedef {import("./layout.js").Layout} Layout
 * @typedef {import("./layout.js").Box} Box
 * @typedef {{x: number, y: number, scale: number}} Shown the corner of what is shown, and how large
 * @typedef {Object} Picture
 * @property {Layout} layout @property {import("../model.js").Model} model
 * @property {(pod: import("../model.js").PodRecord) => string} colour
 * @property {Record<string, string>} parts colours of all but pods
 * @property {boolean} isFiltered @property {string} size
 * @property {(node: string) => string} ground the colour of what is free of a node
 */

/**
 * Draw a rectangle of the world; returns how many nodes and pods were drawn.
 * @param {CanvasRenderingContext2D} context
 * @param {{x: number, y: number, scale: number}} camera
 * @param {number} width @param {number} height
 * @param {Picture} picture
 */
export function draw(context, camera, width, height, picture) {
  const { layout, parts } = picture;
  const { scale } = camera;
  context.fillStyle = parts.page;
  context.fillRect(0, 0, width, height);
  for (const group of layout.groups) drawGroup(context, camera, width, height, group, picture);
  let drawn = 0;
  context.textBaseline = "alphabetic";
  for (const box of layout.within(camera.x, camera.y, camera.x + width / scale, camera.y + height / scale)) {
    drawn += box.side * scale < BLOCK ? drawBlock(context, camera, box, picture) : drawBox(context, camera, box, picture);
  }
  return drawn;
}

/**
 * Draw some boxes again, over a picture of all; whether that was possible.
 * @param {CanvasRenderingContext2D} context
 * @param {{x: number, y: number, scale: number}} camera
 * @param {number} width @param {number} height
 * @param {Picture} picture @param {Set<Box>} boxes
 */
export function redraw(context, camera, width, height, picture, boxes) {
  const { scale } = camera;
  const above = NAME * scale >= 12 ? NAME * scale : 1;
  context.textBaseline = "alphabetic";
  for (const box of boxes) {
    const side = box.side * scale;
    // Blocks are so close together that the neighbours would suffer.
    if (side < BLOCK) return false;
    const x = (box.x - camera.x) * scale;
    const y = (box.y - camera.y) * scale;
    if (x > width || y > height || x + side < 0 || y + side < 0) continue;
    context.fillStyle = picture.parts.group;
    context.fillRect(x - 1, y - above, side + 2, side + above + 1);
    drawBox(context, camera, box, picture);
  }
  return true;
}

/**
 * @param {CanvasRenderingContext2D} context @param {Shown} camera @param {number} width @param {number} height
 * @param {import("./layout.js").Group} group @param {Picture} picture
 */
function drawGroup(context, camera, width, height, group, { parts, layout }) {
  const { scale } = camera;
  const x = (group.x - camera.x) * scale;
  const y = (group.y - camera.y) * scale;
  if (x > width || y > height || x + group.width * scale < 0 || y + group.height * scale < 0) return;
  context.fillStyle = parts.group;
  context.fillRect(x, y, group.width * scale, group.height * scale);
  context.strokeStyle = parts.line;
  context.lineWidth = 1;
  context.strokeRect(Math.round(x) + 0.5, Math.round(y) + 0.5, Math.round(group.width * scale), Math.round(group.height * scale));
  const room = layout.header * scale;
  if (!group.name || room < 9) return;
  const font = Math.min(14, room * 0.7);
  context.font = `600 ${font}px system-ui, sans-serif`;
  context.fillStyle = parts.text;
  // The name stays in sight while its group is.
  const left = Math.max(x + PADDING * scale, 8);
  const baseline = y + PADDING * scale * 0.6 + room * 0.5 + font * 0.35;
  const text = fitted(context, group.name, group.width * scale * 0.7);
  context.fillText(text, left, baseline);
  const end = left + context.measureText(text).width;
  context.font = `${font * 0.85}px system-ui, sans-serif`;
  context.fillStyle = parts.faint;
  const count = `${group.boxes.length} ${group.boxes.length === 1 ? "node" : "nodes"}`;
  if (end + 80 < x + group.width * scale) context.fillText(count, end + 8, baseline);
}

/**
 * A node of few pixels: how full it is, in the colour of its first pod.
 * @param {CanvasRenderingContext2D} context @param {Shown} camera @param {Box} box @param {Picture} picture
 */
function drawBlock(context, camera, box, { parts, colour, isFiltered, ground }) {
  const { scale } = camera;
  const side = Math.max(1, box.side * scale);
  const x = (box.x - camera.x) * scale;
  const y = (box.y - camera.y) * scale;
  context.fillStyle = ground(box.name);
  context.fillRect(x, y, side, side);
  if (!box.pods.length) return 1;
  const top = box.rects[box.rects.length - 3];
  const shown = isFiltered ? box.pods.find((pod) => pod.isMatch) : box.pods[0];
  context.fillStyle = shown ? colour(shown) : parts.muted;
  context.fillRect(x, (top - camera.y) * scale, side, (box.y + box.side - top) * scale);
  return 1;
}

/**
 * @param {CanvasRenderingContext2D} context @param {Shown} camera @param {Box} box @param {Picture} picture
 * @returns {number}
 */
function drawBox(context, camera, box, picture) {
  const { parts, model, isFiltered } = picture;
  const { scale } = camera;
  const x = (box.x - camera.x) * scale;
  const y = (box.y - camera.y) * scale;
  const side = box.side * scale;
  const node = model.nodes.get(box.name);
  context.fillStyle = picture.ground(box.name);
  context.fillRect(x, y, side, side);
  drawPods(context, camera, box, picture);
  if (side >= 12 && node) {
    const isBad = !node.isReady;
    context.strokeStyle = isBad ? parts.bad : isFiltered && node.isMatch ? parts.mark : parts.line;
    context.lineWidth = isBad || (isFiltered && node.isMatch) ? 2 : 1;
    context.setLineDash(node.isCordoned ? [4, 3] : []);
    context.strokeRect(x, y, side, side);
    context.setLineDash([]);
  }
  if (side >= NAMED_NODE && node) drawName(context, box, node, { parts, scale }, x, y, side);
  return 1 + box.pods.length;
}

/** @param {CanvasRenderingContext2D} context @param {Shown} camera @param {Box} box @param {Picture} picture */
function drawPods(context, camera, box, { colour, parts, isFiltered }) {
  const { scale } = camera;
  const { rects, pods } = box;
  let last = "";
  for (let index = 0; index < pods.length; index += 1) {
    const at = index * 4;
    const width = rects[at + 2] * scale;
    const height = rects[at + 3] * scale;
    const pod = pods[index];
    const fill = isFiltered && !pod.isMatch ? parts.muted : colour(pod);
    if (fill !== last) context.fillStyle = last = fill;
    const border = width > BORDERED && height > BORDERED ? 1 : 0;
    const x = (rects[at] - camera.x) * scale;
    const y = (rects[at + 1] - camera.y) * scale;
    context.fillRect(x, y, width - border, height - border);
    if (width > NAMED_POD && height > 15 && !(isFiltered && !pod.isMatch)) {
      context.font = "11px system-ui, sans-serif";
      context.fillStyle = inkOn(fill);
      context.fillText(fitted(context, pod.name, width - 10), x + 5, y + Math.min(height - 5, 14));
      last = "";
    }
  }
}

/**
 * The name of a node, above it, or if there is no room in the free space above its pods.
 * @param {CanvasRenderingContext2D} context @param {Box} box @param {import("../model.js").NodeRecord} node
 * @param {{parts: Record<string, string>, scale: number}} how @param {number} x @param {number} y @param {number} side
 */
function drawName(context, box, node, { parts, scale }, x, y, side) {
  const isAbove = NAME * scale >= 12;
  const free = box.pods.length ? (box.rects[box.rects.length - 3] - box.y) / box.side * side : side;
  if (!isAbove && free < 16) return;
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = parts.faint;
  const state = node.isReady ? (node.isCordoned ? " · cordoned" : "") : " · not ready";
  const left = isAbove ? x : x + 4;
  // The border shows the state, too: the name comes first.
  const isWide = context.measureText(box.name + state).width <= side - 4;
  const text = isWide ? box.name + state : fitted(context, box.name, side - 4);
  context.fillText(text, left, isAbove ? y - 4 : y + 13);
}

/**
 * Text that fits into a width.
 * @param {CanvasRenderingContext2D} context @param {string} text @param {number} width
 */
export function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low ? `${text.slice(0, low)}…` : "";
}
