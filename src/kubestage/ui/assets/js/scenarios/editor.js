/** @file Writes a Scenario, or more events of one that is there. */

import { get, post } from "../api.js";
import { fill, h } from "../dom.js";
import { template } from "../objects/templates.js";
import * as route from "../route.js";
import { Checking, ofManifests } from "../text/checking.js";
import { TextEditor } from "../text/editor.js";
import { addEvents } from "./actions.js";
import { RESOURCE, pathOfScenario } from "./resource.js";

/** The editor of a new Scenario (name ""), or of events to add. */
export class ScenarioEditor {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    /** @type {string | null} */
    this.name = null;
    // Made when it is opened.
    this.text = /** @type {TextEditor} */ (/** @type {unknown} */ (null));
    this.checking = /** @type {Checking} */ (/** @type {unknown} */ (null));
    /** @type {any} */
    this.error = null;
  }

  /** @param {string} name empty for a new Scenario */
  async open(name) {
    if (this.name === name) return;
    this.name = name;
    this.build(name);
    this.text.value = name ? more(name, await lastStep(name)) : template(RESOURCE);
    this.text.area.focus();
    this.checking.run();
  }

  close() {
    if (this.name !== null) this.checking.stop();
    this.name = null;
  }

  /** @param {string} name */
  build(name) {
    this.text = new TextEditor(name ? `Events to add to ${name}` : "YAML of a new Scenario", {
      onInput: () => this.checking.schedule(),
      onSave: () => this.start(),
    });
    this.checking = new Checking(this.text, ofManifests("apply"));
    this.error = h("pre", { className: "error", role: "alert", hidden: true });
    const title = name ? `Add events to ${name}` : "New Scenario";
    const note = name
      ? "Events of a step that is past are ignored. Each event needs an id of its own."
      : "All objects of the cluster are removed when it starts. Without a Done event it pauses at its end.";
    fill(
      this.element,
      h(
        "div",
        { className: "writing" },
        h("header", { className: "run-head" }, h("h2", {}, title)),
        h(
          "p",
          { className: "actions" },
          h("button", { type: "button", className: "primary", onclick: () => this.start() }, name ? "Add" : "Start"),
          h("a", { href: route.format(["scenarios", ...(name ? [name] : [])]) }, "Cancel"),
          h("span", { className: "faint" }, note),
        ),
        this.error,
        this.text.element,
        this.checking.element,
        h(
          "p",
          { className: "editor-hint" },
          "Checked as you type. Ctrl+S starts it. Tab indents; Escape, then Tab leaves the text.",
        ),
      ),
    );
  }

  /** Create the Scenario, or add the events; the server starts it. */
  async start() {
    this.error.hidden = true;
    const result = await this.checking.run();
    if (!result) return;
    const [found] = result.objects ?? [];
    if (result.problems.some((problem) => problem.level === "error") || !found) {
      this.checking.goToFirst();
      return;
    }
    try {
      const name = this.name || found.name;
      if (this.name) await addEvents(name, found.object.spec?.events ?? []);
      else await this.create(result.objects);
      location.hash = route.format(["scenarios", name]);
    } catch (error) {
      this.error.textContent = error instanceof Error ? error.message : String(error);
      this.error.hidden = false;
    }
  }

  /** @param {any[]} objects */
  async create(objects) {
    const other = objects.find((each) => each.kind !== "Scenario");
    if (other)
      throw new Error(
        `line ${other.line}: ${other.kind} is not a Scenario: put it into an event, as a createOperation`,
      );
    for (const { object } of objects) await post(pathOfScenario(), object);
  }
}

/** @param {string} name */
async function lastStep(name) {
  const { run } = await get(`/kubestage/v1/runs/${encodeURIComponent(name)}`);
  return run.step ?? 0;
}

/**
 * Events to begin with, after the last step.
 * @param {string} name @param {number} step
 */
const more = (name, step) => `# Only new events: those that are there stay as they are.
apiVersion: ${RESOURCE.group}/${RESOURCE.version}
kind: Scenario
metadata:
  name: ${JSON.stringify(name)}
spec:
  events:
  - id: added-${step + 1}
    step: ${step + 1}
    operation: Create
    createOperation:
      object:
        apiVersion: v1
        kind: Pod
        metadata: {name: added-${step + 1}}
        spec:
          containers:
          - name: added
            image: nginx:1.27
            resources: {requests: {cpu: 500m, memory: 256Mi}}
# - id: end
#   step: ${step + 2}
#   operation: Done
#   doneOperation: {done: true}
`;
