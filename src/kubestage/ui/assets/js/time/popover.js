/** @file What opens below a button closes again by Escape, or by a click elsewhere. */

/** @param {HTMLDetailsElement} details @returns {any} */
export function closing(details) {
  document.addEventListener("pointerdown", (event) => {
    if (details.open && !details.contains(/** @type {Node} */ (event.target))) details.open = false;
  });
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    details.open = false;
    details.querySelector("summary")?.focus();
    event.stopPropagation();
  });
  return details;
}
