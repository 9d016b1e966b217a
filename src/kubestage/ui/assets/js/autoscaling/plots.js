/** @file The plots of a rehearsal: rate, replicas, utilization, response times, and decisions with reasons. */

import { fill, h } from "../dom.js";
import { sortable } from "../panel/table.js";
import { Plot, amount, duration } from "./plot.js";

/** @param {any} table @returns {any[]} rows as objects */
const records = ({ columns, rows }) =>
  rows.map((/** @type {any[]} */ row) =>
    Object.fromEntries(columns.map((/** @type {string} */ name, /** @type {number} */ index) => [name, row[index]])),
  );

/** @param {any[]} rows @param {string} field @param {number} [scale] @returns {[number, number | null][]} */
const points = (rows, field, scale = 1) =>
  rows.map((row) => [row.atSeconds, row[field] === null ? null : row[field] * scale]);

/** Shows the result of a rehearsal, and a cursor over all plots. */
export class Plots {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    /** @type {Plot[]} */
    this.plots = [];
    this.seconds = 1;
    /** @type {number | null} */
    this.at = null;
    new ResizeObserver(() => this.draw()).observe(element);
  }

  /** @param {any} result @param {Record<string, string>} values */
  show(result, values) {
    const table = (/** @type {string} */ name) => records(result.tables[name]);
    const workload = `deployment/${values.namespace}/${values.name}`;
    const replicas = table("replicas").filter((row) => row.workload === workload);
    const decisions = table("decisions").filter((row) => row.subject === workload);
    const [requests, percentiles, utilization] = [table("requests"), table("percentiles"), table("utilization")];
    const metrics = table("metrics").filter((row) => row.workload === workload && row.unit === "%");
    const textOf = (/** @type {any} */ row) => `${row.before} → ${row.after}: ${row.reason}`;
    const marks = decisions.map((row) => ({ at: row.atSeconds, text: textOf(row) }));
    const line = (
      /** @type {string} */ name,
      /** @type {string} */ colour,
      /** @type {any} */ found,
      isStep = false,
    ) => ({ name, colour, points: found, isStep });
    this.seconds = result.seconds;
    this.plots = [
      new Plot(
        "Requests per second",
        [line("arriving", "s1", points(requests, "rps")), line("failed", "s3", rates(requests, "failed"))],
        result.seconds,
      ),
      new Plot(
        "Replicas",
        [
          line("desired", "s2", points(replicas, "desired"), true),
          line("ready", "s1", points(replicas, "active"), true),
        ],
        result.seconds,
        marks,
      ),
      new Plot(
        "CPU, %",
        [
          line("replicas are busy", "s1", points(utilization, "utilization", 100)),
          line("measured, of the request", "s2", points(metrics, "current"), true),
          line("target", "s4", points(metrics, "target"), true),
        ],
        result.seconds,
      ),
      new Plot(
        "Response time, ms",
        [
          line("p50", "s1", points(percentiles, "p50Ms")),
          line("p95", "s2", points(percentiles, "p95Ms")),
          line("p99", "s3", points(percentiles, "p99Ms")),
        ],
        result.seconds,
      ),
    ];
    this.time = h("output", { className: "faint" }, "");
    const area = h(
      "div",
      {
        className: "plots",
        tabIndex: 0,
        role: "group",
        "aria-label": "Plots; arrow keys move the cursor",
        onpointermove: (/** @type {PointerEvent} */ event) => this.follow(event),
        onpointerleave: () => this.point(null),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
      },
      this.plots.map((plot) => plot.element),
    );
    fill(
      this.element,
      h("p", { className: "headline" }, headline(result.summary, workload)),
      this.time,
      !result.isComplete &&
        h("p", { className: "bad" }, `It took too long, and was ended after ${duration(result.seconds)}.`),
      result.notes.map((/** @type {string} */ note) => h("p", { className: "bad" }, note)),
      area,
      h(
        "section",
        { className: "box" },
        h("h3", {}, "Decisions"),
        decisions.length ? decisionTable(decisions) : h("p", { className: "faint" }, "The autoscaler changed nothing."),
      ),
    );
    this.draw();
  }

  draw() {
    const area = this.element.querySelector(".plots");
    if (!area || !area.clientWidth) return;
    const width = /** @type {HTMLElement} */ (this.plots[0].element).clientWidth;
    for (const plot of this.plots) plot.draw(width);
    this.point(this.at);
  }

  /** @param {number | null} at */
  point(at) {
    this.at = at;
    for (const plot of this.plots) plot.point(at);
    if (this.time) this.time.textContent = `Values ${at === null ? "at the end" : `after ${duration(at)}`}`;
  }

  /** @param {PointerEvent} event */
  follow(event) {
    const picture = /** @type {Element} */ (event.target).closest?.(".figure")?.querySelector("svg");
    if (!picture) return;
    const { left, width } = picture.getBoundingClientRect();
    const share = (event.clientX - left - 46) / (width - 56);
    this.point(share < 0 || share > 1 ? null : share * this.seconds);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (this.at ?? (step > 0 ? 0 : this.seconds)) + (step * this.seconds) / 60;
    this.point(Math.min(Math.max(next, 0), this.seconds));
  }
}

/**
 * Counts of a row as a rate.
 * @param {any[]} rows @param {string} field @returns {[number, number | null][]}
 */
function rates(rows, field) {
  return rows.map((row, index) => {
    const seconds = row.atSeconds - (rows[index - 1]?.atSeconds ?? 0);
    return [row.atSeconds, seconds > 0 ? row[field] / seconds : row[field]];
  });
}

/** @param {any[]} rows */
const decisionTable = (rows) =>
  sortable(
    "What the autoscaler decided, and why",
    [
      { name: "after", value: (row) => row.atSeconds, show: (row) => duration(row.atSeconds) },
      { name: "replicas", value: (row) => row.after, show: (row) => `${row.before} → ${row.after}` },
      { name: "reason", value: (row) => row.reason },
    ],
    rows,
  );

/** @param {any} summary @param {string} workload */
function headline(summary, workload) {
  const load = summary.traffic?.[0];
  const found = summary.workloads?.find((/** @type {any} */ each) => each.workload === workload);
  const share = load?.requests ? (100 * load.failed) / load.requests : 0;
  const count = (/** @type {number} */ value) => value.toLocaleString("en");
  return [
    load &&
      `${count(load.requests)} requests, ${count(load.failed)} failed (${share.toFixed(share && share < 1 ? 2 : 1)}%)`,
    load?.responseMs?.p95 !== undefined && load.responseMs.p95 !== null && `p95 ${amount(load.responseMs.p95)} ms`,
    found &&
      `${found.replicasLowest} to ${found.replicasHighest} replicas, ${amount(found.replicaHours)} replica-hours`,
  ]
    .filter(Boolean)
    .join(" · ");
}
