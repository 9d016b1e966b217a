/** @file The lives of all pods as the server tells them: rows that are read once and then continued. */

import { ApiError, get } from "../api.js";
import { nanoseconds, textOf } from "../time/instants.js";

const PATH = "/kubestage/v1/history/slices";
const ROWS = ["slices", "instants", "nodeStates", "replicas"];

/** A pod: slice `i` begins at `at[i]`, and ends where the next begins, or at `gone`. */
export class PodLife {
  /** @param {string} name @param {any} template @param {number} number */
  constructor(name, template, number) {
    this.name = name;
    this.number = number;
    this.template = template;
    this.key = `${template.namespace}/${name}`;
    /** @type {number[]} */
    this.at = [];
    /** @type {string[]} */
    this.phases = [];
    /** @type {string[]} */
    this.texts = [];
    /** The node that it got, and since when. */
    this.node = "";
    this.placed = Infinity;
    this.gone = Infinity;
    /** @type {Instant[]} */
    this.instants = [];
  }

  /**
   * The end of a slice.
   * @param {number} index @param {number} end that of everything
   */
  endOf(index, end) { return index + 1 < this.at.length ? this.at[index + 1] : Math.min(this.gone, end); }

  /**
   * The slice at a moment; -1 before the first.
   * @param {number} ms
   */
  indexAt(ms) {
    let index = this.at.length - 1;
    while (index >= 0 && this.at[index] > ms) index -= 1;
    return index;
  }

  /** What a filter looks at. */
  get record() {
    const { namespace, owner, priority, profile, labels } = this.template;
    const phase = this.gone < Infinity ? "gone" : this.phases.at(-1) ?? "";
    return { key: this.key, name: this.name, node: this.node, phase, namespace, owner, priority, profile, labels };
  }
}

/**
 * @typedef {{ms: number, kind: string, text: string, other: PodLife | null}} Instant
 * @typedef {{ms: number, isThere: boolean, isReady: boolean, isCordoned: boolean}} NodeState
 * @typedef {{ms: number, desired: number, ready: number}} Replicas
 */

/** All that is known; `revision` counts what is new. Offsets are milliseconds since `beginNs`. */
export class Lives {
  /** @param {number} [revision] */
  constructor(revision = 0) {
    this.revision = revision;
    this.isLoaded = false;
    this.beginNs = 0n;
    this.end = 0;
    this.sequence = -1;
    this.slices = 0;
    /** @type {PodLife[]} */
    this.pods = [];
    /** @type {any[]} */
    this.templates = [];
    /** @type {string[]} */
    this.texts = [];
    /** @type {string[]} */
    this.nodes = [];
    /** @type {string[]} */
    this.workloads = [];
    /** @type {Map<string, NodeState[]>} */
    this.states = new Map();
    /** @type {Map<string, Replicas[]>} */
    this.replicas = new Map();
  }

  /** Read what is new, or everything at first; others take the place of these if the server has begun again. */
  async read() {
    try {
      return this.take(await get(this.sequence < 0 ? PATH : `${PATH}?after=${this.sequence}`));
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 410)) throw error;
      return new Lives(this.revision).take(await get(PATH));
    }
  }

  /** @param {any} answer */
  take(answer) {
    this.beginNs = nanoseconds(answer.begin);
    this.end = Number(nanoseconds(answer.end) - this.beginNs) / 1e6;
    this.sequence = answer.sequence;
    this.isLoaded = true;
    for (const template of answer.templates) this.templates.push(template);
    for (const text of answer.texts) this.texts.push(text);
    for (const name of answer.nodes) this.nodes.push(name);
    for (const name of answer.workloads) this.workloads.push(name);
    for (const [name, template] of answer.pods) {
      this.pods.push(new PodLife(name, this.templates[template], this.pods.length));
    }
    for (const row of answer.slices) this.slice(answer.phases, row);
    for (const [ms, kind, pod, text, other] of answer.instants) {
      this.pods[pod].instants.push({ ms, kind, text: this.texts[text], other: other < 0 ? null : this.pods[other] });
    }
    for (const [ms, node, isReady, isCordoned] of answer.nodeStates) {
      const state = { ms, isThere: isReady !== undefined, isReady: Boolean(isReady), isCordoned: Boolean(isCordoned) };
      append(this.states, this.nodes[node], state);
    }
    for (const [ms, workload, desired, ready] of answer.replicas) {
      append(this.replicas, this.workloads[workload], { ms, desired, ready });
    }
    // Time that passes moves no lane.
    if (ROWS.some((name) => answer[name].length)) this.revision += 1;
    return this;
  }

  /** @param {string[]} phases @param {number[]} row */
  slice(phases, [ms, number, phase, node, text, template]) {
    const pod = this.pods[number];
    if (template !== undefined) pod.template = this.templates[template];
    if (node >= 0 && !pod.node) {
      pod.node = this.nodes[node];
      pod.placed = ms;
    }
    if (phases[phase] === "gone") {
      pod.gone = ms;
      return;
    }
    this.slices += 1;
    pod.at.push(ms);
    pod.phases.push(phases[phase]);
    pod.texts.push(text < 0 ? "" : this.texts[text]);
  }

  /**
   * The moment of an offset.
   * @param {number} ms
   */
  textAt(ms) { return textOf(this.beginNs + BigInt(Math.round(ms * 1e6))); }

  /**
   * The offset of a moment.
   * @param {string} at
   */
  offsetOf(at) { return Number(nanoseconds(at) - this.beginNs) / 1e6; }
}

/** @template T @param {Map<string, T[]>} lists @param {string} key @param {T} value */
function append(lists, key, value) {
  const found = lists.get(key);
  if (found) found.push(value);
  else lists.set(key, [value]);
}
