/** @file Moments as text (RFC 3339, to the nanosecond) and as numbers, and durations as people write them. */

const FORM = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|\+00:00)$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;
/** @type {Record<string, number>} */
const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Whether a text is a moment.
 * @param {string} text
 */
export const isInstant = (text) => FORM.test(text) && !Number.isNaN(Date.parse(text));

/**
 * Nanoseconds since 1970.
 * @param {string} text @returns {bigint}
 */
export function nanoseconds(text) {
  const found = FORM.exec(text);
  if (!found) throw new Error(`"${text}" is not a time such as 2026-01-01T00:05:00Z`);
  return BigInt(Date.parse(`${found[1]}Z`)) * 1_000_000n + BigInt((found[2] ?? "").padEnd(9, "0"));
}

/**
 * The text of a moment, without zeros at its end.
 * @param {bigint} ns
 */
export function textOf(ns) {
  const rest = ns % 1_000_000_000n;
  const whole = new Date(Number((ns - rest) / 1_000_000n)).toISOString().slice(0, 19);
  const part = rest ? `.${String(rest).padStart(9, "0").replace(/0+$/, "")}` : "";
  return `${whole}${part}Z`;
}

/**
 * A moment for people, to the second or, if need be, to the millisecond.
 * @param {string} text
 */
export function readable(text) {
  const found = FORM.exec(text);
  if (!found) return text;
  const part = (found[2] ?? "").slice(0, 3).replace(/0+$/, "");
  return `${found[1].replace("T", " ")}${part ? `.${part}` : ""}`;
}

/**
 * How long a text such as 90m or 1h30m is, in milliseconds; NaN if it is none.
 * @param {string} text
 */
export function durationMs(text) {
  const trimmed = text.trim();
  if (!trimmed || trimmed.replace(PART, "").trim()) return Number.NaN;
  let sum = 0;
  for (const [, count, unit] of trimmed.matchAll(PART)) sum += Number(count) * UNITS_MS[unit];
  return sum;
}

/**
 * A duration for people.
 * @param {number} ms
 */
export function readableDuration(ms) {
  if (ms < 1000) return `${Number(ms.toPrecision(3))} ms`;
  let rest = Math.round(ms / 1000);
  const parts = [];
  for (const [unit, seconds] of /** @type {[string, number][]} */ ([["d", 86_400], ["h", 3600], ["m", 60], ["s", 1]])) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count) parts.push(`${count}${unit}`);
  }
  return parts.slice(0, 2).join(" ");
}

/**
 * The moment that a user means: a time of day, a date and time, or a distance such as +90m or -10s.
 * @param {string} text
 * @param {string} from the moment that is shown
 * @returns {string} the moment; "" if the text is none
 */
export function meant(text, from) {
  const trimmed = text.trim();
  const relative = /^([+-])\s*(.+)$/.exec(trimmed);
  if (relative) {
    const ms = durationMs(relative[2]);
    const moved = BigInt(Math.round((Number.isNaN(ms) ? 0 : ms) * 1e6)) * (relative[1] === "-" ? -1n : 1n);
    return Number.isNaN(ms) ? "" : textOf(nanoseconds(from) + moved);
  }
  const [, hour = "", rest = ""] = /^(\d{1,2})(:\d\d.*)$/.exec(trimmed) ?? [];
  const day = hour ? `${from.slice(0, 10)}T${hour.padStart(2, "0")}${rest}` : trimmed.replace(" ", "T");
  const time = day.includes("T") ? day : `${day}T00:00`;
  const whole = time.replace(/Z?$/, "Z").replace(/T(\d\d:\d\d)Z$/, "T$1:00Z");
  return isInstant(whole) ? whole : "";
}
