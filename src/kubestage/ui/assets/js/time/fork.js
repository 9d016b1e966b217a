/** @file Fork here: a new cluster that goes on from the moment that is shown, with other settings if wanted. */

import { ApiError, YAML, post, send } from "../api.js";
import { fill, h } from "../dom.js";
import { NAME, addressOf } from "./clusters.js";
import { readable } from "./instants.js";

/**
 * Which field a refusal is about, by its words.
 * @type {[RegExp, string][]}
 */
const FIELDS = [
  [/^--setting\b|^settings\b/, "settings"], [/^seed\b/, "seed"], [/^(title|name)\b/, "title"],
  [/configuration|profile|plugin|kubescheduler|apiVersion|\bkind\b|yaml|decod/i, "configuration"],
];

/** @type {Record<string, string>} */
const LABELS = {
  title: "Title", configuration: "Scheduler configuration", seed: "Seed", settings: "Settings of controllers",
};

/**
 * Ask how to fork, do it, and open the new cluster.
 * @param {string} at the moment; "" for now
 * @param {string} now the newest moment, for people
 */
export function openFork(at, now) {
  const area = (/** @type {number} */ rows, /** @type {string} */ id, placeholder = "") =>
    h("textarea", { className: "yaml", id, spellcheck: false, rows, placeholder });
  /** @type {Record<string, any>} */
  const fields = {
    title: h("input", { type: "text", id: "fork-title", maxLength: 100, placeholder: "fork" }),
    configuration: area(9, "fork-configuration"),
    seed: h("input", { type: "text", inputMode: "numeric", id: "fork-seed", placeholder: "as before" }),
    settings: area(2, "fork-settings", "name=value, one for each line"),
  };
  /** @type {Record<string, any>} */
  const errors = {};
  for (const name of Object.keys(fields)) {
    errors[name] = h("p", { className: "error", id: `fork-${name}-error`, role: "alert", hidden: true });
  }
  const general = h("p", { className: "error", role: "alert", hidden: true });
  const submit = h("button", { type: "submit", className: "primary" }, "Fork");
  const when = at ? readable(at) : `now, ${readable(now)}`;
  const form = h("form", { className: "fork" }, h("h2", {}, "Fork here"),
    h("p", {}, `A new cluster is built from the objects of ${when}, and its clock stands still there. `,
      "This one stays as it is. Controllers and the scheduler begin as after a restart of the control plane."),
    Object.entries(fields).flatMap(([name, field]) => [h("label", { for: field.id }, LABELS[name]), field, errors[name]]),
    general, h("p", { className: "actions" }, submit,
      h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
  const dialog = h("dialog", { className: "dialog wide", "aria-label": "Fork here", onclose: () => dialog.remove() }, form);
  const original = { configuration: "" };
  fillConfiguration(fields.configuration, original);
  form.addEventListener("submit", async (/** @type {Event} */ event) => {
    event.preventDefault();
    for (const [name, error] of Object.entries(errors)) fail(fields[name], error, "");
    general.hidden = true;
    submit.disabled = true;
    try {
      const body = bodyOf(fields, at, original.configuration);
      const row = await post("/kubestage/v1/clusters", body, "POST", { isServer: true });
      location.href = addressOf(row.name);
    } catch (error) {
      const name = fieldOf(error);
      const text = error instanceof Error ? error.message : String(error);
      if (name) fail(fields[name], errors[name], text);
      else fill(general, text);
      general.hidden = Boolean(name);
      submit.disabled = false;
    }
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {HTMLTextAreaElement} field @param {{configuration: string}} original */
async function fillConfiguration(field, original) {
  try {
    const text = await (await send("/kubestage/v1/scheduler/configuration", { accept: YAML })).text();
    original.configuration = text;
    if (!field.value) field.value = text;
  } catch {
    // A server whose scheduler is elsewhere has none; the field stays empty.
    field.placeholder = "the scheduler is not part of this server";
  }
}

/** A refusal that is found before the server is called. */
class FieldError extends Error {
  /** @param {string} field @param {string} message */
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/**
 * @param {Record<string, any>} fields @param {string} at
 * @param {string} original the configuration of the cluster, which need not be sent
 */
export function bodyOf(fields, at, original) {
  const { title, configuration, seed, settings } = fields;
  /** @type {Record<string, any>} */
  const body = { from: NAME, at: at || null };
  if (title.value.trim()) body.title = title.value.trim();
  if (configuration.value.trim() && configuration.value !== original) body.configuration = configuration.value;
  if (seed.value.trim()) {
    if (!/^-?\d+$/.test(seed.value.trim())) throw new FieldError("seed", "The seed is a whole number.");
    body.seed = Number(seed.value);
  }
  const lines = settings.value.split("\n").map((/** @type {string} */ line) => line.trim()).filter(Boolean);
  for (const line of lines) {
    const split = line.indexOf("=");
    if (split < 1) throw new FieldError("settings", `"${line}" is not name=value.`);
    body.settings = { ...body.settings, [line.slice(0, split).trim()]: line.slice(split + 1).trim() };
  }
  return body;
}

/** @param {any} error */
export function fieldOf(error) {
  if (error instanceof FieldError) return error.field;
  const text = error instanceof ApiError ? error.message : "";
  return FIELDS.find(([words]) => words.test(text))?.[1] ?? "";
}

/** @param {HTMLElement} field @param {HTMLElement} element @param {string} text */
function fail(field, element, text) {
  element.textContent = text;
  element.hidden = !text;
  field.setAttribute("aria-invalid", String(Boolean(text)));
  field.setAttribute("aria-describedby", element.id);
  if (text) field.focus();
}
