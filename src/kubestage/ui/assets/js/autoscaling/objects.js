/** @file From the form to objects of the cluster, and back. */

const BEHAVIOURS = /** @type {const} */ ([
  ["scaleUp", "up"],
  ["scaleDown", "down"],
]);
const DELAY = "kubestage.dev/launch-delay";

/** @typedef {{deployment?: any, hpa?: any, traffic?: any}} Base the objects with which the form began */

/**
 * What is left of an object when it is sent again.
 * @param {any} object
 * @returns {any}
 */
const bare = ({ apiVersion, kind, metadata, spec = {} }) => {
  const { name, namespace, labels, annotations } = metadata;
  const kept = structuredClone({ name, namespace, labels, annotations });
  if (kept.annotations) delete kept.annotations["kubectl.kubernetes.io/last-applied-configuration"];
  return { apiVersion, kind, metadata: JSON.parse(JSON.stringify(kept)), spec: structuredClone(spec) };
};

/**
 * The Deployment, its HorizontalPodAutoscaler and its Traffic.
 * @param {Record<string, string>} values @param {Base} base
 */
export const objectsOf = (values, base) => [
  deployment(values, base.deployment),
  hpa(values, base.hpa),
  traffic(values, base.traffic),
];

/** @param {Record<string, string>} values @param {any} base */
function deployment(values, base) {
  const { name, namespace, request, limit, delay, replicas } = values;
  /** @type {any} */
  const made = base
    ? bare(base)
    : {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name, namespace },
        spec: {
          selector: { matchLabels: { app: name } },
          template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: `${name}:1` }] } },
        },
      };
  made.spec.replicas = Number(replicas);
  const { template } = made.spec;
  template.metadata = { ...template.metadata, annotations: { ...template.metadata?.annotations } };
  if (delay) template.metadata.annotations[DELAY] = delay;
  else delete template.metadata.annotations[DELAY];
  const [container] = template.spec.containers;
  const resources = (container.resources ??= {});
  resources.requests = changed(resources.requests, "cpu", request);
  resources.limits = changed(resources.limits, "cpu", limit);
  return made;
}

/** @param {any} map @param {string} key @param {string} value empty to leave it out */
function changed(map, key, value) {
  const { [key]: _, ...rest } = map ?? {};
  return value ? { ...rest, [key]: value } : rest;
}

/** @param {Record<string, string>} values @param {any} base */
function hpa(values, base) {
  const { name, namespace, least, most, target, rate } = values;
  /** @type {any} */
  const made = base
    ? bare(base)
    : { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name, namespace }, spec: {} };
  const others = (made.spec.metrics ?? []).filter((/** @type {any} */ each) => !isCpu(each) && !isRate(each));
  const metrics = [...others];
  if (target)
    metrics.push({
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: Number(target) } },
    });
  if (rate)
    metrics.push({
      type: "Pods",
      pods: { metric: { name: "requests_per_second" }, target: { type: "AverageValue", averageValue: rate } },
    });
  made.spec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    ...made.spec,
    minReplicas: Number(least),
    maxReplicas: Number(most),
    metrics,
  };
  made.spec.behavior = Object.fromEntries(BEHAVIOURS.map(([field, prefix]) => [field, rules(values, prefix)]));
  return made;
}

/** @param {any} metric */
const isCpu = (metric) =>
  metric.type === "Resource" && metric.resource?.name === "cpu" && metric.resource.target?.type === "Utilization";
/** @param {any} metric */
const isRate = (metric) => metric.type === "Pods" && metric.pods?.metric?.name === "requests_per_second";

/** @param {Record<string, string>} values @param {string} prefix */
function rules(values, prefix) {
  const periodSeconds = Number(values[`${prefix}Period`]);
  const policies = [
    ["Percent", values[`${prefix}Percent`]],
    ["Pods", values[`${prefix}Pods`]],
  ]
    .filter(([, value]) => value)
    .map(([type, value]) => ({ type, value: Number(value), periodSeconds }));
  return {
    stabilizationWindowSeconds: Number(values[`${prefix}Window`]),
    selectPolicy: values[`${prefix}Select`],
    policies,
  };
}

/** @param {Record<string, string>} values @param {any} base */
function traffic(values, base) {
  const { name, namespace, cpu, io, timeout } = values;
  /** @type {any} */
  const made = base
    ? bare(base)
    : {
        apiVersion: "kubestage.dev/v1alpha1",
        kind: "Traffic",
        metadata: { name, namespace },
        spec: { target: { kind: "Deployment", name } },
      };
  if (values.pattern !== "kept") made.spec.pattern = { [values.pattern]: pattern(values) };
  made.spec.request = { ...made.spec.request, cpu, io, timeout };
  return made;
}

/** @param {Record<string, string>} values @returns {any} */
function pattern(values) {
  const rps = Number(values.rps);
  switch (values.pattern) {
    case "sinusoidal":
      return { amplitude: Number(values.amplitude), period: values.period };
    case "step":
      return { rps, after: values.after };
    case "ramp":
      return { delta: Number(values.delta), max: Number(values.max) };
    case "uniform":
      return { requests: Number(values.requests), duration: values.within };
    default:
      return { rps };
  }
}

/**
 * The values of objects that are there; what they do not have is left out.
 * @param {Base} base
 * @returns {Record<string, string>}
 */
export function valuesOf({ deployment: web, hpa: scaler, traffic: load }) {
  const container = web.spec.template.spec.containers[0];
  const metrics = scaler?.spec.metrics ?? [];
  /** @type {Record<string, any>} */
  const found = {
    name: web.metadata.name,
    namespace: web.metadata.namespace,
    replicas: web.spec.replicas ?? 1,
    request: container.resources?.requests?.cpu ?? "",
    limit: container.resources?.limits?.cpu ?? "",
    delay: web.spec.template.metadata?.annotations?.[DELAY] ?? "",
    least: scaler?.spec.minReplicas,
    most: scaler?.spec.maxReplicas,
    ...(scaler && {
      target: metrics.find(isCpu)?.resource.target.averageUtilization ?? "",
      rate: metrics.find(isRate)?.pods.target.averageValue ?? "",
    }),
    ...behaviourValues(scaler?.spec.behavior ?? {}),
    ...trafficValues(load?.spec),
  };
  return Object.fromEntries(
    Object.entries(found)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}

/** @param {any} behavior */
function behaviourValues(behavior) {
  return Object.assign(
    {},
    ...BEHAVIOURS.map(([field, prefix]) => {
      const found = behavior[field];
      if (!found) return {};
      const value = (/** @type {string} */ type) =>
        found.policies?.find((/** @type {any} */ each) => each.type === type)?.value ?? "";
      return {
        [`${prefix}Window`]: found.stabilizationWindowSeconds,
        [`${prefix}Select`]: found.selectPolicy,
        [`${prefix}Period`]: found.policies?.[0]?.periodSeconds,
        [`${prefix}Percent`]: value("Percent"),
        [`${prefix}Pods`]: value("Pods"),
      };
    }),
  );
}

/** @param {any} spec */
function trafficValues(spec) {
  if (!spec) return {};
  const [[name, fields]] = /** @type {[string, any][]} */ (Object.entries(spec.pattern));
  // What has more than the form can show stays as it is.
  const isPlain = ["sinusoidal", "step", "ramp", "poisson", "constant", "uniform"].includes(name) && !fields.arrivals;
  const { cpu, io, timeout } = spec.request ?? {};
  const { duration, ...others } = isPlain ? fields : { duration: undefined };
  return { pattern: isPlain ? name : "kept", ...others, ...(duration && { within: duration }), cpu, io, timeout };
}
