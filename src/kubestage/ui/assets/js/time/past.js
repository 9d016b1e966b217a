/** @file The past of the map: all changes of nodes and pods, applied forward and backward to a model. */

import { ApiError, send } from "../api.js";
import { Model } from "../model.js";
import { nanoseconds, textOf } from "./instants.js";

const PATH = "/kubestage/v1/history/map";
/** So many changes are read before the page may draw again. */
const SLICE = 20_000;
/** So many steps, and a quarter of all, are forgotten at once. */
const FORGOTTEN = 1000;

/**
 * @typedef {import("../model.js").PodRecord} PodRecord
 * @typedef {import("../model.js").NodeRecord} NodeRecord
 *
 * @typedef {Object} Step a change, with what is needed to take it back; null is "not there"
 * @property {boolean} isPod @property {string} key
 * @property {any} before @property {any} after
 */

/** The model at any moment between `beginNs` and `endMs`; offsets are milliseconds since the beginning. */
export class Past {
  /** @param {string} [prefix] where the cluster is on the server, if it is not the one that the page shows */
  constructor(prefix) {
    this.prefix = prefix;
    this.model = new Model();
    /** Where offsets count from; it stays when the server forgets its oldest changes. */
    this.beginNs = 0n;
    this.endMs = this.sequence = this.position = this.added = 0;
    this.isLoaded = false;
    /**
     * When each step happened.
     * @type {number[]}
     */
    this.times = [];
    /** @type {Step[]} */
    this.steps = [];
    /** @type {any[]} */
    this.templates = [];
    /**
     * The newest state of each pod and node.
     * @type {Map<string, PodRecord>}
     */
    this.lastPods = new Map();
    /** @type {Map<string, NodeRecord>} */
    this.lastNodes = new Map();
  }

  /** Forget all, to read it again. */
  reset() {
    this.endMs = this.sequence = this.position = 0;
    this.isLoaded = false;
    this.times = [];
    this.steps = [];
    this.templates = [];
    this.lastPods.clear();
    this.lastNodes.clear();
    this.model.nodes.clear();
    this.model.clearPods();
    this.model.nodesChanged = true;
  }

  /**
   * Read what is new; everything, at first or if the server has forgotten what was read before.
   * @param {(bytes: number) => void} [onProgress]
   */
  async read(onProgress) {
    const query = this.isLoaded ? `?after=${this.sequence}` : "";
    try {
      await this.take(await received(await this.request(query), onProgress));
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 410)) throw error;
      this.reset();
      await this.take(await received(await this.request(""), onProgress));
    }
  }

  /** @param {string} query */
  request(query) { return send((this.prefix ?? "") + PATH + query, { isServer: this.prefix !== undefined }); }

  /** @param {any} answer of the server */
  async take(answer) {
    if (!this.isLoaded) {
      this.beginNs ||= nanoseconds(answer.begin);
      this.addTemplates(answer.templates);
      for (const [name, row] of answer.nodes.map(named)) this.putFirst(false, name, nodeOf(name, row, "first"));
      for (const [key, ...row] of answer.pods) this.putFirst(true, key, this.podOf(key, row, "first"));
      this.model.isLoaded = { nodes: true, pods: true };
    } else {
      this.addTemplates(answer.templates);
    }
    // Offsets count from what the server calls the beginning now: it may have moved.
    const shift = Number(nanoseconds(answer.begin) - this.beginNs) / 1e6;
    for (let index = 0; index < answer.changes.length; index += 1) {
      this.add(answer.changes[index], shift);
      if (index % SLICE === SLICE - 1) await new Promise((resolve) => setTimeout(resolve));
    }
    this.sequence = answer.sequence;
    this.endMs = this.offsetOf(answer.end);
    this.isLoaded = true;
  }

  /** @param {any[]} templates those that are new */
  addTemplates(templates) {
    for (const each of templates ?? []) this.templates.push({ ...each, requests: { ...each.requests, pods: 1 } });
  }

  /** @param {boolean} isPod @param {string} key @param {any} record */
  putFirst(isPod, key, record) {
    (isPod ? this.lastPods : this.lastNodes).set(key, record);
    if (isPod) this.model.putPod(record);
    else this.model.putNode(record);
  }

  /** @param {any[]} change @param {number} shift */
  add([ms, what, key, ...row], shift) {
    const isPod = what === "p";
    const last = /** @type {Map<string, any>} */ (isPod ? this.lastPods : this.lastNodes);
    const version = String(this.added += 1);
    const after = !row.length ? null : isPod ? this.podOf(key, row, version) : nodeOf(key, row[0], version);
    this.times.push(ms + shift);
    this.steps.push({ isPod, key, before: last.get(key) ?? null, after });
    if (after) last.set(key, after);
    else last.delete(key);
  }

  /** @param {string} key @param {any[]} row @param {string} version @returns {PodRecord} */
  podOf(key, [template, node, phase], version) {
    const { namespace, owner, priority, profile, labels, requests } = this.templates[template];
    const name = key.slice(key.indexOf("/") + 1);
    const place = { key, namespace, name, node: node ?? "", phase };
    return { ...place, owner, priority, profile, version, labels, requests, isMatch: true };
  }

  /** @param {string} at @returns {number} */
  offsetOf(at) { return Number(nanoseconds(at) - this.beginNs) / 1e6; }

  /** @param {number} ms */
  textAt(ms) { return textOf(this.beginNs + BigInt(Math.round(ms * 1e6))); }

  /**
   * How many steps have happened at an offset, that offset included unless it is left out.
   * @param {number} ms @param {boolean} [isIncluded]
   */
  count(ms, isIncluded = true) {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < ms || (isIncluded && this.times[middle] === ms)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Forget the steps that the server has forgotten, many at once, so that memory does not grow without end.
   * @param {number} beginMs @param {number | null} ms the moment that is shown, if any: it stays
   */
  forget(beginMs, ms) {
    const gone = this.count(beginMs, false);
    if (gone < FORGOTTEN || gone < this.steps.length / 4) return;
    if (ms === null) this.moveTo(beginMs);
    const dropped = Math.min(gone, this.position);
    this.times.splice(0, dropped);
    this.steps.splice(0, dropped);
    this.position -= dropped;
  }

  /**
   * Bring the model to an offset.
   * @param {number} ms
   */
  moveTo(ms) {
    const to = this.count(ms);
    if (to === this.position) return;
    // Of each pod and node only the state at the end counts, however far the way is.
    /** @type {Map<string, any>} */
    const pods = new Map();
    /** @type {Map<string, any>} */
    const nodes = new Map();
    for (let index = this.position; index < to; index += 1) {
      const { isPod, key, after } = this.steps[index];
      (isPod ? pods : nodes).set(key, after);
    }
    for (let index = this.position - 1; index >= to; index -= 1) {
      const { isPod, key, before } = this.steps[index];
      (isPod ? pods : nodes).set(key, before);
    }
    this.position = to;
    const { model } = this;
    for (const [name, node] of nodes) node ? model.putNode(node) : model.dropNode(name);
    for (const [key, pod] of pods) pod ? model.putPod(pod) : model.dropPod(key);
    model.changed();
  }
}

/** @param {any} row a node of the first state: its row has its name @returns {[string, any]} */
const named = (row) => (Array.isArray(row) ? [row[0], row[1]] : [row.name, row]);

/** @param {string} name @param {any} row @param {string} version @returns {NodeRecord} */
const nodeOf = (name, row, version) => ({ ...row, name, version, isMatch: true });

/**
 * The JSON of a response, and how much has come meanwhile.
 * @param {Response} response @param {(bytes: number) => void} [onProgress]
 */
async function received(response, onProgress) {
  if (!response.body || !onProgress) return response.json();
  const reader = response.body.getReader();
  const parts = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    bytes += value.length;
    onProgress(bytes);
  }
  return JSON.parse(await new Blob(parts).text());
}
