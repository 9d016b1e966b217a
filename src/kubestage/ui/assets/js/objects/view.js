/** @file Objects of any kind, as kubectl prints them. */

import { shown as moment } from "../api.js";
import { fill, h, refill } from "../dom.js";
import * as route from "../route.js";
import { resources } from "./discovery.js";
import { Editor } from "./editor.js";
import { Rows } from "./rows.js";

const MOST_ROWS = 500;
const MOST_REFRESHED = 2000;
const REFRESH_MS = 10_000;

/** The list of one kind, and the object that is open. */
export class ObjectsView {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    /** @type {import("./discovery.js").Resource[]} */
    this.resources = [];
    /** @type {Rows | null} */
    this.rows = null;
    this.kind = "";
    /** @type {Record<string, string>} */
    this.query = {};
    this.isWaiting = false;
    this.build();
    this.editor = new Editor(this.side);
    setInterval(() => { if (this.rows && this.rows.rows.size < MOST_REFRESHED && !document.hidden) this.rows.refresh(); }, REFRESH_MS);
  }

  build() {
    this.select = h("select", { "aria-label": "Kind", onchange: () => { location.hash = this.select.value; } });
    this.search = h("input", {
      type: "search", placeholder: "Filter rows", "aria-label": "Filter rows",
      oninput: () => route.change({ filter: this.search.value }),
    });
    this.wide = h("input", { type: "checkbox", onchange: () => route.change({ wide: this.wide.checked ? "1" : "" }) });
    this.count = h("span", { className: "faint", role: "status" });
    this.list = h("div", { className: "list scroll" });
    this.side = h("aside", { className: "panel", "aria-label": "Object", hidden: true });
    this.create = h("button", {
      type: "button", className: "primary", onclick: () => route.change({ new: "1", select: "" }, true),
    }, "New…");
    fill(this.element, h("div", { className: "toolbar" }, this.select, this.search,
      h("label", {}, this.wide, " all columns"), this.count, this.create),
      h("div", { className: "beside" }, this.list, this.side));
  }

  /** Show the kind that the address names: group, version and plural. */
  async open() {
    if (!this.resources.length) {
      this.resources = await resources();
      this.fillSelect();
    }
    // It may be another one than before the kinds were known.
    const { path: [view, ...path], query } = route.current();
    if (view !== "objects") return;
    if (path.length < 2) {
      location.replace(route.format(["objects", "v1", "pods"]));
      return;
    }
    const [plural, version, group = ""] = [...path].reverse();
    this.query = query;
    const resource = this.resources.find((each) => each.plural === plural && each.group === group);
    this.show(resource, `${group}/${version}/${plural}`);
  }

  /** @param {import("./discovery.js").Resource | undefined} resource @param {string} kind */
  show(resource, kind) {
    if (!resource) {
      this.close();
      fill(this.list, h("p", { className: "hint" }, "The server has no such kind."));
      return;
    }
    this.resource = resource;
    const of = `${kind} ${moment.at}`;
    if (this.kind !== of || !this.rows) {
      this.close();
      this.kind = of;
      this.rows = new Rows(resource, () => this.schedule());
    }
    this.select.value = addressOf(resource);
    if (document.activeElement !== this.search) this.search.value = this.query.filter ?? "";
    this.wide.checked = Boolean(this.query.wide);
    this.create.hidden = !resource.verbs.includes("create") || Boolean(moment.refusal);
    this.editor.open(resource, this.query.select ?? "", Boolean(this.query.new));
    this.schedule();
  }

  /** Definitions may bring other kinds until the user comes back. */
  leave() {
    this.close();
    this.resources = [];
  }

  /** No more is followed. */
  close() {
    this.rows?.stop();
    this.rows = null;
    this.kind = "";
    fill(this.list);
  }

  fillSelect() {
    /** @type {Map<string, any[]>} */
    const groups = new Map();
    for (const resource of this.resources) {
      const name = resource.group || "core";
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name)?.push(h("option", { value: addressOf(resource) }, resource.kind));
    }
    fill(this.select, [...groups].map(([label, options]) => h("optgroup", { label }, options)));
  }

  schedule() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => { this.isWaiting = false; this.draw(); });
  }

  draw() {
    const { rows, resource, query } = this;
    if (!rows || !resource) return;
    const found = rows.matching(query.filter ?? "");
    const shown = found.slice(0, MOST_ROWS);
    const total = rows.rows.size;
    this.count.textContent = !rows.isLoaded ? "loading…" : found.length === total ? `${total.toLocaleString("en")}` : `${found.length.toLocaleString("en")} of ${total.toLocaleString("en")}`;
    if (rows.isLoaded && !total) {
      const text = moment.at ? `There was no ${resource.kind} then.`
        : `There is no ${resource.kind} yet. “New…” begins with an example.`;
      fill(this.list, h("p", { className: "hint" }, text));
      return;
    }
    const kept = rows.columns.map((column, index) => ({ ...column, index })).filter((column) => column.priority === 0 || query.wide);
    const heads = [...(resource.isNamespaced ? ["Namespace"] : []), ...kept.map((column) => column.name)];
    refill(this.list, h("table", { className: "objects" },
      h("thead", {}, h("tr", {}, heads.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, shown.map((row) => this.row(row, kept)))),
    found.length > shown.length && h("p", { className: "hint" }, `The first ${MOST_ROWS} are shown. Filter to see others.`));
  }

  /** @param {import("./rows.js").Row} row @param {any[]} columns */
  row(row, columns) {
    const cells = columns.map((column) => row.cells[column.index]);
    const select = () => route.change({ select: row.key, new: "" }, true);
    const [first, ...rest] = cells.map((cell) => (cell === null || cell === undefined ? "" : typeof cell === "object" ? JSON.stringify(cell) : String(cell)));
    return h("tr", { className: row.key === this.query.select ? "marked" : "", onclick: select },
      this.resource?.isNamespaced && h("td", {}, row.namespace),
      h("td", {}, h("button", { type: "button", className: "link", "data-key": row.key }, first)),
      rest.map((cell) => h("td", {}, cell)));
  }
}

/** @param {import("./discovery.js").Resource} resource */
const addressOf = ({ group, version, plural }) => route.format(["objects", ...(group ? [group] : []), version, plural]);
