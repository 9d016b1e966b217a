/** @file Requests to the server that sent the page. */

import { ask, token } from "./token.js";

export const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
export const YAML = "application/yaml";

/** A refusal, with the words of the server. */
export class ApiError extends Error {
  /** @param {number} code @param {string} message @param {string} [reason] */
  constructor(code, message, reason = "") {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/**
 * Send a request; a server that requires a token gets it, and the user is asked for it.
 * @param {string} path
 * @param {{method?: string, accept?: string, type?: string, body?: string, signal?: AbortSignal}} [options]
 * @returns {Promise<Response>}
 */
export async function send(path, options = {}) {
  for (;;) {
    const used = token();
    /** @type {Record<string, string>} */
    const headers = { accept: options.accept ?? "application/json" };
    if (used) headers.authorization = `Bearer ${used}`;
    if (options.body !== undefined) headers["content-type"] = options.type ?? "application/json";
    const { method = "GET", body, signal } = options;
    const response = await fetch(path, { method, headers, body, signal, cache: "no-store" });
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
    return new ApiError(response.status, status.message || text, status.reason);
  } catch {
    return new ApiError(response.status, text.trim() || response.statusText);
  }
}

/** @param {string} path @param {{accept?: string, signal?: AbortSignal}} [options] @returns {Promise<any>} */
export const get = async (path, options) => (await send(path, options)).json();

/** @param {string} path @param {any} [body] @param {string} [method] @returns {Promise<any>} */
export const post = async (path, body, method = "POST") =>
  (await send(path, { method, body: body === undefined ? undefined : JSON.stringify(body) })).json();

/** The path of an object or a collection. @param {string} group @param {string} version @param {...string} rest */
export function pathOf(group, version, ...rest) {
  const start = group ? `/apis/${group}/${version}` : `/api/${version}`;
  return [start, ...rest.filter(Boolean).map(encodeURIComponent)].join("/");
}
