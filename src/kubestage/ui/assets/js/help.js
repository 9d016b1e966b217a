/** @file The keys of the page, in a dialog. */

import { h } from "./dom.js";

/** @type {[string, [string, string][]][]} */
const KEYS = [
  ["Clock", [
    ["space", "pause or play; at a past moment, replay or stop"], [".", "advance by the last step again, 1 s at first"],
    ["e", "to the next event"], ["n", "to the next decision of the scheduler"], ["t", "go to a time"],
  ]],
  ["The past", [
    ["[ ]", "previous, next mark"], ["{ }", "previous, next change of the map"], ["r", "run through the past, stop"],
    ["l", "back to now, or to the end of a run"], ["f", "fork here"],
    ["← →, Page, Home, End", "move the handle, when it has the focus"], ["+ - 0", "zoom the strip, likewise"],
  ]],
  ["Map", [["+ - 0", "zoom in, out, show all"], ["arrows", "move"], ["/", "filter"], ["Escape", "close the panel"]]],
  ["Lives", [
    ["W S, + -", "zoom in, out"], ["A D, arrows", "move"], ["0", "show all"], ["j k", "select the next, previous pod"],
    ["x", "close or open the first group"], ["Shift and wheel", "scroll"],
  ]],
  ["Charts", [["← →", "move the cursor"], ["+ -", "zoom around the cursor"], ["0", "the whole time"]]],
  ["Compare", [["[ ]", "previous, next decision that differs"], ["Home", "the first one"]]],
  ["Page", [["?", "these keys"], ["Tab", "to the next control"]]],
];

/** Show the keys. */
export function openHelp() {
  const dialog = h("dialog", { className: "dialog wide", "aria-label": "Keys", onclose: () => dialog.remove() },
    h("h2", {}, "Keys"),
    KEYS.map(([title, rows]) => h("section", {}, h("h3", {}, title), h("dl", { className: "keys" },
      rows.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])))),
    h("p", { className: "actions" },
      h("button", { type: "button", className: "primary", onclick: () => dialog.close() }, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}
