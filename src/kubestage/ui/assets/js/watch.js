/** @file List and watch: a collection that follows the server, through restarts and lost versions. */

import { ApiError, get, send, shown } from "./api.js";

const PAGE = 2500;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

/**
 * @typedef {Object} Listener
 * @property {(items: any[], isFirst: boolean, isLast: boolean) => void} listed a page of the list
 * @property {(type: string, object: any) => void} changed
 * @property {(state: "loading" | "live" | "lost") => void} state
 */

/** Follows a collection until it is stopped; rests while the page is hidden. */
export class Reflector {
  /**
   * @param {string} path @param {Listener} listener
   * @param {string} [accept]
   * @param {boolean} [isNow] whether to follow the cluster as it is now, whatever moment is shown
   */
  constructor(path, listener, accept, isNow = false) {
    this.path = path;
    this.isNow = isNow;
    this.isPast = !isNow && Boolean(shown.at);
    this.listener = listener;
    this.accept = accept;
    this.version = "";
    this.wait = FIRST_WAIT_MS;
    this.isStopped = false;
    this.abort = new AbortController();
    this.onVisibility = () => { if (document.hidden) this.abort.abort(); };
    document.addEventListener("visibilitychange", this.onVisibility);
    this.run();
  }

  stop() {
    this.isStopped = true;
    this.abort.abort();
    document.removeEventListener("visibilitychange", this.onVisibility);
  }

  /** List again, for what a watch does not bring. */
  relist() {
    this.version = "";
    this.abort.abort();
  }

  async run() {
    while (!this.isStopped) {
      if (document.hidden) await once(document, "visibilitychange");
      this.abort = new AbortController();
      try {
        if (!this.version) await this.list();
        // The past does not change.
        if (this.isPast) return this.listener.state("live");
        await this.watch();
        // A server that ends a watch at once must not be called without a pause.
        if (!this.abort.signal.aborted) await this.pause();
      } catch (error) {
        await this.recover(error);
      }
    }
  }

  /**
   * A refusal (410 above all) means that the version is of no use; a lost connection does not.
   * @param {unknown} error
   */
  async recover(error) {
    if (this.isStopped || this.abort.signal.aborted) return;
    if (error instanceof ApiError) this.version = "";
    const isExpired = error instanceof ApiError && error.code === 410;
    this.listener.state(isExpired ? "loading" : "lost");
    if (isExpired) return;
    await this.pause();
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
  }

  pause() { return new Promise((resolve) => setTimeout(resolve, this.wait)); }

  async list() {
    this.listener.state("loading");
    let next = "";
    let isFirst = true;
    do {
      const query = `?limit=${PAGE}${next ? `&continue=${encodeURIComponent(next)}` : ""}`;
      const page = await get(this.path + query, { accept: this.accept, signal: this.abort.signal, isNow: this.isNow });
      if (this.isStopped) return;
      next = page.metadata.continue ?? "";
      this.listener.listed(page.kind === "Table" ? [page] : page.items, isFirst, !next);
      this.version = next ? "" : page.metadata.resourceVersion;
      isFirst = false;
    } while (next);
  }

  async watch() {
    const query = `?watch=1&allowWatchBookmarks=true&resourceVersion=${this.version}`;
    const response = await send(this.path + query, { accept: this.accept, signal: this.abort.signal, isNow: this.isNow });
    this.listener.state("live");
    this.wait = FIRST_WAIT_MS;
    for await (const event of lines(response)) {
      if (this.isStopped) return;
      if (event.type === "ERROR") throw new ApiError(event.object.code ?? 500, event.object.message ?? "");
      const version = versionOf(event.object);
      if (version) this.version = version;
      if (event.type !== "BOOKMARK") this.listener.changed(event.type, event.object);
    }
  }
}

/**
 * The version in an object, or in the only row of a table.
 * @param {any} object
 */
function versionOf(object) {
  if (object.kind !== "Table") return object.metadata.resourceVersion;
  return object.rows?.[0]?.object?.metadata?.resourceVersion ?? object.metadata?.resourceVersion;
}

/**
 * The lines of a stream, as JSON.
 * @param {Response} response @returns {AsyncGenerator<any>}
 */
async function* lines(response) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) if (line) yield JSON.parse(line);
  }
}

/** @param {EventTarget} target @param {string} name */
const once = (target, name) =>
  new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));
