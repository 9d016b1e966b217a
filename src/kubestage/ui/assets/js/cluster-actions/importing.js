/** @file Imports objects from a file: chosen, or dropped on the box. */

import { send } from "../api.js";
import { choice, h } from "../dom.js";

const MOST_KINDS = 6;

/** @returns {HTMLElement} */
export function importBox() {
  let mode = "add";
  const status = h("div", { role: "status" });
  const file = h("input", {
    type: "file",
    id: "import-file",
    accept: ".json,.yaml,.yml,application/json,application/yaml",
    onchange: () => read(file.files[0]),
  });
  const say = (/** @type {string} */ text, className = "") => status.replaceChildren(h("p", { className }, text));
  const read = async (/** @type {File | undefined} */ chosen) => {
    if (!chosen) return;
    if (
      mode === "replace" &&
      !window.confirm(`Remove every object of the cluster, and import ${chosen.name} in their place?`)
    )
      return;
    say(`Importing ${chosen.name}…`, "faint");
    try {
      const body = await chosen.text();
      const found = await (
        await send(`/kubestage/v1/import?mode=${mode}`, { method: "POST", type: "application/yaml", body })
      ).json();
      const kinds = found.kinds.map((/** @type {any} */ each) => `${each.count} ${each.kind}`);
      const shown = kinds.slice(0, MOST_KINDS).join(", ") + (kinds.length > MOST_KINDS ? ", …" : "");
      const removed = found.removed ? ` ${found.removed} objects were removed before.` : "";
      say(`${chosen.name}: ${found.created} objects imported${shown ? ` (${shown})` : ""}.${removed}`, "good");
      status.append(...found.notes.map((/** @type {string} */ note) => h("p", { className: "faint" }, note)));
    } catch (error) {
      say(`${chosen.name}: nothing was imported. ${error instanceof Error ? error.message : error}`, "bad");
    } finally {
      file.value = "";
    }
  };
  const box = h(
    "section",
    {
      className: "box drop",
      "aria-label": "Import",
      ondragover: (/** @type {DragEvent} */ event) => {
        event.preventDefault();
        box.classList.add("over");
      },
      ondragleave: () => box.classList.remove("over"),
      ondrop: (/** @type {DragEvent} */ event) => {
        event.preventDefault();
        box.classList.remove("over");
        read(event.dataTransfer?.files[0]);
      },
    },
    h("h3", {}, "Import"),
    h(
      "p",
      { className: "faint" },
      "A List, documents of YAML, or an export of kube-scheduler-simulator. All of it, or nothing. ",
      "Drop a file here, or choose one.",
    ),
    h(
      "div",
      { className: "fields" },
      h(
        "div",
        { className: "field" },
        h("span", {}, "What is there"),
        choice(
          "What is there",
          [
            ["add", "stays"],
            ["replace", "is replaced"],
          ],
          mode,
          (value) => {
            mode = value;
          },
        ),
      ),
      h("div", {}, h("label", { for: "import-file" }, "File "), file),
    ),
    status,
  );
  return box;
}
