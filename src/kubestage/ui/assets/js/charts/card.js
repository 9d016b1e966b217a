/** @file One chart: its title, plot, cursor and download. */

import { fill, h } from "../dom.js";
import { attempt } from "../messages.js";
import { Pointer } from "./pointer.js";
import { seriesOf } from "./readout.js";
import { adapt } from "./spec.js";
import { format } from "./times.js";
import { draw } from "./vega.js";

const SHARPNESS = 2;

/**
 * @typedef {Object} Actions
 * @property {(ms: number) => void} goTo
 * @property {(from: number, to: number) => void} zoom
 * @property {(name: string) => void} enlarge
 */

/** A card whose chart is replaced when its data change. */
export class ChartCard {
  /** @param {string} name @param {string} title @param {Actions} actions */
  constructor(name, title, actions) {
    this.name = name;
    this.actions = actions;
    /** @type {any} */
    this.view = null;
    /** @type {import("./spec.js").Adapted | null} */
    this.adapted = null;
    /** @type {import("./readout.js").Series[]} */
    this.series = [];
    /** @type {any} */
    this.source = null;
    this.at = NaN;
    this.drawn = "";
    this.isVisible = false;
    this.heading = h("h3", {}, title);
    this.subtitle = h("p", { className: "faint" });
    this.plot = h("div", { className: "plot", tabIndex: 0, role: "img", "aria-label": title });
    this.cursor = h("div", { className: "cursor", hidden: true });
    this.frame = h("div", { className: "frame" }, this.plot, this.cursor);
    this.large = button("Enlarge", () => actions.enlarge(name));
    this.element = h("article", { className: "chart", "data-chart": name, "data-state": "waiting" },
      h("header", {}, h("div", {}, this.heading, this.subtitle),
        h("span", { className: "tools" }, this.large,
          button("PNG", () => this.save("png")), button("SVG", () => this.save("svg")))),
      this.frame);
    this.pointer = new Pointer(this);
  }

  /**
   * Draw new data, or the same again in another size or theme.
   * @param {any} source @param {boolean} isDark @param {boolean} isLarge
   */
  async show(source, isDark, isLarge) {
    this.source = source;
    this.element.classList.toggle("wide", Boolean(source.usermeta?.wide) || isLarge);
    const adapted = adapt(source, Math.max(this.plot.clientWidth, 200), isDark, isLarge);
    const place = h("div", {});
    const view = await draw(adapted.spec, place, (event, value) => this.pointer.onItem(event, value));
    this.view?.finalize();
    fill(this.plot, place);
    this.view = view;
    this.adapted = adapted;
    this.series = seriesOf(source);
    this.heading.textContent = adapted.title;
    this.subtitle.textContent = adapted.subtitle;
    this.plot.ariaLabel = `${adapted.title}. ${adapted.subtitle}`;
    this.large.textContent = isLarge ? "Back" : "Enlarge";
    this.element.dataset.state = "drawn";
    this.placeCursor();
  }

  /** There is nothing in the stretch of time that is shown. */
  showNothing() {
    this.view?.finalize();
    this.view = this.adapted = null;
    this.series = [];
    this.subtitle.textContent = "";
    fill(this.plot, h("p", { className: "hint" }, "Nothing happened in this stretch of time."));
    this.element.dataset.state = "empty";
  }

  /** @param {number} ms the moment that is shown; NaN for none */
  setCursor(ms) {
    this.at = ms;
    this.placeCursor();
  }

  placeCursor() {
    const x = this.pixel(this.at);
    this.cursor.hidden = x === null;
    if (x !== null) this.stand(this.cursor, x);
  }

  /** Where the plot begins, at the left and at the top. */
  get corner() {
    const [x, y] = this.view.origin();
    const { left, top } = this.view.padding();
    return [x + left, y + top];
  }

  /**
   * Have a line stand in the plot, below the legend.
   * @param {HTMLElement} line @param {number} x
   */
  stand(line, x) {
    line.style.left = `${x}px`;
    line.style.top = `${this.corner[1]}px`;
    line.style.height = `${this.view.height()}px`;
  }

  /**
   * Where a moment is, in pixels of the frame; null if it is not in the chart.
   * @param {number} ms
   */
  pixel(ms) {
    const span = this.adapted?.span;
    if (!this.view || !span || !(ms >= span.start && ms <= span.start + span.length)) return null;
    return this.corner[0] + this.view.scale("x")((ms - span.start) / span.unit);
  }

  /**
   * The moment at a pixel of the frame.
   * @param {number} x
   */
  moment(x) {
    const span = this.adapted?.span;
    if (!this.view || !span) return null;
    const passed = this.view.scale("x").invert(x - this.corner[0]) * span.unit;
    return span.start + Math.min(Math.max(passed, 0), span.length);
  }

  /** @param {"png" | "svg"} form */
  save(form) {
    return attempt(async () => {
      if (!this.view) return;
      const url = await this.view.toImageURL(form, SHARPNESS);
      h("a", { href: url, download: `${this.name}.${form}` }).click();
      if (url.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(url), 10_000);
    });
  }

  /**
   * The colour of a series.
   * @param {string} name @returns {string}
   */
  colour(name) {
    try {
      return this.view.scale("color")(name);
    } catch {
      // A chart of one colour has no such scale.
      return "";
    }
  }

  /** What the chart is of, as far as it is drawn. */
  get range() {
    const span = this.adapted?.span;
    return span ? [format(span.start), format(span.start + span.length)] : null;
  }

  remove() {
    this.view?.finalize();
    this.element.remove();
  }
}

/** @param {string} text @param {() => void} onClick */
const button = (text, onClick) => h("button", { type: "button", className: "quiet", onclick: onClick }, text);
