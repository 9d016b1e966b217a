/** @file The address of what is shown: a view and its settings, in the part after "#". */

/**
 * @typedef {Object} Route
 * @property {string[]} path
 * @property {Record<string, string>} query
 */

/** @param {string} hash @returns {Route} */
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  return {
    path: path.split("/").filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * An address; the moment that is shown stays, unless another is named.
 * @param {string[]} path
 * @param {Record<string, string>} [query] settings that are empty are left out
 */
export function format(path, query = {}) {
  const { at = "" } = current().query;
  const kept = Object.entries({ ...query, at: query.at ?? at }).filter(([, value]) => value);
  const text = kept.length ? `?${new URLSearchParams(kept)}` : "";
  return `#/${path.map(encodeURIComponent).join("/")}${text}`;
}

/** Where the page is now. */
export const current = () => parse(location.hash);

/**
 * Change some settings of the view that is shown.
 * @param {Record<string, string>} changes @param {boolean} [isStep] whether "back" comes here again
 */
export function change(changes, isStep = false) {
  const { path, query } = current();
  const hash = format(path, { ...query, ...changes });
  if (hash === location.hash) return;
  if (isStep) location.hash = hash;
  else {
    history.replaceState(null, "", hash);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }
}

/**
 * The address of the same view at another moment.
 * @param {string} at
 */
export function momentOf(at) {
  const { path, query } = current();
  return format(path, { ...query, at });
}

/**
 * The address of a pod, node or workload on the map.
 * @param {string} kind @param {string} key
 */
export function selectionOf(kind, key) {
  const { path, query } = current();
  return format(["map"], { ...(path[0] === "objects" ? {} : query), select: `${kind}/${key}` });
}
