/** @file Keys of an editor for YAML: Tab indents, Enter keeps the indentation, Ctrl+S saves. */

const STEP = "  ";

/**
 * Use a key; Escape leaves the text, so that Tab goes to what comes after it.
 * @param {KeyboardEvent} event
 * @param {HTMLTextAreaElement} area
 * @param {() => void} [onSave]
 */
export function onKey(event, area, onSave) {
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key.toLowerCase() === "s") {
    event.preventDefault();
    onSave?.();
    return;
  }
  if (isCommand || event.altKey || area.readOnly) return;
  if (event.key === "Tab") {
    event.preventDefault();
    indent(area, event.shiftKey);
  } else if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    const line = area.value.slice(area.value.lastIndexOf("\n", area.selectionStart - 1) + 1, area.selectionStart);
    const lead = /^\s*/.exec(line)?.[0] ?? "";
    insert(area, `\n${lead}${/:\s*$/.test(line) && line.trim() ? STEP : ""}`);
  }
}

/**
 * Indent the lines of the selection, or put spaces at the caret.
 * @param {HTMLTextAreaElement} area
 * @param {boolean} isBack
 */
function indent(area, isBack) {
  const { value, selectionStart, selectionEnd } = area;
  const first = value.lastIndexOf("\n", selectionStart - 1) + 1;
  if (!isBack && selectionStart === selectionEnd) {
    insert(area, " ".repeat(STEP.length - ((selectionStart - first) % STEP.length)));
    return;
  }
  const end = selectionEnd > selectionStart && value[selectionEnd - 1] === "\n" ? selectionEnd - 1 : selectionEnd;
  const last = value.indexOf("\n", end) < 0 ? value.length : value.indexOf("\n", end);
  const lines = value.slice(first, last).split("\n");
  const changed = lines.map((line) => (isBack ? line.replace(/^ {1,2}/, "") : line && STEP + line));
  if (changed.every((line, index) => line === lines[index])) return;
  area.setSelectionRange(first, last);
  insert(area, changed.join("\n"));
  const moved = changed[0].length - lines[0].length;
  if (selectionStart === selectionEnd) area.setSelectionRange(...pair(Math.max(first, selectionStart + moved)));
  else area.setSelectionRange(first, first + changed.join("\n").length);
}

/**
 * @param {number} at
 * @returns {[number, number]}
 */
const pair = (at) => [at, at];

/**
 * Type a text in place of the selection, so that it can be undone.
 * @param {HTMLTextAreaElement} area
 * @param {string} text
 */
function insert(area, text) {
  area.focus();
  if (document.execCommand("insertText", false, text)) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}
