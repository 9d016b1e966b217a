"""YAML in the exact form in which kubectl and the API machinery write it.

Block style, two spaces, sequences not indented below their key, keys in natural order, lines
folded at 80 columns, strings quoted where a YAML 1.1 reader would take them for something else.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from typing import Any, Final

from kubestage.golang import floats, integers

_WIDTH: Final = 80
_INDENT: Final = 2
_WORD: Final = re.compile(
    r"|~|null|Null|NULL|[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF"
    r"|true|True|TRUE|false|False|FALSE|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_INTEGER: Final = re.compile(r"[-+]?(0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_BASE_60: Final = re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?")
_TIMESTAMP: Final = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)"
    r"(?:(?:([Tt])| )(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(?(4)(?:Z|[-+]\d\d:\d\d)))?",
    re.ASCII,
)
_BREAKS: Final = "\r\n\x85\u2028\u2029"
_ESCAPES: Final = {
    "\0": "0",
    "\a": "a",
    "\b": "b",
    "\t": "t",
    "\n": "n",
    "\v": "v",
    "\f": "f",
    "\r": "r",
    "\x1b": "e",
    '"': '"',
    "\\": "\\",
    "\x85": "N",
    "\u2028": "L",
    "\u2029": "P",
}
_NEVER_FIRST: Final = frozenset("#,[]{}&*!|>'\"%@`")


@functools.cache
def _unprintable() -> re.Pattern[str]:
    # NOTE: takes 5 ms to compile, and most commands write no YAML.
    return re.compile("[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]")


def dump(value: Any) -> str:
    """The value as a YAML document, with a line break at the end."""
    lines: list[str] = []
    if isinstance(value, dict) and value:
        _mapping(value, 0, "", lines)
    elif isinstance(value, list) and value:
        _sequence(value, 0, "", lines)
    else:
        lines.append(_scalar(value, 0, _INDENT))
    return "\n".join(lines) + "\n"


def _mapping(value: dict[str, Any], indent: int, first: str, lines: list[str]) -> None:
    """One line a key; `first` is what already stands on the first line ("- ")."""
    lead = first
    for key in sorted(value, key=functools.cmp_to_key(_compare_keys)):
        item = value[key]
        start = f"{lead}{_key(key)}:"
        if isinstance(item, dict) and item:
            lines.append(start)
            _mapping(item, indent + _INDENT, " " * (indent + _INDENT), lines)
        elif isinstance(item, list) and item:
            lines.append(start)
            _sequence(item, indent, " " * indent, lines)
        else:
            lines.append(f"{start} {_scalar(item, len(start) + 1, indent + _INDENT)}")
        lead = " " * indent


def _sequence(value: list[Any], indent: int, first: str, lines: list[str]) -> None:
    lead = first
    for item in value:
        start = f"{lead}- "
        if isinstance(item, dict) and item:
            _mapping(item, indent + _INDENT, start, lines)
        elif isinstance(item, list) and item:
            _sequence(item, indent + _INDENT, start, lines)
        else:
            lines.append(start + _scalar(item, len(start), indent + _INDENT))
        lead = " " * indent


def _key(key: str) -> str:
    if any(character in _BREAKS for character in key):
        return _double_quoted(key, 0, 0, fold=False)
    return _string(key, 0, 0, fold=False)


def _scalar(value: Any, column: int, indent: int) -> str:
    if isinstance(value, str):
        if "\n" in value and _fits_literal(value):
            return _literal(value, indent)
        return _string(value, column, indent, fold=True)
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list):
        return "[]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not (value.is_integer() and abs(value) < 2**63):
        return floats.text(value)
    return str(int(value))


def _string(text: str, column: int, indent: int, fold: bool) -> str:
    if _reads_as_other(text) or "\n" in text or _needs_escapes(text):
        return _double_quoted(text, column, indent, fold)
    if _plain(text):
        return _folded(text, column, indent) if fold else text
    quoted = "'" + text.replace("'", "''") + "'"
    return _folded(quoted, column, indent) if fold else quoted


def _reads_as_other(text: str) -> bool:
    """Whether a reader would not take the bare text for a string."""
    if _WORD.fullmatch(text):
        return True
    if text[0] not in "+-.0123456789":
        return False
    if text[0] == ".":
        return _FLOAT.fullmatch(text) is not None
    bare = text.replace("_", "")
    return (
        _INTEGER.fullmatch(bare) is not None
        or _FLOAT.fullmatch(bare) is not None
        or _BASE_60.fullmatch(text) is not None
        or _is_timestamp(text)
    )


def _is_timestamp(text: str) -> bool:
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return False
    year, month, day, _, *clock = match.groups()
    try:
        dt.date(int(year) or 4, int(month), int(day))
    except ValueError:
        return False
    return all(int(part or 0) < limit for part, limit in zip(clock, (24, 60, 60), strict=True))


def _needs_escapes(text: str) -> bool:
    return _unprintable().search(text) is not None or any(mark in text for mark in _BREAKS[2:])


def _plain(text: str) -> bool:
    if text[0] in _NEVER_FIRST or text[0] == " " or text[-1] == " ":
        return False
    if text.startswith(("---", "...")) or text in ("?", ":", "-"):
        return False
    if text[0] in "?:-" and text[1] == " ":
        return False
    return ": " not in text and " #" not in text and not text.endswith(":")


def _fits_literal(text: str) -> bool:
    return (
        _unprintable().search(text) is None
        and " \n" not in text
        and not text.endswith(" ")
        and not any(mark in text for mark in _BREAKS[2:])
    )


def _literal(text: str, indent: int) -> str:
    hint = str(_INDENT) if text[0] in " \n" else ""
    if not text.endswith("\n"):
        hint += "-"
    elif text == "\n" or text.endswith("\n\n"):
        hint += "+"
    body = [" " * indent + line if line else "" for line in text.split("\n")]
    if text.endswith("\n"):
        body.pop()
    return "\n".join([f"|{hint}", *body])


def _folded(text: str, column: int, indent: int) -> str:
    """Broken at single spaces beyond the preferred width."""
    if column + len(text) <= _WIDTH:
        return text
    pieces: list[str] = []
    start = 0
    for match in re.finditer(r"(?<! ) (?! )", text):
        at = match.start()
        if column + at - start > _WIDTH and 0 < at < len(text) - 1:
            pieces.append(text[start:at])
            start = at + 1
            column = indent
    pieces.append(text[start:])
    return ("\n" + " " * indent).join(pieces)


def _double_quoted(text: str, column: int, indent: int, fold: bool) -> str:
    written = ['"']
    column += 1
    spaced = False
    for at, character in enumerate(text):
        if character == " " and fold and not spaced and column > _WIDTH and 0 < at < len(text) - 1:
            written.append("\n" + " " * indent + ("\\" if text[at + 1] == " " else ""))
            column = indent + (text[at + 1] == " ")
        else:
            shown = _escaped(character)
            written.append(shown)
            column += len(shown)
        spaced = character == " "
    written.append('"')
    return "".join(written)


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return "\\" + _ESCAPES[character]
    if _unprintable().match(character) is None:
        return character
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _compare_keys(left: str, right: str) -> int:
    """Natural order: digits by number, letters after everything else."""
    for at, (one, other) in enumerate(zip(left, right, strict=False)):
        if one == other:
            continue
        if one.isalpha() or other.isalpha():
            if one.isalpha() and other.isalpha():
                return -1 if one < other else 1
            return -1 if other.isalpha() else 1
        return _compare_numbers(left, right, at)
    return len(left) - len(right)


def _compare_numbers(left: str, right: str, at: int) -> int:
    carried = 0
    if "0" in (left[at], right[at]):
        before = re.search(r"[0-9]*$", left[:at])
        carried = 1 if before and before.group().strip("0") else 0
    digits = [re.match(r"[0-9]*", text[at:]) for text in (left, right)]
    runs = [match.group() if match else "" for match in digits]
    numbers = [integers.parse(f"{carried or ''}{run}" or "0") for run in runs]
    if numbers[0] != numbers[1]:
        return numbers[0] - numbers[1]
    if len(runs[0]) != len(runs[1]):
        return len(runs[0]) - len(runs[1])
    return -1 if left[at] < right[at] else 1
