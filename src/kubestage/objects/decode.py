"""From a request body to an object of a kind, as strictly as the caller requests.

``Strict`` refuses unknown and repeated fields, ``Warn`` reports them, ``Ignore`` accepts them;
wrong types are refused always. Messages are those of the real API server.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from kubestage import errors
from kubestage.objects import (
    go_decoder,
    go_scanner,
    known_versions,
    nesting,
    schema,
    type_check,
)
from kubestage.objects.validation import field

FieldValidation = Literal["Strict", "Warn", "Ignore"]

_HEAD: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)
_NO_HEAD: Final = "couldn't get version/kind; json parse error"
_NAMES: Final = {list: "array", str: "string", go_scanner.Number: "number", bool: "bool"}
_decode_json: Final = msgspec.json.Decoder().decode
_encode_json: Final = msgspec.json.Encoder().encode


class Decoded(msgspec.Struct, frozen=True):
    """An object, and what was tolerated in it."""

    object: dict[str, Any]
    warnings: tuple[str, ...] = ()


def decode(
    body: bytes | dict[str, Any],
    api_version: str,
    kind: str,
    field_validation: FieldValidation = "Strict",
) -> Decoded:
    """The object in `body`; BadRequest if it cannot be one of that kind.

    A dict is taken as parsed JSON and not changed; it cannot hold repeated fields.
    """
    struct = schema.kind_struct(api_version, kind)
    obj = _quickly(body)
    if (
        obj is not None
        and obj.get("kind") == kind
        and obj.get("apiVersion") == api_version
        and (struct is None or type_check.fits(struct, obj))
    ):
        return Decoded(obj)
    return _carefully(body, api_version, kind, field_validation)


def _quickly(body: bytes | dict[str, Any]) -> dict[str, Any] | None:
    """The parsed body, or None if it needs a closer look."""
    if isinstance(body, dict):
        return body
    try:
        obj = _decode_json(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if nesting.is_too_deep(obj, body):
        return None
    # A repeated field is lost in the dict, and with it at least two quotes.
    if type(obj) is not dict or _encode_json(obj).count(b'"') != body.count(b'"'):
        return None
    return None if b"\\u" in body else obj


def _carefully(
    body: bytes | dict[str, Any], api_version: str, kind: str, field_validation: FieldValidation
) -> Decoded:
    raw = body if isinstance(body, bytes) else _encode_json(body)
    try:
        parsed = _scan(raw) if isinstance(body, bytes) else go_decoder.pairs(body)
        parsed = go_scanner.Pairs() if parsed is None else parsed
        stated_version, stated_kind = _head(parsed)
    except ValueError as error:
        raise errors.BadRequest(
            f"the object provided is unrecognized (must be of type {kind}): {error} "
            f"({_summary(raw)})"
        ) from error
    actual_version, actual_kind = stated_version or api_version, stated_kind or kind
    struct = schema.kind_struct(actual_version, actual_kind)
    decoder = go_decoder.Decoder()
    if struct is not None:
        obj = decoder.struct(struct.name, parsed, "")
    else:
        obj = go_decoder.plain(parsed)
    refuse = _Refusal(actual_version, actual_kind, kind)
    if (actual_version, actual_kind) != (api_version, kind):
        _check_kind(refuse, api_version, kind, decoder)
    elif struct is None:
        decoder.strict += repeated(parsed)
    if decoder.problem is not None:
        raise refuse(decoder.problem)
    if decoder.strict and field_validation == "Strict":
        raise refuse(f"strict decoding error: {', '.join(decoder.strict)}")
    obj["apiVersion"], obj["kind"] = api_version, kind
    return Decoded(obj, tuple(decoder.strict) if field_validation == "Warn" else ())


class _Refusal(msgspec.Struct, frozen=True):
    """The error of a body that cannot be handled as the requested kind."""

    api_version: str
    kind: str
    requested: str

    def __call__(self, why: str) -> errors.BadRequest:
        version = self.api_version.rpartition("/")[2]
        return errors.BadRequest(
            f'{self.kind} in version "{version}" cannot be handled as a {self.requested}: {why}'
        )


def _check_kind(refuse: _Refusal, api_version: str, kind: str, decoder: go_decoder.Decoder) -> None:
    """Refuse a body of another kind or version than the request's."""
    if not known_versions.is_known(refuse.api_version, refuse.kind):
        raise refuse(
            f'no kind "{refuse.kind}" is registered for version "{refuse.api_version}" '
            f'in scheme "pkg/api/legacyscheme/scheme.go:30"'
        )
    if decoder.problem is not None:
        raise refuse(decoder.problem)
    if not known_versions.converts(refuse.api_version, refuse.kind, api_version, kind):
        version = refuse.api_version.rpartition("/")[2]
        package = known_versions.go_package(api_version)
        raise refuse(
            f"converting ({version}.{refuse.kind}) to ({package}.{kind}): unknown conversion"
        )
    raise errors.BadRequest(
        f"the API version in the data ({refuse.api_version}) does not match the expected "
        f"API version ({api_version})"
    )


def _scan(raw: bytes) -> Any:
    try:
        return go_scanner.scan(raw)
    except go_scanner.SyntaxProblem as error:
        raise ValueError(f"{_NO_HEAD}: {error}") from error


def _head(parsed: Any) -> tuple[str, str]:
    """apiVersion and kind; these two are found whatever the case of their letters."""
    prefix = f"{_NO_HEAD}: json: cannot unmarshal"
    if not isinstance(parsed, go_scanner.Pairs):
        raise ValueError(f"{prefix} {_NAMES[type(parsed)]} into Go value of type {_HEAD}")
    found = {"apiVersion": "", "kind": ""}
    for key, value in parsed:
        for name in found:
            if key.lower() != name.lower() or value is None:
                continue
            if not isinstance(value, str) or isinstance(value, go_scanner.Number):
                what = _NAMES.get(type(value), "object")
                raise ValueError(f"{prefix} {what} into Go struct field .{name} of type string")
            found[name] = value
    if found["apiVersion"].count("/") > 1:
        raise ValueError(f"unexpected GroupVersion string: {found['apiVersion']}")
    return found["apiVersion"], found["kind"]


def _summary(body: bytes) -> str:
    if not body:
        return "<empty>"
    start = body[:30]
    shown = start.decode("utf-8", "replace") if body.startswith(b"{") else start.hex()
    return f"{shown} ..." if len(body) > 30 else shown


def repeated(value: Any, path: str = "") -> list[str]:
    """Repeated fields of a scanned object whose type is not known."""
    found: list[str] = []
    if isinstance(value, go_scanner.Pairs):
        seen: set[str] = set()
        for key, item in value:
            where = f"{path}.{key}" if path else key
            if key in seen:
                found.append(f"duplicate field {field.quote(where)}")
            seen.add(key)
            found += repeated(item, where)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += repeated(item, f"{path}[{index}]")
    return found
