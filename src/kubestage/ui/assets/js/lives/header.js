/** @file The header of a group: its name, and above a node when it was cordoned or not ready, or the replicas of a workload. */

import { HEADER } from "./tracks.js";

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import("./draw.js").Picture} picture
 * @param {import("./tracks.js").Group} group
 * @param {number} y
 */
export function drawHeader(context, picture, group, y) {
  const { parts, width, select, lives } = picture;
  context.fillStyle = parts.band;
  context.fillRect(0, y, width, HEADER);
  if (group.kind === "node") spans(context, picture, lives.states.get(group.key) ?? [], y);
  if (group.kind === "workload") steps(context, picture, lives.replicas.get(group.key) ?? [], y);
  const isSelected = group.kind && select === `${group.kind}/${group.key}`;
  context.font = "600 12px system-ui, sans-serif";
  const title = `${group.isClosed ? "▸" : "▾"} ${group.title}`;
  const count = `${group.lanes.length} ${group.lanes.length === 1 ? "lane" : "lanes"}`;
  const wide = context.measureText(title).width;
  context.fillStyle = parts.band;
  context.globalAlpha = 0.8;
  context.fillRect(4, y + 2, wide + 8, HEADER - 4);
  context.globalAlpha = 1;
  context.fillStyle = parts.text;
  context.fillText(title, 8, y + HEADER / 2 + 0.5);
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = parts.faint;
  if (group.isClosed) context.fillText(count, wide + 18, y + HEADER / 2 + 0.5);
  if (!isSelected) return;
  context.strokeStyle = parts.mark;
  context.lineWidth = 2;
  context.strokeRect(1, y + 1, width - 2, HEADER - 2);
}

/** @param {CanvasRenderingContext2D} context @param {import("./draw.js").Picture} picture @param {import("./lives.js").NodeState[]} states @param {number} y */
function spans(context, { axis, parts, lives }, states, y) {
  for (const [index, { ms, isThere, isReady, isCordoned }] of states.entries()) {
    if (isThere && isReady && !isCordoned) continue;
    const left = Math.max(0, axis.x(ms));
    const right = Math.min(axis.width, axis.x(states[index + 1]?.ms ?? lives.end));
    if (right < 0 || left > axis.width) continue;
    context.fillStyle = !isThere ? parts.muted : isReady ? parts.cordon : parts.bad;
    context.fillRect(left, y, Math.max(1, right - left), HEADER);
    if (right - left < 70) continue;
    context.fillStyle = parts.text;
    context.textAlign = "right";
    context.fillText(!isThere ? "gone" : isReady ? "cordoned" : "NotReady", right - 6, y + HEADER / 2 + 0.5);
    context.textAlign = "left";
  }
}

/**
 * Ready replicas as an area, desired ones as a line.
 * @param {CanvasRenderingContext2D} context @param {import("./draw.js").Picture} picture @param {import("./lives.js").Replicas[]} rows @param {number} y
 */
function steps(context, { axis, parts, lives }, rows, y) {
  const most = rows.reduce((top, { desired, ready }) => Math.max(top, desired, ready), 1);
  const scale = (HEADER - 3) / most;
  for (const [index, { ms, desired, ready }] of rows.entries()) {
    const left = Math.max(0, axis.x(ms));
    const right = Math.min(axis.width, axis.x(rows[index + 1]?.ms ?? lives.end));
    if (right <= left) continue;
    context.fillStyle = parts.have;
    context.fillRect(left, y + HEADER - ready * scale, right - left, ready * scale);
    context.fillStyle = parts.wanted;
    context.fillRect(left, Math.min(y + HEADER - 1.5, y + HEADER - desired * scale - 1), right - left, 1.5);
  }
}
