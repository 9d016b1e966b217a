/** @file What the form asks for: each field with its label, its usual value, and when it matters. */

/**
 * @typedef {Object} Field
 * @property {string} name @property {string} label @property {string} value
 * @property {string} [type] number, text or choice @property {[string, string][]} [options]
 * @property {string} [hint] @property {string} [min] @property {string} [step]
 * @property {(values: Record<string, string>) => boolean} [isUsed]
 */

const is =
  (/** @type {string[]} */ ...patterns) =>
  (/** @type {Record<string, string>} */ values) =>
    patterns.includes(values.pattern);
const number = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ value, more = {}) => ({
  name,
  label,
  value,
  type: "number",
  min: "0",
  step: "any",
  ...more,
});
const whole = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ value, more = {}) =>
  number(name, label, value, { step: "1", ...more });
const text = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ value, more = {}) => ({
  name,
  label,
  value,
  type: "text",
  ...more,
});

/** @type {[string, string][]} */
const PATTERNS = [
  ["sinusoidal", "sinusoidal"],
  ["step", "step"],
  ["ramp", "ramp up and down"],
  ["poisson", "Poisson process"],
  ["constant", "constant"],
  ["uniform", "a number of requests"],
];
/** @type {[string, string][]} */
const SELECT = [
  ["Max", "the larger change"],
  ["Min", "the smaller change"],
  ["Disabled", "never"],
];

/** @param {string} direction @param {string} prefix @param {string} window @param {string} pods */
const behaviour = (direction, prefix, window, pods) =>
  /** @type {Field[]} */ ([
    whole(`${prefix}Window`, `${direction}: stabilization, s`, window),
    whole(`${prefix}Percent`, `${direction}: at most %`, "100", { hint: "of the replicas, per period" }),
    whole(`${prefix}Pods`, `${direction}: at most pods`, pods, { hint: "empty for no such limit" }),
    whole(`${prefix}Period`, `${direction}: period, s`, "15", { min: "1" }),
    { name: `${prefix}Select`, label: `${direction}: of both limits`, value: "Max", type: "choice", options: SELECT },
  ]);

/** @type {[string, Field[]][]} The fields by group, in order. */
export const GROUPS = [
  [
    "Traffic",
    [
      { name: "pattern", label: "Pattern", value: "sinusoidal", type: "choice", options: PATTERNS },
      number("amplitude", "Amplitude, requests/s", "50", { isUsed: is("sinusoidal"), hint: "half of the maximum" }),
      text("period", "Period", "20m", { isUsed: is("sinusoidal") }),
      number("rps", "Requests/s", "50", { isUsed: is("step", "poisson", "constant") }),
      text("after", "Begins after", "5m", { isUsed: is("step") }),
      number("delta", "More each second", "0.1", { isUsed: is("ramp") }),
      number("max", "Up to requests/s", "100", { isUsed: is("ramp") }),
      whole("requests", "Requests in all", "50000", { isUsed: is("uniform") }),
      text("within", "Within", "30m", { isUsed: is("uniform") }),
      text("cpu", "CPU time of a request", "20ms", { hint: "a duration, or exp(20ms)" }),
      text("io", "Waiting time of a request", "50ms"),
      text("timeout", "Timeout", "5s"),
    ],
  ],
  [
    "Workload",
    [
      text("name", "Deployment", "web"),
      text("namespace", "Namespace", "default"),
      whole("replicas", "Initial replicas", "2"),
      text("request", "CPU request of a pod", "500m"),
      text("limit", "CPU limit of a pod", "500m", { hint: "empty for none" }),
      text("delay", "Start delay of a pod", "5s", { hint: "a duration, or normal(5s,1s)" }),
    ],
  ],
  [
    "Autoscaler",
    [
      whole("least", "Least replicas", "2", { min: "1" }),
      whole("most", "Most replicas", "20", { min: "1" }),
      whole("target", "CPU utilization target, %", "50", { hint: "empty for no such metric" }),
      number("rate", "Requests/s per pod target", "", { hint: "empty for no such metric" }),
      text("sync", "Sync period", "15s", { hint: "of the controller; rehearsed, not applied" }),
    ],
  ],
  ["Behavior", [...behaviour("Up", "up", "0", "4"), ...behaviour("Down", "down", "300", "")]],
  [
    "Rehearsal",
    [
      text("duration", "Virtual time", "1h"),
      {
        name: "where",
        label: "On",
        value: "none",
        type: "choice",
        options: [
          ["none", "nodes with room for all"],
          ["copy", "a copy of this cluster"],
        ],
      },
      whole("seed", "Seed", "0"),
    ],
  ],
];

export const FIELDS = GROUPS.flatMap(([, fields]) => fields);

/**
 * The usual values.
 * @returns {Record<string, string>}
 */
export const usual = () => Object.fromEntries(FIELDS.map(({ name, value }) => [name, value]));
