/** @file The phases of a pod's life: their names for people and their colours; likewise for what happens at an instant. */

/** @type {Record<string, [string, string, string]>} name for people, colour in light and in dark */
export const PHASES = {
  waiting: ["waiting for a node", "#d8cfa8", "#6d6543"],
  unschedulable: ["unschedulable", "#efa25c", "#b06a24"],
  starting: ["starting", "#a9c8ea", "#3b5f8a"],
  pulling: ["pulling an image", "#82addf", "#2f6fb0"],
  initializing: ["init containers", "#b9a9e0", "#65549b"],
  running: ["running, not ready", "#dcd06a", "#857b22"],
  ready: ["ready", "#93cc9f", "#3a7d4c"],
  crashing: ["waiting to restart", "#e98b8b", "#a8434b"],
  terminating: ["terminating", "#c3c9d2", "#5a6472"],
  succeeded: ["succeeded", "#bfe0dc", "#2f625d"],
  failed: ["failed", "#d46a70", "#8c2f36"],
};

/** @type {Record<string, [string, string, string]>} */
export const INSTANTS = {
  unschedulable: ["attempt failed", "#b85c00", "#ffc078"],
  preemption: ["preempted", "#8b2fa5", "#dca3ea"],
  eviction: ["evicted", "#b02a74", "#f09bc8"],
  restart: ["restarted", "#7a4a12", "#e3b987"],
};

/**
 * The colours of everything else.
 * @param {boolean} isDark
 */
export const partsOf = (isDark) => (isDark
  ? { page: "#14171c", band: "#1f252e", line: "#2a313c", text: "#d5dbe4", faint: "#8b95a4", ink: "#f1f4f8", mark: "#ffffff", cursor: "#7d9cf0", bad: "#a8434b", cordon: "#6b5a2c", wanted: "#8b95a4", have: "#5aa06c", muted: "#2a303a" }
  : { page: "#f6f7f9", band: "#e9ecf1", line: "#dfe3e9", text: "#26303d", faint: "#68737f", ink: "#1c2531", mark: "#111827", cursor: "#3a5bc7", bad: "#e9a5a5", cordon: "#ead79d", wanted: "#8a94a0", have: "#6bb37c", muted: "#e3e6eb" });
