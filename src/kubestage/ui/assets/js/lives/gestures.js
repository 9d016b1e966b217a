/** @file Wheel and keys on the lives: as in Perfetto, W and S zoom, A and D move in time. */

import { onKey as onMapKey } from "../map/gestures.js";

const STEP_PX = 60;
const LINE_PX = 20;
/** @type {Record<string, string>} */
const SAME = { w: "+", s: "-", a: "ArrowLeft", d: "ArrowRight", W: "+", S: "-", A: "ArrowLeft", D: "ArrowRight" };

/**
 * With Shift, and across, the wheel moves; otherwise it zooms, which the map's listener does.
 * @param {HTMLCanvasElement} canvas @param {import("../map/gestures.js").Actions} actions
 */
export function wheel(canvas, actions) {
  canvas.addEventListener("wheel", (event) => {
    const scale = event.deltaMode ? LINE_PX : 1;
    const isAcross = Math.abs(event.deltaX) > Math.abs(event.deltaY) && !event.shiftKey;
    if (!event.shiftKey && !isAcross) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isAcross) actions.pan(-event.deltaX * scale, 0);
    else actions.pan(0, -(event.deltaY || event.deltaX) * scale);
  }, { passive: false });
}

/**
 * Whether a key was for the lives.
 * @param {string} key @param {import("./view.js").LivesView} view
 */
export function onKey(key, view) {
  const { actions, height } = view;
  /** @type {Record<string, () => void>} */
  const keys = {
    PageUp: () => actions.pan(0, height - STEP_PX),
    PageDown: () => actions.pan(0, STEP_PX - height),
    Home: () => actions.pan(0, Infinity),
    End: () => actions.pan(0, -Infinity),
    j: () => step(view, 1),
    k: () => step(view, -1),
    x: () => view.toggle((view.tracks.at(view.top) ?? { group: { key: "" } }).group.key),
  };
  keys[key]?.();
  return key in keys || onMapKey(new KeyboardEvent("keydown", { key: SAME[key] ?? key }), view, actions);
}

/**
 * Select the pod that is shown after the selected one, or before it.
 * @param {import("./view.js").LivesView} view @param {number} direction
 */
function step(view, direction) {
  const { tracks, lives, settings, axis, ms } = view;
  const stays = tracks.groups.flatMap((group) => (group.isClosed ? [] : group.lanes.flat()))
    .filter(({ begin, end }) => begin <= axis.to && end >= axis.from);
  const keys = [...new Set(stays.map(({ pod }) => pod.key))];
  if (!keys.length) return;
  const now = keys.indexOf(settings.select.replace(/^pod\//, ""));
  const first = direction > 0 ? 0 : keys.length - 1;
  const next = keys[now < 0 ? first : (now + direction + keys.length) % keys.length];
  const of = stays.filter(({ pod }) => pod.key === next);
  const isThere = of.some(({ begin, end }) => begin <= ms && ms < end);
  // If it is not there at the moment that is shown, one is shown at which it was.
  view.choose(`pod/${next}`, isThere ? view.moment() : lives.textAt(of[of.length - 1].begin));
  view.revealed = "";
}
