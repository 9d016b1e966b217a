/** @file Saves the lives as a file for Perfetto. */

import { send } from "../api.js";
import { h } from "../dom.js";

/** @param {string} by node or workload */
export async function save(by) {
  const answer = await send(`/kubestage/v1/export?format=perfetto&groupBy=${encodeURIComponent(by)}`);
  const address = URL.createObjectURL(await answer.blob());
  h("a", { href: address, download: "kubestage.perfetto.json" }).click();
  URL.revokeObjectURL(address);
}
