"""Whether a schema is structural: every field is specified once, by itself, with its type.

What alternatives (``anyOf`` and the like) say about a value comes on top and may not add to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import regexp
from kubestage.objects.custom.nodes import (
    EMBEDDED,
    INT_OR_STRING,
    LIST_TYPE,
    MAP_KEYS,
    MAP_TYPE,
    PRESERVE,
    RULES,
)
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_NO_TYPE: Final = {
    "root": "must not be empty at the root",
    "item": "must not be empty for specified array items",
    "field": "must not be empty for specified object fields",
}
_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]
_UNSUPPORTED: Final = {
    "id": "id", "$schema": "schema", "$ref": "$ref", "patternProperties": "patternProperties",
    "dependencies": "dependencies", "additionalItems": "additionalItems",
    "definitions": "definitions",
}  # fmt: skip
# What a clause of an alternative may not say, in the order of the checks.
_FORBIDDEN: Final = (
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    (PRESERVE, "must be false to be structural"),
    (EMBEDDED, "must be false to be structural"),
    (INT_OR_STRING, "must be false to be structural"),
    (MAP_KEYS, "must be empty to be structural"),
    (LIST_TYPE, "must be undefined to be structural"),
    (MAP_TYPE, "must be undefined to be structural"),
    (RULES, "must be empty to be structural"),
)


def obstacle(schema: Json) -> str | None:
    """Why a schema cannot even be looked at as a structural one, if so."""
    for keyword, name in _UNSUPPORTED.items():
        if schema.get(keyword):
            return f"OpenAPIV3Schema '{name}' is not supported"
    if isinstance(schema.get("items"), list):
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    if schema.get(PRESERVE) is False:
        return f"internal error: '{PRESERVE}' must be true or undefined"
    for each in _below(schema):
        found = obstacle(each)
        if found is not None:
            return found
    return None


def _below(schema: Json) -> Iterator[Json]:
    for keyword in ("not", "items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield schema[keyword]
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(keyword) or ()
    yield from (schema.get("properties") or {}).values()


def validate(schema: Json, path: str) -> list[FieldError]:
    """What keeps a schema from being structural, sorted by message."""
    errors = [*_invariants(schema, "root", path), *_completeness(schema, schema, path, path)]
    return sorted(errors, key=str)


def _invariants(schema: Json, level: str, path: str) -> Iterator[FieldError]:
    items, additional = schema.get("items"), schema.get("additionalProperties")
    properties: Json = schema.get("properties") or {}
    if schema.get("type") == "array" and items is None:
        yield field.required(f"{path}.items", "must be specified")
    if items is not None:
        yield from _invariants(items, "item", f"{path}.items")
    for name, child in properties.items():
        yield from _invariants(child, "field", f"{path}.properties[{name}]")
    if additional is not None:
        if level == "root":
            yield field.forbidden(f"{path}.additionalProperties", "must not be used at the root")
        if isinstance(additional, dict):
            yield from _invariants(additional, "field", f"{path}.additionalProperties")
    yield from _extensions(schema, path)
    yield from _clauses(schema, path, is_spine=True)
    yield from _types(schema, level, path)
    if "metadata" in properties:
        is_meta = level == "root" or bool(schema.get(EMBEDDED))
        where = f"{path}.properties[metadata]"
        yield from _metadata(properties["metadata"], where, is_meta=is_meta, level=level)
    if schema.get(EMBEDDED) and not schema.get(PRESERVE) and not properties:
        text = f"must not be empty if {EMBEDDED} is true without {PRESERVE}"
        yield field.required(f"{path}.properties", text)


def _extensions(schema: Json, path: str) -> Iterator[FieldError]:
    if schema.get(INT_OR_STRING):
        text = f"must be false if {INT_OR_STRING} is true"
        for keyword in (PRESERVE, EMBEDDED):
            if schema.get(keyword):
                yield field.invalid(f"{path}.{keyword}", True, text)


def _types(schema: Json, level: str, path: str) -> Iterator[FieldError]:
    named = schema.get("type") or ""
    is_embedded = bool(schema.get(EMBEDDED))
    if is_embedded and named != "object":
        text = f"must be object if {EMBEDDED} is true"
        if named:
            yield field.invalid(f"{path}.type", named, text)
        else:
            yield field.required(f"{path}.type", text)
    elif not named and not schema.get(INT_OR_STRING) and not schema.get(PRESERVE):
        yield field.required(f"{path}.type", _NO_TYPE[level])
    if is_embedded and schema.get("additionalProperties") is not None:
        text = f"must not be used if {EMBEDDED} is set"
        yield field.forbidden(f"{path}.additionalProperties", text)
    if level == "root" and named not in ("", "object"):
        yield field.invalid(f"{path}.type", named, "must be object at the root")
    if level == "root" or is_embedded:
        properties = schema.get("properties") or {}
        for name in ("kind", "apiVersion"):
            if name in properties and properties[name].get("type") != "string":
                where = f"{path}.properties[{name}].type"
                yield field.invalid(where, properties[name].get("type") or "", "must be string")


def _metadata(schema: Json, path: str, *, is_meta: bool, level: str) -> Iterator[FieldError]:
    if is_meta and schema.get("type") != "object":
        yield field.invalid(f"{path}.type", schema.get("type") or "", "must be object")
    if level != "root":
        return
    keywords = {name for name, value in schema.items() if value not in (None, False, "", [], {})}
    if set(schema.get("properties") or ()) <= {"name", "generateName"}:
        keywords.discard("properties")
    if keywords - {"type", "default"}:
        text = (
            "must not specify anything other than name and generateName, but metadata is "
            "implicitly specified"
        )
        yield field.forbidden(path, text)


def _clauses(
    schema: Json, path: str, *, is_spine: bool = False, skips_any: bool = False
) -> Iterator[FieldError]:
    """The alternatives of a schema, and its pattern."""
    any_of, all_of = schema.get("anyOf") or [], schema.get("allOf") or []
    if is_spine:
        skips_any = any_of == _INT_OR_STRING
    if not skips_any:
        for index, clause in enumerate(any_of):
            yield from _clause(clause, f"{path}.anyOf[{index}]")
    for index, clause in enumerate(all_of):
        is_pattern = is_spine and index == 0 and clause.get("anyOf") == _INT_OR_STRING
        yield from _clause(clause, f"{path}.allOf[{index}]", skips_any=is_pattern)
    for index, clause in enumerate(schema.get("oneOf") or ()):
        yield from _clause(clause, f"{path}.oneOf[{index}]")
    if schema.get("not") is not None:
        yield from _clause(schema["not"], f"{path}.not")
    pattern = schema.get("pattern")
    if pattern:
        try:
            regexp.compile_pattern(pattern)
        except regexp.RegexpError as error:
            text = f"must be a valid regular expression, but isn't: {error}"
            yield field.invalid(f"{path}.pattern", pattern, text)


def _clause(schema: Json, path: str, *, skips_any: bool = False) -> Iterator[FieldError]:
    yield from _clauses(schema, path, skips_any=skips_any)
    if isinstance(schema.get("items"), dict):
        yield from _clause(schema["items"], f"{path}.items")
    properties: Json = schema.get("properties") or {}
    for name, child in properties.items():
        yield from _clause(child, f"{path}.properties[{name}]")
    if schema.get("type"):
        yield field.forbidden(f"{path}.type", "must be empty to be structural")
    if schema.get("additionalProperties"):
        text = "must be undefined to be structural"
        yield field.forbidden(f"{path}.additionalProperties", text)
    for keyword, text in _FORBIDDEN:
        if schema.get(keyword) not in (None, False, "", [], {}):
            yield field.forbidden(f"{path}.{keyword}", text)
    if "metadata" in properties:
        text = "must not be specified in a nested context"
        yield field.forbidden(f"{path}.properties[metadata]", text)


def _completeness(
    clause: Json, schema: Json | None, schema_path: str, path: str
) -> Iterator[FieldError]:
    """Every field that an alternative names must be specified outside of it."""
    if schema is None:
        yield field.required(schema_path, f"because it is defined in {path}")
        return
    if clause.get("not") is not None:
        yield from _nested(clause["not"], schema, schema_path, f"{path}.not")
    for keyword in ("allOf", "anyOf", "oneOf"):
        for index, each in enumerate(clause.get(keyword) or ()):
            yield from _nested(each, schema, schema_path, f"{path}.{keyword}[{index}]")


def _nested(clause: Json, schema: Json | None, schema_path: str, path: str) -> Iterator[FieldError]:
    yield from _completeness(clause, schema, schema_path, path)
    if schema is None:
        return
    if isinstance(clause.get("items"), dict):
        where = f"{schema_path}.items"
        yield from _nested(clause["items"], schema.get("items"), where, f"{path}.items")
    known = schema.get("properties") or {}
    for name, child in (clause.get("properties") or {}).items():
        step = f"properties[{name}]"
        where, inner = f"{schema_path}.{step}", f"{path}.{step}"
        yield from _nested(child, known.get(name), where, inner)
