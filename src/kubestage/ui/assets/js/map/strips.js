/** @file Fills a box with rectangles of given areas, in order, from the bottom: a strip treemap. */

/** What requests nothing is drawn this large. */
const LEAST = 1 / 300;

/**
 * The rectangles of parts of a box: x, y, width and height of each.
 * @param {number[]} parts parts of the whole; together more than 1 if the box is overcommitted
 * @param {{x: number, y: number, side: number}} box
 * @returns {Float32Array}
 */
export function fillBox(parts, { x, y, side }) {
  const rects = new Float32Array(parts.length * 4);
  let sum = 0;
  const areas = parts.map((part) => {
    const area = Math.max(part, LEAST);
    sum += area;
    return area;
  });
  const shrunk = sum > 1 ? 1 / sum : 1;
  let bottom = y + side;
  for (let start = 0; start < areas.length;) {
    const { end, height } = strip(areas, start, shrunk);
    let left = x;
    for (let index = start; index < end; index += 1) {
      const width = (areas[index] * shrunk / height) * side;
      rects.set([left, bottom - height * side, width, height * side], index * 4);
      left += width;
    }
    bottom -= height * side;
    start = end;
  }
  return rects;
}

/**
 * The next strip: as many parts as make its rectangles most like squares.
 * @param {number[]} areas @param {number} start @param {number} shrunk
 */
function strip(areas, start, shrunk) {
  let sum = 0;
  let best = Infinity;
  let end = start;
  while (end < areas.length) {
    const next = sum + areas[end] * shrunk;
    const area = areas[end] * shrunk;
    const worst = Math.max(next * next / area, area / (next * next));
    if (worst > best && end > start) break;
    best = worst;
    sum = next;
    end += 1;
  }
  return { end, height: sum };
}
