/** @file A number over time as a small plot; a click goes to that moment. */

import { shown } from "../api.js";
import { h } from "../dom.js";
import * as route from "../route.js";
import { isDark } from "../theme.js";
import { isInstant, nanoseconds, readable, textOf } from "../time/instants.js";

const HEIGHT = 34;

/**
 * A plot of steps: each value stays until the next.
 * @param {{name: string, points: [number, number][]}} series points have milliseconds since the beginning
 * @param {string} begin @param {string} end
 */
export function sparkline({ name, points }, begin, end) {
  const isShare = name.startsWith("requested");
  const text = (/** @type {number} */ value) => (isShare ? `${Math.round(value * 100)}%` : String(value));
  const span = Math.max(1, Number(nanoseconds(end) - nanoseconds(begin)) / 1e6);
  const at = isInstant(shown.at) ? Number(nanoseconds(shown.at) - nanoseconds(begin)) / 1e6 : span;
  const values = points.map(([, value]) => value);
  const now = valueAt(points, at);
  const canvas = h("canvas", {
    className: "sparkline", role: "img",
    "aria-label": `${name}: ${text(now)}, between ${text(Math.min(...values))} and ${text(Math.max(...values))}`,
    onclick: (/** @type {MouseEvent} */ event) => {
      const ms = Math.round(event.offsetX / canvas.clientWidth * span);
      route.change({ at: textOf(nanoseconds(begin) + BigInt(ms) * 1_000_000n) }, true);
    },
    onpointermove: (/** @type {PointerEvent} */ event) => {
      const ms = Math.round(event.offsetX / canvas.clientWidth * span);
      const when = textOf(nanoseconds(begin) + BigInt(ms) * 1_000_000n);
      canvas.title = `${text(valueAt(points, ms))} at ${readable(when)}`;
    },
  });
  new ResizeObserver(() => draw(canvas, points, span, at, isShare)).observe(canvas);
  return h("div", { className: "series" }, h("span", { className: "faint" }, name), canvas,
    h("span", { className: "number" }, text(now)));
}

/** @param {[number, number][]} points @param {number} ms */
export function valueAt(points, ms) {
  let found = 0;
  for (const [when, value] of points) {
    if (when > ms) break;
    found = value;
  }
  return found;
}

/**
 * @param {HTMLCanvasElement} canvas @param {[number, number][]} points
 * @param {number} span @param {number} at @param {boolean} isShare
 */
function draw(canvas, points, span, at, isShare) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width } = canvas;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const most = Math.max(isShare ? 1 : 0, ...points.map(([, value]) => value)) || 1;
  const x = (/** @type {number} */ ms) => ms / span * width;
  const y = (/** @type {number} */ value) => HEIGHT - 2 - value / most * (HEIGHT - 5);
  context.beginPath();
  context.moveTo(x(points[0][0]), HEIGHT);
  let last = 0;
  for (const [ms, value] of points) {
    context.lineTo(x(ms), y(last));
    context.lineTo(x(ms), y(last = value));
  }
  context.lineTo(width, y(last));
  context.lineTo(width, HEIGHT);
  context.closePath();
  context.fillStyle = isDark() ? "#2f415f" : "#d5e0f5";
  context.fill();
  context.strokeStyle = isDark() ? "#7d9cf0" : "#3a5bc7";
  context.lineWidth = 1.2;
  context.stroke();
  context.fillStyle = isDark() ? "#e57f86" : "#b3343c";
  if (at < span) context.fillRect(x(at) - 0.5, 0, 1.5, HEIGHT);
}
