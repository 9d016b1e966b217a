/** @file A card for a chart that has nothing to show yet: what it needs, and a way to get it. */

import { YAML, send } from "../api.js";
import { h } from "../dom.js";
import { attempt } from "../messages.js";
import { exampleFor } from "./examples.js";

/**
 * @param {{name: string, title: string, why: string}} chart
 * @param {string} workload the name of a Deployment that is there
 * @param {() => void} onCreated
 */
export function emptyCard(chart, workload, onCreated) {
  const example = exampleFor(chart.name, workload);
  const create = () => attempt(async () => {
    await send("/kubestage/v1/import", { method: "POST", body: example, type: YAML });
    onCreated();
  });
  return h("article", { className: "chart none", "data-chart": chart.name },
    h("h3", {}, chart.title),
    h("p", { className: "faint" }, chart.why),
    example && h("details", {}, h("summary", {}, "An example"), h("pre", {}, example),
      h("button", { type: "button", onclick: create }, "Create it")));
}
