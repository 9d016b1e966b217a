/** @file The bar below the header: the whole past as a strip, and buttons to move in it. */

import { choice, fill, h } from "../dom.js";
import { attempt } from "../messages.js";
import * as route from "../route.js";
import { Axis } from "./axis.js";
import { readable } from "./instants.js";
import { KINDS } from "./marks.js";
import { closing } from "./popover.js";
import { listen } from "./strip-gestures.js";
import { Strip, colourOf } from "./strip.js";

/**
 * Speeds of the replay; 0 is as fast as the whole past takes half a minute.
 * @type {[string, string][]}
 */
const SPEEDS = [["0", "in 30 s"], ["1", "1×"], ["10", "10×"], ["60", "60×"], ["600", "600×"], ["3600", "3600×"]];
const NEAR_PX = 4;
const MOST_LINES = 4;

/** The bar and what it shows. */
export class Scrubber {
  /**
   * @param {HTMLElement} element @param {import("./travel.js").Travel} travel
   * @param {{fork: () => void, isKept: () => boolean, jump: HTMLElement}} actions
   */
  constructor(element, travel, actions) {
    this.element = element;
    this.travel = travel;
    this.actions = actions;
    this.axis = new Axis();
    /** @type {number | null} */
    this.hover = null;
    this.isWaiting = false;
    this.frames = 0;
    this.legendStamp = "";
    this.build();
    this.strip = new Strip(this.canvas);
    listen(this.canvas, this);
    travel.subscribe(() => this.schedule());
    new ResizeObserver(() => this.schedule()).observe(this.canvas);
  }

  build() {
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick }, text);
    const { travel } = this;
    this.canvas = h("canvas", {
      className: "strip", tabIndex: 0, role: "slider", "aria-label": "Moment that is shown",
    });
    this.tooltip = h("div", { className: "tooltip", role: "tooltip", hidden: true });
    this.toggle = button("▶", "Run through the past (r)", () => travel.playOrStop());
    this.speed = choice("Speed of the replay", SPEEDS, "0", (value) => { travel.speed = Number(value); });
    this.live = h("button", { type: "button", className: "live", onclick: () => travel.go("") });
    this.fork = h("button", {
      type: "button", title: "Continue from this moment on a copy (f)", onclick: () => this.actions.fork(),
    }, "Fork here…");
    this.note = h("span", { className: "faint note", role: "status" });
    this.summary = h("summary", {}, "Marks");
    this.legend = h("div", { className: "kinds", role: "group", "aria-label": "Types of marks" });
    this.list = h("ol", { className: "mark-list", "aria-label": "Newest marks" });
    this.details = closing(h("details", { className: "marks", ontoggle: () => this.showMarks() }, this.summary,
      h("div", { className: "popover" }, this.legend, this.list)));
    fill(this.element, h("div", { className: "moves", role: "group", "aria-label": "Replay" }, this.toggle, this.speed,
      button("⟨", "Previous mark ([)", () => travel.stepMark(-1)),
      button("⟩", "Next mark (])", () => travel.stepMark(1)), this.details),
    h("div", { className: "strip-frame" }, this.canvas, this.tooltip),
    h("div", { className: "moves" }, this.note, this.actions.jump, this.live, this.fork));
  }

  /** Draw before the next frame, once. */
  schedule() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => { this.isWaiting = false; this.draw(); });
  }

  draw() {
    const { travel, axis } = this;
    this.element.hidden = !travel.isThere;
    if (!travel.isThere) return;
    this.frames += 1;
    this.strip.draw(travel, axis, this.hover);
    const isPast = travel.ms !== null;
    const isKept = this.actions.isKept();
    this.element.classList.toggle("is-past", isPast);
    set(this.live, "textContent", isKept ? "End" : "Live");
    set(this.live, "title", isKept ? "Show the end of the run (l)" : "Show the cluster as it is now (l)");
    this.live.disabled = !isPast;
    set(this.toggle, "textContent", travel.isPlaying ? "❚❚" : "▶");
    this.toggle.setAttribute("aria-pressed", String(travel.isPlaying));
    set(this.note, "textContent", travel.progress || (travel.isWhole ? "" : "the oldest changes are forgotten"));
    const { canvas } = this;
    canvas.setAttribute("aria-valuemin", String(Math.round(travel.beginMs)));
    canvas.setAttribute("aria-valuemax", String(Math.round(travel.endMs)));
    canvas.setAttribute("aria-valuenow", String(Math.round(travel.ms ?? travel.endMs)));
    canvas.setAttribute("aria-valuetext", travel.valueText);
    this.showMarks();
  }

  /** The legend of the marks; a kind is switched on and off by a click. */
  showMarks() {
    const { marks } = this.travel;
    const stamp = `${marks.revision} ${this.details.open} ${document.documentElement.dataset.theme}`;
    if (stamp === this.legendStamp) return;
    this.legendStamp = stamp;
    const hidden = marks.hidden.size ? `, ${marks.hidden.size} hidden` : "";
    this.summary.textContent = `Marks (${marks.shown.length.toLocaleString("en")}${hidden})`;
    if (!this.details.open) return;
    const counts = marks.counts();
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.kind;
    fill(this.legend, Object.entries(KINDS).map(([kind, [name]]) => h("button", {
      type: "button", className: "quiet", "aria-pressed": String(!marks.hidden.has(kind)), "data-kind": kind,
      disabled: !counts.get(kind),
      onclick: () => { marks.toggle(kind); this.schedule(); },
    }, swatch(kind), name, " ", h("span", { className: "faint" }, counts.get(kind) ?? 0))));
    if (focused) this.legend.querySelector(`[data-kind="${CSS.escape(focused)}"]`)?.focus();
    const newest = marks.shown.slice(-50).reverse();
    fill(this.list, newest.length ? newest.map((mark) => h("li", {}, swatch(mark.kind),
      h("a", { href: route.momentOf(mark.at) }, readable(mark.at)), " ", mark.text))
      : h("li", { className: "faint" }, "Nothing happened yet that has a mark."));
  }

  /**
   * The marks near a pixel.
   * @param {number} x
   */
  marksAt(x) { return this.travel.marks.between(this.axis.ms(x - NEAR_PX), this.axis.ms(x + NEAR_PX)); }

  /**
   * Name the moment and the marks under the pointer.
   * @param {number | null} x
   */
  point(x) {
    this.hover = x;
    this.schedule();
    this.tooltip.hidden = x === null || !this.travel.past.beginNs;
    if (this.tooltip.hidden || x === null) return;
    const near = this.marksAt(x);
    fill(this.tooltip, h("strong", {}, readable(this.travel.past.textAt(this.axis.roundMs(x)))),
      near.slice(0, MOST_LINES).map((mark) => h("div", {}, swatch(mark.kind), mark.text)),
      near.length > MOST_LINES && h("div", { className: "faint" }, `and ${near.length - MOST_LINES} more`));
    const left = Math.min(Math.max(0, x - 20), Math.max(0, this.canvas.clientWidth - this.tooltip.offsetWidth));
    this.tooltip.style.transform = `translate(${left}px, 50px)`;
  }

  /**
   * Whether a key was for the past.
   * @param {string} key
   */
  key(key) {
    const { travel } = this;
    /** @type {Record<string, () => void>} */
    const keys = {
      "[": () => travel.stepMark(-1), "]": () => travel.stepMark(1), r: () => travel.playOrStop(),
      l: () => travel.go(""), f: () => this.actions.fork(),
      "{": () => { attempt(() => travel.stepChange(-1)); }, "}": () => { attempt(() => travel.stepChange(1)); },
    };
    if (!travel.isThere || !(key in keys)) return false;
    keys[key]();
    return true;
  }
}

/** @param {string} kind */
function swatch(kind) {
  const element = h("span", { className: "swatch" });
  element.style.background = colourOf(kind);
  return element;
}

/**
 * Set what has changed, and nothing else.
 * @param {any} element @param {string} name @param {any} value
 */
function set(element, name, value) {
  if (element[name] !== value) element[name] = value;
}
