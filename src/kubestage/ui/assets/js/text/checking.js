/** @file Has a text checked as one types, and shows what is wrong: at the line, and as a list. */

import { ApiError, get, send } from "../api.js";
import { fill, h } from "../dom.js";

const PAUSE_MS = 350;
const MOST = 50;

/**
 * @typedef {Object} Problem
 * @property {"error" | "warning"} level @property {number} line @property {string} message
 * @property {string} [path] @property {string} [fix] @property {string} [reason]
 */

/** @typedef {{problems: Problem[], [name: string]: any}} Result */

/** Checks the text of an editor. */
export class Checking {
  /**
   * @param {import("./editor.js").TextEditor} editor
   * @param {(text: string, signal: AbortSignal) => Promise<Result>} check
   * @param {(result: Result | null) => void} [onResult] null while a check is under way
   */
  constructor(editor, check, onResult) {
    this.editor = editor;
    this.check = check;
    this.onResult = onResult;
    /** @type {AbortController | null} */
    this.abort = null;
    /** @type {Result | null} */
    this.result = null;
    this.element = h("div", { className: "problems", role: "status", "aria-label": "Problems" });
  }

  /** Check when the user has stopped typing. */
  schedule() {
    clearTimeout(this.timer);
    this.abort?.abort();
    this.result = null;
    this.onResult?.(null);
    this.timer = setTimeout(() => this.run(), PAUSE_MS);
  }

  /**
   * Check now.
   * @returns {Promise<Result | null>} null if the text has changed meanwhile
   */
  async run() {
    clearTimeout(this.timer);
    this.abort?.abort();
    const abort = (this.abort = new AbortController());
    const text = this.editor.value;
    try {
      const result = await this.check(text, abort.signal);
      if (abort.signal.aborted || text !== this.editor.value) return null;
      this.show(result);
      return result;
    } catch (error) {
      if (abort.signal.aborted) return null;
      const message = error instanceof Error ? error.message : String(error);
      /** @type {Result} */
      const failed = { problems: [{ level: "error", line: 0, message }] };
      this.show(failed);
      return failed;
    }
  }

  /** Nothing is checked any more. */
  stop() {
    clearTimeout(this.timer);
    this.abort?.abort();
    this.show({ problems: [] });
  }

  /** @param {Result} result */
  show(result) {
    this.result = result;
    const { problems } = result;
    this.editor.mark(problems.filter((problem) => problem.line > 0));
    fill(
      this.element,
      problems.slice(0, MOST).map((problem) => this.row(problem)),
      problems.length > MOST && h("p", { className: "faint" }, `and ${problems.length - MOST} more`),
    );
    this.onResult?.(result);
  }

  /** @param {Problem} problem */
  row(problem) {
    const { level, line, path, message, fix } = problem;
    return h(
      "p",
      { className: `problem is-${level}` },
      line > 0 &&
        h("button", { type: "button", className: "link", onclick: () => this.editor.goTo(line) }, `Line ${line}`),
      path && h("code", {}, path),
      h("span", {}, message),
      fix && h("span", { className: "faint" }, fix),
    );
  }

  /** Go to the first error, if there is one. */
  goToFirst() {
    const first = this.result?.problems.find((problem) => problem.level === "error" && problem.line > 0);
    if (first) this.editor.goTo(first.line);
    return Boolean(first);
  }
}

/**
 * Have manifests checked by the cluster.
 * @param {"apply" | "replace"} existing what happens to objects that are there
 * @returns {(text: string, signal: AbortSignal) => Promise<Result>}
 */
export const ofManifests = (existing) => async (text, signal) => {
  if (!text.trim()) return { objects: [], problems: [] };
  const options = { method: "POST", type: "application/yaml", body: text, signal };
  return (await send(`/kubestage/v1/check?existing=${existing}`, options)).json();
};

/**
 * Have a scheduler configuration checked; its causes have lines.
 * @param {string} text @param {AbortSignal} signal
 * @returns {Promise<Result>}
 */
export async function ofConfiguration(text, signal) {
  try {
    const options = { method: "POST", type: "application/yaml", body: text, signal };
    return { ...(await (await send("/kubestage/v1/scheduler/profiles", options)).json()), problems: [] };
  } catch (error) {
    const causes = error instanceof ApiError ? error.details?.causes : undefined;
    if (!causes?.length) throw error;
    return {
      problems: causes.map((/** @type {any} */ cause) => ({
        level: "error",
        line: cause.line ?? 0,
        path: cause.field,
        message: cause.message,
      })),
    };
  }
}

/** @param {string} path @returns {Promise<any>} the object, or null if it is not there */
export async function find(path) {
  try {
    return await get(path);
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return null;
    throw error;
  }
}
