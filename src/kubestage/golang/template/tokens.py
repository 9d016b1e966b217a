"""The tokens of the template language."""

from __future__ import annotations

from typing import Final, NamedTuple

from kubestage.golang.quote import quote

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
    """One token: its kind (a keyword is its own kind), position, text and line."""

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
