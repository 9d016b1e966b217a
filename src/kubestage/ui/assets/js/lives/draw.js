/** @file Draws the lives: an axis, and below it groups with their lanes, as far as they are in sight. */

import { drawHeader } from "./header.js";
import { INSTANTS, PHASES } from "./phases.js";
import { HEADER } from "./tracks.js";

export const AXIS = 22;
const FONT = "11px system-ui, sans-serif";
/** About the width of a letter, so that texts need not be measured. */
const LETTER = 6.2;
const LEAST_TEXT = 34;

/**
 * @typedef {Object} Picture
 * @property {import("./lives.js").Lives} lives
 * @property {import("./tracks.js").Tracks} tracks
 * @property {import("../time/axis.js").Axis} axis
 * @property {number} top how far it is scrolled
 * @property {Record<string, string>} parts
 * @property {boolean} isDark
 * @property {string} select
 * @property {number} width @property {number} height
 */

/**
 * Draw what is in sight; how many slices that took.
 * @param {CanvasRenderingContext2D} context @param {Picture} picture
 */
export function draw(context, picture) {
  const { tracks, parts, width, height, top } = picture;
  context.fillStyle = parts.page;
  context.fillRect(0, 0, width, height);
  grid(context, picture);
  context.font = FONT;
  context.textBaseline = "middle";
  const colours = coloursOf(picture.isDark);
  const bottom = top + height - AXIS;
  let drawn = 0;
  for (let at = tracks.firstAt(top); at < tracks.groups.length && tracks.groups[at].top < bottom; at += 1) {
    const group = tracks.groups[at];
    if (!group.isClosed) drawn += lanes(context, picture, group, colours);
    // The name of a group stays in sight as long as one of its lanes is.
    const y = Math.max(group.top, Math.min(top, group.bottom - HEADER)) - top + AXIS;
    drawHeader(context, picture, group, y);
  }
  axisBand(context, picture);
  return drawn;
}

/** @param {boolean} isDark */
function coloursOf(isDark) {
  const at = isDark ? 2 : 1;
  const found = /** @type {Record<string, string>} */ ({});
  for (const [name, row] of Object.entries(PHASES)) found[name] = row[at];
  return found;
}

/** @param {CanvasRenderingContext2D} context @param {Picture} picture */
function grid(context, { axis, lives, parts, height }) {
  context.fillStyle = parts.line;
  for (const { x } of axis.labels(lives.beginNs)) context.fillRect(Math.round(x), AXIS, 1, height - AXIS);
}

/** @param {CanvasRenderingContext2D} context @param {Picture} picture */
function axisBand(context, { axis, lives, parts, width }) {
  context.fillStyle = parts.band;
  context.fillRect(0, 0, width, AXIS);
  context.fillStyle = parts.text;
  for (const { x, text } of axis.labels(lives.beginNs)) context.fillText(text, x + 4, AXIS / 2 + 1);
  context.fillStyle = parts.faint;
  for (const { x } of axis.labels(lives.beginNs)) context.fillRect(Math.round(x), AXIS - 7, 1, 7);
}

/** @param {CanvasRenderingContext2D} context @param {Picture} picture @param {import("./tracks.js").Group} group @param {Record<string, string>} colours */
function lanes(context, picture, group, colours) {
  const { tracks, top, height } = picture;
  const step = tracks.lane + tracks.gap;
  const first = Math.max(0, Math.floor((top - group.top - HEADER) / step));
  const last = Math.min(group.lanes.length, Math.ceil((top + height - group.top - HEADER) / step));
  let drawn = 0;
  for (let lane = first; lane < last; lane += 1) {
    drawn += oneLane(context, picture, group.lanes[lane], tracks.yOf(group, lane) - top + AXIS, colours);
  }
  return drawn;
}

/** @param {CanvasRenderingContext2D} context @param {Picture} picture @param {import("./tracks.js").Stay[]} stays @param {number} y @param {Record<string, string>} colours */
function oneLane(context, picture, stays, y, colours) {
  const { axis, tracks, lives } = picture;
  let drawn = 0;
  let painted = -1;
  for (let at = firstVisible(stays, axis.from); at < stays.length && stays[at].begin <= axis.to; at += 1) {
    const { pod, begin } = stays[at];
    const end = Math.min(stays[at].end, lives.end);
    for (let index = Math.max(0, pod.indexAt(Math.max(begin, axis.from))); index < pod.at.length; index += 1) {
      const from = Math.max(begin, pod.at[index]);
      if (from >= end || from > axis.to) break;
      const x = Math.max(axis.x(from), -2);
      const right = Math.min(axis.x(Math.min(end, pod.endOf(index, lives.end))), axis.width + 2);
      // Many that share a pixel are one.
      if (right <= painted + 0.5) continue;
      const left = Math.max(x, painted);
      context.fillStyle = colours[pod.phases[index]];
      context.fillRect(left, y, Math.max(right - left, 0.75), tracks.lane);
      painted = right;
      drawn += 1;
    }
    drawn += marks(context, picture, stays[at], y);
    if (tracks.lane >= 12) label(context, picture, pod, axis.x(begin), axis.x(end), y);
  }
  return drawn;
}

/**
 * What happened at an instant.
 * @param {CanvasRenderingContext2D} context @param {Picture} picture @param {import("./tracks.js").Stay} stay @param {number} y
 */
function marks(context, { axis, tracks, isDark }, { pod, begin, end }, y) {
  let drawn = 0;
  for (const { ms, kind } of pod.instants) {
    if (ms < axis.from || ms > axis.to || ms < begin || ms > end) continue;
    const x = axis.x(ms);
    context.fillStyle = INSTANTS[kind]?.[isDark ? 2 : 1] ?? "";
    context.beginPath();
    context.moveTo(x - 3.5, y);
    context.lineTo(x + 3.5, y);
    context.lineTo(x, y + Math.min(7, tracks.lane));
    context.fill();
    drawn += 1;
  }
  return drawn;
}

/** @param {CanvasRenderingContext2D} context @param {Picture} picture @param {import("./lives.js").PodLife} pod @param {number} x @param {number} right @param {number} y */
function label(context, { axis, parts, tracks, select }, pod, x, right, y) {
  const left = Math.max(x, 0);
  const width = Math.min(right, axis.width) - left;
  if (select === `pod/${pod.key}`) {
    context.strokeStyle = parts.mark;
    context.lineWidth = 2;
    context.strokeRect(left + 1, y + 1, Math.max(width - 2, 1), tracks.lane - 2);
  }
  if (width < LEAST_TEXT) return;
  const most = Math.floor((width - 8) / LETTER);
  const text = pod.name.length <= most ? pod.name : `${pod.name.slice(0, Math.max(1, most - 1))}…`;
  context.fillStyle = parts.ink;
  context.fillText(text, left + 5, y + tracks.lane / 2 + 0.5);
}

/** @param {import("./tracks.js").Stay[]} stays @param {number} from */
function firstVisible(stays, from) {
  let low = 0;
  let high = stays.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stays[middle].end < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
