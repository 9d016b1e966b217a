"""Texts in quotes, as Go reads them; single quotes hold a text too."""

from __future__ import annotations

import re
from typing import Final

from kubestage.objects.jsonpath.failures import JSONPathError

_PIECE: Final = re.compile(
    r"""\\(?:(?P<plain>[abfnrtv\\'"])|x(?P<byte>[0-9a-fA-F]{2})|(?P<octal>[0-7]{3})"""
    r"""|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8}))|(?P<text>[^\\]+)"""
)
_PLAIN: Final = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_SURROGATES: Final = range(0xD800, 0xE000)
_LAST_CODE: Final = 0x10FFFF


def unquote(quoted: str) -> str:
    """The text that stands between two equal quotes."""
    mark, inside = quoted[0], quoted[1:-1]
    if len(quoted) < 2 or quoted[-1] != mark:
        raise _refused(quoted)
    written = bytearray()
    at = 0
    while at < len(inside):
        piece = _PIECE.match(inside, at)
        if piece is None:
            raise _refused(quoted)
        written += _bytes(piece, mark, quoted)
        at = piece.end()
    return written.decode("utf-8", "replace")


def _bytes(piece: re.Match[str], mark: str, quoted: str) -> bytes:
    kind = piece.lastgroup or ""
    found = piece[kind]
    if kind == "text":
        if mark in found:
            raise _refused(quoted)
        return found.encode()
    if kind == "plain":
        if found in "'\"" and found != mark:
            raise _refused(quoted)
        return bytes([_PLAIN.get(found, ord(found))])
    code = int(found, 8 if kind == "octal" else 16)
    if kind in ("octal", "byte"):
        if code > 0xFF:
            raise _refused(quoted)
        return bytes([code])
    if code in _SURROGATES or code > _LAST_CODE:
        raise _refused(quoted)
    return chr(code).encode()


def _refused(quoted: str) -> JSONPathError:
    return JSONPathError(f"unquote string {quoted} error invalid syntax")
