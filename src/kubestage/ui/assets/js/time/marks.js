/** @file Marks on the time axis: what happened, by kind. */

import { ApiError, get } from "../api.js";

const PATH = "/kubestage/v1/history/marks";

/**
 * Kinds of marks: their names for people, and their colours in light and dark.
 * @type {Record<string, [string, string, string]>}
 */
export const KINDS = {
  failure: ["failures", "#c23b43", "#e57f86"],
  unschedulable: ["unschedulable", "#d9822b", "#e0a35b"],
  preemption: ["preemptions", "#a04bb5", "#c68ad6"],
  eviction: ["evictions", "#c2568f", "#dd8ab5"],
  restart: ["restarts", "#a8763e", "#c79a66"],
  rescale: ["rescales", "#3a7bd5", "#7da9f0"],
  "node-group": ["nodes added, removed", "#2a9d8f", "#63c0b4"],
  rollout: ["rollouts", "#4f9d50", "#86c587"],
  step: ["Scenario steps", "#68737f", "#a3adba"],
  action: ["actions of clients", "#26303d", "#d5dbe4"],
};

/**
 * @typedef {Object} Mark
 * @property {string} at @property {number} ms @property {string} kind @property {string} subject
 * @property {string} text @property {string} severity
 */

/** All marks in the order of time, and which kinds are shown. */
export class Marks {
  constructor() {
    /** @type {Mark[]} */
    this.all = [];
    /** @type {Set<string>} */
    this.hidden = new Set();
    this.sequence = -1;
    /** Counts changes, for those who draw. */
    this.revision = 0;
  }

  /**
   * Read those that are new, and forget those before the beginning.
   * @param {(at: string) => number} offsetOf @param {number} [beginMs]
   */
  async read(offsetOf, beginMs = -Infinity) {
    const found = await get(this.sequence < 0 ? PATH : `${PATH}?after=${this.sequence}`).catch((error) => {
      if (!(error instanceof ApiError && error.code === 410)) throw error;
      this.all = [];
      return get(PATH);
    });
    this.sequence = found.sequence;
    if (!found.marks.length) return;
    if (this.all.length && this.all[0].ms < beginMs) this.all = this.all.filter((mark) => mark.ms >= beginMs);
    this.add(found.marks.map((/** @type {any} */ mark) => ({ ...mark, ms: offsetOf(mark.at) })));
  }

  /**
   * A moment that goes on may bring its mark again, with a higher count: the newer one replaces it.
   * @param {Mark[]} marks
   */
  add(marks) {
    const known = new Set(marks.map(nameOf));
    const first = marks[0].ms;
    this.all = this.all.filter((mark) => mark.ms < first || !known.has(nameOf(mark))).concat(marks);
    this.all.sort((a, b) => a.ms - b.ms);
    this.revision += 1;
  }

  /** @param {string} kind */
  toggle(kind) {
    if (!this.hidden.delete(kind)) this.hidden.add(kind);
    this.revision += 1;
  }

  get shown() { return this.hidden.size ? this.all.filter((mark) => !this.hidden.has(mark.kind)) : this.all; }

  /**
   * How many there are of each kind.
   * @returns {Map<string, number>}
   */
  counts() {
    const counts = new Map();
    for (const { kind } of this.all) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return counts;
  }

  /**
   * The next mark after a moment, or the last before it.
   * @param {number} ms @param {number} direction @returns {Mark | undefined}
   */
  next(ms, direction) {
    if (direction > 0) return this.shown.find((mark) => mark.ms > ms);
    return this.shown.filter((mark) => mark.ms < ms).pop();
  }

  /**
   * The marks between two moments.
   * @param {number} from @param {number} to @returns {Mark[]}
   */
  between(from, to) { return this.shown.filter((mark) => mark.ms >= from && mark.ms <= to); }
}

/** @param {Mark} mark */
const nameOf = (mark) => `${mark.at} ${mark.kind}`;
