/** @file One object as YAML: read, changed, deleted. */

import { YAML, pathOf, send } from "../api.js";
import { fill, h } from "../dom.js";
import { attempt } from "../messages.js";
import * as route from "../route.js";

/** Shows and edits an object. */
export class Editor {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.path = "";
  }

  /** @param {import("./discovery.js").Resource} resource @param {string} key namespace/name; empty for none */
  open(resource, key) {
    const [namespace, name] = key.split("/");
    const path = key && pathOf(resource.group, resource.version, ...(namespace ? ["namespaces", namespace] : []), resource.plural, name);
    if (path === this.path) return;
    this.path = path;
    this.element.hidden = !path;
    if (path) this.build(resource, key);
  }

  build(resource, key) {
    const title = key.replace(/^\//, "");
    const button = (/** @type {string} */ text, /** @type {string} */ className, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", className, onclick }, text);
    this.text = h("textarea", { className: "yaml", spellcheck: false, "aria-label": `YAML of ${title}`, oninput: () => { this.apply.disabled = false; } });
    this.apply = button("Apply", "primary", () => this.put());
    this.error = h("pre", { className: "error", role: "alert", hidden: true });
    this.note = h("span", { className: "faint", role: "status" });
    const isMap = ["pods", "nodes"].includes(resource.plural) && !resource.group;
    const shown = isMap && h("a", { href: route.format(["map"], { select: `${resource.plural.slice(0, -1)}/${title}` }) }, "Show on the map");
    fill(this.element, h("header", {},
      h("h2", {}, h("span", { className: "faint" }, resource.kind), " ", title),
      h("button", { type: "button", className: "quiet", "aria-label": "Close (Escape)", onclick: () => route.change({ select: "" }, true) }, "×")),
    h("div", { className: "body editor" },
      h("p", { className: "actions" }, this.apply, button("Reload", "", () => this.read()),
        resource.verbs.includes("delete") && button("Delete…", "danger", () => this.confirm(resource, title)), this.note, shown),
      this.error, this.text));
    this.read();
  }

  async read() {
    const { path } = this;
    this.fail("");
    this.note.textContent = "";
    try {
      const yaml = withoutManagedFields(await (await send(path, { accept: YAML })).text());
      if (path !== this.path) return;
      this.text.value = yaml;
      this.apply.disabled = true;
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  async put() {
    this.fail("");
    try {
      await send(this.path, { method: "PUT", type: YAML, body: this.text.value });
      await this.read();
      this.note.textContent = "Applied.";
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {string} text */
  fail(text) {
    this.error.textContent = text;
    this.error.hidden = !text;
  }

  /** Delete it after a question. @param {import("./discovery.js").Resource} resource @param {string} title */
  confirm(resource, title) {
    const { path } = this;
    const dialog = h("dialog", { className: "dialog", onclose: () => dialog.remove() },
      h("h2", {}, `Delete ${resource.kind} ${title}?`),
      h("p", { className: "actions" },
        h("button", { type: "button", className: "danger", onclick: async () => {
          dialog.close();
          const done = await attempt(() => send(path, { method: "DELETE" }));
          if (done) route.change({ select: "" });
        } }, "Delete"),
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
    document.body.append(dialog);
    dialog.showModal();
  }
}

/** As kubectl shows it; the server keeps the managers of fields when they are left out. @param {string} yaml */
export function withoutManagedFields(yaml) {
  const lines = yaml.split("\n");
  const start = lines.findIndex((line) => line.startsWith("  managedFields:"));
  if (start < 0) return yaml;
  let end = start + 1;
  while (end < lines.length && (lines[end].startsWith("   ") || lines[end].startsWith("  -"))) end += 1;
  return [...lines.slice(0, start), ...lines.slice(end)].join("\n");
}
