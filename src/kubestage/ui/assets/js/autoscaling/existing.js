/** @file Deployments of the cluster that the form can begin with. */

import { get } from "../api.js";
import { find } from "../text/checking.js";

const HPAS = "/apis/autoscaling/v2/horizontalpodautoscalers";
const MOST = 200;

/**
 * Deployments that have an autoscaler or traffic, as namespace/name.
 * @returns {Promise<string[]>}
 */
export async function choices() {
  const [hpas, traffics] = await Promise.all([get(`${HPAS}?limit=${MOST}`), trafficList("")]);
  const targets = [
    ...hpas.items
      .filter((/** @type {any} */ each) => each.spec.scaleTargetRef.kind === "Deployment")
      .map((/** @type {any} */ each) => `${each.metadata.namespace}/${each.spec.scaleTargetRef.name}`),
    ...traffics
      .filter((/** @type {any} */ each) => each.spec.target.kind === "Deployment")
      .map((/** @type {any} */ each) => `${each.metadata.namespace}/${each.spec.target.name}`),
  ];
  return [...new Set(targets)].sort();
}

/** @param {string} namespace empty for all @returns {Promise<any[]>} */
async function trafficList(namespace) {
  const place = namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return (await get(`/apis/kubestage.dev/v1alpha1${place}/traffics?limit=${MOST}`)).items;
}

/**
 * A Deployment with its autoscaler and its traffic; null if it is not there.
 * @param {string} key namespace/name
 * @returns {Promise<import("./objects.js").Base | null>}
 */
export async function read(key) {
  const [namespace, name] = key.split("/").map(encodeURIComponent);
  const deployment = await find(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`);
  if (!deployment) return null;
  const hpas = await get(`/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`);
  const traffics = await trafficList(deployment.metadata.namespace);
  const isTarget = (/** @type {any} */ { kind, name: target }) =>
    kind === "Deployment" && target === deployment.metadata.name;
  const hpa = hpas.items.find((/** @type {any} */ each) => isTarget(each.spec.scaleTargetRef));
  const traffic = traffics.find((each) => isTarget(each.spec.target));
  // Items of a list do not say what they are.
  return {
    deployment,
    hpa: hpa && { ...hpa, apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" },
    traffic: traffic && { ...traffic, apiVersion: "kubestage.dev/v1alpha1", kind: "Traffic" },
  };
}
