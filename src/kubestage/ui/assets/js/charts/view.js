/** @file The view of charts: cards by group, which follow the cluster while they can be seen. */

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import * as route from "../route.js";
import { isDark } from "../theme.js";
import { agreementSection } from "./agreement.js";
import { ChartCard } from "./card.js";
import { emptyCard } from "./empty.js";
import { onKey } from "./keys.js";
import { format, parse } from "./times.js";
import { SHOWN, Toolbar } from "./toolbar.js";

const PATH = "/kubestage/v1/charts";
const AGREEMENT = "/kubestage/v1/agreement";
const SHORTEST_MS = 2000;
// The server is busy with charts for a tenth of the time at most.
const SHARE = 9;

/** @typedef {{name: string, title: string, group: string, isEmpty: boolean, why: string, subject: string}} Row */

/** Shows charts in a section. */
export class ChartsView {
  /** @param {HTMLElement} section */
  constructor(section) {
    /** @type {Map<string, ChartCard>} */
    this.cards = new Map();
    /** @type {{charts: Row[], begin: string, end: string, sequence: number} | null} */
    this.list = null;
    this.isOpen = false;
    /** @type {HTMLElement | null | undefined} the section of a replay; undefined until that is known */
    this.agreement = undefined;
    this.shownKey = "";
    this.requests = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.width = 0;
    /** @type {Promise<void> | null} */
    this.refreshing = null;
    this.toolbar = new Toolbar();
    this.body = h("div", { className: "charts scroll" });
    fill(section, this.toolbar.element, this.body);
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const card = this.cards.get(/** @type {HTMLElement} */ (entry.target).dataset.chart ?? "");
        if (card) card.isVisible = entry.isIntersecting;
      }
      this.schedule(0);
    }, { root: this.body, rootMargin: "120px" });
    new ResizeObserver(() => {
      if (this.body.clientWidth !== this.width) this.redraw();
      this.width = this.body.clientWidth;
    }).observe(this.body);
    document.addEventListener("visibilitychange", () => this.schedule(0));
  }

  async open() {
    this.isOpen = true;
    if (this.list) this.arrange();
    await this.refresh();
  }

  leave() {
    this.isOpen = false;
    clearTimeout(this.timer);
  }

  /** Draw all again, in other colours or another size. */
  redraw() {
    for (const card of this.cards.values()) card.drawn = "";
    if (this.isOpen) this.schedule(0);
  }

  /** @param {number} ms */
  schedule(ms) {
    clearTimeout(this.timer);
    if (!this.isOpen || document.hidden) return;
    this.timer = setTimeout(() => this.refresh().catch(() => this.schedule(SHORTEST_MS)), ms);
  }

  /** Read what there is, and draw what has changed and can be seen; one at a time. */
  async refresh() {
    while (this.refreshing) await this.refreshing;
    const work = this.refreshNow();
    this.refreshing = work.catch(() => {});
    try {
      await work;
    } finally {
      this.refreshing = null;
    }
  }

  async refreshNow() {
    const began = performance.now();
    if (this.agreement === undefined) {
      const { replay } = await get(AGREEMENT);
      this.agreement = replay ? agreementSection(replay) : null;
    }
    this.list = await get(PATH);
    this.arrange();
    for (const card of [...this.cards.values()]) {
      if (!this.isOpen) return;
      const key = this.keyOf(card);
      if (!card.isVisible || card.drawn === key) continue;
      await this.draw(card);
      card.drawn = key;
    }
    this.schedule(Math.max(SHORTEST_MS, SHARE * (performance.now() - began)));
  }

  /**
   * What a card shows: it is drawn again only if this is another.
   * @param {ChartCard} card
   */
  keyOf(card) {
    const { from = "", to = "", chart = "" } = route.current().query;
    const state = this.source(card.name)?.group === "Scheduler" ? "" : `${this.list?.sequence} ${to || this.list?.end}`;
    return [state, from, to, chart === card.name, isDark(), this.body.clientWidth].join("|");
  }

  /** @param {string} name */
  source(name) { return this.list?.charts.find((each) => each.name === name); }

  /** @param {ChartCard} card */
  async draw(card) {
    const { from, to, chart } = route.current().query;
    const window = new URLSearchParams(Object.entries({ from, to }).filter(([, value]) => value));
    this.requests += 1;
    const spec = await get(`${PATH}/${encodeURIComponent(card.name)}?${window}`).catch((error) => {
      if (error.code !== 404) throw error;
      return null;
    });
    if (spec) await card.show(spec, isDark(), chart === card.name);
    else card.showNothing();
    card.setCursor(this.cursor);
  }

  /** The moment that is shown; NaN if that is now. */
  get cursor() {
    const { at } = route.current().query;
    return at ? parse(at) : NaN;
  }

  /** Have a card for each chart that the address selects. */
  arrange() {
    if (!this.list) return;
    const rows = this.selected(this.list.charts);
    this.toolbar.show(this.list.charts);
    const key = rows.map((each) => `${each.name} ${each.isEmpty}`).join() + route.current().query.group;
    if (key !== this.shownKey) this.place(rows);
    this.shownKey = key;
    for (const card of this.cards.values()) card.setCursor(this.cursor);
  }

  /** @param {Row[]} rows */
  selected(rows) {
    const { chart, group, workload } = route.current().query;
    if (chart) return rows.filter((each) => each.name === chart);
    const others = rows.filter((each) => each.group !== "Workloads" || !each.subject);
    const workloads = rows.filter((each) => each.group === "Workloads" && each.subject);
    const chosen = workload ? workloads.filter((each) => each.subject === workload) : workloads.slice(0, SHOWN);
    const kept = new Set([...others, ...chosen]);
    return rows.filter((each) => kept.has(each) && (!group || each.group === group));
  }

  /** @param {Row[]} rows */
  place(rows) {
    const names = new Set(rows.filter((each) => !each.isEmpty).map((each) => each.name));
    for (const [name, card] of this.cards) {
      if (names.has(name)) continue;
      this.observer.unobserve(card.element);
      card.remove();
      this.cards.delete(name);
    }
    const groups = [...new Set(rows.map((each) => each.group))];
    const { chart, group: only } = route.current().query;
    fill(this.body, !chart && !only && this.agreement, groups.map((group) => h("section", { "aria-label": group }, h("h2", {}, group),
      h("div", { className: "cards" }, inGroup(rows, group).map((each) => this.elementOf(each))))));
  }

  /** @param {Row} row */
  elementOf(row) {
    if (row.isEmpty) return emptyCard(row, this.workloadName(), () => this.schedule(0));
    let card = this.cards.get(row.name);
    if (!card) {
      card = new ChartCard(row.name, row.title, {
        goTo: (ms) => route.change({ at: format(ms) }, true),
        zoom: (from, to) => route.change({ from: format(from), to: format(Math.max(to, from + 1)) }, true),
        enlarge: (name) => route.change({ chart: route.current().query.chart ? "" : name }, true),
      });
      this.cards.set(row.name, card);
      this.observer.observe(card.element);
    }
    return card.element;
  }

  /** The name of a Deployment, for examples. */
  workloadName() {
    const found = this.list?.charts.find((each) => each.subject.startsWith("deployment/default/"));
    return found ? found.subject.split("/")[2] : "web";
  }

  /** @param {string} key whether it was used */
  key(key) { return this.list !== null && onKey(key, this.list, this.cursor); }
}

/**
 * Those of a group, the empty ones last.
 * @param {Row[]} rows @param {string} group
 */
const inGroup = (rows, group) => rows.filter((each) => each.group === group)
  .sort((a, b) => Number(a.isEmpty) - Number(b.isEmpty));
