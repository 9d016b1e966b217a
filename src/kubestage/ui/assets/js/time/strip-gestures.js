/** @file Mouse, touch and keyboard on the strip of the past. */

import { TRACK } from "./strip.js";

const CLICK_PX = 3;

/**
 * Listen to a strip: a drag on the track moves the handle, a drag below it (or with Shift) moves the axis.
 * @param {HTMLCanvasElement} canvas
 * @param {import("./scrubber.js").Scrubber} scrubber
 */
export function listen(canvas, scrubber) {
  const { travel, axis } = scrubber;
  /** @type {{id: number, x: number, moved: number, isPan: boolean} | null} */
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    travel.isPlaying = false;
    drag = { id: event.pointerId, x: event.offsetX, moved: 0, isPan: event.shiftKey || event.offsetY > TRACK };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) {
      scrubber.point(event.offsetX);
      return;
    }
    const dx = event.offsetX - drag.x;
    drag.moved += Math.abs(dx);
    drag.x = event.offsetX;
    if (drag.moved <= CLICK_PX) return;
    if (drag.isPan) axis.pan(dx);
    else travel.move(axis.roundMs(event.offsetX));
    scrubber.point(drag.isPan ? null : event.offsetX);
  });
  const end = (/** @type {PointerEvent} */ event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const { moved, isPan } = drag;
    drag = null;
    if (isPan) return;
    if (moved > CLICK_PX) {
      travel.settle();
      return;
    }
    const [mark] = nearest(scrubber.marksAt(event.offsetX), axis.ms(event.offsetX));
    if (mark) travel.go(mark.at);
    else {
      travel.move(axis.roundMs(event.offsetX));
      travel.settle();
    }
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => { if (!drag) scrubber.point(null); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const isAcross = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isAcross) axis.pan(-(event.deltaX || event.deltaY));
    else axis.zoom(event.offsetX, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)));
    scrubber.point(event.offsetX);
  }, { passive: false });
  canvas.addEventListener("dblclick", () => {
    axis.isWhole = true;
    scrubber.schedule();
  });
  canvas.addEventListener("keydown", (event) => onKey(event, scrubber));
}

/** @param {import("./marks.js").Mark[]} marks @param {number} ms */
const nearest = (marks, ms) => [...marks].sort((a, b) => Math.abs(a.ms - ms) - Math.abs(b.ms - ms));

/**
 * A slider's keys; + and - zoom, 0 shows all.
 * @param {KeyboardEvent} event @param {import("./scrubber.js").Scrubber} scrubber
 */
function onKey(event, scrubber) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { travel, axis } = scrubber;
  const at = travel.ms ?? travel.endMs;
  const span = axis.to - axis.from;
  const move = (/** @type {number} */ ms) => {
    const unit = 10 ** Math.floor(Math.log10(span / 1000));
    travel.move(Math.round(ms / unit) * unit);
    axis.reveal(travel.ms ?? travel.endMs);
    travel.settle(false);
  };
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => move(at - span / 200), ArrowDown: () => move(at - span / 200),
    ArrowRight: () => move(at + span / 200), ArrowUp: () => move(at + span / 200),
    PageDown: () => move(at - span / 10), PageUp: () => move(at + span / 10),
    Home: () => { travel.move(travel.beginMs); axis.reveal(travel.beginMs); travel.settle(false); },
    End: () => travel.go("", false),
    "+": () => axis.zoom(axis.x(at), 1.5), "=": () => axis.zoom(axis.x(at), 1.5), "-": () => axis.zoom(axis.x(at), 1 / 1.5),
    0: () => { axis.isWhole = true; },
  };
  if (!(event.key in keys)) return;
  keys[event.key]();
  scrubber.schedule();
  event.preventDefault();
  event.stopPropagation();
}
