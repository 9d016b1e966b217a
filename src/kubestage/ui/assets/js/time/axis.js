/** @file Which part of the past the strip shows, and where its labels are. */

const LEAST_MS = 0.01;
const SECOND = 1000;
const DAY = 86_400 * SECOND;
/** Distances between labels that people read easily. */
const STEPS_MS = [
  0.01, 0.1, 1, 5, 10, 50, 100, 500, SECOND, 5 * SECOND, 15 * SECOND, 60 * SECOND, 300 * SECOND, 900 * SECOND,
  3600 * SECOND, 3 * 3600 * SECOND, 6 * 3600 * SECOND, 12 * 3600 * SECOND, DAY, 7 * DAY, 30 * DAY, 365 * DAY,
];
const LABEL_PX = 90;

/** A part of the time between two offsets, drawn in some pixels. */
export class Axis {
  constructor() {
    this.from = 0;
    this.to = 1;
    this.width = 1;
    /** Whether all is shown, until the user zooms. */
    this.isWhole = true;
  }

  /** @param {number} begin @param {number} end @param {number} width */
  follow(begin, end, width) {
    this.width = Math.max(1, width);
    this.begin = begin;
    this.end = Math.max(end, begin + LEAST_MS);
    if (this.isWhole) [this.from, this.to] = [this.begin, this.end];
  }

  /** @param {number} ms */
  x(ms) { return (ms - this.from) / (this.to - this.from) * this.width; }

  /** @param {number} x */
  ms(x) { return this.from + x / this.width * (this.to - this.from); }

  /**
   * A moment at a pixel, as round as the pixel allows.
   * @param {number} x
   */
  roundMs(x) {
    const unit = 10 ** Math.floor(Math.log10((this.to - this.from) / this.width));
    return Math.round(this.ms(x) / unit) * unit;
  }

  /** @param {number} x @param {number} factor above 1 for a closer look */
  zoom(x, factor) {
    const at = this.ms(x);
    const span = Math.max(LEAST_MS, (this.to - this.from) / factor);
    this.show(at - x / this.width * span, span);
  }

  /** @param {number} px */
  pan(px) { this.show(this.from - px / this.width * (this.to - this.from), this.to - this.from); }

  /** @param {number} from @param {number} span */
  show(from, span) {
    const whole = (this.end ?? 1) - (this.begin ?? 0);
    this.isWhole = span >= whole;
    const first = this.isWhole ? this.begin ?? 0 : Math.max(this.begin ?? 0, Math.min(from, (this.end ?? 1) - span));
    [this.from, this.to] = [first, first + Math.min(span, whole)];
  }

  /**
   * Bring a moment into sight.
   * @param {number} ms
   */
  reveal(ms) {
    const span = this.to - this.from;
    if (ms < this.from || ms > this.to) this.show(ms - span / 2, span);
  }

  /**
   * Labels: where, and what.
   * @param {bigint} beginNs what offsets count from
   * @returns {{x: number, text: string}[]}
   */
  labels(beginNs) {
    const least = LABEL_PX / this.width * (this.to - this.from);
    const step = STEPS_MS.find((each) => each >= least) ?? least;
    const origin = Number(beginNs % BigInt(DAY * 1e6)) / 1e6;
    const found = [];
    for (let ms = Math.ceil((this.from + origin) / step) * step - origin; ms <= this.to && found.length < 100; ms += step) {
      found.push({ x: this.x(ms), text: label(beginNs, ms, step) });
    }
    return found;
  }
}

/** @param {bigint} beginNs @param {number} ms @param {number} step */
function label(beginNs, ms, step) {
  const micros = beginNs / 1000n + BigInt(Math.round(ms * 1000));
  const text = new Date(Number(micros / 1000n)).toISOString();
  if (step >= DAY) return text.slice(0, 10);
  if (step >= 60 * SECOND) return text.slice(11, 16) === "00:00" ? text.slice(5, 10) : text.slice(11, 16);
  if (step >= SECOND) return text.slice(11, 19);
  return `${text.slice(14, 23)}${step < 1 ? String(micros % 1000n).padStart(3, "0") : ""}`;
}
