/** @file The canvas of lives: its size, and the line at the moment that is shown. */

/** @typedef {import("./view.js").LivesView} LivesView */

/**
 * Follow the size of the element.
 * @param {LivesView} view
 */
export function resize(view) {
  const { canvas, context } = view;
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = window.devicePixelRatio || 1;
  if (width === view.width && height === view.height && ratio === view.ratio) return;
  Object.assign(view, { width, height, ratio });
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

/**
 * Draw a line at the moment that is shown.
 * @param {LivesView} view
 * @param {string} colour
 */
export function drawCursor({ axis, context, height, ms, width }, colour) {
  const x = Math.min(axis.x(ms), width - 1);
  if (x < 0 || x > width || ms > axis.to) return;
  context.fillStyle = colour;
  context.fillRect(Math.round(x), 0, 1.5, height);
}
