/** @file The plugins of a profile, at which extension points they are, and their weights. */

import { fill, h } from "../dom.js";
import * as route from "../route.js";

/**
 * @typedef {Object} Change
 * @property {string} plugin @property {string} point
 * @property {boolean} [isOn] @property {number} [weight]
 */

const SCORE = "score";

/**
 * @param {HTMLElement} element
 * @param {any} found profiles, and all plugins with their points
 * @param {number} at which profile
 * @param {(change: Change) => void} onChange
 */
export function pluginTable(element, found, at, onChange) {
  const profile = found.profiles[at];
  const { scrollTop } = element;
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.key;
  const tabs = found.profiles.map((/** @type {any} */ each, /** @type {number} */ index) =>
    h(
      "button",
      {
        type: "button",
        className: "chip",
        "aria-pressed": String(index === at),
        onclick: () => route.change({ profile: each.schedulerName }),
      },
      each.schedulerName,
    ),
  );
  fill(
    element,
    h(
      "p",
      { className: "actions", role: "group", "aria-label": "Profiles" },
      h("span", { className: "faint" }, found.profiles.length > 1 ? "Profiles" : "Profile"),
      tabs,
    ),
    h(
      "table",
      { className: "matrix plugins" },
      h("caption", {}, "A click on an extension point enables or disables the plugin there, in the text."),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["Plugin", "Weight", "Extension points"].map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        rows(found, profile).map((row) => tableRow(row, onChange)),
      ),
    ),
  );
  element.scrollTop = scrollTop;
  if (focused) /** @type {any} */ (element.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus();
}

/**
 * Plugins at work in the order of the first point at which they are, then the others.
 * @param {any} found @param {any} profile
 */
function rows(found, profile) {
  const used = new Map();
  for (const [point, plugins] of Object.entries(profile.plugins)) {
    for (const { name, weight } of /** @type {any[]} */ (plugins)) {
      if (!used.has(name)) used.set(name, { points: new Set(), weight: undefined });
      used.get(name).points.add(point);
      if (point === SCORE) used.get(name).weight = weight;
    }
  }
  const names = [
    ...used.keys(),
    ...Object.keys(found.plugins)
      .filter((name) => !used.has(name))
      .sort(),
  ];
  return names.map((name) => ({
    name,
    all: found.plugins[name] ?? [...used.get(name).points],
    on: used.get(name)?.points ?? new Set(),
    weight: used.get(name)?.weight,
  }));
}

/** @param {any} row @param {(change: Change) => void} onChange */
function tableRow({ name, all, on, weight }, onChange) {
  const toggle = (/** @type {string} */ point) =>
    h(
      "button",
      {
        type: "button",
        className: "chip point",
        "aria-pressed": String(on.has(point)),
        "data-key": `${name}/${point}`,
        title: `${on.has(point) ? "Disable" : "Enable"} ${name} at ${point}`,
        onclick: () => onChange({ plugin: name, point, isOn: !on.has(point) }),
      },
      point,
    );
  const amount = on.has(SCORE)
    ? h("input", {
        type: "number",
        min: "1",
        max: "1000000",
        value: String(weight ?? 1),
        "aria-label": `Weight of ${name}`,
        "data-key": `${name} weight`,
        onchange: (/** @type {Event} */ event) => {
          const value = Number(/** @type {HTMLInputElement} */ (event.target).value);
          if (Number.isInteger(value) && value > 0) onChange({ plugin: name, point: SCORE, weight: value });
        },
      })
    : "";
  return h(
    "tr",
    { className: on.size ? "" : "off" },
    h("th", { scope: "row" }, name),
    h("td", {}, amount),
    h("td", {}, h("span", { className: "points" }, all.map(toggle))),
  );
}

/**
 * A configuration with a change of one plugin of a profile. What multiPoint enables is overridden at the point.
 * @param {any} configuration @param {number} at @param {Change} change
 * @returns {any}
 */
export function edited(configuration, at, { plugin, point, isOn, weight }) {
  const copy = structuredClone(configuration);
  const plugins = (copy.profiles[at].plugins ??= {});
  const set = (plugins[point] ??= {});
  const without = (/** @type {any[] | undefined} */ list) => (list ?? []).filter((each) => each.name !== plugin);
  if (isOn === false) {
    set.enabled = without(set.enabled);
    set.disabled = [...without(set.disabled), { name: plugin }];
  } else if (isOn) {
    set.disabled = without(set.disabled);
    const everywhere = plugins.multiPoint ?? {};
    const isEverywhere = (everywhere.enabled ?? []).some((/** @type {any} */ each) => each.name === plugin);
    if (!isEverywhere) set.enabled = [...without(set.enabled), { name: plugin }];
  } else {
    const known = (set.enabled ?? []).some((/** @type {any} */ each) => each.name === plugin);
    set.enabled = known
      ? set.enabled.map((/** @type {any} */ each) => (each.name === plugin ? { ...each, weight } : each))
      : [...(set.enabled ?? []), { name: plugin, weight }];
  }
  return copy;
}
