"""Strings as Go's ``strconv.Quote`` and the verb ``%q`` print them."""

from __future__ import annotations

from typing import Final

_ESCAPES: Final = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v",
    "\\": "\\\\",
}  # fmt: skip


def quote(text: str, mark: str = '"', ascii_only: bool = False) -> str:
    """The text as a Go literal between two marks.

    A byte that is not UTF-8, which Python has as a lone surrogate, becomes ``\\x..``.
    """
    if text.isprintable() and mark not in text and "\\" not in text and not ascii_only:
        return f"{mark}{text}{mark}"
    return mark + "".join(_escape(each, mark, ascii_only) for each in text) + mark


def _escape(character: str, mark: str, ascii_only: bool) -> str:
    if character == mark:
        return "\\" + mark
    known = _ESCAPES.get(character)
    if known is not None:
        return known
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if character.isprintable() and (code < 0x80 or not ascii_only):
        return character
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
