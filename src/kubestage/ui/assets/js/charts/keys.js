/** @file Keys of the charts: move the cursor, zoom in and out. */

import * as route from "../route.js";
import { format, parse } from "./times.js";

const STEPS = 50;
const ZOOM = 2;

/**
 * Use a key; whether it was one.
 * @param {string} key @param {{begin: string, end: string}} record @param {number} cursor NaN if there is none
 */
export function onKey(key, record, cursor) {
  const { from, to } = route.current().query;
  const [begin, end] = [parse(from || record.begin), parse(to || record.end)];
  const at = Number.isNaN(cursor) ? end : cursor;
  if (key === "0") route.change({ from: "", to: "" });
  else if (key === "ArrowLeft" || key === "ArrowRight") {
    const moved = at + (key === "ArrowLeft" ? -1 : 1) * (end - begin) / STEPS;
    route.change({ at: format(Math.min(Math.max(moved, begin), end)) });
  } else if (key === "+" || key === "-") {
    const factor = key === "+" ? 1 / ZOOM : ZOOM;
    zoom(at - (at - begin) * factor, at + (end - at) * factor, record);
  } else return false;
  return true;
}

/** @param {number} begin @param {number} end @param {{begin: string, end: string}} record */
function zoom(begin, end, record) {
  const [first, last] = [parse(record.begin), parse(record.end)];
  const [from, to] = [Math.max(begin, first), Math.min(end, last)];
  if (from <= first && to >= last) route.change({ from: "", to: "" });
  else if (to - from >= 1) route.change({ from: format(from), to: to >= last ? "" : format(to) });
}
