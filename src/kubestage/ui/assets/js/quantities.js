/** @file Quantities of Kubernetes as numbers, and numbers for people. */

/** @type {Record<string, number>} */
const FACTORS = {
  n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};
const FORM = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([KMGTPE]i|[numkMGTPE]?)$/;

/**
 * The value of a quantity; 0 if it is none.
 * @param {string | number | undefined} text
 */
export function parse(text) {
  if (text === undefined || text === null) return 0;
  const found = FORM.exec(String(text));
  return found ? Number(found[1]) * (FACTORS[found[2]] ?? 1) : 0;
}

/** @param {string} resource @param {number} value */
export function format(resource, value) {
  if (resource !== "memory" && !resource.endsWith("storage")) return rounded(value);
  for (const unit of ["Ti", "Gi", "Mi", "Ki"]) {
    if (value >= FACTORS[unit]) return `${rounded(value / FACTORS[unit])} ${unit}B`;
  }
  return `${rounded(value)} B`;
}

/** @param {number} value */
const rounded = (value) => String(Number(value.toFixed(value < 1 ? 3 : 2)));

/**
 * What a pod requests, as the scheduler counts it.
 * @param {any} spec @param {string} resource
 */
export function requested(spec, resource) {
  if (resource === "pods") return 1;
  const of = (/** @type {any} */ container) => parse(container.resources?.requests?.[resource]);
  let running = 0;
  for (const container of spec.containers ?? []) running += of(container);
  let sidecars = 0;
  let starting = 0;
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === "Always") {
      running += of(container);
      sidecars += of(container);
      starting = Math.max(starting, sidecars);
    } else {
      starting = Math.max(starting, sidecars + of(container));
    }
  }
  const whole = spec.resources?.requests?.[resource];
  return (whole === undefined ? Math.max(running, starting) : parse(whole)) + parse(spec.overhead?.[resource]);
}
