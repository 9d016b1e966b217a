/** @file The view of lives: pods as slices in time, on the lanes of their nodes or workloads. */

import * as filters from "../map/filter.js";
import { listen } from "../map/gestures.js";
import * as route from "../route.js";
import { isDark } from "../theme.js";
import { Axis } from "../time/axis.js";
import { isInstant } from "../time/instants.js";
import { drawCursor, resize } from "./canvas.js";
import { Controls } from "./controls.js";
import { AXIS, draw } from "./draw.js";
import { onKey, wheel } from "./gestures.js";
import { hitAt } from "./hits.js";
import { Lives } from "./lives.js";
import { partsOf } from "./phases.js";
import { showTooltip } from "./tooltip.js";
import { namesOf, textOfNames, Tracks } from "./tracks.js";

const POLL_MS = 1000;
const SETTLED_MS = 300;
const TOGGLE_PX = 22;
const DEFAULTS = { by: "node", rows: "tall", filter: "", select: "", closed: "", at: "", from: "", to: "" };

/** Shows the lives, and lets the user move in them. */
export class LivesView {
  /** @param {HTMLElement} element @param {() => string} moment that is shown; "" for now */
  constructor(element, moment) {
    this.element = element;
    this.moment = moment;
    this.lives = new Lives();
    this.tracks = new Tracks();
    this.axis = new Axis();
    this.settings = { ...DEFAULTS };
    this.frames = this.drawn = this.top = this.width = this.height = this.ratio = 0;
    this.isOpen = this.isWaiting = false;
    /** @type {import("../map/filter.js").Filter | null} */
    this.filter = null;
    /** @type {[number, number] | null} */
    this.pointer = null;
    this.revealed = "";
    this.controls = new Controls(element, this);
    this.canvas = this.controls.canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
    /** @type {import("../map/gestures.js").Actions} */
    this.actions = {
      zoom: (px, _py, factor) => { this.axis.zoom(px, factor); this.moved(); },
      pan: (dx, dy) => {
        if (dx) this.axis.pan(dx);
        this.scroll(this.top - dy);
        this.moved();
      },
      click: (px, py) => this.click(px, py),
      hover: (point) => { this.pointer = point; this.schedule(); },
      fit: () => { this.axis.isWhole = true; this.moved(); },
    };
    wheel(this.canvas, this.actions);
    listen(this.canvas, this.actions);
    new ResizeObserver(() => this.schedule()).observe(this.canvas);
  }

  /**
   * Show what an address says.
   * @param {Record<string, string>} query
   */
  open(query) {
    const before = this.settings;
    this.settings = { ...DEFAULTS, ...query };
    const { by, filter, select, from, to } = this.settings;
    if (filter !== before.filter) this.filter = filters.parse(filter);
    if (select !== before.select || by !== before.by) this.revealed = "";
    if ((from !== before.from || to !== before.to) && this.lives.isLoaded) this.showSpan(from, to);
    this.controls.show(this.settings);
    if (!this.isOpen) {
      this.isOpen = true;
      this.poll();
    }
    this.schedule();
  }

  leave() { this.isOpen = false; }

  async poll() {
    let problem = "";
    for (; this.isOpen; await new Promise((resolve) => setTimeout(resolve, POLL_MS))) {
      if (document.hidden) continue;
      const wasLoaded = this.lives.isLoaded;
      try {
        this.lives = await this.lives.read();
        problem = "";
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
      }
      if (!wasLoaded && this.lives.isLoaded) this.showSpan(this.settings.from, this.settings.to);
      this.tracks.update(this.lives, this.settings, this.filter);
      this.controls.follow(this, problem);
      this.schedule();
    }
  }

  /** @param {string} from @param {string} to */
  showSpan(from, to) {
    const { axis, lives } = this;
    axis.follow(0, lives.end, this.width);
    if (!isInstant(from) || !isInstant(to)) {
      axis.isWhole = true;
      return;
    }
    const begin = lives.offsetOf(from);
    axis.show(begin, Math.max(lives.offsetOf(to) - begin, 0.01));
  }

  /** Keep in the address what is in sight. */
  moved() {
    this.schedule();
    clearTimeout(this.settleTimer);
    this.settleTimer = setTimeout(() => {
      if (!this.isOpen || !this.lives.isLoaded) return;
      const { axis, lives } = this;
      const [from, to] = axis.isWhole ? ["", ""] : [lives.textAt(axis.from), lives.textAt(axis.to)];
      Object.assign(this.settings, { from, to });
      route.change({ from, to });
    }, SETTLED_MS);
  }

  /** @param {number} top */
  scroll(top) {
    const next = Math.max(0, Math.min(top, this.tracks.height - (this.height - AXIS)));
    if (next === this.top) return;
    this.top = next;
    this.schedule();
  }

  /** Draw before the next frame, once. */
  schedule() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      if (!this.element.hidden) this.frame();
    });
  }

  frame() {
    const { axis, lives, tracks, settings } = this;
    this.frames += 1;
    resize(this);
    axis.follow(0, lives.end, this.width);
    tracks.update(lives, settings, this.filter);
    this.controls.spacer.style.height = `${tracks.height + AXIS}px`;
    this.top = Math.max(0, Math.min(this.top, tracks.height - (this.height - AXIS)));
    this.reveal();
    if (Math.abs(this.controls.bar.scrollTop - this.top) >= 1) this.controls.bar.scrollTop = this.top;
    const parts = partsOf(isDark());
    const { width, height, top } = this;
    const picture = { lives, tracks, axis, top, parts, isDark: isDark(), select: settings.select, width, height };
    this.drawn = draw(this.context, picture);
    drawCursor(this, parts.cursor);
    this.controls.showLegend();
    const found = this.pointer && hitAt(this, ...this.pointer);
    this.canvas.classList.toggle("over", Boolean(found?.pod || found?.group.kind));
    showTooltip(this.controls.tooltip, lives, found, this.pointer, width);
  }

  /** The moment that is shown. */
  get ms() {
    const at = this.moment();
    return at ? this.lives.offsetOf(at) : this.lives.end;
  }

  /** @param {number} px @param {number} py */
  click(px, py) {
    const { lives, axis } = this;
    const found = hitAt(this, px, py);
    const at = lives.textAt(Math.max(0, Math.min(axis.roundMs(px), lives.end)));
    if (py < AXIS) route.change({ at }, true);
    else if (!found) route.change({ select: "" }, true);
    else if (found.pod) this.choose(`pod/${found.pod.key}`, at);
    else if (px < TOGGLE_PX) this.toggle(found.group.key);
    else if (found.group.kind) this.choose(`${found.group.kind}/${found.group.key}`, at);
  }

  /** @param {string} select @param {string} at */
  choose(select, at) {
    this.revealed = select;
    route.change({ select, at }, true);
  }

  /**
   * Open or close a group.
   * @param {string} key
   */
  toggle(key) {
    const names = namesOf(this.settings.closed);
    route.change({ closed: textOfNames(names.includes(key) ? names.filter((name) => name !== key) : [...names, key]) });
  }

  /** Bring what is selected into sight, once. */
  reveal() {
    const { select } = this.settings;
    if (!select || this.revealed === select || !this.lives.isLoaded) return;
    this.revealed = select;
    const y = this.yOf(select);
    if (y === null) return;
    const room = this.height - AXIS;
    if (y < this.top + 24 || y > this.top + room - 24) this.top = Math.max(0, Math.min(y - room / 2, this.tracks.height - room));
  }

  /**
   * How far below the top something is.
   * @param {string} name @returns {number | null}
   */
  yOf(name) {
    const [kind, ...rest] = name.split("/");
    const key = rest.join("/");
    if (kind !== "pod") return this.tracks.groups.find((group) => group.kind === kind && group.key === key)?.top ?? null;
    const found = this.tracks.find(key, this.ms);
    return found && this.tracks.yOf(found.group, found.lane);
  }

  /**
   * A point on a pod or group, in pixels of the window.
   * @param {string} name @param {number} [ms]
   */
  locate(name, ms = this.axis.from + 0.7 * (this.axis.to - this.axis.from)) {
    const y = this.yOf(name);
    if (y === null) return null;
    const { left, top } = this.canvas.getBoundingClientRect();
    return [left + this.axis.x(ms), top + y - this.top + AXIS + 6];
  }

  /** What tests and benchmarks look at. */
  get observed() {
    const { lives, axis, tracks, frames, drawn, top } = this;
    const { isLoaded, slices, end } = lives;
    const groups = tracks.groups.map(({ title }) => title);
    return { isLoaded, pods: lives.pods.length, shown: tracks.shown, slices, end, groups, from: axis.from, to: axis.to, frames, drawn, top };
  }

  /** @param {string} key */
  key(key) { return onKey(key, this); }
}
