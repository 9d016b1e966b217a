/** @file Tables that are sorted by a click on a heading. */

import { fill, h } from "../dom.js";

const MOST_ROWS = 50;

/**
 * @typedef {Object} Column
 * @property {string} name
 * @property {(row: any) => any} value by which rows are sorted
 * @property {(row: any) => any} [show] what the cell holds, if not the value
 * @property {string} [className]
 */

/**
 * A table of rows; long ones show the first rows, and more on demand.
 * @param {string} caption @param {Column[]} columns @param {any[]} rows
 * @param {{sort?: number, isDown?: boolean, mark?: (row: any) => boolean}} [options]
 */
export function sortable(caption, columns, rows, options = {}) {
  let { sort = 0, isDown = false } = options;
  let most = MOST_ROWS;
  const body = h("tbody");
  const more = h("button", { type: "button", onclick: () => { most = Infinity; show(); } });
  const heads = columns.map((column, index) => h("th", { scope: "col", className: column.className },
    h("button", {
      type: "button", className: "quiet", title: `Sort by ${column.name}`,
      onclick: () => { isDown = sort === index ? !isDown : Boolean(column.className); sort = index; show(); },
    }, breakable(column.name))));
  const show = () => {
    const order = [...rows].sort((a, b) => compare(columns[sort].value(a), columns[sort].value(b)) * (isDown ? -1 : 1));
    heads.forEach((head, index) => head.setAttribute("aria-sort", index === sort ? (isDown ? "descending" : "ascending") : "none"));
    fill(body, order.slice(0, most).map((row) => h("tr", { className: options.mark?.(row) ? "marked" : "" },
      columns.map((column, index) => h(index ? "td" : "th", { className: column.className, scope: index ? undefined : "row" },
        (column.show ?? column.value)(row))))));
    more.hidden = rows.length <= most;
    more.textContent = `Show all ${rows.length} nodes`;
  };
  show();
  return h("div", {}, h("div", { className: "scroll" }, h("table", { className: "matrix" },
    h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body)), more);
}

/**
 * A name such as NodeResourcesFit may be broken before its capitals.
 * @param {string} name
 */
const breakable = (name) => name.split(/(?<=[a-z])(?=[A-Z])/).flatMap((part) => [h("wbr"), part]);

/** @param {any} a @param {any} b */
function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}
