/** @file Which kinds the server has. */

import { get } from "../api.js";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/**
 * @typedef {Object} Resource
 * @property {string} group @property {string} version @property {string} plural @property {string} kind
 * @property {boolean} isNamespaced @property {string[]} verbs
 */

/**
 * All resources that can be listed, those of the core group first.
 * @returns {Promise<Resource[]>}
 */
export async function resources() {
  const documents = await Promise.all(["/api", "/apis"].map((path) => get(path, { accept: AGGREGATED })));
  const found = documents.flatMap((document) => document.items).flatMap(groupResources);
  return found.filter((resource) => resource.verbs.includes("list"));
}

/**
 * The resources of a group: each in the version that the server prefers.
 * @param {any} group @returns {Resource[]}
 */
function groupResources(group) {
  /** @type {Map<string, Resource>} */
  const found = new Map();
  for (const version of group.versions) {
    for (const each of version.resources) {
      if (found.has(each.resource)) continue;
      found.set(each.resource, {
        group: group.metadata?.name ?? "", version: version.version, plural: each.resource,
        kind: each.responseKind?.kind ?? each.resource, isNamespaced: each.scope === "Namespaced", verbs: each.verbs,
      });
    }
  }
  return [...found.values()];
}
