/** @file Traffic, a workload and its autoscaler in a form, with plots of what they would do. */

import { ApiError, post, send } from "../api.js";
import { fill, h } from "../dom.js";
import { attempt } from "../messages.js";
import { sendAll } from "../objects/creation.js";
import * as route from "../route.js";
import { choices, read } from "./existing.js";
import { FIELDS, usual } from "./fields.js";
import { Form } from "./form.js";
import { objectsOf, valuesOf } from "./objects.js";
import { Plots } from "./plots.js";

const PATH = "/kubestage/v1/rehearsals/autoscaling";
const PAUSE_MS = 250;

/** The form, and the plots beside it. */
export class AutoscalingView {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    /** @type {import("./objects.js").Base} */
    this.base = {};
    this.from = "";
    this.isOpen = false;
    this.sent = "";
    /** @type {AbortController | null} */
    this.abort = null;
    /** @type {Record<string, string>} */
    this.initial = {};
    // Made when the view is opened.
    this.form = /** @type {Form} */ (/** @type {unknown} */ (null));
    this.plots = /** @type {Plots} */ (/** @type {unknown} */ (null));
    /** @type {any} */
    this.source = this.status = this.applied = this.error = null;
  }

  async open() {
    const { query } = route.current();
    if (!this.isOpen) {
      this.isOpen = true;
      this.build();
      attempt(() => this.offer());
    }
    if ((query.from ?? "") !== this.from) await this.begin(query.from ?? "");
    const values = {
      ...usual(),
      ...this.initial,
      ...Object.fromEntries(FIELDS.filter(({ name }) => name in query).map(({ name }) => [name, query[name]])),
    };
    if (!this.form.element.contains(document.activeElement)) this.form.values = values;
    this.rehearse();
  }

  build() {
    this.source = h("select", {
      id: "autoscaling-from",
      onchange: () => {
        location.hash = route.format(["autoscaling"], { from: this.source.value });
      },
    });
    this.status = h("span", { className: "faint", role: "status" });
    // A rehearsal that ends later must not hide what was applied.
    this.applied = h("span", { className: "good", role: "status" });
    this.error = h("pre", { className: "error", role: "alert", hidden: true });
    const plots = h("section", { className: "scroll results", "aria-label": "What would happen" });
    const form = h("form", {
      className: "scroll form",
      "aria-label": "Traffic and autoscaler",
      onsubmit: (/** @type {Event} */ event) => event.preventDefault(),
    });
    this.plots = new Plots(plots);
    this.form = new Form(form, () => this.changed());
    fill(
      this.element,
      h(
        "div",
        { className: "toolbar" },
        h("h2", {}, "Autoscaling"),
        h("label", {}, "Begin with ", this.source),
        h("button", { type: "button", className: "primary", onclick: () => this.apply() }, "Apply to the cluster"),
        this.applied,
        this.status,
      ),
      this.error,
      h("div", { className: "split autoscaling" }, form, plots),
    );
    this.form.build(
      h(
        "p",
        { className: "faint" },
        "A rehearsal in virtual time, at each change. The cluster is not touched until you apply it.",
      ),
    );
  }

  /** Offer the workloads of the cluster. */
  async offer() {
    const found = await choices();
    const options = [
      ["", "an example"],
      ...[...new Set([...found, this.from])].filter(Boolean).map((key) => [key, key]),
    ];
    fill(
      this.source,
      options.map(([value, text]) => h("option", { value, selected: value === this.from }, text)),
    );
  }

  /**
   * Begin with objects of the cluster, or with an example.
   * @param {string} from namespace/name, or empty
   */
  async begin(from) {
    this.from = from;
    const found = from ? await read(from) : {};
    if (!found) this.fail(`There is no Deployment ${from}.`);
    this.base = found ?? {};
    this.initial = found?.deployment ? valuesOf(found) : {};
    if (this.source.options.length) this.source.value = from;
  }

  /** The address has what differs from where the form began. */
  changed() {
    const begun = { ...usual(), ...this.initial };
    const { values } = this.form;
    const query = Object.fromEntries(
      FIELDS.map(({ name }) => [name, values[name] === begun[name] ? "" : values[name]]),
    );
    clearTimeout(this.timer);
    this.timer = setTimeout(() => route.change({ ...query, from: this.from }), PAUSE_MS);
  }

  async rehearse() {
    const { values } = this.form;
    const body = {
      objects: objectsOf(values, this.base),
      duration: values.duration,
      cluster: values.where,
      seed: Number(values.seed),
      settings: values.sync ? { "hpa.sync-period": values.sync } : {},
    };
    const text = JSON.stringify(body);
    if (text === this.sent) return;
    this.sent = text;
    this.abort?.abort();
    const abort = (this.abort = new AbortController());
    this.status.textContent = "rehearsing…";
    this.element.dataset.state = "busy";
    try {
      const result = await (await send(PATH, { method: "POST", body: text, signal: abort.signal })).json();
      this.fail("");
      this.plots.show(result, values);
      this.status.textContent = `${values.duration} of virtual time in ${result.tookSeconds.toFixed(2)} s`;
      this.element.dataset.state = "done";
    } catch (error) {
      if (abort.signal.aborted) return;
      this.sent = "";
      this.status.textContent = "";
      this.element.dataset.state = "refused";
      this.fail(error instanceof ApiError ? explained(error.message, body.objects) : String(error));
    }
  }

  /** Create or change the three objects. */
  async apply() {
    const { values } = this.form;
    this.applied.textContent = "";
    const objects = objectsOf(values, this.base);
    // An autoscaler owns the number of replicas of what is there.
    if (this.base.deployment && this.base.hpa) delete objects[0].spec.replicas;
    await attempt(async () => {
      const checked = await post("/kubestage/v1/check", { apiVersion: "v1", kind: "List", items: objects });
      const wrong = checked.problems.find((/** @type {any} */ each) => each.level === "error");
      if (wrong) {
        this.fail(`${wrong.path}: ${wrong.message}`);
        return;
      }
      const sent = await sendAll(checked.objects);
      this.fail(sent.error);
      this.applied.textContent = sent.done.join(", ");
      await this.offer();
    });
  }

  /** @param {string} text */
  fail(text) {
    this.error.textContent = text;
    this.error.hidden = !text;
  }
}

/**
 * A refusal names objects by number; people know them by kind.
 * @param {string} message @param {any[]} objects
 */
const explained = (message, objects) =>
  message.replace(/^objects\[(\d+)\]\.?/, (_, number) => `${objects[Number(number)]?.kind ?? "object"} `);
