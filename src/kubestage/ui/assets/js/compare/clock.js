/** @file The one clock of two clusters: a strip over both pasts, with a mark for each decision that differs. */

import { fill, h } from "../dom.js";
import { Axis } from "../time/axis.js";
import { readable } from "../time/instants.js";
import { listen } from "../time/strip-gestures.js";
import { Strip } from "../time/strip.js";
import { sentence } from "./decision.js";

const NEAR_PX = 4;
const LABEL = "Moment that is shown on both sides";

/** The strip; gestures on it move both clusters. */
export class CompareClock {
  /** @param {import("./pair.js").Pair} pair */
  constructor(pair) {
    this.pair = pair;
    // What moves, for the gestures of the strip.
    this.travel = pair;
    this.axis = new Axis();
    /** @type {number | null} */
    this.hover = null;
    this.isWaiting = false;
    this.time = h("span", { className: "time" });
    this.canvas = h("canvas", { className: "strip", tabIndex: 0, role: "slider", "aria-label": LABEL });
    this.tooltip = h("div", { className: "tooltip", role: "tooltip", hidden: true });
    this.element = h("div", { className: "scrubber" }, this.time,
      h("div", { className: "strip-frame" }, this.canvas, this.tooltip));
    this.strip = new Strip(this.canvas);
    listen(this.canvas, /** @type {any} */ (this));
    new ResizeObserver(() => this.schedule()).observe(this.canvas);
  }

  /** Draw before the next frame, once. */
  schedule() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      if (this.pair.isLoaded && this.canvas.clientWidth) this.draw();
    });
  }

  draw() {
    const { pair, canvas } = this;
    this.strip.draw(/** @type {any} */ (pair), this.axis, this.hover);
    const ms = pair.ms ?? pair.endMs;
    const at = readable(pair.textAt(ms));
    this.time.textContent = pair.isTogether ? at : `${at} (each from its beginning)`;
    canvas.setAttribute("aria-valuemin", "0");
    canvas.setAttribute("aria-valuemax", String(Math.round(pair.endMs)));
    canvas.setAttribute("aria-valuenow", String(Math.round(ms)));
    canvas.setAttribute("aria-valuetext", at);
  }

  /** @param {number} x */
  marksAt(x) { return this.pair.marks.between(this.axis.ms(x - NEAR_PX), this.axis.ms(x + NEAR_PX)); }

  /**
   * Name what is under the pointer.
   * @param {number | null} x
   */
  point(x) {
    this.hover = x;
    this.schedule();
    const { pair, canvas, tooltip } = this;
    tooltip.hidden = x === null || !pair.isLoaded;
    if (tooltip.hidden || x === null) return;
    const near = this.marksAt(x);
    const text = near.length > 1 ? `${near.length} decisions differ`
      : near.length ? sentence(pair.differences[near[0].number - 1], pair.titles) : "";
    fill(tooltip, h("strong", {}, readable(pair.textAt(this.axis.roundMs(x)))), text && h("div", {}, text));
    const left = Math.min(Math.max(0, x - 20), Math.max(0, canvas.clientWidth - tooltip.offsetWidth));
    tooltip.style.transform = `translate(${left}px, 50px)`;
  }
}
