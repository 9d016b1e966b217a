/** @file Mouse, touch and keyboard on the map. */

const CLICK_PX = 4;
const STEP_PX = 60;
const ZOOM_STEP = 1.3;

/**
 * @typedef {Object} Actions
 * @property {(px: number, py: number, factor: number) => void} zoom
 * @property {(dx: number, dy: number) => void} pan
 * @property {(px: number, py: number) => void} click
 * @property {(point: [number, number] | null) => void} hover
 * @property {() => void} fit
 */

/** @param {HTMLCanvasElement} canvas @param {Actions} actions */
export function listen(canvas, actions) {
  /**
   * Pointers that are down, and where.
   * @type {Map<number, [number, number]>}
   */
  const down = new Map();
  let moved = 0;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    actions.zoom(event.offsetX, event.offsetY, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, [event.offsetX, event.offsetY]);
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) {
      actions.hover([event.offsetX, event.offsetY]);
      return;
    }
    const [dx, dy] = [event.offsetX - before[0], event.offsetY - before[1]];
    moved += Math.abs(dx) + Math.abs(dy);
    if (down.size === 2) pinch(down, event, actions);
    else if (moved > CLICK_PX) actions.pan(dx, dy);
    down.set(event.pointerId, [event.offsetX, event.offsetY]);
    actions.hover(null);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (down.delete(event.pointerId) && moved <= CLICK_PX) actions.click(event.offsetX, event.offsetY);
  });
  canvas.addEventListener("pointercancel", (event) => down.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => actions.hover(null));
}

/**
 * Two fingers: zoom by how far they are apart.
 * @param {Map<number, [number, number]>} down @param {PointerEvent} event @param {Actions} actions
 */
function pinch(down, event, actions) {
  const [other] = [...down].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
  const [x, y] = down.get(event.pointerId) ?? other;
  const before = Math.hypot(x - other[0], y - other[1]);
  const after = Math.hypot(event.offsetX - other[0], event.offsetY - other[1]);
  if (before > 0) actions.zoom((event.offsetX + other[0]) / 2, (event.offsetY + other[1]) / 2, after / before);
}

/**
 * Whether a key was for the map.
 * @param {KeyboardEvent} event @param {{width: number, height: number}} size @param {Actions} actions
 */
export function onKey(event, { width, height }, actions) {
  /** @type {Record<string, () => void>} */
  const keys = {
    "+": () => actions.zoom(width / 2, height / 2, ZOOM_STEP),
    "=": () => actions.zoom(width / 2, height / 2, ZOOM_STEP),
    "-": () => actions.zoom(width / 2, height / 2, 1 / ZOOM_STEP),
    0: () => actions.fit(),
    ArrowLeft: () => actions.pan(STEP_PX, 0),
    ArrowRight: () => actions.pan(-STEP_PX, 0),
    ArrowUp: () => actions.pan(0, STEP_PX),
    ArrowDown: () => actions.pan(0, -STEP_PX),
  };
  keys[event.key]?.();
  return event.key in keys;
}
