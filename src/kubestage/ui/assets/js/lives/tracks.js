/** @file Which pod is on which lane: groups of lanes, one below the other. */

import { Heap } from "./heap.js";

export const HEADER = 20;
const GAP = 6;
/**
 * Heights of a lane, with what lies between two.
 * @type {Record<string, [number, number]>}
 */
const LANES = { tall: [16, 1], thin: [4, 0] };
/** A pod that got its node at once did not wait. */
const LEAST_MS = 0.001;
const NO_GROUP = "-";
const FINISHED = new Set(["succeeded", "failed"]);

/**
 * @typedef {import("./lives.js").PodLife} PodLife
 * @typedef {{pod: PodLife, begin: number, end: number}} Stay a pod on a lane; its end is Infinity while it lasts
 * @typedef {{key: string, title: string, kind: "node" | "workload" | "", lanes: Stay[][], isClosed: boolean, top: number, bottom: number}} Group
 */

/** The groups of all lives. */
export class Tracks {
  constructor() {
    /** @type {Group[]} */
    this.groups = [];
    this.height = 0;
    this.lane = 16;
    this.gap = 1;
    this.shown = 0;
    this.stamp = "";
  }

  /**
   * Follow the lives, and what the user wants to see of them.
   * @param {import("./lives.js").Lives} lives
   * @param {{by: string, rows: string, filter: string, closed: string}} settings
   * @param {import("../map/filter.js").Filter | null} filter
   */
  update(lives, { by, rows, filter: text, closed }, filter) {
    const stamp = JSON.stringify([lives.revision, by, rows, text, closed]);
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    [this.lane, this.gap] = LANES[rows] ?? LANES.tall;
    /** @type {Map<string, Stay[]>} */
    const grouped = new Map();
    this.shown = 0;
    for (const pod of lives.pods) {
      if (filter && !filter.pod(/** @type {any} */ (pod.record))) continue;
      this.shown += 1;
      for (const [key, stay] of by === "workload" ? lifeOf(pod) : staysOf(pod)) {
        const there = grouped.get(key);
        if (there) there.push(stay);
        else grouped.set(key, [stay]);
      }
    }
    // What is empty has a place as well, unless something is looked for.
    if (!filter) for (const key of by === "workload" ? lives.workloads : lives.nodes) if (!grouped.has(key)) grouped.set(key, []);
    this.place(grouped, by, new Set(namesOf(closed)));
  }

  /** @param {Map<string, Stay[]>} grouped @param {string} by @param {Set<string>} closed */
  place(grouped, by, closed) {
    let top = 0;
    const keys = [...grouped.keys()].sort(compareNames);
    this.groups = keys.map((key) => {
      const lanes = onLanes(grouped.get(key) ?? []);
      const isClosed = closed.has(key);
      const bottom = top + HEADER + (isClosed ? 0 : lanes.length * (this.lane + this.gap));
      const group = /** @type {Group} */ ({ key, title: titleOf(key, by), kind: key ? by : "", lanes, isClosed, top, bottom });
      top = bottom + GAP;
      return group;
    });
    this.height = top;
  }

  /**
   * The first group that ends below a height.
   * @param {number} y
   */
  firstAt(y) {
    let low = 0;
    let high = this.groups.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.groups[middle].bottom < y) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * The lane at a height: its group, and its number, -1 for the header.
   * @param {number} y
   */
  at(y) {
    const group = this.groups[this.firstAt(y)];
    if (!group || y < group.top) return null;
    if (y < group.top + HEADER) return { group, lane: -1 };
    const lane = Math.floor((y - group.top - HEADER) / (this.lane + this.gap));
    return lane < group.lanes.length ? { group, lane } : null;
  }

  /**
   * Where a lane begins.
   * @param {Group} group @param {number} lane
   */
  yOf(group, lane) { return group.top + HEADER + lane * (this.lane + this.gap); }

  /**
   * Where a pod is at a moment, or first is.
   * @param {string} key @param {number} ms
   */
  find(key, ms) {
    let found = null;
    for (const group of this.groups) {
      for (const [lane, stays] of group.lanes.entries()) {
        for (const stay of stays) {
          if (stay.pod.key !== key) continue;
          if (ms >= stay.begin && ms < stay.end) return { group, lane, stay };
          found ??= { group, lane, stay };
        }
      }
    }
    return found;
  }
}

/**
 * The groups that an address names as closed; a name has no comma.
 * @param {string} text
 */
export const namesOf = (text) => (text ? text.split(",").map((name) => (name === NO_GROUP ? "" : name)) : []);

/** @param {string[]} names */
export const textOfNames = (names) => names.map((name) => name || NO_GROUP).join(",");

/** @param {PodLife} pod @returns {[string, Stay][]} */
const lifeOf = (pod) => (pod.at.length ? [[pod.template.workload, { pod, begin: pod.at[0], end: pod.gone }]] : []);

/**
 * A pod is first among those without a node, then on its node.
 * @param {PodLife} pod @returns {[string, Stay][]}
 */
function staysOf(pod) {
  if (!pod.at.length) return [];
  /** @type {[string, Stay][]} */
  const found = [];
  const placed = Math.min(pod.placed, pod.gone);
  if (placed - pod.at[0] >= LEAST_MS) found.push(["", { pod, begin: pod.at[0], end: placed }]);
  if (pod.placed < pod.gone) found.push([pod.node, { pod, begin: pod.placed, end: pod.gone }]);
  return found;
}

/**
 * When a stay no longer needs its lane: a pod that has finished may be there for days.
 * @param {Stay} stay
 */
function busyUntil({ pod, end }) {
  const at = pod.phases.findIndex((phase) => FINISHED.has(phase));
  return at < 0 ? end : Math.min(pod.at[at], end);
}

/**
 * Each stay on the first lane that is free; a finished pod is shown until its lane is used again.
 * @param {Stay[]} stays @returns {Stay[][]}
 */
function onLanes(stays) {
  stays.sort((a, b) => a.begin - b.begin || a.pod.number - b.pod.number);
  /** @type {Stay[][]} */
  const lanes = [];
  const busy = new Heap();
  const free = new Heap();
  for (const stay of stays) {
    while (busy.least <= stay.begin) {
      const lane = busy.pop();
      free.push(lane, lane);
    }
    const lane = free.least < Infinity ? free.pop() : lanes.push([]) - 1;
    const before = lanes[lane].at(-1);
    if (before) before.end = Math.min(before.end, stay.begin);
    lanes[lane].push(stay);
    busy.push(busyUntil(stay), lane);
  }
  return lanes;
}

/** @param {string} key @param {string} by */
function titleOf(key, by) {
  if (!key) return by === "workload" ? "Pods without a workload" : "Pods without a node";
  if (by !== "workload") return key;
  const [, kind, namespace, name] = key.split("/");
  return `${namespace}/${name} (${kind})`;
}

const collator = new Intl.Collator("en", { numeric: true });
/**
 * Those without a group come first.
 * @param {string} a @param {string} b
 */
const compareNames = (a, b) => (a && b ? collator.compare(a, b) : a ? 1 : b ? -1 : 0);
