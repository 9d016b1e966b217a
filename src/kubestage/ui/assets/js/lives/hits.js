/** @file What is at a point of the canvas. */

import { AXIS } from "./draw.js";
import { HEADER } from "./tracks.js";

const NEAR_PX = 5;

/**
 * @param {import("./view.js").LivesView} view
 * @param {number} px
 * @param {number} py
 * @returns {import("./tooltip.js").Found | null}
 */
export function hitAt({ axis, tracks, lives, top }, px, py) {
  if (py < AXIS) return null;
  // The header of the first group stays in sight above its lanes.
  const first = tracks.groups[tracks.firstAt(top)];
  const isSticky = first && first.top < top && py < AXIS + Math.min(HEADER, first.bottom - top);
  const place = isSticky ? { group: first, lane: -1 } : tracks.at(py - AXIS + top);
  if (!place) return null;
  const ms = axis.ms(px);
  const { group, lane } = place;
  if (lane < 0) return { group, pod: null, index: -1, instants: [], ms };
  const near = NEAR_PX / axis.width * (axis.to - axis.from);
  const stay = nearest(group.lanes[lane], ms, near, lives.end);
  if (!stay) return null;
  const { pod } = stay;
  const inside = Math.min(Math.max(ms, stay.begin), stay.end, lives.end);
  const instants = pod.instants.filter((each) => Math.abs(each.ms - ms) <= near);
  return { group, pod, index: Math.max(0, pod.indexAt(inside)), instants, ms };
}

/**
 * The stay at a moment, or one that is nearly there.
 * @param {import("./tracks.js").Stay[]} stays @param {number} ms @param {number} near @param {number} last
 */
function nearest(stays, ms, near, last) {
  let best = null;
  let distance = near;
  for (const stay of stays) {
    const end = Math.min(stay.end, last);
    const away = ms < stay.begin ? stay.begin - ms : Math.max(0, ms - end);
    // Of two that meet there, the later one.
    if (away <= distance) [best, distance] = [stay, away];
  }
  return best;
}
