"""Encodings of values: JSON, base 64, checksums, paths."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import posixpath
import zlib
from typing import TYPE_CHECKING, Any, Final

from kubestage.golang.template import limits
from kubestage.golang.template.functions import Function
from kubestage.golang.template.values import ANY, STRING, Number, decoded, encoded

if TYPE_CHECKING:
    from collections.abc import Callable

_HTML: Final = "&<>\u2028\u2029"


def plain(value: Any) -> Any:
    """The value with plain numbers instead of `Number`."""
    if isinstance(value, (list, dict)):
        count, depth = limits.tree(value)
        # An indented text repeats spaces for each level above a line.
        limits.text(2 * count * depth)
    return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Number):
        return json.loads(value)
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def to_json(value: Any, indent: int | None = None, *, raw: bool = False) -> str:
    """A value as Go's JSON: keys in order, and safe within HTML unless raw."""
    marks = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(
        plain(value), ensure_ascii=False, sort_keys=True, separators=marks, indent=indent
    )
    if not raw:
        for character in _HTML:
            text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _from_json(text: str, *, strict: bool = False) -> Any:
    try:
        return json.loads(text, parse_int=float)
    except ValueError:
        if strict:
            raise
        return None


def _decoder(decode: Callable[[bytes], bytes]) -> Callable[[str], str]:
    def call(text: str) -> str:
        try:
            return decoded(decode(encoded(text)))
        except (binascii.Error, ValueError) as problem:
            return str(problem)

    return call


def _clean(path: str) -> str:
    return posixpath.normpath(path).replace("//", "/", 1) if path else "."


def _base(path: str) -> str:
    stripped = path.rstrip("/")
    return posixpath.basename(stripped) or ("/" if path else ".")


_TEXT: Final = (STRING,)

FUNCTIONS: Final[dict[str, Function]] = {
    "toJson": Function(to_json, (ANY,)),
    "mustToJson": Function(to_json, (ANY,)),
    "toPrettyJson": Function(lambda value: to_json(value, 2), (ANY,)),
    "mustToPrettyJson": Function(lambda value: to_json(value, 2), (ANY,)),
    "toRawJson": Function(lambda value: to_json(value, raw=True), (ANY,)),
    "mustToRawJson": Function(lambda value: to_json(value, raw=True), (ANY,)),
    "fromJson": Function(_from_json, _TEXT),
    "mustFromJson": Function(lambda text: _from_json(text, strict=True), _TEXT),
    "b64enc": Function(lambda text: base64.b64encode(encoded(text)).decode(), _TEXT),
    "b64dec": Function(_decoder(lambda data: base64.b64decode(data, validate=True)), _TEXT),
    "b32enc": Function(lambda text: base64.b32encode(encoded(text)).decode(), _TEXT),
    "b32dec": Function(_decoder(base64.b32decode), _TEXT),
    "sha1sum": Function(
        lambda text: hashlib.sha1(encoded(text), usedforsecurity=False).hexdigest(), _TEXT
    ),
    "sha256sum": Function(lambda text: hashlib.sha256(encoded(text)).hexdigest(), _TEXT),
    "sha512sum": Function(lambda text: hashlib.sha512(encoded(text)).hexdigest(), _TEXT),
    "adler32sum": Function(lambda text: str(zlib.adler32(encoded(text))), _TEXT),
    "base": Function(_base, _TEXT),
    "dir": Function(lambda path: _clean(posixpath.dirname(path)), _TEXT),
    "clean": Function(_clean, _TEXT),
    "ext": Function(lambda path: posixpath.splitext("x" + path)[1], _TEXT),
    "isAbs": Function(lambda path: path.startswith("/"), _TEXT),
}
