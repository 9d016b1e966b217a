/** @file The clock: the virtual time, how it passes, and buttons that let it pass. */

import { get, post } from "./api.js";
import { choice, fill, h } from "./dom.js";
import { attempt } from "./messages.js";

const PATH = "/kubestage/v1/clock";
const POLL_MS = 1000;
const TICK_MS = 100;
const STEPS = ["1s", "1m", "10m", "1h"];
/** @type {[string, string][]} */
const PACES = [["jump", "jump"], ["1", "1×"], ["10", "10×"], ["60", "60×"], ["600", "600×"]];

/** Shows the clock in an element, and changes it. */
export class Clock {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    /** @type {any} */
    this.state = null;
    this.readAt = 0;
    this.step = STEPS[0];
    this.time = h("output", { className: "time", "aria-label": "Virtual time" }, "…");
    this.toggle = h("button", { type: "button", className: "play", onclick: () => this.playOrPause() }, "Pause");
    this.pace = h("span", {});
    fill(element, this.time, this.toggle, this.pace, h("span", { className: "steps" },
      STEPS.map((step) => h("button", {
        type: "button", title: `Advance by ${step}`, "aria-label": `Advance by ${step}`, onclick: () => this.advance(step),
      }, `+${step}`))));
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
    this.tick();
    const isPaused = state.mode === "paused";
    this.toggle.textContent = isPaused ? "Play" : "Pause";
    this.toggle.title = `${isPaused ? "Play" : "Pause"} (space)`;
    this.element.dataset.mode = state.mode;
    this.element.title = state.message || (state.scenario ? `Scenario ${state.scenario} is running` : "");
    if (before && before.mode === state.mode && before.speed === state.speed) return;
    fill(this.pace, this.paceChoice(state));
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
    if (!this.state) return;
    const { mode, speed, now } = this.state;
    const passed = mode === "speed" ? speed * Math.min(performance.now() - this.readAt, POLL_MS) : 0;
    const shown = new Date(Date.parse(now) + passed).toISOString().replace("T", " ").slice(0, 19);
    if (this.time.textContent !== shown) this.time.textContent = shown;
  }

  /** @param {string} path @param {any} [body] @param {string} [method] */
  async change(path, body, method) {
    await attempt(async () => this.show(await post(path, body, method)));
  }

  playOrPause() {
    return this.change(`${PATH}/${this.state?.mode === "paused" ? "resume" : "pause"}`);
  }

  /** @param {string} [step] the last one again, if none is given */
  advance(step = this.step) {
    this.step = step;
    return this.change(`${PATH}/advance`, { duration: step });
  }
}
