/** @file Lines over time, as SVG; all plots of a run share one cursor. */

import { h } from "../dom.js";

/**
 * @typedef {Object} Series
 * @property {string} name @property {string} colour a class @property {[number, number | null][]} points
 * @property {boolean} [isStep] whether a value holds until the next
 */

const HEIGHT = 150;
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 10, 8, 20];
const NAMESPACE = new DOMParser().parseFromString("<svg>", "text/html").body.firstElementChild?.namespaceURI ?? null;

/**
 * An SVG element.
 * @param {string} tag @param {Record<string, string | number>} [attributes] @param {...(Node | string)} children
 * @returns {any}
 */
function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * Round steps for an axis.
 * @param {number} top @param {number} count
 */
export function ticks(top, count) {
  const rough = top / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, index) => index * step);
}

/**
 * Times for an axis, in seconds.
 * @param {number} seconds
 */
function times(seconds) {
  const steps = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400];
  const step = steps.find((each) => seconds / each <= 8) ?? 14400;
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) => index * step);
}

/** @param {number} seconds */
export function duration(seconds) {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return [hours && `${hours}h`, minutes && `${minutes}m`, (rest || !whole) && `${rest}s`].filter(Boolean).join(" ");
}

/** @param {number | null | undefined} value */
export const amount = (value) =>
  value === null || value === undefined
    ? "–"
    : value.toLocaleString("en", { maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : 2 });

/** One plot. */
export class Plot {
  /**
   * @param {string} title @param {Series[]} series @param {number} seconds
   * @param {{at: number, text: string}[]} marks
   */
  constructor(title, series, seconds, marks = []) {
    this.series = series;
    this.seconds = seconds;
    this.marks = marks;
    this.top = Math.max(...series.flatMap(({ points }) => points.map(([, value]) => value ?? 0)), 1e-9) * 1.05;
    this.values = series.map(({ name, colour }) => ({ name, output: h("b", {}, ""), colour }));
    this.picture = svg("svg", { class: "plot", height: HEIGHT, role: "img", "aria-label": this.description(title) });
    this.element = h(
      "figure",
      { className: "figure" },
      h(
        "figcaption",
        {},
        h("strong", {}, title),
        this.values.map(({ name, output, colour }) => h("span", { className: `key ${colour}` }, name, " ", output)),
      ),
      this.picture,
    );
    this.width = 600;
  }

  /** @param {string} title */
  description(title) {
    const parts = this.series.map(({ name, points }) => {
      const values = points.flatMap(([, value]) => (value === null ? [] : [value]));
      return values.length
        ? `${name} from ${amount(Math.min(...values))} to ${amount(Math.max(...values))}`
        : `${name}: nothing`;
    });
    return `${title}: ${parts.join("; ")}`;
  }

  /** @param {number} at */
  x(at) {
    return LEFT + (at / this.seconds) * (this.width - LEFT - RIGHT);
  }

  /** @param {number} value */
  y(value) {
    return HEIGHT - BOTTOM - (value / this.top) * (HEIGHT - TOP - BOTTOM);
  }

  /** @param {number} width */
  draw(width) {
    this.width = width;
    this.picture.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.cursor = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM, x1: -9, x2: -9 });
    this.picture.replaceChildren(
      ...ticks(this.top, 5).flatMap((value) => [
        svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: this.y(value), y2: this.y(value) }),
        svg("text", { class: "tick", x: LEFT - 6, y: this.y(value) + 4, "text-anchor": "end" }, amount(value)),
      ]),
      ...times(this.seconds).map((at) =>
        svg(
          "text",
          { class: "tick", x: this.x(at), y: HEIGHT - 5, "text-anchor": !at ? "start" : at < this.seconds ? "middle" : "end" },
          duration(at),
        ),
      ),
      ...this.marks.map(({ at, text }) =>
        svg(
          "line",
          { class: "decision", x1: this.x(at), x2: this.x(at), y1: TOP, y2: HEIGHT - BOTTOM },
          svg("title", {}, text),
        ),
      ),
      ...this.series.map((series) => svg("path", { class: `series ${series.colour}`, d: this.path(series) })),
      this.cursor,
    );
  }

  /** @param {Series} series */
  path({ points, isStep }) {
    let [path, isDown] = ["", false];
    for (const [at, value] of points) {
      if (value === null) {
        isDown = false;
        continue;
      }
      const [x, y] = [this.x(at).toFixed(1), this.y(value).toFixed(1)];
      path += !isDown ? `M${x},${y}` : isStep ? `H${x}V${y}` : `L${x},${y}`;
      isDown = true;
    }
    return path;
  }

  /**
   * Show the values of a moment; null for those of the end.
   * @param {number | null} at
   */
  point(at) {
    const shown = at ?? this.seconds;
    this.cursor?.setAttribute("x1", at === null ? "-9" : String(this.x(at)));
    this.cursor?.setAttribute("x2", at === null ? "-9" : String(this.x(at)));
    this.series.forEach(({ points }, index) => {
      const last = points.filter(([moment]) => moment <= shown).at(-1) ?? points[0];
      this.values[index].output.textContent = last ? amount(last[1]) : "–";
    });
  }
}
