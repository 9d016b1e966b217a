/** @file Time on the axis of a chart: moments, places and round ticks. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
  MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
  DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY,
];
const TICK_PIXELS = 86;

/**
 * Where time begins in a chart, how long it is, and what its axis counts in; all in milliseconds.
 * @typedef {{start: number, length: number, unit: number}} Span
 */

/**
 * The time axis of a chart; null if it has none.
 * @param {any} spec @returns {Span | null}
 */
export function spanOf(spec) {
  const about = spec.usermeta?.kubestage;
  if (!about?.start) return null;
  return { start: parse(about.start), length: about.seconds * SECOND, unit: about.unitSeconds * SECOND };
}

/**
 * Milliseconds of a time with up to nanoseconds.
 * @param {string} text
 */
export function parse(text) {
  const [, whole, fraction = ""] = /^([^.]*?)(?:\.(\d+))?Z?$/.exec(text) ?? ["", text];
  return Date.parse(`${whole}Z`) + Number(`0.${fraction || 0}`) * SECOND;
}

/**
 * A time as the API reads it, to the millisecond.
 * @param {number} ms
 */
export const format = (ms) => new Date(Math.round(ms)).toISOString().replace(/\.000Z$/, "Z");

/**
 * A time as people read it: of the day, with the date if the chart is of several.
 * @param {number} ms @param {Span} span
 */
export function shown(ms, span) {
  const text = format(ms);
  const time = text.slice(11).replace("Z", "");
  if (span.length > DAY) return `${text.slice(0, 10)} ${time.slice(0, 8)}`;
  return span.length > MINUTE ? time.slice(0, 8) : time;
}

/**
 * How far from one tick to the next.
 * @param {number} length @param {number} pixels
 */
export function step(length, pixels) {
  const count = Math.max(pixels / TICK_PIXELS, 1);
  return STEPS.find((each) => length / each <= count) ?? STEPS[STEPS.length - 1];
}

/**
 * Round moments within a chart, as its axis counts them.
 * @param {Span} span @param {number} pixels @returns {number[]}
 */
export function ticks(span, pixels) {
  const size = step(span.length, pixels);
  const first = Math.ceil(span.start / size) * size;
  const found = [];
  for (let at = first; at <= span.start + span.length; at += size) found.push((at - span.start) / span.unit);
  return found;
}

/**
 * What Vega writes at a tick.
 * @param {Span} span @param {number} pixels
 */
export function label(span, pixels) {
  const size = step(span.length, pixels);
  const form = size >= DAY ? "%b %d" : span.length > DAY ? "%b %d %H:%M" : size >= MINUTE ? "%H:%M"
    : size >= SECOND ? "%H:%M:%S" : "%H:%M:%S.%L";
  return `utcFormat(${span.start} + datum.value * ${span.unit}, '${form}')`;
}
