/** @file How far a replay agrees with its recording: shares, what differs, and nodes over time. */

import { Plot } from "../autoscaling/plot.js";
import { h } from "../dom.js";

/**
 * @typedef {Object} Replay
 * @property {string} recording @property {string} begin @property {string} end
 * @property {boolean} isWhatIf @property {number} actions @property {number} consequences @property {number} seconds
 * @property {string} sameNode @property {string} baseline @property {string} scope
 * @property {{name: string, share: string, count: string}[]} shares
 * @property {{name: string, recorded: string, replayed: string}[]} figures
 * @property {{at: string, pod: string, recorded: string, predicted: string, equallyGood: number, explanation: string}[]} misses
 * @property {{workload: string, pods: number, recorded: string, replayed: string}[]} elsewhere
 * @property {[number, number][]} recordedNodes @property {[number, number][]} replayedNodes
 */

/**
 * The section of a replay.
 * @param {Replay} replay
 */
export function agreementSection(replay) {
  const hasPlacements = replay.sameNode !== "";
  return h("section", { "aria-label": "Agreement", className: "agreement" }, h("h2", {}, "Agreement with the recording"),
    h("p", { className: "faint" }, lead(replay)),
    hasPlacements && h("ul", { className: "shares" }, shares(replay).map(([name, value]) =>
      h("li", {}, h("b", {}, value), h("span", { className: "faint" }, name)))),
    replay.scope && h("p", { className: "faint" }, replay.scope),
    replay.misses.length > 0 && table("Placements that ties do not explain, the first and the largest",
      ["Time", "Pod", "Recorded on", "Predicted", "Why"],
      replay.misses.map((each) => [each.at, each.pod, each.recorded, each.predicted || "none", each.explanation])),
    h("div", { className: "columns" },
      hasPlacements && table("Recorded and replayed", ["", "Recorded", "Replayed"],
        replay.figures.map(({ name, recorded, replayed }) => [name, recorded, replayed]), 1),
      nodes(replay)),
    replay.elsewhere.length > 0 && table("Pods on other nodes", ["Workload", "Pods", "Recorded on", "Replayed on"],
      replay.elsewhere.map((each) => [each.workload, String(each.pods), each.recorded, each.replayed])));
}

/** @param {Replay} replay */
function lead({ recording, begin, end, isWhatIf, actions, consequences, sameNode }) {
  const settings = isWhatIf ? "other settings than the recorded ones" : "the recorded settings";
  const rest = sameNode ? "" : " The recording has no placements to compare with.";
  return `${recording}, ${begin} to ${end}, replayed under ${settings}: ${actions} actions done again, `
    + `${consequences} changes left to controllers.${rest}`;
}

/** @param {Replay} replay @returns {[string, string][]} */
function shares({ baseline, sameNode, shares: decisions }) {
  return [
    .../** @type {[string, string][]} */ (baseline ? [["pods on the same node, recorded settings", baseline]] : []),
    ["pods on the same node, this replay", sameNode],
    ...decisions.map(({ name, share }) => /** @type {[string, string]} */ ([`decisions ${name}`, share])),
  ];
}

/**
 * @param {string} caption @param {string[]} head @param {string[][]} rows
 * @param {number} [numbers] from which column on there are numbers
 */
function table(caption, head, rows, numbers = head.length) {
  const css = (/** @type {number} */ at) => (at >= numbers ? "number" : "");
  return h("div", { className: "scroll" }, h("table", { className: "matrix" }, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, head.map((each, at) => h("th", { className: css(at) }, each)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((each, at) => h("td", { className: css(at) }, each)))))));
}

/** @param {Replay} replay */
function nodes({ recordedNodes, replayedNodes, seconds }) {
  if (!recordedNodes.length || !replayedNodes.length) return null;
  const series = [
    { name: "replayed", colour: "s1", isStep: true, points: untilEnd(replayedNodes, seconds) },
    { name: "recorded", colour: "s4", isStep: true, points: untilEnd(recordedNodes, seconds) },
  ];
  const plot = new Plot("Nodes", series, seconds);
  new ResizeObserver(([entry]) => {
    plot.draw(entry.contentRect.width || 600);
    plot.point(null);
  }).observe(plot.picture);
  return plot.element;
}

/**
 * The last number holds until the end.
 * @param {[number, number][]} points @param {number} seconds @returns {[number, number][]}
 */
const untilEnd = (points, seconds) => [...points, [seconds, points[points.length - 1][1]]];
