/** @file What pods and nodes use, by the metrics API, as colours. */

import { get, shown } from "../api.js";
import { fill, h } from "../dom.js";
import { parse } from "../quantities.js";

const PATH = "/apis/metrics.k8s.io/v1beta1";
const POLL_MS = 3000;
const NONE = "No pod reports what it uses yet: usage is sampled from now on, while time passes.";
const PAST = "What pods used is not kept: there are no metrics of a past moment.";
/** Shares of what is requested, from little to far too much; each has a colour. */
const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9, 1, 1.25, Infinity];
const NAMES = ["below 10%", "25%", "50%", "75%", "90%", "100%", "125%", "more"];
const LIGHT = ["#cfdeed", "#b3cee6", "#94bbdc", "#76a7d2", "#5c93c7", "#4a83bb", "#e0a35b", "#d96a6f"];
const DARK = ["#4a5c6f", "#4e6d8b", "#5886b0", "#5c90bc", "#6fa4d0", "#8dbde4", "#d9974d", "#e0696f"];
const UNKNOWN = { light: "#d3d7dd", dark: "#3a414c" };

/** Follows the metrics API while the map is coloured by it. */
export class Usage {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.isOn = false;
    this.revision = 0;
    /** @type {Map<string, Record<string, number>>} */
    this.pods = new Map();
    /** @type {Map<string, Record<string, number>>} */
    this.nodes = new Map();
    this.note = "Loading what pods use…";
  }

  /** @param {boolean} isOn */
  follow(isOn) {
    if (isOn === this.isOn) return;
    this.isOn = isOn;
    if (isOn) this.poll();
  }

  async poll() {
    while (this.isOn) {
      const began = performance.now();
      if (!document.hidden) await this.read();
      // A large cluster is read less often.
      const wait = Math.max(POLL_MS, 10 * (performance.now() - began));
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  async read() {
    const before = this.note;
    try {
      const [pods, nodes] = await Promise.all(["pods", "nodes"].map((each) => get(`${PATH}/${each}`)));
      const isSame = !changed(this.pods, pods.items, podUse) && !changed(this.nodes, nodes.items, nodeUse);
      this.note = this.pods.size ? "" : shown.at ? PAST : NONE;
      if (isSame && this.note === before) return;
    } catch (error) {
      this.pods.clear();
      this.nodes.clear();
      this.note = shown.at ? PAST : `There are no metrics: ${error instanceof Error ? error.message : error}`;
      if (this.note === before) return;
    }
    this.revision += 1;
    this.onChange();
  }

  /**
   * Which part of its requests a pod uses; NaN if that is not known.
   * @param {import("../model.js").PodRecord} pod @param {string} resource
   */
  share(pod, resource) {
    const used = this.pods.get(pod.key)?.[resource];
    return used === undefined || !pod.requests[resource] ? Number.NaN : used / pod.requests[resource];
  }

  /**
   * Which part of what it has a node uses.
   * @param {import("../model.js").NodeRecord | undefined} node @param {string} resource
   */
  nodeShare(node, resource) {
    const used = node && this.nodes.get(node.name)?.[resource];
    return used === undefined || !node?.allocatable[resource] ? Number.NaN : used / node.allocatable[resource];
  }

  /**
   * @param {import("./colours.js").Colours} colours @param {string} size
   * @returns {(pod: import("../model.js").PodRecord) => string}
   */
  forPicture(colours, size) {
    const resource = size === "memory" ? "memory" : "cpu";
    return (pod) => shade(this.share(pod, resource), colours.isDark);
  }

  /**
   * The colours of a picture beside those of pods: what is free of a node has a hint of how much of it is used.
   * @param {import("./draw.js").Picture} picture @param {import("./colours.js").Colours} colours
   */
  paint(picture, colours) {
    const resource = picture.size === "memory" ? "memory" : "cpu";
    const { box } = picture.parts;
    picture.ground = (name) => {
      const share = this.nodeShare(picture.model.nodes.get(name), resource);
      return Number.isNaN(share) ? box : `color-mix(in srgb, ${shade(share, colours.isDark)} 30%, ${box})`;
    };
  }

  /** @param {HTMLElement} element @param {boolean} isDark @param {string} size */
  showLegend(element, isDark, size) {
    element.hidden = false;
    const title = `used ${size === "memory" ? "memory" : "cpu"} of requested: `;
    fill(element, h("span", { className: "faint" }, title), NAMES.map((name, index) => {
      const swatch = h("span", { className: "swatch" });
      swatch.style.background = (isDark ? DARK : LIGHT)[index];
      return h("span", { className: "value" }, swatch, name);
    }), this.note && h("span", { className: "usage-note" }, this.note));
  }
}

/**
 * The colour of a share.
 * @param {number} share @param {boolean} isDark
 */
export function shade(share, isDark) {
  if (Number.isNaN(share)) return isDark ? UNKNOWN.dark : UNKNOWN.light;
  return (isDark ? DARK : LIGHT)[SHARES.findIndex((most) => share < most || most === Infinity)];
}

/** @param {any} item @returns {[string, Record<string, number>]} */
function podUse({ metadata, containers }) {
  /** @type {Record<string, number>} */
  const sums = { cpu: 0, memory: 0 };
  for (const { usage } of containers) for (const each of ["cpu", "memory"]) sums[each] += parse(usage[each]);
  return [`${metadata.namespace}/${metadata.name}`, sums];
}

/** @param {any} item @returns {[string, Record<string, number>]} */
const nodeUse = ({ metadata, usage }) => [metadata.name, { cpu: parse(usage.cpu), memory: parse(usage.memory) }];

/**
 * Replace what is known; whether it is another.
 * @param {Map<string, any>} known @param {any[]} items @param {(item: any) => [string, any]} read
 */
function changed(known, items, read) {
  const before = new Map(known);
  known.clear();
  let isChanged = items.length !== before.size;
  for (const item of items) {
    const [key, use] = read(item);
    const old = before.get(key);
    isChanged ||= !old || old.cpu !== use.cpu || old.memory !== use.memory;
    known.set(key, use);
  }
  return isChanged;
}
