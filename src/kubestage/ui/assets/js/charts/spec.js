/** @file A chart of the server as the page shows it: its size, the colours of the theme, and the time of the clock. */

import { label, spanOf, ticks } from "./times.js";

const FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif";
const MOST_HEIGHT = 230;
const NARROW = 420;
const LEGEND_PIXELS = 110;

/**
 * What the definitions draw in ink and greys, which a dark page needs otherwise.
 * @type {Record<string, string>}
 */
const DARK = {
  "#333333": "#c3cad6", "#222222": "#d5dbe4", "#666666": "#98a2b1", "#999999": "#8b95a4", "#bbbbbb": "#5d6674",
  "#b0b0b0": "#67707f", "#e6e6e6": "#2b323d", "#0072B2": "#4fa3e0", "#009E73": "#35b98f", white: "#1a1e25",
  "#D55E00": "#ee7b30",
};

/**
 * @typedef {import("./times.js").Span} Span
 * @typedef {{spec: any, title: string, subtitle: string, isWide: boolean, span: Span | null}} Adapted
 */

/**
 * A copy of a specification for a place of so many pixels.
 * @param {any} original @param {number} width @param {boolean} isDark
 * @param {boolean} isLarge whether it has the page for itself
 * @returns {Adapted}
 */
export function adapt(original, width, isDark, isLarge) {
  const spec = shallow(original);
  const title = spec.title ?? {};
  delete spec.title;
  const span = spanOf(spec);
  const isWide = Boolean(spec.usermeta?.wide);
  resize(spec, width, isLarge);
  if (span) setTimes(spec, span, width);
  const config = spec.config ?? {};
  spec.config = {
    ...config, background: null, padding: { left: 2, right: 10, top: 4, bottom: 2 }, font: FONT,
    axis: { ...config.axis, labelLimit: width < NARROW ? 110 : 220 },
    legend: { ...config.legend, columns: legendColumns(width, Boolean(spec.spec)) },
  };
  return {
    spec: isDark ? recoloured(spec) : spec, title: title.text ?? "", isWide, span,
    subtitle: [title.subtitle ?? ""].flat().join(" "),
  };
}

/**
 * On a phone, two legends have no room side by side unless one is a column.
 * @param {number} width @param {boolean} isFacet
 */
function legendColumns(width, isFacet) {
  return width < NARROW ? 1 : Math.max(Math.floor(width / LEGEND_PIXELS) - (isFacet ? 2 : 0), 1);
}

/**
 * A copy down to the encodings; data are not copied, for nothing changes them.
 * @param {any} value @returns {any}
 */
function shallow(value) {
  if (Array.isArray(value)) return value.map(shallow);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value)
    .map(([key, each]) => [key, key === "datasets" ? each : shallow(each)]));
}

/** @param {any} spec @param {number} width @param {boolean} isLarge */
function resize(spec, width, isLarge) {
  if (spec.spec) {
    spec.spec.width = Math.max(width - 220, 140);
    return;
  }
  spec.width = width;
  spec.autosize = { type: "fit-x", contains: "padding" };
  // A chart with a row for each subject is as high as it has rows.
  if (!spec.usermeta?.wide && typeof spec.height === "number") {
    spec.height = isLarge ? Math.max(innerHeight - 330, MOST_HEIGHT) : Math.min(spec.height, MOST_HEIGHT);
  }
}

/**
 * Have all axes of time show the clock.
 * @param {any} spec @param {import("./times.js").Span} span @param {number} width
 */
function setTimes(spec, span, width) {
  for (const layer of spec.layer ?? []) setTimes(layer, span, width);
  const x = spec.encoding?.x;
  if (x?.field !== "time") return;
  x.title = null;
  x.axis = { ...x.axis, title: null, values: ticks(span, width), labelExpr: label(span, width) };
  delete x.axis.tickCount;
}

/**
 * The same with the colours of a dark page.
 * @param {any} value @param {string} [key] @returns {any}
 */
function recoloured(value, key = "") {
  if (typeof value === "string") return DARK[value] ?? value;
  if (Array.isArray(value)) return value.map((each) => recoloured(each));
  if (value === null || typeof value !== "object") return value;
  if (key === "datasets") return recolouredRows(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, recoloured(each, name)]));
}

/**
 * Rows may have the colour of their mark.
 * @param {Record<string, any[]>} datasets
 */
function recolouredRows(datasets) {
  return Object.fromEntries(Object.entries(datasets).map(([name, rows]) => [
    name, rows.map((row) => (row.color in DARK ? { ...row, color: DARK[row.color] } : row)),
  ]));
}
