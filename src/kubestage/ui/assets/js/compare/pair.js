/** @file Two clusters on one clock: both of their pasts, and the decisions in which they differ. */

import { get } from "../api.js";
import { nanoseconds, textOf } from "../time/instants.js";
import { Past } from "../time/past.js";

const PATH = "/kubestage/v1/comparison";
const MOST = 5000;
/** Half a nanosecond: a moment that was added to and subtracted from is still the same. */
const ROUNDING_MS = 5e-7;

/**
 * @typedef {Object} Difference
 * @property {number} number @property {string} at @property {string} what
 * @property {any} left @property {any} right @property {number} ms when both have decided
 */

/**
 * Where the API of a cluster is.
 * @param {string} name "" for the first one
 */
export const prefixOf = (name) => (name ? `/clusters/${encodeURIComponent(name)}` : "");

/** What stands on the strip as marks: the differences. */
class DifferenceMarks {
  constructor() {
    /** @type {any[]} */
    this.shown = [];
    this.revision = 0;
  }

  /** @param {Difference[]} differences */
  show(differences) {
    // The strip has no colour of its own for these: they are as red as failures.
    this.shown = differences.map(({ ms, number, at }) => ({ ms, at, number, kind: "failure", severity: "bad" }));
    this.revision += 1;
  }

  /** @param {number} from @param {number} to */
  between(from, to) { return this.shown.filter(({ ms }) => ms >= from && ms <= to); }
}

/** Both clusters. Offsets are milliseconds since `beginNs`; the strip of the past draws it like one past. */
export class Pair {
  /** @param {() => void} onChange @param {(at: string) => void} onSettle called with the moment for the address */
  constructor(onChange, onSettle) {
    this.onChange = onChange;
    this.onSettle = onSettle;
    this.names = ["", ""];
    /** @type {any[]} */
    this.pasts = [new Past(""), new Past("")];
    this.shifts = [0, 0];
    this.marks = new DifferenceMarks();
    /** @type {Difference[]} */
    this.differences = [];
    this.total = this.same = 0;
    this.beginNs = 0n;
    this.beginMs = this.endMs = 0;
    /** @type {number | null} */
    this.ms = null;
    this.isPlaying = this.isLoaded = this.isTogether = false;
    this.titles = ["", ""];
  }

  /**
   * Read both clusters.
   * @param {string} left @param {string} right
   */
  async load(left, right) {
    this.isLoaded = false;
    this.names = [left, right];
    this.pasts = this.names.map((name) => new Past(prefixOf(name)));
    const query = `left=${encodeURIComponent(left)}&right=${encodeURIComponent(right)}&limit=${MOST}`;
    const comparison = get(`${PATH}?${query}`, { isServer: true });
    const [found] = await Promise.all([comparison, ...this.pasts.map((past) => past.read())]);
    if (this.names[0] !== left || this.names[1] !== right) return;
    this.align();
    this.titles = [found.left || left || "cluster", found.right || right || "cluster"];
    this.same = found.same;
    this.total = found.total;
    this.differences = found.differences.map((/** @type {any} */ each) => ({ ...each, ms: this.moment(each) }));
    this.marks.show(this.differences);
    this.ms = null;
    this.isLoaded = true;
  }

  /** Put both on one clock: by the calendar, or, if they have no time in common, by their beginnings. */
  align() {
    const [one, other] = this.pasts;
    const ends = this.pasts.map((past) => past.beginNs + BigInt(Math.round(past.endMs * 1e6)));
    this.isTogether = one.beginNs <= ends[1] && other.beginNs <= ends[0];
    this.beginNs = this.isTogether && other.beginNs < one.beginNs ? other.beginNs : one.beginNs;
    this.shifts = this.pasts.map((past) => (this.isTogether ? Number(past.beginNs - this.beginNs) / 1e6 : 0));
    this.endMs = Math.max(...this.pasts.map((past, index) => past.endMs + this.shifts[index]));
  }

  /**
   * When both have decided.
   * @param {any} difference
   */
  moment({ left, right }) {
    const of = (/** @type {any} */ decision, /** @type {number} */ index) =>
      (decision ? this.pasts[index].offsetOf(decision.at) + this.shifts[index] : 0);
    return Math.max(of(left, 0), of(right, 1));
  }

  /** What the strip draws of the past: how much changed when, on both sides. */
  get past() {
    const { pasts, shifts, beginNs } = this;
    return {
      beginNs,
      times: { length: pasts[0].times.length + pasts[1].times.length },
      count: (/** @type {number} */ ms) =>
        pasts.reduce((sum, past, index) => sum + past.count(ms - shifts[index] + ROUNDING_MS), 0),
      textAt: (/** @type {number} */ ms) => this.textAt(ms),
    };
  }

  /** @param {number} ms */
  textAt(ms) { return textOf(this.beginNs + BigInt(Math.round(ms * 1e6))); }

  /** @param {string} at */
  offsetOf(at) { return Number(nanoseconds(at) - this.beginNs) / 1e6; }

  /**
   * Show another moment on both sides; the address follows by `settle`.
   * @param {number} ms
   */
  move(ms) {
    const to = Math.max(this.beginMs, Math.min(this.endMs, ms));
    this.ms = to;
    this.pasts.forEach((past, index) => past.moveTo(to - this.shifts[index] + ROUNDING_MS));
    this.onChange();
  }

  settle() { this.onSettle(this.textAt(this.ms ?? this.endMs)); }

  /** @param {string} at "" for the end */
  go(at) { this.onSettle(at || this.textAt(this.endMs)); }

  /**
   * The last difference that has happened at a moment; 0 if none has.
   * @param {number} ms
   */
  numberAt(ms) {
    let found = 0;
    let latest = -1;
    for (const each of this.differences) {
      if (each.ms > ms + ROUNDING_MS || each.ms < latest) continue;
      if (each.ms > latest) found = each.number;
      latest = each.ms;
    }
    return found;
  }
}
