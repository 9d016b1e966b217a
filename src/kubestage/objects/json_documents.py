"""JSON text to plain values: one document, or several one after the other as kubectl takes them."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import nesting

_POSITION: Final = re.compile(r"(?:JSON is malformed: )?(.*?)(?: \(byte (\d+)\))?")
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_YAML_FLOW: Final = re.compile(rb"\s*[{\[]\s*[^\s\"{}\[\]]")
_FIXES: Final = {
    "trailing comma in object": "remove the comma before the brace",
    "trailing comma in array": "remove the comma before the bracket",
    "expected ',' or '}'": "put a comma between the entries, or close the brace",
    "expected ',' or ']'": "put a comma between the entries, or close the bracket",
    "expected ':'": "put a colon between the key and its value",
    "object keys must be strings": "put the key in double quotes",
    "Input data was truncated": "the end is missing: close what is open",
}
# As lenient as what reads the values; only the ends are of interest.
_DECODER: Final = json.JSONDecoder(strict=False, parse_int=len)


def looks_like_json(data: bytes) -> bool:
    """Whether the first character is one with which JSON objects and lists start."""
    return data.lstrip()[:1] in (b"{", b"[")


def may_be_yaml(data: bytes) -> bool:
    """Whether a text that starts like JSON may be YAML: unquoted keys, or several documents."""
    return b"\n---" in data or _YAML_FLOW.match(data) is not None


def read(data: bytes) -> list[tuple[Any, int]]:
    """Each document with the line on which it starts."""
    try:
        return _read(data)
    except RecursionError:
        raise _too_deep() from None
    except UnicodeDecodeError:
        raise InputError("not UTF-8", fix="save the file in UTF-8") from None


def _read(data: bytes) -> list[tuple[Any, int]]:
    try:
        return [(_value(data), _line(data, len(data) - len(data.lstrip())))]
    except msgspec.DecodeError as error:
        if "trailing characters" not in str(error):
            raise _explain(error, data, 0) from None
    text = data.decode()
    documents, offset = [], 0
    for start, end in extents(text):
        part, offset = text[start:end].encode(), len(text[:start].encode())
        try:
            documents.append((_value(part), _line(data, offset)))
        except msgspec.DecodeError as error:
            raise _explain(error, data, offset) from None
    return documents


def _value(text: bytes) -> Any:
    value = msgspec.json.decode(text)
    if nesting.is_too_deep(value, text):
        raise _too_deep()
    return value


def _too_deep() -> InputError:
    return InputError("nested too deeply", fix="no Kubernetes object is that deep")


def extents(text: str) -> list[tuple[int, int]]:
    """Where each document starts and ends; one that is broken reaches to the end of the text."""
    found = []
    at = _skip_space(text, 0)
    while at < len(text):
        try:
            _, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError:
            end = len(text)
        found.append((at, end))
        at = _skip_space(text, end)
    return found


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def _explain(error: msgspec.DecodeError, data: bytes, start: int) -> InputError:
    match = _POSITION.fullmatch(str(error))
    assert match is not None
    problem, byte = match.groups()
    offset = len(data) if byte is None else start + int(byte)
    return InputError(
        f"not valid JSON: {problem}",
        line=_line(data.rstrip(), offset),
        fix=_FIXES.get(problem, "see the line and the one above it"),
    )
