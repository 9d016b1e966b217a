/** @file Starts the page: follows the cluster, and shows the view that the address names. */

import { shown as moment } from "./api.js";
import { AutoscalingView } from "./autoscaling/view.js";
import { ChartsView } from "./charts/view.js";
import { Clock } from "./clock.js";
import { ClusterView } from "./cluster-actions/view.js";
import { follow } from "./cluster.js";
import { CompareView } from "./compare/view.js";
import { byId } from "./dom.js";
import { openHelp } from "./help.js";
import { LivesView } from "./lives/view.js";
import { MapView } from "./map/view.js";
import { attempt } from "./messages.js";
import { Model } from "./model.js";
import { ObjectsView } from "./objects/view.js";
import { Panel } from "./panel/panel.js";
import * as route from "./route.js";
import { ScenariosView } from "./scenarios/view.js";
import { SchedulerView } from "./scheduler/view.js";
import * as theme from "./theme.js";
import { Clusters } from "./time/clusters.js";
import { openFork } from "./time/fork.js";
import { Scrubber } from "./time/scrubber.js";
import { Travel } from "./time/travel.js";

/** @type {Record<string, string>} */
const STATES = { loading: "loading", live: "live", lost: "reconnecting" };

const model = new Model();
const map = new MapView(byId("map"), model);
const lives = new LivesView(byId("lives"), () => travel.at);
const charts = new ChartsView(byId("charts"));
const objects = new ObjectsView(byId("objects"));
const scheduler = new SchedulerView(byId("scheduler"));
const scenarios = new ScenariosView(byId("scenarios"));
const autoscaling = new AutoscalingView(byId("autoscaling"));
const clusterActions = new ClusterView(byId("cluster"));
const compare = new CompareView(byId("compare"));
const travel = new Travel(model);
const panel = new Panel(byId("panel"), travel);
const clusters = new Clusters(byId("clusters"), () => refuse());
const isKept = () => clusters.isKept;
const clock = new Clock(byId("clock"), travel, isKept);
const fork = () => openFork(travel.at, travel.end || clock.state?.now);
const scrubber = new Scrubber(byId("past"), travel, { fork, isKept, jump: clock.jump });
travel.subscribe(() => { map.use(travel.model); lives.schedule(); });

/**
 * A view fills the section of its name. `open` shows what the address says, `leave` is called when another view is
 * shown, `key` uses a key that nothing else has used. `hasPanel` is whether the panel stands beside it.
 * @typedef {Object} View
 * @property {() => any} open
 * @property {() => void} [leave]
 * @property {(key: string) => boolean} [key]
 * @property {boolean} [hasPanel]
 * @property {boolean} [hasClock] whether it has a clock of its own, so that that of the page takes no part
 */

/** @type {Record<string, View>} */
const VIEWS = {
  map: { open: () => map.open(route.current().query), key: (key) => map.key(key), hasPanel: true },
  lives: {
    open: () => lives.open(route.current().query), leave: () => lives.leave(), key: (key) => lives.key(key), hasPanel: true,
  },
  charts: { open: () => charts.open(), leave: () => charts.leave(), key: (key) => charts.key(key) },
  objects: { open: () => objects.open(), leave: () => objects.leave() },
  scheduler: { open: () => scheduler.open(), leave: () => scheduler.leave() },
  scenarios: { open: () => scenarios.open(), leave: () => scenarios.leave() },
  autoscaling: { open: () => autoscaling.open() },
  cluster: { open: () => clusterActions.open() },
  compare: { open: () => compare.open(), leave: () => compare.leave(), key: (key) => compare.key(key), hasClock: true },
};
let shown = "";

function show() {
  const { path: [name = "map"], query } = route.current();
  const view = name in VIEWS ? name : "map";
  if (view !== shown) VIEWS[shown]?.leave?.();
  shown = view;
  for (const each of Object.keys(VIEWS)) byId(each).hidden = each !== view;
  for (const link of document.querySelectorAll("[data-view]")) {
    const { dataset: { view: to = "" } } = /** @type {HTMLElement} */ (link);
    link.ariaCurrent = to === view ? "page" : null;
    link.setAttribute("href", route.format([to]));
  }
  document.documentElement.dataset.view = view;
  const moved = attempt(() => travel.open(VIEWS[view].hasClock ? "" : query.at));
  refuse();
  panel.open(VIEWS[view].hasPanel ? query.select ?? "" : "", query.at ?? "", moved);
  attempt(async () => VIEWS[view].open());
}

/** What cannot be changed says so before anybody tries. */
function refuse() {
  moment.refusal = clusters.refusal;
  const connection = byId("connection");
  const { state = "" } = connection.dataset;
  const standing = moment.at ? "past" : clusters.isKept ? "kept run" : "";
  connection.textContent = standing && state === "live" ? standing : STATES[state] ?? "";
  clock.showMoment();
  scrubber.schedule();
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const at = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const isTyping = at.matches("input, textarea, select");
  if (event.key === "Escape") {
    // What is being written is not thrown away by one key.
    if (isTyping) at.blur();
    else route.change({ select: "", pod: "" }, true);
    return;
  }
  if (isTyping) return;
  if (event.key === " " && at.matches("button, a, summary")) return;
  if (event.key === "?") openHelp();
  else if (VIEWS[shown].hasClock) {
    if (!VIEWS[shown].key?.(event.key)) return;
  }
  else if (clock.key(event.key) || scrubber.key(event.key)) { /* It was used there. */ }
  else if (event.key === "/") byId(shown).querySelector("input[type=search]")?.focus();
  else if (at.closest(".panel") || !VIEWS[shown].key?.(event.key)) return;
  event.preventDefault();
}

theme.start(byId("theme"), () => {
  map.schedule();
  lives.schedule();
  scrubber.schedule();
  compare.schedule();
  compare.paint();
  charts.redraw();
});
byId("help").addEventListener("click", openHelp);
follow(model, (state) => {
  byId("connection").dataset.state = state;
  refuse();
});
window.addEventListener("hashchange", show);
document.addEventListener("keydown", onKey);
show();

/** What the page knows, for tests and benchmarks; nothing can be changed by it. */
const observed = Object.freeze({
  get nodes() { return travel.model.nodes.size; },
  get pods() { return travel.model.pods.size; },
  get unplaced() { return travel.model.unplaced.size; },
  get drawn() { return map.surface.drawn; },
  get frames() { return map.frames; },
  get pictures() { return map.surface.pictures; },
  get lives() { return lives.observed; },
  get past() {
    const { past: { isLoaded, position, steps }, at, beginMs, endMs, marks } = travel;
    return { isLoaded, position, steps: steps.length, at, beginMs, endMs, marks: marks.all.length };
  },
  get groups() { return map.layouts.get(map.model)?.groups.map(({ name }) => name); },
  get usage() { return { pods: map.usage.pods.size, nodes: map.usage.nodes.size }; },
  get strip() { return { from: scrubber.axis.from, to: scrubber.axis.to }; },
  stripX: (/** @type {string} */ at) => scrubber.axis.x(travel.past.offsetOf(at)),
  get isLoaded() { return model.isLoaded.nodes && model.isLoaded.pods; },
  get camera() { return { x: map.camera.x, y: map.camera.y, scale: map.camera.scale }; },
  get clock() { return clock.state && { ...clock.state }; },
  get compared() { return compare.observed; },
  get charts() {
    return [...charts.cards.values()].map(({ name, element, isVisible, range, series }) => (
      { name, isVisible, range, isDrawn: element.dataset.state === "drawn", series: series.map((each) => each.name) }));
  },
  locateInChart: (/** @type {string} */ name, /** @type {number} */ ms) => charts.cards.get(name)?.pixel(ms) ?? null,
  get chartRequests() { return charts.requests; },
  locate: (/** @type {string} */ name) => map.locate(name),
  locateLife: (/** @type {string} */ name, /** @type {number} */ ms) => lives.locate(name, ms),
});
Object.defineProperty(window, "kubestage", { value: observed });
