/** @file The kind Scenario: where it is served, and the colours of its phases. */

import { pathOf } from "../api.js";
import { h } from "../dom.js";

export const RESOURCE = {
  group: "simulation.kube-scheduler-simulator.x-k8s.io",
  version: "v1alpha1",
  plural: "scenarios",
  kind: "Scenario",
  isNamespaced: false,
  verbs: ["watch", "list", "create", "delete"],
};

/**
 * The path of one, or of all.
 * @param {string} [name]
 */
export const pathOfScenario = (name = "") => pathOf(RESOURCE.group, RESOURCE.version, RESOURCE.plural, name);

/** @type {Record<string, string>} */
const COLOURS = { Succeeded: "good", Failed: "bad", Paused: "warning", Running: "good" };

/** @param {string} phase */
export const badge = (phase) => h("span", { className: `badge ${COLOURS[phase] ?? "faint"}` }, phase);
