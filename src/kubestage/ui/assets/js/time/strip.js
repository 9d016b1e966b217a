/** @file Draws the strip of the past: how much changed when, marks, labels, and the handle. */

import { isDark } from "../theme.js";
import { KINDS } from "./marks.js";

export const HEIGHT = 46;
export const TRACK = 30;
const DENSITY = 16;
const TICK = 3;
const BUCKET = 3;

const LIGHT = { track: "#e6e9ee", density: "#aab6c6", text: "#68737f", line: "#d5dae1", handle: "#3a5bc7", ink: "#26303d" };
const DARK = { track: "#232932", density: "#4c5a6e", text: "#8b95a4", line: "#333a45", handle: "#7d9cf0", ink: "#d5dbe4" };

/** The canvas of the strip; what stays the same while the handle moves is drawn once. */
export class Strip {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.back = document.createElement("canvas");
    this.stamp = "";
    this.width = 0;
  }

  /** @param {import("./travel.js").Travel} travel @param {import("./axis.js").Axis} axis @param {number | null} hover */
  draw(travel, axis, hover) {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width } = this.canvas;
    if (!width) return;
    this.width = width;
    axis.follow(travel.beginMs, travel.endMs, width);
    const colours = isDark() ? DARK : LIGHT;
    const stamp = [width, ratio, isDark(), axis.from, axis.to, travel.marks.revision, travel.past.times.length].join();
    if (stamp !== this.stamp) {
      this.stamp = stamp;
      this.canvas.width = this.back.width = Math.round(width * ratio);
      this.canvas.height = this.back.height = Math.round(HEIGHT * ratio);
      this.ground(travel, axis, colours, ratio);
    }
    const { context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.back, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (hover !== null) {
      context.fillStyle = colours.text;
      context.fillRect(Math.round(hover), 0, 1, TRACK);
    }
    handle(context, axis.x(travel.ms ?? travel.endMs), width, colours);
  }

  /**
   * What does not move: density, ticks and labels.
   * @param {import("./travel.js").Travel} travel @param {import("./axis.js").Axis} axis
   * @param {Record<string, string>} colours @param {number} ratio
   */
  ground(travel, axis, colours, ratio) {
    const context = /** @type {CanvasRenderingContext2D} */ (this.back.getContext("2d"));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, HEIGHT);
    context.fillStyle = colours.track;
    context.fillRect(0, 0, this.width, TRACK);
    drawDensity(context, travel.past, axis, colours);
    drawMarks(context, travel.marks, axis);
    context.font = "11px system-ui, sans-serif";
    for (const { x, text } of axis.labels(travel.past.beginNs)) {
      context.fillStyle = colours.line;
      context.fillRect(Math.round(x), TRACK, 1, 4);
      context.fillStyle = colours.text;
      const { width } = context.measureText(text);
      context.fillText(text, Math.max(0, Math.min(this.width - width, x - width / 2)), HEIGHT - 3);
    }
  }
}

/**
 * How many changes there are in each few pixels, the highest as high as there is room.
 * @param {CanvasRenderingContext2D} context @param {import("./past.js").Past} past
 * @param {import("./axis.js").Axis} axis @param {Record<string, string>} colours
 */
function drawDensity(context, past, axis, colours) {
  const counts = [];
  for (let x = 0; x < axis.width; x += BUCKET) {
    counts.push(past.count(axis.ms(x + BUCKET)) - (x ? past.count(axis.ms(x)) : past.count(axis.from - 1e-6)));
  }
  const most = Math.max(1, ...counts);
  context.fillStyle = colours.density;
  counts.forEach((count, index) => {
    // A single change beside a thousand is still seen.
    if (count) context.fillRect(index * BUCKET, TRACK, BUCKET - 1, -Math.max(2, Math.sqrt(count / most) * DENSITY));
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import("./marks.js").Marks} marks @param {import("./axis.js").Axis} axis
 */
function drawMarks(context, marks, axis) {
  /** @type {Map<number, Map<string, boolean>>} */
  const columns = new Map();
  for (const { ms, kind, severity } of marks.shown) {
    const x = Math.round(axis.x(ms));
    if (x < -TICK || x > axis.width + TICK) continue;
    const there = columns.get(x) ?? new Map();
    columns.set(x, there.set(kind, there.get(kind) || severity === "bad"));
  }
  for (const [x, kinds] of columns) {
    // Several kinds at one place share it.
    const isBad = [...kinds.values()].some(Boolean);
    const top = isBad ? 0 : 4;
    const height = (isBad ? 17 : 12) / kinds.size;
    [...kinds.keys()].forEach((kind, index) => {
      context.fillStyle = colourOf(kind);
      context.fillRect(x - 1, top + index * height, TICK, height);
    });
  }
}

/** @param {string} kind */
export const colourOf = (kind) => (KINDS[kind] ?? KINDS.step)[isDark() ? 2 : 1];

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x @param {number} width @param {Record<string, string>} colours
 */
function handle(context, x, width, colours) {
  if (x < -8 || x > width + 8) return;
  const at = Math.max(1, Math.min(width - 1, x));
  context.fillStyle = colours.handle;
  context.fillRect(at - 1, 0, 2, TRACK);
  context.beginPath();
  context.arc(Math.max(6, Math.min(width - 6, at)), TRACK - 6, 6, 0, Math.PI * 2);
  context.fill();
  context.strokeStyle = colours.ink;
  context.lineWidth = 1;
  context.stroke();
}
