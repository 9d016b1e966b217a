"""JSON read as Go reads it: every key kept, numbers as written, errors in Go's words.

Slower than a JSON library by far and used only for bodies in which something is odd.
"""

from __future__ import annotations

import re
from typing import Any, Final

from kubestage.errors import MalformedValue
from kubestage.objects import nesting

END: Final = "unexpected end of JSON input"
_SPACE: Final = " \t\r\n"
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_plain: Final = re.compile(r'[^"\\\x00-\x1f]*').match
_digits: Final = re.compile("[0-9]*").match
_ESCAPES: Final = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
_LITERALS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}


class SyntaxProblem(MalformedValue):
    """Text that is not JSON; the message is Go's."""


class Number(str):
    """A number as it was written."""

    __slots__ = ()


class Pairs(list[tuple[str, Any]]):
    """An object with its keys in order, repeated ones included."""

    __slots__ = ()


def scan(body: bytes) -> Any:
    """The one value in `body`: Pairs, list, str, Number, bool or None."""
    # One character a byte: that is how Go counts where something is wrong.
    reader = _Reader(body.decode("latin-1"))
    value = reader.value()
    reader.skip_space()
    if reader.at < len(reader.text):
        raise reader.unexpected("after top-level value")
    return value


def quote_char(char: str) -> str:
    """A character in single quotes, as Go's messages show it."""
    if char == "'":
        return "'\\''"
    if char == '"':
        return "'\"'"
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\a": "\\a", "\b": "\\b", "\f": "\\f",
             "\v": "\\v", "\\": "\\\\"}  # fmt: skip
    if char in named:
        return f"'{named[char]}'"
    if char.isprintable():
        return f"'{char}'"
    return f"'\\x{ord(char):02x}'" if ord(char) < 0x80 else f"'\\u{ord(char):04x}'"


class _Reader:
    """A position in the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def unexpected(self, where: str) -> SyntaxProblem:
        if self.at >= len(self.text):
            return SyntaxProblem(END)
        return SyntaxProblem(f"invalid character {quote_char(self.character())} {where}")

    def character(self) -> str:
        """The whole character that begins here; the byte, if none does."""
        beginning = self.text[self.at : self.at + 4].encode("latin-1")
        for length in range(1, len(beginning) + 1):
            try:
                return beginning[:length].decode()
            except UnicodeDecodeError:
                continue
        return self.text[self.at]

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def skip_space(self) -> str:
        text, at = self.text, self.at
        while at < len(text) and text[at] in _SPACE:
            at += 1
        self.at = at
        return text[at] if at < len(text) else ""

    def value(self) -> Any:
        char = self.skip_space()
        if char in ("{", "["):
            return self.inner(char)
        if char == '"':
            return self.string()
        if char == "-" or char.isdigit():
            return self.number()
        for word, value in _LITERALS.items():
            if char == word[0]:
                self.literal(word)
                return value
        raise self.unexpected("looking for beginning of value")

    def inner(self, char: str) -> Any:
        """An object or an array."""
        self.depth += 1
        if self.depth > nesting.DEEPEST:
            raise SyntaxProblem(nesting.TOO_DEEP)
        value = self.object() if char == "{" else self.array()
        self.depth -= 1
        return value

    def literal(self, word: str) -> None:
        for expected in word:
            if self.peek() != expected:
                raise self.unexpected(f"in literal {word} (expecting '{expected}')")
            self.at += 1

    def number(self) -> Number:
        start = self.at
        if self.peek() == "-":
            self.at += 1
        if self.peek() == "0":
            self.at += 1
        else:
            self.digits("in numeric literal")
        if self.peek() == ".":
            self.at += 1
            self.digits("after decimal point in numeric literal")
        if self.peek() in ("e", "E"):
            self.at += 1
            if self.peek() in ("+", "-"):
                self.at += 1
            self.digits("in exponent of numeric literal")
        return Number(self.text[start : self.at])

    def digits(self, where: str) -> None:
        match = _digits(self.text, self.at)
        assert match is not None
        if match.end() == self.at:
            raise self.unexpected(where)
        self.at = match.end()

    def string(self) -> str:
        parts: list[str] = []
        self.at += 1
        while True:
            match = _plain(self.text, self.at)
            assert match is not None
            parts.append(match.group().encode("latin-1").decode("utf-8", "replace"))
            self.at = match.end()
            char = self.peek()
            if char == '"':
                self.at += 1
                return "".join(parts)
            if char != "\\":
                raise self.unexpected("in string literal")
            self.at += 1
            parts.append(self.escape())

    def escape(self) -> str:
        char = self.peek()
        if char in _ESCAPES:
            self.at += 1
            return _ESCAPES[char]
        if char != "u":
            raise self.unexpected("in string escape code")
        self.at += 1
        code = self.hex_code()
        if 0xD800 <= code < 0xDC00 and self.text.startswith("\\u", self.at):
            start = self.at
            self.at += 2
            low = self.hex_code()
            if 0xDC00 <= low < 0xE000:
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
            self.at = start
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)

    def hex_code(self) -> int:
        start = self.at
        for _ in range(4):
            if self.peek() not in _HEX or not self.peek():
                raise self.unexpected("in \\u hexadecimal character escape")
            self.at += 1
        return int(self.text[start : self.at], 16)

    def array(self) -> list[Any]:
        items: list[Any] = []
        self.at += 1
        if self.skip_space() == "]":
            self.at += 1
            return items
        while True:
            items.append(self.value())
            char = self.skip_space()
            if char not in (",", "]"):
                raise self.unexpected("after array element")
            self.at += 1
            if char == "]":
                return items

    def object(self) -> Pairs:
        pairs = Pairs()
        self.at += 1
        if self.skip_space() == "}":
            self.at += 1
            return pairs
        while True:
            if self.skip_space() != '"':
                raise self.unexpected("looking for beginning of object key string")
            key = self.string()
            if self.skip_space() != ":":
                raise self.unexpected("after object key")
            self.at += 1
            pairs.append((key, self.value()))
            char = self.skip_space()
            if char not in (",", "}"):
                raise self.unexpected("after object key:value pair")
            self.at += 1
            if char == "}":
                return pairs
