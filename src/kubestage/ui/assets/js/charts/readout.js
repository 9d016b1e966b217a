/** @file What the lines of a chart are at a moment. */

/**
 * The values of one line or area, by time.
 * @typedef {{name: string, times: number[], values: (number | null)[]}} Series
 */

/**
 * All series of a chart.
 * @param {any} spec @returns {Series[]}
 */
export function seriesOf(spec) {
  /** @type {Map<string, {time: number, value: number | null}[]>} */
  const found = new Map();
  for (const rows of Object.values(spec.datasets ?? {})) {
    for (const row of rows) {
      if (typeof row.series !== "string" || typeof row.time !== "number" || !("value" in row)) continue;
      const there = found.get(row.series);
      if (there) there.push(row);
      else found.set(row.series, [row]);
    }
  }
  return [...found].map(([name, rows]) => {
    rows.sort((a, b) => a.time - b.time);
    return { name, times: rows.map((row) => row.time), values: rows.map((row) => row.value) };
  });
}

/**
 * The newest value until a moment; null if there is none.
 * @param {Series} series @param {number} time
 */
export function valueAt(series, time) {
  let low = 0;
  let high = series.times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series.times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low ? series.values[low - 1] : null;
}

/**
 * A number, short.
 * @param {number} value
 */
export const number = (value) => value.toLocaleString("en", { maximumSignificantDigits: value >= 1000 ? 6 : 4 });
