/** @file The form: fields by group; what does not matter for the chosen pattern is not shown. */

import { fill, h } from "../dom.js";
import { FIELDS, GROUPS } from "./fields.js";

/** Fields and their values. */
export class Form {
  /** @param {HTMLElement} element @param {() => void} onChange */
  constructor(element, onChange) {
    this.element = element;
    this.onChange = onChange;
    /** @type {Map<string, any>} */
    this.inputs = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.rows = new Map();
  }

  /** @param {...any} before what comes above the fields @returns {void} */
  build(...before) {
    fill(
      this.element,
      before,
      GROUPS.map(([title, fields]) =>
        h(
          "details",
          { className: "box", open: title !== "Behavior" },
          h("summary", {}, title),
          h(
            "div",
            { className: "fields" },
            fields.map((field) => this.row(field)),
          ),
        ),
      ),
    );
    this.element.addEventListener("input", () => {
      this.showUsed();
      this.onChange();
    });
  }

  /** @param {import("./fields.js").Field} field */
  row(field) {
    const id = `autoscaling-${field.name}`;
    const hint = field.hint ? `${id}-hint` : undefined;
    const input = field.options
      ? h(
          "select",
          { id },
          field.options.map(([value, text]) => h("option", { value }, text)),
        )
      : h("input", {
          id,
          type: field.type,
          min: field.min,
          step: field.step,
          autocomplete: "off",
          "aria-describedby": hint,
        });
    this.inputs.set(field.name, input);
    const row = h(
      "div",
      { className: "field" },
      h("label", { for: id }, field.label),
      input,
      field.hint && h("small", { id: hint, className: "faint" }, field.hint),
    );
    this.rows.set(field.name, row);
    return row;
  }

  /** @returns {Record<string, string>} */
  get values() {
    return Object.fromEntries([...this.inputs].map(([name, input]) => [name, input.value.trim()]));
  }

  /** @param {Record<string, string>} values */
  set values(values) {
    for (const [name, input] of this.inputs) {
      if (name === "pattern") this.offerKept(values.pattern === "kept");
      if (input.value !== values[name]) input.value = values[name] ?? "";
    }
    this.showUsed();
  }

  /**
   * A pattern that the form cannot show can only stay.
   * @param {boolean} isKept
   */
  offerKept(isKept) {
    const select = this.inputs.get("pattern");
    select.querySelector("[value=kept]")?.remove();
    if (isKept) select.append(h("option", { value: "kept" }, "as it is in the cluster"));
  }

  showUsed() {
    const { values } = this;
    for (const { name, isUsed } of FIELDS) {
      const row = this.rows.get(name);
      if (row && isUsed) row.hidden = !isUsed(values);
    }
  }

  /**
   * Mark a field that the server refuses.
   * @param {string} name empty for none
   */
  mark(name) {
    for (const [each, input] of this.inputs) input.setAttribute("aria-invalid", String(each === name));
  }
}
