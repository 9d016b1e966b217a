/** @file The whole cluster: add nodes, import, export, reset, settings. */

import { fill, h } from "../dom.js";
import { exportBox } from "./exporting.js";
import { importBox } from "./importing.js";
import { nodesBox } from "./nodes.js";
import { resetBox } from "./resetting.js";
import { settingsBox } from "./settings.js";

/** Boxes, one for each thing to do. */
export class ClusterView {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
  }

  async open() {
    fill(
      this.element,
      h("div", { className: "toolbar" }, h("h2", {}, "Cluster")),
      h("div", { className: "boxes scroll" }, nodesBox(), importBox(), exportBox(), resetBox(), await settingsBox()),
    );
  }
}
