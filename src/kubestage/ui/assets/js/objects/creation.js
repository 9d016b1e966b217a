/** @file Sends the objects of a text that was checked, one after the other, as a client does. */

import { post, send } from "../api.js";
import { current } from "../route.js";

const MANAGER = "kubestage-page";

/**
 * Create those that are new, and apply those that are there.
 * @param {any[]} objects those of a check
 * @returns {Promise<{done: string[], error: string, key: string, isOfKind: boolean}>}
 */
export async function sendAll(objects) {
  /** @type {string[]} */
  const done = [];
  let key = "";
  for (const { kind, name, namespace, verb, path, object } of objects) {
    try {
      const query = `?fieldManager=${MANAGER}`;
      const stored =
        verb === "create"
          ? await post(path + query, object)
          : await (
              await send(`${path}${query}&force=true`, {
                method: "PATCH",
                type: "application/apply-patch+yaml",
                body: JSON.stringify(object),
              })
            ).json();
      key = `${stored.metadata.namespace ?? ""}/${stored.metadata.name}`;
      done.push(`${kind} ${stored.metadata.name} ${verb === "create" ? "created" : "applied"}`);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      const before = done.length ? `${done.join(", ")}. ` : "";
      return {
        done,
        error: `${before}${kind} ${namespace ? `${namespace}/` : ""}${name}: ${words}`,
        key,
        isOfKind: false,
      };
    }
  }
  const shown = current().path.at(-1);
  return { done, error: "", key, isOfKind: Boolean(objects[0]?.path.split("/").includes(shown)) };
}
