/** @file One Scenario: how far it is, what happened in each step, and what can be done with it. */

import { ApiError, get } from "../api.js";
import { facts, fill, h, refill } from "../dom.js";
import { attempt } from "../messages.js";
import { sortable } from "../panel/table.js";
import * as route from "../route.js";
import { actions } from "./actions.js";
import { badge } from "./resource.js";

const ROOT = "/kubestage/v1/runs";
const STEP_COLUMNS = [
  "nodes",
  "pods",
  "created",
  "scheduled",
  "pending",
  "preempted",
  "deleted",
  "finished",
  "attempts",
];
const MOST = 1000;

/** Shows a run, and follows it. */
export class Run {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.name = "";
    /** @type {Record<string, string>} */
    this.query = {};
    this.reading = 0;
  }

  /** @param {string} name @param {Record<string, string>} query */
  open(name, query) {
    const isSame = name === this.name && query.step === this.query.step;
    this.name = name;
    this.query = query;
    if (!name) fill(this.element, h("p", { className: "hint" }, "Choose a Scenario, or write one."));
    else if (!isSame || !this.element.querySelector(".run-head")) {
      this.refresh();
    }
  }

  close() {
    this.name = "";
  }

  async refresh() {
    const { name, query } = this;
    if (!name) return;
    const reading = (this.reading += 1);
    const step = query.step ? `&step=${encodeURIComponent(query.step)}` : "";
    const path = `${ROOT}/${encodeURIComponent(name)}`;
    try {
      const [details, timeline, clock] = await Promise.all([
        get(path),
        get(`${path}/timeline?limit=${MOST}${step}`),
        get("/kubestage/v1/clock"),
      ]);
      if (reading === this.reading && name === this.name) this.show(details, timeline, clock);
    } catch (error) {
      if (reading !== this.reading) return;
      const isGone = error instanceof ApiError && error.code === 404;
      if (isGone) fill(this.element, h("p", { className: "hint" }, `There is no Scenario ${name}.`));
      else attempt(() => Promise.reject(error));
    }
  }

  /** @param {any} details @param {any} timeline @param {any} clock */
  show(details, timeline, clock) {
    const { run, summary, steps } = details;
    const isStopped = run.phase === "Running" && clock.mode === "paused";
    const { scrollTop } = this.element;
    refill(
      this.element,
      h(
        "header",
        { className: "run-head" },
        h("h2", {}, run.name),
        badge(run.phase),
        run.step !== null && run.step !== undefined && h("span", { className: "faint" }, `step ${run.step}`),
        isStopped && h("span", { className: "badge warning" }, "the clock is paused"),
      ),
      run.message && h("p", { className: run.phase === "Failed" ? "bad" : "" }, run.message),
      run.phase === "Paused" && h("p", {}, "All events have run. Add more, and it goes on; or end it."),
      actions(run, clock, () => this.refresh()),
      summary && h("section", { className: "box" }, h("h3", {}, "Summary"), facts(summaryRows(summary))),
      steps.length > 0 && h("section", { className: "box" }, h("h3", {}, "Steps"), this.steps(steps)),
      timeline.total > 0 &&
        h(
          "section",
          { className: "box run-timeline" },
          h("h3", {}, this.query.step ? `What happened in step ${this.query.step}` : "What happened"),
          this.timeline(timeline),
        ),
    );
    this.element.scrollTop = scrollTop;
  }

  /** @param {any[]} steps */
  steps(steps) {
    const shown = STEP_COLUMNS.filter(
      (name) => steps.some((row) => row[name]) || ["nodes", "scheduled", "pending"].includes(name),
    );
    return sortable(
      "A step links to what happened in it",
      [
        {
          name: "step",
          value: (row) => row.step,
          show: (row) =>
            h(
              "a",
              {
                href: route.format(["scenarios", this.name], {
                  step: this.query.step === String(row.step) ? "" : String(row.step),
                }),
                "data-key": `step ${row.step}`,
              },
              row.step,
            ),
        },
        ...shown.map((name) => ({ name, className: "number", value: (/** @type {any} */ row) => row[name] ?? 0 })),
      ],
      steps,
      { mark: (row) => String(row.step) === this.query.step },
    );
  }

  /** @param {any} timeline */
  timeline({ rows, total }) {
    const pod = (/** @type {any} */ row) =>
      row.pod && row.operation.startsWith("Pod")
        ? h(
            "a",
            {
              href: route.format(["scenarios", this.name], { ...this.query, pod: row.pod }),
              "data-key": `${row.id} pod`,
              title: "Every attempt at this pod",
            },
            row.object,
          )
        : row.object;
    const ordered = rows.map((/** @type {any} */ row, /** @type {number} */ index) => ({ ...row, index }));
    return [
      this.query.step && h("p", {}, h("a", { href: route.format(["scenarios", this.name]) }, "All steps")),
      sortable(
        "In order; a pod links to its explanations",
        [
          { name: "step", value: (row) => row.index, show: (row) => row.step },
          {
            name: "operation",
            value: (row) => row.operation,
            show: (row) => h("span", { className: colour(row.operation) }, row.operation),
          },
          { name: "object", value: (row) => row.object, show: pod },
          { name: "node", value: (row) => row.node ?? "" },
          { name: "attempts", className: "number", value: (row) => row.attempts, show: (row) => row.attempts || "" },
          { name: "message", value: (row) => row.message },
        ],
        ordered,
      ),
      total > rows.length &&
        h(
          "p",
          { className: "faint" },
          `The first ${rows.length} of ${total.toLocaleString("en")} are shown: choose a step.`,
        ),
    ];
  }
}

/** @param {string} operation */
const colour = (operation) =>
  operation === "PodScheduled" ? "good" : ["PodUnscheduled", "PodPreempted"].includes(operation) ? "bad" : "";

/** @param {any} summary @returns {[string, any][]} */
function summaryRows(summary) {
  const rate = (/** @type {string} */ name) => `${(100 * (summary.resources?.[name]?.rate ?? 0)).toFixed(1)}%`;
  const counts = ["scheduled", "pending", "finished", "preempted"].map((each) => `${summary[each]} ${each}`);
  const by = Object.entries(summary.attemptsByResult ?? {})
    .map(([result, count]) => `${count} ${result}`)
    .join(", ");
  return [
    [
      "Pods",
      `${summary.pods}: ${counts.join(", ")}`,
    ],
    ["Nodes", `${summary.nodesUsed} of ${summary.nodes} used`],
    ["Allocated", `cpu ${rate("cpu")}, memory ${rate("memory")}`],
    ["Attempts", `${summary.attempts}${by ? ` (${by})` : ""}`],
    ["Steps", `${summary.steps}, the last is ${summary.lastStep}`],
  ];
}
