/** @file Two clusters side by side: two maps, one clock, and the decisions in which they differ. */

import { get } from "../api.js";
import { choice, fill, h } from "../dom.js";
import { show as message } from "../messages.js";
import * as route from "../route.js";
import { NAME } from "../time/clusters.js";
import { isInstant } from "../time/instants.js";
import { CompareClock } from "./clock.js";
import { sentence, showDecision } from "./decision.js";
import { Pair } from "./pair.js";
import { Side } from "./side.js";

const COMMANDS = `kubestage compare scenario.yaml --config default --config mine.yaml --out runs/both
kubestage open runs/both`;

/** The view; which clusters, which moment and which difference are in the address. */
export class CompareView {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.pair = new Pair(() => this.schedule(), (at) => this.settle(at));
    this.clock = new CompareClock(this.pair);
    this.number = 0;
    this.shownNumber = -1;
    this.loaded = "";
    this.sides = ["Left map", "Right map"].map((label) => new Side(label, (key) => this.selectPod(key)));
    [this.sides[0].other, this.sides[1].other] = [this.sides[1], this.sides[0]];
    this.build();
  }

  build() {
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick }, text);
    this.choices = h("span", { className: "choices" });
    this.first = button("First difference", "First difference (Home)", () => this.step(1));
    this.previous = button("⟨ Previous", "Previous difference ([)", () => this.step(this.number - 1));
    this.next = button("Next ⟩", "Next difference (])", () => this.step(this.number + 1));
    this.status = h("span", { className: "sentence", role: "status" });
    this.only = h("input", { type: "checkbox", checked: true, onchange: () => this.paint() });
    this.decision = h("div", { className: "both", role: "region", "aria-label": "Both decisions" });
    this.hint = h("div", { className: "hint", hidden: true });
    this.body = h("div", { className: "compared" },
      h("div", { className: "toolbar" }, this.first, this.previous, this.next, this.status,
        h("label", { className: "only" }, this.only, "Only what differs in colour"), this.choices),
      this.clock.element,
      h("div", { className: "sides" }, this.sides.map((side) => side.element)), this.decision);
    fill(this.element, this.hint, this.body);
  }

  /** Show what the address says. */
  async open() {
    const clusters = (await get("/kubestage/v1/clusters", { isServer: true })).clusters;
    const names = clusters.map((/** @type {any} */ each) => each.name);
    const query = route.current().query;
    const [left, right] = sidesOf(query, names);
    this.hint.hidden = clusters.length > 1;
    this.body.hidden = clusters.length < 2;
    if (clusters.length < 2) return this.teach();
    this.choose(clusters, left, right);
    const key = JSON.stringify([left, right]);
    if (key !== this.loaded) {
      this.loaded = key;
      this.status.textContent = "Reading both clusters…";
      await this.pair.load(left, right).catch((error) => { this.loaded = ""; throw error; });
      if (key !== this.loaded) return;
      this.sides.forEach((side, index) => side.use(this.pair.pasts[index].model, this.pair.titles[index]));
      this.shownNumber = -1;
      this.clock.axis.isWhole = true;
    }
    if (this.pair.isLoaded) this.place(route.current().query);
  }

  /**
   * Which moment and which difference.
   * @param {Record<string, string>} query
   */
  place({ at = "", difference = "" }) {
    const { pair } = this;
    const count = pair.differences.length;
    const chosen = Number(difference) >= 1 && Number(difference) <= count ? Number(difference) : 0;
    if (at && !isInstant(at)) message(`"${at}" is not a time such as 2026-01-01T00:05:00Z`);
    // Without a moment, it stops where they part.
    const number = chosen || (at ? 0 : Math.min(1, count));
    const ms = at && isInstant(at) ? pair.offsetOf(at) : number ? pair.differences[number - 1].ms : pair.endMs;
    this.number = number || pair.numberAt(ms);
    pair.move(ms);
    this.showNumber();
  }

  /** Name the difference, and show both decisions. */
  showNumber() {
    const { pair, number } = this;
    const count = pair.differences.length;
    const difference = pair.differences[number - 1];
    this.first.disabled = !count || number === 1;
    this.previous.disabled = number <= 1;
    this.next.disabled = number >= count;
    const [place, total, same] = [number, pair.total, pair.same].map((each) => each.toLocaleString("en"));
    this.status.textContent = !count ? `Both decide the same: ${same} attempts.`
      : difference ? `${place} of ${total}: ${sentence(difference, pair.titles)}`
        : `The first ${same} attempts are the same; they part later.`;
    this.sides.forEach((side, index) => {
      const decision = difference && (index ? difference.right : difference.left);
      side.outlined = decision ? [`pod/${decision.pod}`, ...(decision.node ? [`node/${decision.node}`] : [])] : [];
      side.schedule();
    });
    if (number === this.shownNumber) return;
    this.shownNumber = number;
    this.aborter?.abort();
    if (!difference) return fill(this.decision);
    this.aborter = new AbortController();
    const { signal } = this.aborter;
    showDecision(this.decision, pair, difference, signal).catch((error) => {
      if (!signal.aborted) message(error.message);
    });
  }

  /** @param {any[]} clusters @param {string} left @param {string} right */
  choose(clusters, left, right) {
    /** @type {[string, string][]} */
    const options = clusters.map(({ name, title }) => [name, title || name || "cluster"]);
    const pick = (/** @type {string} */ label, /** @type {string} */ name, /** @type {string} */ value) =>
      choice(label, options, value, (chosen) => {
        const pair = { left, right, [name]: chosen };
        // Both sides cannot be the same: then they change places.
        if (pair.left === pair.right) pair[name === "left" ? "right" : "left"] = name === "left" ? left : right;
        route.change({ left: pair.left, right: pair.right, at: "", difference: "" }, true);
      });
    const key = JSON.stringify([options, left, right]);
    if (this.choices.dataset.key === key) return;
    this.choices.dataset.key = key;
    fill(this.choices, h("label", {}, "Left ", pick("Left cluster", "left", left)),
      h("label", {}, "Right ", pick("Right cluster", "right", right)));
  }

  teach() {
    fill(this.hint, h("h2", {}, "One cluster, nothing to compare it with"),
      h("p", {}, "Fork this one at a moment of its past, with another scheduler configuration, and let both go on.",
        " Or open two kept runs:"),
      h("pre", {}, COMMANDS));
  }

  /** @param {number} number */
  step(number) {
    const difference = this.pair.differences[number - 1];
    if (difference) route.change({ difference: String(number), at: this.pair.textAt(difference.ms) }, true);
  }

  /**
   * A pod that was clicked: where they differ about it.
   * @param {string} key
   */
  selectPod(key) {
    const found = this.pair.differences.find(({ left, right }) => left?.pod === key || right?.pod === key);
    if (found) this.step(found.number);
    else message(`Both decided the same about ${key}.`);
  }

  /** @param {string} at */
  settle(at) { route.change({ at, difference: "" }, true); }

  schedule() { this.clock.schedule(); }

  paint() {
    for (const side of this.sides) {
      side.onlyDiffering = this.only.checked;
      side.schedule();
    }
  }

  /**
   * Whether a key was for the view.
   * @param {string} key
   */
  key(key) {
    /** @type {Record<string, () => void>} */
    const keys = {
      "]": () => this.step(this.number + 1), "[": () => this.step(this.number - 1), Home: () => this.step(1),
    };
    if (!(key in keys)) return false;
    keys[key]();
    return true;
  }

  /** What the view knows, for tests. */
  get observed() {
    const { pair, number, sides } = this;
    const { isLoaded, total, same, ms } = pair;
    return {
      isLoaded, total, same, ms, number, frames: sides.map((side) => side.frames),
      pods: pair.pasts.map((past) => past.model.pods.size), outlined: sides.map((side) => side.outlined),
      nodeOf: (/** @type {number} */ side, /** @type {string} */ key) =>
        pair.pasts[side].model.pods.get(key)?.node ?? null,
      locate: (/** @type {number} */ side, /** @type {string} */ name) => sides[side].locate(name),
    };
  }

  leave() { this.aborter?.abort(); }
}

/**
 * Both sides: those of the address, or the cluster of the page beside another.
 * @param {Record<string, string>} query @param {string[]} names
 */
function sidesOf({ left, right }, names) {
  const other = (/** @type {string} */ name) =>
    (NAME !== name && names.includes(NAME) ? NAME : names.find((each) => each !== name) ?? "");
  const one = left ?? (right === "" ? other("") : "");
  const known = names.includes(one) ? one : "";
  const chosen = right !== undefined && names.includes(right) ? right : undefined;
  return [known, chosen !== undefined && chosen !== known ? chosen : other(known)];
}
