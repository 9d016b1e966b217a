/** @file Builds elements. Whatever comes from a cluster is text here, and never markup. */

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Object<string, any>} Properties
 */

/**
 * An element. Properties that begin with "on" are listeners, those with a dash are attributes.
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "role" || name === "for") element.setAttribute(name, value);
    else /** @type {any} */ (element)[name] = value;
  }
  append(element, children);
  return element;
}

/** @param {Element} element @param {(Child | Child[])[]} children */
function append(element, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Replace what an element holds.
 * @param {Element} element @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * The same for a list that follows the cluster: what has a key keeps the focus.
 * @param {Element} element @param {...(Child | Child[])} children
 */
export function refill(element, ...children) {
  const at = document.activeElement;
  const key = at instanceof HTMLElement && element.contains(at) ? at.dataset.key : undefined;
  fill(element, ...children);
  if (key !== undefined) /** @type {any} */ (element.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus();
}

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * A choice among values.
 * @param {string} label @param {[string, string][]} options @param {string} value
 * @param {(value: string) => void} onChange
 */
export function choice(label, options, value, onChange) {
  const select = h("select", {
    "aria-label": label, onchange: () => onChange(select.value),
  }, options.map(([each, text]) => h("option", { value: each, selected: each === value }, text)));
  return select;
}

/**
 * A list of facts.
 * @param {[string, Child | Child[]][]} rows
 */
export function facts(rows) {
  const shown = rows.filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return h("dl", { className: "facts" },
    shown.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
