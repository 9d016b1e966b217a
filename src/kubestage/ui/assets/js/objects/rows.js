/** @file The rows of a Table, followed as kubectl's watch does. */

import { TABLE, get, pathOf } from "../api.js";
import { attempt } from "../messages.js";
import { Reflector } from "../watch.js";

/**
 * @typedef {Object} Row
 * @property {string} key @property {string} namespace @property {string} name
 * @property {any[]} cells @property {string} text for the filter
 */

/** The objects of a kind as the server prints them. */
export class Rows {
  /** @param {import("./discovery.js").Resource} resource @param {() => void} onChange */
  constructor(resource, onChange) {
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** @type {any[]} */
    this.columns = [];
    this.isLoaded = false;
    this.state = "loading";
    this.onChange = onChange;
    const listener = {
      listed: (/** @type {any[]} */ [table], /** @type {boolean} */ isFirst, /** @type {boolean} */ isLast) => {
        if (isFirst) this.rows.clear();
        this.columns = table.columnDefinitions ?? this.columns;
        for (const row of table.rows ?? []) this.put(row);
        this.isLoaded = isLast;
        onChange();
      },
      changed: (/** @type {string} */ type, /** @type {any} */ table) => {
        for (const row of table.rows ?? []) {
          if (type === "DELETED") this.rows.delete(keyOf(row));
          else this.put(row);
        }
        onChange();
      },
      state: (/** @type {string} */ state) => { this.state = state; },
    };
    const path = pathOf(resource.group, resource.version, resource.plural);
    this.reflector = resource.verbs.includes("watch") ? new Reflector(path, listener, TABLE) : null;
    if (!this.reflector) attempt(() => this.readOnce(path, listener));
  }

  /** @param {string} path @param {any} listener */
  async readOnce(path, listener) {
    listener.listed([await get(path, { accept: TABLE })], true, true);
  }

  stop() { this.reflector?.stop(); }

  /** Ages change although objects do not. */
  refresh() { if (this.state === "live") this.reflector?.relist(); }

  /** @param {any} row */
  put(row) {
    const { namespace = "", name = "" } = row.object?.metadata ?? {};
    const cells = row.cells;
    const labels = Object.entries(row.object?.metadata?.labels ?? {}).map(([key, value]) => `${key}=${value}`);
    const text = [namespace, ...cells, ...labels].join(" ").toLowerCase();
    this.rows.set(keyOf(row), { key: keyOf(row), namespace, name, cells, text });
  }

  /**
   * The rows that have all words, in order.
   * @param {string} filter @returns {Row[]}
   */
  matching(filter) {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [...this.rows.values()].filter((row) => words.every((word) => row.text.includes(word)));
    return found.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  }
}

/** @param {any} row */
function keyOf(row) {
  const { namespace = "", name = "" } = row.object?.metadata ?? {};
  return `${namespace}/${name}`;
}
