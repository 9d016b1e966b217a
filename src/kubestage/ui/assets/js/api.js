/** @file Requests to the server that sent the page. */

import { ask, token } from "./token.js";

export const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
export const YAML = "application/yaml";

/**
 * Where the cluster is that is shown: "" for the one at the root of the server, or a prefix such as /clusters/fork-1.
 * It is in the part of the address before "#": /ui/?cluster=fork-1.
 */
export const base = (() => {
  const name = new URLSearchParams(location.search).get("cluster");
  return name ? `/clusters/${encodeURIComponent(name)}` : "";
})();

/**
 * The moment that is shown: RFC 3339, or "" for now. Objects and explanations are read as they were then.
 * `refusal` is why nothing can be changed, if so: the past stays as it was, and so does a kept run.
 */
export const shown = { at: "", refusal: "" };

const OF_A_MOMENT = /^\/(api|apis)(\/|\?|$)|^\/kubestage\/v1\/(explanations|packing)\b/;

/** What changes the cluster besides objects; a dry run does not. */
const CHANGING = /^\/kubestage\/v1\/(reset|import|settings|scheduler\/configuration)(?!.*[?&]dryRun=true)/;

/** A refusal, with the words of the server. */
export class ApiError extends Error {
  /** @param {number} code @param {string} message @param {string} [reason] @param {any} [details] */
  constructor(code, message, reason = "", details = undefined) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

/**
 * @typedef {Object} Options
 * @property {string} [method] @property {string} [accept] @property {string} [type] @property {string} [body]
 * @property {AbortSignal} [signal]
 * @property {boolean} [isNow] whether to read the cluster as it is now, whatever moment is shown
 * @property {boolean} [isServer] whether the path is one of the server, and not of the cluster that is shown
 */

/**
 * Send a request to the cluster that is shown; a server that requires a token gets it, and the user is asked for it.
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<Response>}
 */
export async function send(path, options = {}) {
  const { method = "GET", body, signal } = options;
  const isChange = method !== "GET" && (OF_A_MOMENT.test(path) || CHANGING.test(path));
  if (isChange && shown.refusal) throw new ApiError(403, shown.refusal);
  const isPast = shown.at && method === "GET" && !options.isNow && OF_A_MOMENT.test(path);
  const address = (options.isServer ? "" : base) + (isPast ? `/at/${shown.at}` : "") + path;
  for (;;) {
    const used = token();
    /** @type {Record<string, string>} */
    const headers = { accept: options.accept ?? "application/json" };
    if (used) headers.authorization = `Bearer ${used}`;
    if (options.body !== undefined) headers["content-type"] = options.type ?? "application/json";
    const response = await fetch(address, { method, headers, body, signal, cache: "no-store" });
    if (response.status === 401) {
      await ask(used);
      continue;
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }
}

/** @param {Response} response */
async function refusal(response) {
  const text = await response.text();
  try {
    const status = JSON.parse(text);
    return new ApiError(response.status, status.message || text, status.reason, status.details);
  } catch {
    return new ApiError(response.status, text.trim() || response.statusText);
  }
}

/** @param {string} path @param {Options} [options] @returns {Promise<any>} */
export const get = async (path, options) => (await send(path, options)).json();

/** @param {string} path @param {any} [body] @param {string} [method] @param {Options} [options] @returns {Promise<any>} */
export const post = async (path, body, method = "POST", options = {}) =>
  (await send(path, { ...options, method, body: body === undefined ? undefined : JSON.stringify(body) })).json();

/**
 * The path of an object or a collection.
 * @param {string} group @param {string} version @param {...string} rest
 */
export function pathOf(group, version, ...rest) {
  const start = group ? `/apis/${group}/${version}` : `/api/${version}`;
  return [start, ...rest.filter(Boolean).map(encodeURIComponent)].join("/");
}
