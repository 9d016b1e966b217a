"""What is accepted of definitions and custom resources, but warned about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.custom import formats
from kubestage.objects.validation import field, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


_STANDARD: Final = ("orphan", "foregroundDeletion", "kubernetes")
_AVOID: Final = "to avoid accidental conflicts with other finalizer writers"


def on_definition(new: Json, old: Json | None = None) -> list[str]:
    """Formats that mean nothing to the server, but for those that were there before."""
    before = set() if old is None else set(_unknown_formats(old["spec"]))
    found = (each for each in _unknown_formats(new["spec"]) if each not in before)
    return [f"unrecognized format {field.quote(each)}" for each in found]


def _unknown_formats(spec: Json) -> Iterator[str]:
    for version in spec.get("versions") or ():
        yield from _in_schema((version.get("schema") or {}).get("openAPIV3Schema"))


def _in_schema(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for each in schema:
            yield from _in_schema(each)
    if not isinstance(schema, dict):
        return
    name = schema.get("format") or ""
    if name and not formats.known(schema.get("type") or "", name):
        yield name
    for keyword in ("items", "allOf", "anyOf", "oneOf", "not"):
        yield from _in_schema(schema.get(keyword))
    for child in (schema.get("properties") or {}).values():
        yield from _in_schema(child)
    yield from _in_schema(schema.get("additionalProperties"))


def on_instance(new: Json, old: Json | None = None) -> list[str]:
    """New finalizers whose names others may use too."""
    before = [] if old is None else old["metadata"].get("finalizers") or []
    added = sorted(set(new["metadata"].get("finalizers") or ()) - set(before))
    return [text for each in added for text in _finalizer(each)]


def _finalizer(name: str) -> Iterator[str]:
    start = f"metadata.finalizers: {field.quote(name)}:"
    for problem in names.is_qualified_name(name):
        yield f"{start} {problem}"
    if "/" in name or name in _STANDARD:
        return
    path = " including a path (/)" if "." in name else ""
    yield f"{start} prefer a domain-qualified finalizer name{path} {_AVOID}"
