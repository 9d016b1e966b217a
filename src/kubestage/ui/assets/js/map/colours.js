/** @file Which colour a pod has. */

const LIGHT = ["#5b86b8", "#e0a35b", "#72a983", "#c8747a", "#9484bd", "#76b0bd", "#b5926b", "#cf95b4", "#97a05c", "#7d8a99", "#5f9ea0", "#b0a04f"];
const DARK = ["#5d8fcb", "#cf9147", "#5f9f73", "#c0666d", "#8d7cc0", "#5ea2b1", "#a9855c", "#bf7fa3", "#8a944b", "#728092", "#4f9193", "#a39340"];
/** @type {Record<string, number>} */
const PHASES = { Running: 2, Pending: 1, Terminating: 9, Unknown: 3 };
const HUES = 12;

export const COLOURINGS = /** @type {[string, string][]} */ ([
  ["namespace", "namespace"], ["owner", "owner"], ["priority", "priority"], ["phase", "phase"], ["profile", "scheduler profile"],
  ["usage", "usage"],
]);

/** @typedef {import("../model.js").PodRecord} PodRecord */

/**
 * The value of a pod by which it is coloured.
 * @param {PodRecord} pod @param {string} by
 */
export const valueOf = (pod, by) => String(/** @type {any} */ (pod)[by] ?? "") || `no ${by}`;

/** Colours of values: a value keeps its colour while the page is open. */
export class Colours {
  constructor() {
    /** @type {Map<string, Map<string, number>>} */
    this.seen = new Map();
    this.isDark = false;
  }

  /**
   * Changes when colours of values that were drawn before do: those of priorities depend on one another.
   * @param {string} by
   */
  stamp(by) { return by === "priority" ? this.seen.get(by)?.size ?? 0 : 0; }

  /** @param {string} by @param {string} value */
  of(by, value) {
    const palette = this.isDark ? DARK : LIGHT;
    if (by === "phase") return palette[PHASES[value] ?? 3];
    let known = this.seen.get(by);
    if (!known) this.seen.set(by, known = new Map());
    let place = known.get(value);
    if (place === undefined) known.set(value, place = known.size);
    if (by === "priority") return shade([...known.keys()], value, this.isDark);
    return palette[place % HUES];
  }

  /**
   * A function from pods to colours, for one picture.
   * @param {string} by @returns {(pod: PodRecord) => string}
   */
  forPicture(by) {
    /** @type {Map<string, string>} */
    const found = new Map();
    return (pod) => {
      const value = valueOf(pod, by);
      let colour = found.get(value);
      if (colour === undefined) found.set(value, colour = this.of(by, value));
      return colour;
    };
  }

  /** The colours of everything else. */
  get parts() {
    return this.isDark
      ? { page: "#14171c", group: "#1a1e25", line: "#333a45", box: "#262c36", text: "#c9d1dc", faint: "#8b95a4", muted: "#323945", mark: "#ffffff", bad: "#d9666c" }
      : { page: "#f6f7f9", group: "#ffffff", line: "#d5dae1", box: "#edf0f4", text: "#26303d", faint: "#68737f", muted: "#dde1e7", mark: "#111827", bad: "#c23b43" };
  }
}

/**
 * The higher the priority, the stronger the blue.
 * @param {string[]} values @param {string} value @param {boolean} isDark
 */
function shade(values, value, isDark) {
  const order = values.map(Number).sort((a, b) => a - b);
  const part = order.length > 1 ? order.indexOf(Number(value)) / (order.length - 1) : 0.4;
  return isDark ? `hsl(214 ${25 + part * 45}% ${34 + part * 36}%)` : `hsl(214 ${30 + part * 40}% ${78 - part * 42}%)`;
}
