/** @file Loads Vega when the first chart is drawn, and turns a Vega-Lite specification into a view. */

/** @type {Promise<any> | null} */
let loading = null;

/** @param {string} path */
const script = (path) => new Promise((resolve, reject) => {
  const element = document.createElement("script");
  element.src = new URL(`../../vendor/${path}`, import.meta.url).href;
  element.onload = () => resolve(undefined);
  element.onerror = () => reject(new Error(`${path} could not be loaded`));
  document.head.append(element);
});

/** Vega, Vega-Lite, and the interpreter of expressions: the page's policy lets no text become code. */
async function load() {
  await script("vega.min.js");
  await script("vega-lite.min.js");
  const { expressionInterpreter } = await import("../../vendor/vega-interpreter.js");
  const { vega, vegaLite } = /** @type {any} */ (globalThis);
  return { vega, vegaLite, expressionInterpreter };
}

/**
 * Draw a chart into an element.
 * @param {any} spec
 * @param {HTMLElement} element
 * @param {(event: any, value: any) => void} onTooltip
 * @returns {Promise<any>} the view
 */
export async function draw(spec, element, onTooltip) {
  loading ??= load().catch((error) => {
    loading = null;
    throw error;
  });
  const { vega, vegaLite, expressionInterpreter } = await loading;
  const compiled = vegaLite.compile(spec, { logger: vega.logger(vega.Error) }).spec;
  const runtime = vega.parse(compiled, null, { ast: true });
  const view = new vega.View(runtime, { expr: expressionInterpreter, renderer: "canvas", hover: false });
  view.logLevel(vega.Error);
  view.tooltip((/** @type {any[]} */ ...[, event, , value]) => onTooltip(event, value));
  await view.initialize(element).hover().runAsync();
  return view;
}
