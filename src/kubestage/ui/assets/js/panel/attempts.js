/** @file The attempts of the scheduler at a pod: what each plugin found on each node. */

import { h } from "../dom.js";
import { momentOf, selectionOf } from "../route.js";
import { isInstant, readable } from "../time/instants.js";
import { sortable } from "./table.js";

/** @param {any} found @returns {Node[]} the newest attempt first, and open */
export function attempts(found) {
  const all = [...found.attempts].reverse();
  return all.map((attempt, index) => {
    const outcome = attempt.node ? `scheduled on ${attempt.node}` : attempt.result;
    return h("details", { open: index === 0, className: "attempt" },
      h("summary", {}, `Attempt ${attempt.attempt}: ${outcome}`, " ", time(attempt.time)),
      attempt.message && h("p", {}, attempt.message),
      attempt.explanation ? explanation(attempt.explanation)
        : h("p", { className: "faint" }, "What the plugins found was not kept, because many pods came at once."));
  });
}

/**
 * When it was, as a way to that moment.
 * @param {string | undefined} text
 */
function time(text) {
  if (!text || !isInstant(text)) return h("span", { className: "faint" }, text ?? "");
  return h("a", { href: momentOf(text), className: "moment", title: "Show this moment" }, readable(text));
}

/**
 * What the plugins found in an attempt.
 * @param {any} found
 */
export function explanation(found) {
  return [
    h("p", { className: "decided" }, decided(found)),
    found.score && Object.keys(found.score).length > 0 && scores(found),
    found.filter && Object.keys(found.filter).length > 0 && verdicts(found),
    preemption(found.preemption),
  ];
}

/**
 * One sentence: what made the difference.
 * @param {any} found
 */
export function decided(found) {
  const evaluated = Object.keys(found.filter ?? {}).length;
  if (!found.selected) {
    return found.unschedulablePlugins?.length ? `Rejected by ${found.unschedulablePlugins.join(", ")}.` : "No node was chosen.";
  }
  const totals = Object.entries(found.totals ?? {}).sort((a, b) => Number(b[1]) - Number(a[1]));
  if (totals.length < 2) return `${found.selected} was the only feasible node of ${evaluated || "those"} looked at; nothing was scored.`;
  const own = found.totals[found.selected];
  const [second, points] = totals.find(([name]) => name !== found.selected) ?? ["", 0];
  if (own === points) return `${found.selected} has ${own} points, as many as ${second}: chosen among equals.`;
  const parts = Object.entries(found.score[found.selected])
    .map(([plugin, score]) => [plugin, score.final - (found.score[second]?.[plugin]?.final ?? 0)])
    .filter(([, difference]) => difference !== 0)
    .sort((a, b) => Math.abs(Number(b[1])) - Math.abs(Number(a[1])))
    .map(([plugin, difference]) => `${plugin} ${Number(difference) > 0 ? "+" : "−"}${Math.abs(Number(difference))}`);
  return `${found.selected} won with ${own} points against ${points} of ${second}: ${parts.join(", ")}.`;
}

/** @param {any} found */
function scores(found) {
  const nodes = Object.keys(found.score);
  const plugins = [...new Set(nodes.flatMap((node) => Object.keys(found.score[node])))];
  const final = (/** @type {string} */ node, /** @type {string} */ plugin) => found.score[node][plugin]?.final ?? 0;
  // A plugin that makes no difference comes last.
  const spread = (/** @type {string} */ plugin) => {
    const values = nodes.map((node) => final(node, plugin));
    return Math.max(...values) - Math.min(...values);
  };
  plugins.sort((a, b) => spread(b) - spread(a));
  return sortable("Scores: weighted final; below it raw / normalised", [
    { name: "Node", value: (node) => node },
    { name: "Total", value: (node) => found.totals?.[node] ?? 0, className: "number" },
    ...plugins.map((plugin) => ({
      name: plugin, className: "number", value: (/** @type {string} */ node) => final(node, plugin),
      show: (/** @type {string} */ node) => {
        const score = found.score[node][plugin];
        return score ? [String(score.final), h("small", {}, `${score.raw} / ${score.normalized}`)] : "–";
      },
    })),
  ], nodes, { sort: 1, isDown: true, mark: (node) => node === found.selected });
}

/** @param {any} found */
function verdicts(found) {
  const nodes = Object.keys(found.filter);
  const plugins = [...new Set(nodes.flatMap((node) => Object.keys(found.filter[node])))];
  const verdict = (/** @type {string} */ node) => {
    const [plugin, result] = Object.entries(found.filter[node]).find(([, each]) => each !== "passed") ?? [];
    return plugin ? `${plugin}: ${(result.reasons ?? [result.code]).join("; ")}` : "passed";
  };
  return sortable("Filters: ✓ passed, · not reached", [
    { name: "Node", value: (node) => node },
    { name: "Verdict", value: (node) => (verdict(node) === "passed" ? "~" : verdict(node)), show: (node) => h("span", { className: verdict(node) === "passed" ? "good" : "bad" }, verdict(node)) },
    ...plugins.map((plugin) => ({
      name: plugin, className: "mark", value: (/** @type {string} */ node) => sign(found.filter[node][plugin]),
      show: (/** @type {string} */ node) => h("span", { className: sign(found.filter[node][plugin]) === "✗" ? "bad" : "faint" }, sign(found.filter[node][plugin])),
    })),
  ], nodes, { sort: 1, mark: (node) => node === found.selected });
}

/** @param {any} result */
const sign = (result) => (result === undefined ? "·" : result === "passed" ? "✓" : "✗");

/** @param {any} found */
function preemption(found) {
  if (!found) return null;
  if (!found.victims?.length) return null;
  const victims = found.victims.flatMap((/** @type {string} */ victim, /** @type {number} */ index) =>
    [index ? ", " : "", h("a", { href: selectionOf("pod", victim) }, victim)]);
  return h("p", {}, `Preemption makes room on ${found.nominatedNode} by evicting `, victims, ".");
}
