/** @file Scenarios: all of them, one that is looked at, and new ones. */

import { get } from "../api.js";
import { fill, h, refill } from "../dom.js";
import { attempt } from "../messages.js";
import { Rows } from "../objects/rows.js";
import * as route from "../route.js";
import { ScenarioEditor } from "./editor.js";
import { PodStory } from "./pod.js";
import { RESOURCE, badge } from "./resource.js";
import { Run } from "./run.js";

const SETTLED_MS = 200;

/** The list, and beside it the run or the editor. */
export class ScenariosView {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    /** @type {Rows | null} */
    this.rows = null;
    /** @type {any[]} */
    this.runs = [];
    this.list = h("nav", { className: "runs scroll", "aria-label": "Scenarios" });
    this.detail = h("div", { className: "run scroll" });
    this.side = h("aside", { className: "panel", "aria-label": "Pod", hidden: true });
    const create = h(
      "button",
      {
        type: "button",
        className: "primary",
        onclick: () => {
          location.hash = route.format(["scenarios"], { new: "1" });
        },
      },
      "New…",
    );
    fill(
      element,
      h(
        "div",
        { className: "toolbar" },
        h("h2", {}, "Scenarios"),
        create,
        h(
          "span",
          { className: "faint" },
          "What happens to a cluster, step by step. A Scenario begins with an empty cluster.",
        ),
      ),
      h("div", { className: "beside" }, this.list, this.detail, this.side),
    );
    this.run = new Run(this.detail);
    this.editor = new ScenarioEditor(this.detail);
    this.story = new PodStory(this.side);
  }

  async open() {
    const {
      path: [, name = ""],
      query,
    } = route.current();
    this.rows ??= new Rows(RESOURCE, () => this.changed());
    this.story.open(name, query.pod ?? "");
    if (query.new || query.add) {
      this.run.close();
      await this.editor.open(query.new ? "" : name);
    } else {
      this.editor.close();
      this.run.open(name, query);
    }
    await this.read();
  }

  leave() {
    this.rows?.stop();
    this.rows = null;
    this.run.close();
    this.editor.close();
  }

  /** Something has happened in a Scenario; many things at once are one reading. */
  changed() {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (!this.rows) return;
      attempt(() => this.read());
      this.run.refresh();
    }, SETTLED_MS);
  }

  async read() {
    this.runs = (await get("/kubestage/v1/runs")).items;
    this.draw();
  }

  draw() {
    const {
      path: [, name = ""],
    } = route.current();
    const items = [...this.runs]
      .reverse()
      .map((run) =>
        h(
          "li",
          {},
          h(
            "a",
            {
              href: route.format(["scenarios", run.name]),
              "data-key": run.name,
              "aria-current": run.name === name ? "page" : null,
            },
            h("span", { className: "name" }, run.name),
            badge(run.phase),
            h("span", { className: "faint" }, run.step === null || run.step === undefined ? "" : `step ${run.step}`),
          ),
        ),
      );
    refill(
      this.list,
      items.length
        ? h("ul", {}, items)
        : h("p", { className: "hint" }, "There is no Scenario yet. “New…” begins with an example."),
    );
  }
}
