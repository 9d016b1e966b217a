"""The constants of the language: quoted texts, characters and numbers, read as Go reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from kubestage.golang.quote import quote
from kubestage.golang.template import tokens, values

_ESCAPED: Final = re.compile(
    r"\\(?:(?P<plain>[abfnrtv\\'\"])|x(?P<byte>[0-9a-fA-F]{2})|(?P<octal>[0-7]{3})"
    r"|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8}))"
)
_PLAIN: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
}
_OLD_OCTAL: Final = re.compile(r"([+-]?)0_?([0-7](?:_?[0-7])*)")
_LARGEST_INT: Final = 2**63 - 1
_LARGEST_UINT: Final = 2**64 - 1
_SYNTAX: Final = "invalid syntax"


def unquote(literal: str) -> str:
    """The value of a Go string literal; ValueError if it is none."""
    mark = literal[0]
    if mark == "`":
        return literal[1:-1].replace("\r", "")
    return _unescaped(literal[1:-1], mark)


def _unescaped(text: str, mark: str) -> str:
    if "\\" not in text:
        return text
    parts: list[bytes] = []
    at = 0
    while True:
        found = text.find("\\", at)
        if found < 0:
            parts.append(values.encoded(text[at:]))
            return values.decoded(b"".join(parts))
        parts.append(values.encoded(text[at:found]))
        escape = _ESCAPED.match(text, found)
        if escape is None:
            raise ValueError(_SYNTAX)
        parts.append(_escape_bytes(escape, mark))
        at = escape.end()


def _escape_bytes(escape: re.Match[str], mark: str) -> bytes:
    kind, digits = escape.lastgroup, escape[escape.lastgroup or 0]
    if kind == "plain":
        if digits in "'\"" and digits != mark:
            raise ValueError(_SYNTAX)
        return _PLAIN[digits].encode()
    if kind == "byte":
        return bytes([int(digits, 16)])
    code = int(digits, 8 if kind == "octal" else 16)
    if kind == "octal":
        if code > 255:
            raise ValueError(_SYNTAX)
        return bytes([code])
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise ValueError(_SYNTAX)
    return chr(code).encode()


@dataclass(frozen=True, slots=True)
class Constant:
    """A number in every type that can hold it."""

    text: str
    int_value: int | None = None
    float_value: float | None = None
    complex_value: complex | None = None

    def ideal(self) -> int | float | complex:
        """The value where no type is required; ValueError if it fits none."""
        if self.complex_value is not None:
            return self.complex_value
        looks_like_float = any(each in self.text for each in ".eEpP")
        special = self.text[0] == "'" or _is_hexadecimal_int(self.text)
        if self.float_value is not None and looks_like_float and not special:
            return self.float_value
        if self.int_value is None or self.int_value > _LARGEST_INT:
            raise ValueError(f"{self.text} overflows int")
        return self.int_value


def _is_hexadecimal_int(text: str) -> bool:
    return text[:2] in ("0x", "0X") and "p" not in text and "P" not in text


def number(text: str, kind: str) -> Constant:
    """A constant from its text; ValueError if it is none."""
    if kind == tokens.CHAR_CONSTANT:
        character = _unescaped(text[1:-1], "'")
        if len(character) != 1:
            problem = _SYNTAX if not character else f"malformed character constant: {text}"
            raise ValueError(problem)
        return Constant(text, ord(character), float(ord(character)))
    if kind == tokens.COMPLEX or text.endswith("i"):
        return _complex(text)
    whole = _int(text)
    if whole is not None:
        return Constant(text, whole, float(whole))
    fraction = _float(text)
    if fraction is None:
        raise ValueError(f"illegal number syntax: {quote(text)}")
    if not any(each in text for each in ".eEpP"):
        raise ValueError(f"integer overflow: {quote(text)}")
    return Constant(text, int(fraction) if _fits(fraction) else None, fraction)


def _fits(fraction: float) -> bool:
    return abs(fraction) < 2.0**63 and fraction == int(fraction)


def _complex(text: str) -> Constant:
    try:
        value = complex(text[:-1] + "j")
    except ValueError:
        raise ValueError(f"illegal number syntax: {quote(text)}") from None
    if value.imag:
        return Constant(text, complex_value=value)
    return Constant(text, int(value.real) if _fits(value.real) else None, value.real, value)


def _int(text: str) -> int | None:
    octal = _OLD_OCTAL.fullmatch(text)
    try:
        value = int(octal[1] + octal[2], 8) if octal else int(text, 0)
    except ValueError:
        return None
    return value if -_LARGEST_INT - 1 <= value <= _LARGEST_UINT else None


def _float(text: str) -> float | None:
    hexadecimal = "0x" in text.lower()
    if hexadecimal and "p" not in text.lower():
        return None
    try:
        return float.fromhex(text.replace("_", "")) if hexadecimal else float(text)
    except (ValueError, OverflowError):
        return None
