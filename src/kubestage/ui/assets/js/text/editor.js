/** @file A text that is edited: line numbers, colours, marked lines with their messages. */

import { fill, h } from "../dom.js";
import { blockLines, parts } from "./colours.js";
import { onKey } from "./keys.js";

/**
 * @typedef {Object} Mark
 * @property {number} line from 1
 * @property {string} level error or warning
 * @property {string} message
 */

const LINE = 18;
const MARGIN = 8;
const SPARE = 4;

/** A textarea, and behind it the same text in colours. Only lines in sight are drawn. */
export class TextEditor {
  /**
   * @param {string} label
   * @param {{onInput?: () => void, onSave?: () => void}} options
   */
  constructor(label, { onInput, onSave }) {
    /** @type {Map<number, Mark>} */
    this.marks = new Map();
    this.lines = [""];
    this.blocks = [false];
    this.isWaiting = false;
    this.numbers = h("div", { className: "numbers" });
    this.colours = h("div", { className: "colours" });
    /** @type {HTMLTextAreaElement} */
    this.area = h("textarea", {
      className: "yaml",
      wrap: "off",
      spellcheck: false,
      autocapitalize: "off",
      autocomplete: "off",
      "aria-label": label,
      oninput: () => {
        this.changed();
        onInput?.();
      },
      onscroll: () => this.schedule(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => onKey(event, this.area, onSave),
    });
    this.element = h(
      "div",
      { className: "text-editor" },
      h("div", { className: "gutter", "aria-hidden": "true" }, this.numbers),
      h(
        "div",
        { className: "surface" },
        h("div", { className: "behind", "aria-hidden": "true" }, this.colours),
        this.area,
      ),
    );
    new ResizeObserver(() => this.schedule()).observe(this.element);
  }

  get value() {
    return this.area.value;
  }

  set value(text) {
    if (text === this.area.value) return;
    this.area.value = text;
    this.area.scrollTop = 0;
    this.area.scrollLeft = 0;
    this.area.setSelectionRange(0, 0);
    this.changed();
  }

  /**
   * Replace the text, and stay at the same place.
   * @param {string} text
   */
  replace(text) {
    const { scrollTop, selectionStart } = this.area;
    this.area.value = text;
    this.area.scrollTop = scrollTop;
    this.area.setSelectionRange(selectionStart, selectionStart);
    this.changed();
  }

  changed() {
    this.lines = this.area.value.split("\n");
    this.blocks = blockLines(this.lines);
    this.schedule();
  }

  /**
   * Mark lines; of several marks on one line the first error is shown there.
   * @param {Mark[]} marks
   */
  mark(marks) {
    this.marks.clear();
    for (const mark of [...marks].sort((a, b) => Number(b.level === "error") - Number(a.level === "error"))) {
      if (!this.marks.has(mark.line)) this.marks.set(mark.line, mark);
    }
    this.area.setAttribute("aria-invalid", String(marks.some((mark) => mark.level === "error")));
    this.schedule();
  }

  /**
   * Put the caret on a line, and show it.
   * @param {number} line from 1
   */
  goTo(line) {
    const at = this.lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    const text = this.lines[line - 1] ?? "";
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(at + Math.max(text.search(/\S/), 0), at + text.length);
    const top = (line - 1) * LINE;
    const { scrollTop, clientHeight } = this.area;
    const isInSight = top >= scrollTop && top <= scrollTop + clientHeight - 3 * LINE;
    if (!isInSight) this.area.scrollTop = Math.max(top - clientHeight / 3, 0);
    this.area.scrollLeft = 0;
    this.schedule();
  }

  schedule() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.draw();
    });
  }

  draw() {
    const { scrollTop, scrollLeft, clientHeight } = this.area;
    const first = Math.max(Math.floor(scrollTop / LINE) - SPARE, 0);
    const last = Math.min(first + Math.ceil(clientHeight / LINE) + 2 * SPARE, this.lines.length);
    const shown = this.lines.slice(first, last).map((line, index) => ({ line, number: first + index + 1 }));
    const top = MARGIN + first * LINE - scrollTop;
    fill(
      this.numbers,
      shown.map(({ number }) => h("div", { className: this.levelOf(number) }, number)),
    );
    fill(
      this.colours,
      shown.map(({ line, number }) => this.line(line, number)),
    );
    this.numbers.style.transform = `translateY(${top}px)`;
    this.colours.style.transform = `translate(${MARGIN - scrollLeft}px, ${top}px)`;
  }

  /** @param {number} number */
  levelOf(number) {
    const mark = this.marks.get(number);
    return mark ? `is-${mark.level}` : "";
  }

  /** @param {string} line @param {number} number */
  line(line, number) {
    const mark = this.marks.get(number);
    const coloured = parts(line, this.blocks[number - 1]);
    return h(
      "div",
      { className: `line ${this.levelOf(number)}` },
      coloured.map(({ text, kind }) => (kind ? h("span", { className: `y-${kind}` }, text) : text)),
      mark && h("span", { className: "line-note" }, mark.message),
    );
  }
}
