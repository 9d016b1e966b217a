/** @file Which moment is shown, and how the page gets to another one. */

import { get, shown } from "../api.js";
import { show as message } from "../messages.js";
import * as route from "../route.js";
import { isInstant, nanoseconds, readable } from "./instants.js";
import { Marks } from "./marks.js";
import { Past } from "./past.js";
import { replay } from "./replay.js";

const POLL_MS = 1000;
/** So small a past is read before anybody needs it, for the density of changes. */
const SMALL = 30_000;

/** The time that is shown: now, or a moment of the past. Offsets are milliseconds since `past.beginNs`. */
export class Travel {
  /** @param {import("../model.js").Model} live */
  constructor(live) {
    this.live = live;
    this.past = new Past();
    this.marks = new Marks();
    this.isThere = this.isWhole = true;
    this.beginMs = this.endMs = 0;
    /**
     * Where the handle is, if not at now.
     * @type {number | null}
     */
    this.ms = null;
    this.sequence = -1;
    this.progress = "";
    this.speed = 0;
    this.isPlaying = false;
    /** @type {Promise<void> | null} */
    this.reading = null;
    /** @type {(() => void)[]} */
    this.listeners = [];
    this.poll();
  }

  /** @param {() => void} listener called when the moment or the past changes */
  subscribe(listener) { this.listeners.push(listener); }

  changed() { for (const listener of this.listeners) listener(); }

  /** What the map shows. */
  get model() { return this.ms === null ? this.live : this.past.model; }

  /** The moment that is shown; "" for now. */
  get at() {
    if (this.ms === null) return "";
    return this.past.beginNs ? this.past.textAt(this.ms) : shown.at;
  }

  /** The newest moment. */
  get end() { return this.past.beginNs ? this.past.textAt(this.endMs) : ""; }

  async poll() {
    for (;;) {
      if (!document.hidden) await this.follow().catch(() => {});
      if (!this.isThere) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Read how far the past goes, and what is new in it. */
  async follow() {
    const found = await get("/kubestage/v1/history").catch((error) => {
      if ([404, 409].includes(error.code)) this.isThere = false;
      throw error;
    }).finally(() => this.changed());
    this.past.beginNs ||= nanoseconds(found.begin);
    this.beginMs = this.past.offsetOf(found.begin);
    this.endMs = Math.max(this.beginMs, this.past.offsetOf(found.end));
    this.isWhole = found.isWhole;
    this.past.forget(this.beginMs, this.ms);
    if (found.sequence !== this.sequence) {
      await this.marks.read((at) => this.past.offsetOf(at), this.beginMs);
      if (this.past.isLoaded || found.changes < SMALL) await this.need();
      this.sequence = found.sequence;
    }
    this.changed();
  }

  /** Read the changes of the map that are not known yet. */
  need() {
    this.reading ??= this.past.read((bytes) => {
      this.progress = `Loading the past: ${(bytes / 2 ** 20).toFixed(1)} MiB`;
      this.changed();
    }).then(() => {
      // A server that began again has sent all once more.
      if (this.ms !== null) this.past.moveTo(this.ms);
    }).finally(() => {
      this.progress = "";
      this.reading = null;
    });
    return this.reading;
  }

  /**
   * Show what the address says.
   * @param {string} [at]
   */
  async open(at = "") {
    if (at && !isInstant(at)) {
      message(`"${at}" is not a time such as 2026-01-01T00:05:00Z`);
      route.change({ at: "" });
      return;
    }
    shown.at = at;
    if (at === this.at) return this.changed();
    if (!at) {
      this.ms = null;
      return this.changed();
    }
    this.ms = this.past.beginNs ? this.past.offsetOf(at) : 0;
    this.changed();
    if (!this.past.isLoaded || this.past.endMs < this.ms) await this.need();
    if (shown.at !== at) return;
    this.ms = this.past.offsetOf(at);
    // How far the past goes is read once in a while: it may go further by now.
    if (this.ms > this.endMs) await this.follow();
    if (this.ms < this.beginMs || this.ms > this.endMs) return this.refuse(at);
    this.past.moveTo(this.ms);
    this.changed();
  }

  /**
   * Show now, since a moment is not known.
   * @param {string} at
   */
  refuse(at) {
    const [begin, end] = [this.beginMs, this.endMs].map((ms) => readable(this.past.textAt(ms)));
    message(`${readable(at)} is not remembered: the past reaches from ${begin} to ${end}`);
    route.change({ at: "" });
  }

  /**
   * Show another moment at once; the address follows by `settle`.
   * @param {number} ms
   */
  move(ms) {
    if (!this.past.isLoaded) {
      this.need().then(() => this.ms !== null && this.move(this.ms)).catch((error) => message(error.message));
    }
    this.ms = Math.max(this.beginMs, Math.min(this.endMs, ms));
    if (this.past.isLoaded) this.past.moveTo(this.ms);
    this.changed();
  }

  /**
   * Put the moment into the address.
   * @param {boolean} [isStep] whether "back" comes here again
   */
  settle(isStep = true) {
    const at = this.ms !== null && this.ms >= this.endMs ? "" : this.at;
    if (!at) this.ms = null;
    if (at === (route.current().query.at ?? "")) this.changed();
    else route.change({ at }, isStep);
  }

  /**
   * Go to a moment.
   * @param {string} at "" for now @param {boolean} [isStep]
   */
  go(at, isStep = true) {
    this.stop();
    route.change({ at }, isStep);
  }

  /**
   * The next moment at which the map changes.
   * @param {number} direction 1 or -1
   */
  async stepChange(direction) {
    await this.need();
    const { past } = this;
    const from = this.ms ?? this.endMs;
    const index = direction > 0 ? past.count(from) : past.count(from, false) - 1;
    if (index >= 0 && index < past.times.length) this.go(past.textAt(past.times[index]), false);
    else if (direction > 0) this.go("", false);
  }

  /**
   * The next mark that is shown.
   * @param {number} direction 1 or -1
   */
  stepMark(direction) {
    const found = this.marks.next(this.ms ?? this.endMs, direction);
    if (found) this.go(found.at);
    else if (direction > 0 && this.ms !== null) this.go("");
  }

  /** The next attempt of the scheduler after the moment that is shown. */
  async stepDecision() {
    const found = await get(`/kubestage/v1/history/decisions?after=${this.at}&limit=1`);
    this.go(found.decisions[0]?.at ?? "");
  }

  /** Replay the past from here, or from its beginning if it has ended. */
  play() {
    this.isPlaying = true;
    if (this.ms === null) this.ms = this.beginMs;
    replay(this);
    this.changed();
  }

  /** End the replay where it is. */
  stop() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.settle();
  }

  playOrStop() {
    if (this.isPlaying) this.stop();
    else this.play();
  }

  /** What a screen reader says of the moment. */
  get valueText() { return this.ms === null ? `now, ${readable(this.end)}` : readable(this.at); }
}
