"""The words of the template language."""

from __future__ import annotations

from typing import Final, NamedTuple

ERROR: Final = "error"
BOOL: Final = "bool"
CHAR: Final = "char"
CHAR_CONSTANT: Final = "character constant"
COMMENT: Final = "comment"
COMPLEX: Final = "complex"
ASSIGN: Final = "="
DECLARE: Final = ":="
EOF: Final = "EOF"
FIELD: Final = "field"
IDENTIFIER: Final = "identifier"
LEFT_DELIMITER: Final = "{{"
LEFT_PARENTHESIS: Final = "("
NUMBER: Final = "number"
PIPE: Final = "|"
RAW_STRING: Final = "raw string"
RIGHT_DELIMITER: Final = "}}"
RIGHT_PARENTHESIS: Final = ")"
SPACE: Final = "space"
STRING: Final = "string"
TEXT: Final = "text"
VARIABLE: Final = "variable"
DOT: Final = "."
KEYWORDS: Final = frozenset(
    [
        "block",
        "break",
        "continue",
        "define",
        "else",
        "end",
        "if",
        "range",
        "nil",
        "template",
        "with",
    ]
)


class Token(NamedTuple):
    """One word: its kind (a keyword is its own kind), place, text and line."""

    kind: str
    position: int
    text: str
    line: int

    def __str__(self) -> str:
        if self.kind == EOF:
            return "EOF"
        if self.kind == ERROR:
            return self.text
        if self.kind in KEYWORDS or self.kind == DOT:
            return f"<{self.text}>"
        if len(self.text) > 10:
            return f"{quote(self.text[:10])}..."
        return quote(self.text)


_ESCAPES: Final = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
}


def quote(text: str, mark: str = '"', ascii_only: bool = False) -> str:
    """The text as a Go literal between two marks, as `strconv.Quote` writes it."""
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
