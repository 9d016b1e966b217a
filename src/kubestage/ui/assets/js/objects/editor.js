/** @file One object as YAML: read, changed, deleted; or new ones. */

import { ApiError, YAML, pathOf, send, shown as moment } from "../api.js";
import { fill, h } from "../dom.js";
import * as route from "../route.js";
import { Checking, ofManifests } from "../text/checking.js";
import { TextEditor } from "../text/editor.js";
import { showConflict } from "./conflict.js";
import { sendAll } from "./creation.js";
import { confirmDeletion } from "./deletion.js";
import { template } from "./templates.js";
import { readYaml } from "./yaml.js";

export { withoutManagedFields } from "./yaml.js";

const PASTE = "Paste as many documents as you like, of any kind; separate them by ---.";
const HINT = "Ctrl+S applies. Tab indents; Escape, then Tab leaves the text.";

/** Shows and edits an object. */
export class Editor {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.path = this.at = "";
    this.isNew = false;
    this.base = "";
    // Made when an object is opened.
    this.text = /** @type {TextEditor} */ (/** @type {unknown} */ (null));
    /** @type {Checking | null} */
    this.checking = null;
    /** @type {any} */
    this.apply = this.error = this.note = this.conflict = null;
  }

  /**
   * @param {import("./discovery.js").Resource} resource
   * @param {string} key namespace/name; empty for none
   * @param {boolean} isNew whether to write a new one
   */
  open(resource, key, isNew) {
    // An address may have been typed: without a slash it is the name alone.
    const [namespace, name] = key.includes("/") ? key.split("/") : ["", key];
    const place = namespace ? ["namespaces", namespace] : [];
    const path = isNew
      ? `new ${resource.group}/${resource.plural}`
      : name && pathOf(resource.group, resource.version, ...place, resource.plural, name);
    if (path === this.path && moment.at === this.at) return;
    this.path = path;
    this.at = moment.at;
    this.isNew = isNew;
    this.checking?.stop();
    this.element.hidden = !path;
    if (path) this.build(resource, isNew ? "" : key.replace(/^\//, ""));
  }

  /** @param {import("./discovery.js").Resource} resource @param {string} title empty for a new one */
  build(resource, title) {
    const button = (/** @type {string} */ text, /** @type {string} */ className, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", className, onclick }, text);
    const save = () => (this.isNew ? this.create() : this.put());
    this.text = new TextEditor(title ? `YAML of ${title}` : `YAML of a new ${resource.kind}`, {
      onInput: () => this.changed(),
      onSave: save,
    });
    this.checking = new Checking(this.text, ofManifests(this.isNew ? "apply" : "replace"), (result) =>
      this.checked(result),
    );
    this.apply = button(this.isNew ? "Create" : "Apply", "primary", save);
    this.error = h("pre", { className: "error", role: "alert", hidden: true });
    this.note = h("span", { className: "faint", role: "status" });
    this.conflict = h("section", { className: "conflict", hidden: true });
    const remove =
      !this.isNew &&
      resource.verbs.includes("delete") &&
      button("Delete…", "danger", () => confirmDeletion(resource, title, this.path));
    for (const each of [this.apply, remove].filter((each) => each && moment.refusal)) {
      Object.assign(each, { disabled: true, title: moment.refusal });
    }
    this.text.area.readOnly = Boolean(moment.refusal);
    const isMap = ["pods", "nodes"].includes(resource.plural) && !resource.group && !this.isNew;
    const onMap = route.format(["map"], { select: `${resource.plural.slice(0, -1)}/${title}` });
    const shown = isMap && h("a", { href: onMap }, "Show on the map");
    const close = () => route.change({ select: "", new: "" }, true);
    fill(
      this.element,
      h(
        "header",
        {},
        h("h2", {}, h("span", { className: "faint" }, this.isNew ? "New" : resource.kind), " ", title || resource.kind),
        h(
          "button",
          { type: "button", className: "quiet", "aria-label": this.isNew ? "Close" : "Close (Escape)", onclick: close },
          "×",
        ),
      ),
      h(
        "div",
        { className: "body editor" },
        h(
          "p",
          { className: "actions" },
          this.apply,
          !this.isNew && button("Reload", "", () => this.read()),
          remove,
          this.note,
          shown,
        ),
        this.isNew && h("p", { className: "editor-hint" }, PASTE),
        moment.refusal && h("p", { className: "faint" }, moment.refusal),
        this.error,
        this.conflict,
        this.text.element,
        this.checking.element,
        h("p", { className: "editor-hint" }, HINT),
      ),
    );
    if (this.isNew) this.begin(resource);
    else this.read();
  }

  /**
   * Begin with a small object that is valid.
   * @param {import("./discovery.js").Resource} resource
   */
  begin(resource) {
    this.text.value = template(resource);
    this.text.area.focus();
    this.checking?.run();
  }

  changed() {
    this.apply.disabled = false;
    this.note.textContent = "";
    this.checking?.schedule();
  }

  /** @param {any} result */
  checked(result) {
    const count = result?.problems.filter((/** @type {any} */ each) => each.level === "error").length ?? 0;
    if (count) this.note.textContent = `${count} ${count === 1 ? "problem" : "problems"}`;
    const objects = result?.objects?.length ?? 0;
    if (this.isNew && result) this.apply.textContent = objects > 1 ? `Create ${objects} objects` : "Create";
  }

  async read() {
    const { path } = this;
    this.fail("");
    this.note.textContent = "";
    this.conflict.hidden = true;
    try {
      const yaml = await readYaml(path);
      if (path !== this.path) return;
      this.base = yaml;
      this.text.value = yaml;
      this.checking?.show({ problems: [] });
      this.apply.disabled = true;
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  async put() {
    this.fail("");
    this.conflict.hidden = true;
    try {
      await send(this.path, { method: "PUT", type: YAML, body: this.text.value });
      const at = this.text.area.scrollTop;
      await this.read();
      this.text.area.scrollTop = at;
      this.note.textContent = "Applied.";
    } catch (error) {
      await this.refused(error);
    }
  }

  /**
   * Show what the API refused, and where.
   * @param {any} error
   */
  async refused(error) {
    if (error instanceof ApiError && error.reason === "Conflict" && !this.isNew) {
      await this.showConflict();
      return;
    }
    this.fail(error instanceof Error ? error.message : String(error));
    if (await this.checking?.run()) this.checking?.goToFirst();
  }

  /** Somebody else has changed it: nothing of the user's text is lost. */
  async showConflict() {
    const theirs = await readYaml(this.path);
    this.checking?.show({ problems: [] });
    this.conflict.hidden = false;
    showConflict(this.conflict, this.base, this.text.value, theirs, (text) => {
      this.base = theirs;
      this.text.replace(text);
      this.conflict.hidden = true;
      this.changed();
      this.apply.disabled = text === theirs;
      this.text.area.focus();
    });
  }

  async create() {
    this.fail("");
    const result = await this.checking?.run();
    if (!result) return;
    if (result.problems.some((problem) => problem.level === "error")) {
      this.checking?.goToFirst();
      return;
    }
    const sent = await sendAll(result.objects);
    this.note.textContent = sent.done.join(", ");
    if (sent.error) this.fail(sent.error);
    else route.change({ new: "", select: result.objects.length === 1 && sent.isOfKind ? sent.key : "" }, true);
  }

  /** @param {string} text */
  fail(text) {
    this.error.textContent = text;
    this.error.hidden = !text;
  }
}
