/** @file An object as YAML, as kubectl shows it. */

import { YAML, send } from "../api.js";

/** @param {string} path */
export const readYaml = async (path) => withoutManagedFields(await (await send(path, { accept: YAML })).text());

/**
 * As kubectl shows it; the server keeps the managers of fields when they are left out.
 * @param {string} yaml
 */
export function withoutManagedFields(yaml) {
  const lines = yaml.split("\n");
  const start = lines.findIndex((line) => line.startsWith("  managedFields:"));
  if (start < 0) return yaml;
  let end = start + 1;
  while (end < lines.length && (lines[end].startsWith("   ") || lines[end].startsWith("  -"))) end += 1;
  return [...lines.slice(0, start), ...lines.slice(end)].join("\n");
}
