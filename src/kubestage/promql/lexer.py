"""The words of a query."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from kubestage.promql import mistakes, spans


class Token(msgspec.Struct, frozen=True):
    """A word, what it is and where it stands.

    `kind` is ``number``, ``span``, ``string``, ``name``, ``operator`` or ``end``. A string's
    `text` is what it says, without quotes.
    """

    kind: str
    text: str
    at: int


_TOKEN: Final = re.compile(
    r"(?P<space>(?:\s+|\#[^\n]*)+)"
    rf"|(?P<span>{spans.SPAN}(?![\w.]))"
    r"|(?P<number>0[xX][0-9a-fA-F_]+"
    r"|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?(?!\w))"
    r"|(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)"
    r"|(?P<operator>=~|!~|==|!=|<=|>=|[-+*/%^=<>(){}\[\],@:])",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))", re.DOTALL
)
_SIMPLE: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"',
}  # fmt: skip


def tokens(text: str) -> list[Token]:
    """All words of a query, the end of it last."""
    found: list[Token] = []
    at, is_ranged = 0, False
    while at < len(text):
        # A name may begin with a colon, but not where a colon parts a range from its step.
        if is_ranged and text[at] == ":":
            found.append(Token("operator", ":", at))
            at += 1
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise _strange(text, at)
        kind = match.lastgroup
        assert kind is not None
        if kind == "string":
            found.append(Token(kind, _unquoted(text, at, match[0]), at))
        elif kind != "space":
            found.append(Token(kind, match[0], at))
            is_ranged = match[0] == "[" or (is_ranged and match[0] != "]")
        at = match.end()
    found.append(Token("end", "", len(text)))
    return found


def _strange(text: str, at: int) -> mistakes.QueryError:
    if text[at] in "\"'`":
        return mistakes.at(text, at, "parse error: unterminated quoted string")
    if text[at].isdigit():
        word = re.split(r"[^\w.]", text[at:], maxsplit=1)[0]
        return mistakes.at(text, at, f'parse error: bad number or duration syntax: "{word}"')
    return mistakes.at(text, at, f"parse error: unexpected character: {text[at]!r}")


def _unquoted(text: str, at: int, quoted: str) -> str:
    inner = quoted[1:-1]
    if quoted[0] == "`" or "\\" not in inner:
        return inner
    # Escapes of bytes may together make up a character.
    parts: list[bytes] = []
    end = 0
    for match in _ESCAPE.finditer(inner):
        parts.append(inner[end : match.start()].encode())
        parts.append(_escaped(text, at + 1 + match.start(), match))
        end = match.end()
    parts.append(inner[end:].encode())
    return b"".join(parts).decode("utf-8", "replace")


def _escaped(text: str, at: int, match: re.Match[str]) -> bytes:
    byte, short, long, octal, simple = match.groups()
    if byte or octal:
        return bytes([(int(byte, 16) if byte else int(octal, 8)) & 0xFF])
    if short or long:
        return chr(int(short or long, 16)).encode("utf-8", "replace")
    if simple not in _SIMPLE:
        raise mistakes.at(text, at, f"parse error: unknown escape sequence U+{ord(simple):04X}")
    return _SIMPLE[simple].encode()
