/** @file How two texts differ, line by line, and a text of both changes. */

import { h } from "../dom.js";

/** @typedef {{kind: " " | "-" | "+", text: string}} Line */

const MOST_CELLS = 4_000_000;
const CONTEXT = 2;

/**
 * The lines of both texts in one list: those of both, those that are gone, those that are new.
 * @param {string[]} before @param {string[]} after
 * @returns {Line[]}
 */
export function compare(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const same = (/** @type {string[]} */ lines) => lines.map((text) => ({ kind: /** @type {const} */ (" "), text }));
  return [
    ...same(before.slice(0, start)),
    ...between(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(end ? before.slice(-end) : []),
  ];
}

/**
 * By the longest common subsequence.
 * @param {string[]} a @param {string[]} b
 * @returns {Line[]}
 */
function between(a, b) {
  /** @type {Line[]} */
  const found = [];
  const width = b.length + 1;
  // Texts that have nothing in common need not be compared to the end.
  const isLarge = (a.length + 1) * width > MOST_CELLS;
  const table = new Uint32Array(isLarge ? 0 : (a.length + 1) * width);
  for (let i = a.length - 1; i >= 0 && !isLarge; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        a[i] === b[j]
          ? table[(i + 1) * width + j + 1] + 1
          : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push({ kind: " ", text: a[i] });
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || isLarge || table[(i + 1) * width + j] >= table[i * width + j + 1])) {
      found.push({ kind: "-", text: a[i] });
      i += 1;
    } else {
      found.push({ kind: "+", text: b[j] });
      j += 1;
    }
  }
  return found;
}

/**
 * What each line of the base has become: [what comes before it, whether it is still there].
 * @param {string[]} base @param {string[]} text
 */
function fates(base, text) {
  const before = Array.from({ length: base.length + 1 }, () => /** @type {string[]} */ ([]));
  const isKept = new Array(base.length).fill(true);
  let at = 0;
  for (const line of compare(base, text)) {
    if (line.kind === "+") before[at].push(line.text);
    else {
      isKept[at] = line.kind === " ";
      at += 1;
    }
  }
  return { before, isKept };
}

/**
 * A text with the changes of both; null where both changed the same lines.
 * @param {string} base @param {string} mine @param {string} theirs
 * @returns {string | null}
 */
export function merge(base, mine, theirs) {
  const lines = base.split("\n");
  const [a, b] = [fates(lines, mine.split("\n")), fates(lines, theirs.split("\n"))];
  /** @type {string[]} */
  const merged = [];
  for (let at = 0; at <= lines.length; at += 1) {
    const [own, other] = [a.before[at], b.before[at]];
    const isSame = own.join("\n") === other.join("\n");
    if (own.length && other.length && !isSame) return null;
    merged.push(...(own.length ? own : other));
    if (at === lines.length) break;
    // A line that one has replaced and the other has removed or replaced belongs to both.
    const isDrawn = a.before[at + 1].join("\n") !== b.before[at + 1].join("\n");
    if (!a.isKept[at] && !b.isKept[at] && isDrawn) return null;
    if (a.isKept[at] && b.isKept[at]) merged.push(lines[at]);
  }
  return merged.join("\n");
}

/**
 * The difference for people; long equal parts are left out.
 * @param {string} before @param {string} after @param {string} label
 */
export function view(before, after, label) {
  const lines = compare(before.split("\n"), after.split("\n"));
  const around = (/** @type {number} */ index) => lines.slice(Math.max(index - CONTEXT, 0), index + CONTEXT + 1);
  const isNear = lines.map((_, index) => around(index).some((line) => line.kind !== " "));
  if (!isNear.includes(true)) return h("p", { className: "faint" }, "There is no difference.");
  /** @type {any[]} */
  const rows = [];
  lines.forEach((line, index) => {
    if (isNear[index]) {
      const [tag, word] = line.kind === "+" ? ["ins", "added"] : line.kind === "-" ? ["del", "removed"] : ["span", ""];
      rows.push(h(tag, { "aria-label": word ? `${word}: ${line.text}` : null }, `${line.kind} ${line.text}\n`));
    } else if (isNear[index - 1]) rows.push(h("span", { className: "faint" }, "…\n"));
  });
  return h("pre", { className: "difference", tabIndex: 0, role: "group", "aria-label": label }, rows);
}
