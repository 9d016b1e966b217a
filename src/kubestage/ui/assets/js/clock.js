/** @file The clock: the virtual time, how it passes, and buttons that let it pass. */

import { get, post } from "./api.js";
import { choice, fill, h } from "./dom.js";
import { attempt, show as message } from "./messages.js";
import { durationMs, meant, readable } from "./time/instants.js";

const PATH = "/kubestage/v1/clock";
const POLL_MS = 1000;
const TICK_MS = 100;
const STEPS = ["1s", "1m", "10m", "1h"];
/** @type {[string, string][]} */
const PACES = [["jump", "jump"], ["1", "1×"], ["10", "10×"], ["60", "60×"], ["600", "600×"]];

/** Shows the clock in an element, and changes it; at a moment of the past, its buttons move in the past. */
export class Clock {
  /**
   * @param {HTMLElement} element @param {import("./time/travel.js").Travel} travel
   * @param {() => boolean} isKept whether time has ended
   */
  constructor(element, travel, isKept) {
    this.element = element;
    this.travel = travel;
    this.isKept = isKept;
    /** @type {any} */
    this.state = null;
    this.readAt = 0;
    this.step = STEPS[0];
    this.time = h("output", { className: "time", "aria-label": "Virtual time" }, "…");
    this.toggle = h("button", { type: "button", className: "play", onclick: () => this.playOrPause() }, "Pause");
    this.pace = h("span", {});
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", title: label, "aria-label": label, onclick }, text);
    this.steps = h("span", { className: "steps" },
      STEPS.map((step) => button(`+${step}`, `Advance by ${step}`, () => this.advance(step))),
      button("→ event", "Advance to the next event (e)", () => this.advanceTo("event")),
      button("→ decision", "Advance to the next decision of the scheduler (n)", () => this.advanceTo("decision")));
    this.jump = h("input", {
      type: "text", className: "jump", placeholder: "go to: +90m, 12:30", "aria-label": "Go to a time (t)",
      title: "A time such as 12:30 or 2026-01-01 12:30, or a distance such as +90m or -10s",
      onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter") this.goTo(this.jump.value); },
    });
    fill(element, this.time, this.toggle, this.pace, this.steps);
    travel.subscribe(() => this.showMoment());
    this.poll();
    setInterval(() => this.tick(), TICK_MS);
  }

  async poll() {
    for (;;) {
      if (!document.hidden) await this.read().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async read() { this.show(await get(PATH)); }

  /** @param {any} state */
  show(state) {
    const before = this.state;
    this.state = state;
    this.readAt = performance.now();
    this.showMoment();
    this.element.dataset.mode = state.mode;
    this.element.title = state.message || (state.scenario ? `Scenario ${state.scenario} is running` : "");
    if (before && before.mode === state.mode && before.speed === state.speed) return;
    fill(this.pace, this.paceChoice(state));
  }

  /** What the buttons do depends on the moment that is shown. */
  showMoment() {
    const { travel } = this;
    const isPast = travel.ms !== null;
    const isPaused = isPast ? !travel.isPlaying : this.state?.mode === "paused";
    const text = isPast ? (isPaused ? "Replay" : "Stop") : isPaused ? "Play" : "Pause";
    if (this.toggle.textContent !== text) this.toggle.textContent = text;
    const isEnded = !isPast && this.isKept();
    this.toggle.title = isEnded ? "The run has ended: replay it below, or fork it" : `${text} (space)`;
    for (const each of [this.toggle, ...this.steps.children]) each.disabled = isEnded;
    this.pace.hidden = isPast || isEnded;
    this.element.classList.toggle("is-past", isPast);
    this.tick();
  }

  /** @param {any} state */
  paceChoice(state) {
    const now = state.mode === "speed" ? String(state.speed) : "jump";
    const paces = PACES.some(([value]) => value === now) ? PACES : [...PACES, [now, `${now}×`]];
    return choice("How time passes", /** @type {[string, string][]} */ (paces), now, (value) => this.change(PATH,
      value === "jump" ? { mode: "jump" } : { speed: Number(value) }, "PUT"));
  }

  /** Between two readings, a clock that runs at a speed is shown running. */
  tick() {
    const shown = this.travel.at ? readable(this.travel.at) : this.runningTime();
    if (this.time.textContent !== shown) this.time.textContent = shown;
  }

  runningTime() {
    if (!this.state) return "…";
    const { mode, speed, now } = this.state;
    const passed = mode === "speed" ? speed * Math.min(performance.now() - this.readAt, POLL_MS) : 0;
    return new Date(Date.parse(now) + passed).toISOString().replace("T", " ").slice(0, 19);
  }

  /** @param {string} path @param {any} [body] @param {string} [method] */
  async change(path, body, method) {
    await attempt(async () => this.show(await post(path, body, method)));
  }

  playOrPause() {
    if (this.travel.ms !== null) return this.travel.playOrStop();
    return this.change(`${PATH}/${this.state?.mode === "paused" ? "resume" : "pause"}`);
  }

  /** @param {string} [step] the last one again, if none is given */
  advance(step = this.step) {
    this.step = step;
    const { travel } = this;
    if (travel.ms === null) return this.change(`${PATH}/advance`, { duration: step });
    travel.move(travel.ms + durationMs(step));
    return travel.settle(false);
  }

  /** @param {"event" | "decision"} to */
  advanceTo(to) {
    const { travel } = this;
    if (travel.ms === null) return this.change(`${PATH}/advance`, { to });
    return attempt(() => (to === "event" ? travel.stepChange(1) : travel.stepDecision()));
  }

  /**
   * Go to a time: back by the past, forward by the clock.
   * @param {string} text
   */
  goTo(text) {
    const { travel } = this;
    const now = this.state?.now ?? travel.end;
    const at = meant(text, travel.at || now);
    if (!at) return message(`"${text}" is not a time: write 12:30, 2026-01-01 12:30, +90m or -10s`);
    this.jump.value = "";
    this.jump.blur();
    if (Date.parse(at) <= Date.parse(now)) return travel.go(at);
    travel.go("");
    return this.change(`${PATH}/advance`, { until: at });
  }

  /**
   * Whether a key was for the clock.
   * @param {string} key
   */
  key(key) {
    /** @type {Record<string, () => void>} */
    const keys = {
      " ": () => this.playOrPause(), ".": () => this.advance(),
      e: () => this.advanceTo("event"), n: () => this.advanceTo("decision"), t: () => this.jump.focus(),
    };
    keys[key]?.();
    return key in keys;
  }
}
