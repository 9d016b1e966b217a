/** @file The parts of a line of YAML, by what they are: for colours only, no parser. */

/** @typedef {{text: string, kind: string}} Part */

const BLOCK = /(^|\s)[|>][+-]?\d?\s*(#.*)?$/;
const KEY = /^(\s*(?:- +)*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#:"'[\]{},&*!|>%@`-][^#:]*?|[^\s#:]+?)(:)(?=\s|$)/;
const KINDS = ["string", "comment", "tag", "word", "number"];
const VALUE = new RegExp(
  [
    /("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)/,
    /(\s#.*$|^#.*$)/,
    /([&*!][^\s,\]}]+)/,
    /\b(true|false|null|~)(?=[\s,\]}]|$)/,
    /(?<![\w.:-])(-?\d[\d.]*[a-zA-Z]{0,2})(?=[\s,\]}]|$)/,
  ]
    .map((each) => each.source)
    .join("|"),
  "g",
);

/**
 * Which lines are the text of a block scalar (after "|" or ">"), in which nothing else has a meaning.
 * @param {string[]} lines
 * @returns {boolean[]}
 */
export function blockLines(lines) {
  let outer = -1;
  return lines.map((line) => {
    const indent = line.search(/\S/);
    if (outer >= 0 && (indent < 0 || indent > outer)) return true;
    outer = BLOCK.test(line) ? indent : -1;
    return false;
  });
}

/**
 * @param {string} line
 * @param {boolean} isBlock
 * @returns {Part[]}
 */
export function parts(line, isBlock) {
  if (isBlock) return [{ text: line, kind: "string" }];
  if (/^(---|\.\.\.)\s*$/.test(line)) return [{ text: line, kind: "tag" }];
  const key = KEY.exec(line);
  if (!key) return values(line);
  const [whole, lead, name, colon] = key;
  const rest = values(line.slice(whole.length));
  return [{ text: lead, kind: "" }, { text: name, kind: "key" }, { text: colon, kind: "" }, ...rest];
}

/**
 * @param {string} text
 * @returns {Part[]}
 */
function values(text) {
  /** @type {Part[]} */
  const found = [];
  let end = 0;
  for (const match of text.matchAll(VALUE)) {
    if (match.index === undefined) continue;
    if (match.index > end) found.push({ text: text.slice(end, match.index), kind: "" });
    found.push({ text: match[0], kind: KINDS[match.slice(1).findIndex((group) => group !== undefined)] });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ text: text.slice(end), kind: "" });
  return found;
}
