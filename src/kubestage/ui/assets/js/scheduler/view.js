/** @file The scheduler's configuration: what is at work, another one written, checked and switched to. */

import { YAML, get, send } from "../api.js";
import { fill, h } from "../dom.js";
import * as route from "../route.js";
import { Checking, ofConfiguration } from "../text/checking.js";
import { TextEditor } from "../text/editor.js";
import { edited, pluginTable } from "./plugins.js";
import { confirmSwitch } from "./switching.js";

const PATH = "/kubestage/v1/scheduler/configuration";

/** The editor of the configuration, and the plugins that come of it. */
export class SchedulerView {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.current = "";
    /** @type {any} */
    this.found = null;
    this.isOpen = false;
    // Made when the view is opened.
    this.text = /** @type {TextEditor} */ (/** @type {unknown} */ (null));
    this.checking = /** @type {Checking} */ (/** @type {unknown} */ (null));
    /** @type {any} */
    this.error = this.note = this.change = this.plugins = this.body = null;
  }

  async open() {
    if (this.isOpen) {
      this.showPlugins();
      return;
    }
    this.isOpen = true;
    this.build();
    await this.read();
  }

  /** Another configuration may be at work when the user comes back; a text that was begun stays. */
  leave() {
    if (this.text?.value === this.current) this.isOpen = false;
  }

  build() {
    const button = (/** @type {string} */ text, /** @type {string} */ className, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", className, onclick }, text);
    this.text = new TextEditor("YAML of the scheduler configuration", {
      onInput: () => {
        this.note.textContent = "";
        this.checking.schedule();
      },
      onSave: () => this.switchOver(),
    });
    this.checking = new Checking(this.text, ofConfiguration, (result) => this.checked(result));
    this.error = h("pre", { className: "error", role: "alert", hidden: true });
    this.note = h("span", { className: "faint", role: "status" });
    this.change = button("Switch…", "primary", () => this.switchOver());
    this.plugins = h("section", { className: "scroll", "aria-label": "Plugins" });
    this.body = h(
      "div",
      { className: "split" },
      h(
        "section",
        { "aria-label": "Configuration" },
        this.error,
        this.text.element,
        this.checking.element,
        h("p", { className: "editor-hint" }, "Checked as you type. Nothing changes until you switch (Ctrl+S)."),
      ),
      this.plugins,
    );
    fill(
      this.element,
      h(
        "div",
        { className: "toolbar" },
        h("h2", {}, "Scheduler configuration"),
        button("Check", "", () => this.check()),
        this.change,
        button("Discard changes", "", () => this.read()),
        this.note,
      ),
      this.body,
    );
  }

  /** Show the configuration that is at work. */
  async read() {
    this.fail("");
    try {
      this.current = await (await send(PATH, { accept: YAML })).text();
      this.text.value = this.current;
      this.checking.show({ ...(await get("/kubestage/v1/scheduler/profiles")), problems: [] });
      this.note.textContent = "at work";
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
      this.body.hidden = !this.current;
      if (!this.current) fill(this.element, h("p", { className: "hint" }, this.error.textContent));
      this.isOpen = Boolean(this.current);
    }
  }

  /** Check what is written, and say so. */
  async check() {
    const result = await this.checking.run();
    if (result && !result.problems.length) this.note.textContent = "It can be used. Nothing was changed.";
    else this.checking.goToFirst();
    return result;
  }

  /** @param {any} result */
  checked(result) {
    if (!result) return;
    const count = result.problems.length;
    if (count) this.note.textContent = `${count} ${count === 1 ? "problem" : "problems"}`;
    this.change.disabled = count > 0 || this.text.value === this.current;
    if (count) return;
    this.found = result;
    this.showPlugins();
  }

  showPlugins() {
    if (!this.found) return;
    const { profile } = route.current().query;
    const at = Math.max(
      this.found.profiles.findIndex((/** @type {any} */ each) => each.schedulerName === profile),
      0,
    );
    pluginTable(this.plugins, this.found, at, (change) => this.edit(at, change));
  }

  /**
   * Make a change of the table to the text.
   * @param {number} at @param {import("./plugins.js").Change} change
   */
  async edit(at, change) {
    const result = await this.checking.run();
    if (!result || result.problems.length) {
      this.checking.goToFirst();
      return;
    }
    try {
      const body = JSON.stringify(edited(result.configuration, at, change));
      const text = await (await send(`${PATH}?dryRun=true`, { method: "PUT", accept: YAML, body })).text();
      this.text.replace(text);
      await this.checking.run();
      this.note.textContent = `${change.plugin}: changed in the text, not at work yet`;
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  async switchOver() {
    const result = await this.check();
    if (!result || result.problems.length || this.text.value === this.current) return;
    const body = this.text.value;
    const next = await (await send(`${PATH}?dryRun=true`, { method: "PUT", accept: YAML, type: YAML, body })).text();
    const { scenario } = await get("/kubestage/v1/clock");
    confirmSwitch(this.current, next, scenario, async () => {
      try {
        await send(PATH, { method: "PUT", type: YAML, body });
        await this.read();
        this.note.textContent = "It is at work now.";
      } catch (error) {
        this.fail(error instanceof Error ? error.message : String(error));
      }
    });
  }

  /** @param {string} text */
  fail(text) {
    this.error.textContent = text;
    this.error.hidden = !text;
  }
}
