/** @file Where a node or pod is, by its name. */

/**
 * The rectangle of a node or pod: x, y, width and height; null if it is not on the map.
 * @param {import("./layout.js").Layout} layout @param {import("../model.js").Model} model
 * @param {string} name such as pod/shop/web or node/worker-1
 * @returns {[number, number, number, number] | null}
 */
export function rectOf(layout, model, name) {
  const [kind, ...rest] = name.split("/");
  if (kind !== "node" && kind !== "pod") return null;
  const key = rest.join("/");
  const box = layout.boxes.get(kind === "node" ? key : model.pods.get(key)?.node ?? "");
  if (!box) return null;
  if (kind === "node") return [box.x, box.y, box.side, box.side];
  const at = box.pods.findIndex((pod) => pod.key === key) * 4;
  return at < 0 ? null : /** @type {any} */ ([...box.rects.slice(at, at + 4)]);
}
