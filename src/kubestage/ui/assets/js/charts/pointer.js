/** @file What the pointer does in a chart: values of the moment it is at, a click, a stretch that is dragged. */

import { fill, h } from "../dom.js";
import { number, valueAt } from "./readout.js";
import { shown } from "./times.js";

const DRAG_PIXELS = 5;
const BESIDE_PIXELS = 14;
// A tooltip has the time of the clock already.
const HIDDEN = ["time", "seconds", "minutes", "hours", "days"];

/** Follows the pointer in a card. */
export class Pointer {
  /** @param {import("./card.js").ChartCard} card */
  constructor(card) {
    this.card = card;
    this.from = NaN;
    /** @type {Record<string, any> | null} */
    this.item = null;
    this.brush = h("div", { className: "brush", hidden: true });
    this.line = h("div", { className: "hover", hidden: true });
    this.tip = h("div", { className: "tooltip", hidden: true });
    card.frame.append(this.line, this.brush, this.tip);
    card.plot.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.press(event));
    card.plot.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.move(event));
    card.plot.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => this.release(event));
    card.plot.addEventListener("pointercancel", () => this.stop());
    card.plot.addEventListener("pointerleave", () => {
      this.line.hidden = this.tip.hidden = true;
      this.item = null;
    });
  }

  /** @param {{clientX: number}} event */
  left(event) { return event.clientX - this.card.plot.getBoundingClientRect().left; }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button === 0 && this.card.adapted?.span) this.from = this.left(event);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const x = this.left(event);
    const isDragged = Math.abs(x - this.from) > DRAG_PIXELS;
    if (isDragged) this.card.plot.setPointerCapture(event.pointerId);
    this.brush.hidden = !isDragged;
    this.brush.style.left = `${Math.min(this.from, x)}px`;
    this.brush.style.width = `${Math.abs(x - this.from)}px`;
    this.showValues(x, event);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const x = this.left(event);
    const [begin, end] = [this.card.moment(Math.min(this.from, x)), this.card.moment(Math.max(this.from, x))];
    const isDragged = Math.abs(x - this.from) > DRAG_PIXELS;
    const isPressed = !Number.isNaN(this.from);
    this.stop();
    if (!isPressed || begin === null || end === null) return;
    if (isDragged) this.card.actions.zoom(begin, end);
    else this.card.actions.goTo(begin);
  }

  stop() {
    this.from = NaN;
    this.brush.hidden = true;
  }

  /**
   * A mark with words of its own is under the pointer, or none any more.
   * @param {any} event @param {any} value
   */
  onItem(event, value) {
    this.item = value && typeof value === "object" && !("series" in value) ? value : null;
    if (event) this.showValues(this.left(event), event);
  }

  /** @param {number} x @param {{clientY: number}} event */
  showValues(x, event) {
    const ms = this.card.moment(x);
    const span = this.card.adapted?.span;
    const words = this.words();
    if (ms === null || !span) {
      this.tip.hidden = !words.length;
      if (words.length) this.showTip(x, event, words);
      return;
    }
    this.line.hidden = false;
    this.card.stand(this.line, this.card.pixel(ms) ?? x);
    this.showTip(x, event, [h("strong", {}, shown(ms, span)), ...this.rows((ms - span.start) / span.unit), ...words]);
  }

  /**
   * The value of each series.
   * @param {number} time
   */
  rows(time) {
    return this.card.series.flatMap((each) => {
      const value = valueAt(each, time);
      if (value === null) return [];
      const swatch = h("span", { className: "swatch" });
      swatch.style.background = this.card.colour(each.name);
      return [h("div", {}, swatch, `${each.name}: ${number(value)}`)];
    });
  }

  /** What a mark says of itself. */
  words() {
    return Object.entries(this.item ?? {}).filter(([name, value]) => !HIDDEN.includes(name) && value !== "")
      .map(([name, value]) => h("div", {}, h("span", { className: "faint" }, `${name}: `), String(value)));
  }

  /** @param {number} x @param {{clientY: number}} event @param {any[]} parts */
  showTip(x, event, parts) {
    fill(this.tip, parts);
    this.tip.hidden = false;
    const { clientWidth: width, offsetTop: above } = this.card.plot;
    const right = x + BESIDE_PIXELS;
    const left = right + this.tip.offsetWidth > width ? x - BESIDE_PIXELS - this.tip.offsetWidth : right;
    const top = event.clientY - this.card.plot.getBoundingClientRect().top + above + BESIDE_PIXELS;
    this.tip.style.transform = `translate(${Math.max(left, 0)}px, ${Math.max(top, 0)}px)`;
  }
}
