/** @file Starts the page: follows the cluster, and shows the view that the address names. */

import { Clock } from "./clock.js";
import { follow } from "./cluster.js";
import { byId } from "./dom.js";
import { MapView } from "./map/view.js";
import { attempt } from "./messages.js";
import { Model } from "./model.js";
import { ObjectsView } from "./objects/view.js";
import { Panel } from "./panel/panel.js";
import * as route from "./route.js";
import * as theme from "./theme.js";

/** @type {Record<string, string>} */
const STATES = { loading: "loading", live: "live", lost: "reconnecting" };

const model = new Model();
const map = new MapView(byId("map"), model);
const objects = new ObjectsView(byId("objects"));
const panel = new Panel(byId("panel"), model);
const clock = new Clock(byId("clock"));

function show() {
  const { path: [view = "map"], query } = route.current();
  const isMap = view !== "objects";
  byId("map").hidden = !isMap;
  byId("objects").hidden = isMap;
  byId("to-map").ariaCurrent = isMap ? "page" : null;
  byId("to-objects").ariaCurrent = isMap ? null : "page";
  panel.open(isMap ? query.select ?? "" : "");
  if (isMap) {
    objects.leave();
    map.open(query);
  } else {
    attempt(() => objects.open());
  }
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const at = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const isTyping = at.matches("input, textarea, select");
  if (event.key === "Escape") {
    // What is being written is not thrown away by one key.
    if (isTyping) at.blur();
    else route.change({ select: "" }, true);
    return;
  }
  if (isTyping) return;
  if (event.key === " " && !at.matches("button, a, summary")) clock.playOrPause();
  else if (event.key === ".") clock.advance();
  else if (event.key === "/") byId(byId("map").hidden ? "objects" : "map").querySelector("input").focus();
  else if (byId("map").hidden || at.closest(".panel") || !map.key(event.key)) return;
  event.preventDefault();
}

theme.start(byId("theme"), () => map.schedule());
follow(model, (state) => {
  byId("connection").textContent = STATES[state];
  byId("connection").dataset.state = state;
});
window.addEventListener("hashchange", show);
document.addEventListener("keydown", onKey);
show();

/** What the page knows, for tests and benchmarks; nothing can be changed by it. */
const observed = Object.freeze({
  get nodes() { return model.nodes.size; },
  get pods() { return model.pods.size; },
  get unplaced() { return model.unplaced.size; },
  get drawn() { return map.surface.drawn; },
  get frames() { return map.frames; },
  get pictures() { return map.surface.pictures; },
  get isLoaded() { return model.isLoaded.nodes && model.isLoaded.pods; },
  get camera() { return { x: map.camera.x, y: map.camera.y, scale: map.camera.scale }; },
  get clock() { return clock.state && { ...clock.state }; },
  locate: (/** @type {string} */ name) => map.locate(name),
});
Object.defineProperty(window, "kubestage", { value: observed });
