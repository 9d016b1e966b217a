"""What a schema in a definition may say, keyword by keyword, in the words of the API server."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.custom import field_paths, nodes, rule_costs, rule_form
from kubestage.objects.custom.nodes import (
    EMBEDDED,
    LIST_TYPE,
    MAP_KEYS,
    MAP_TYPE,
    PRESERVE,
    RULES,
)
from kubestage.objects.validation import field, internal_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.custom.rule_costs import RuleCosts
    from kubestage.objects.validation.field import FieldError


_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_META: Final = ("metadata", "kind", "apiVersion")
_UNSUPPORTED: Final = ("id", "additionalItems", "patternProperties", "definitions", "dependencies")


@dataclasses.dataclass(frozen=True, slots=True)
class SchemaPlace:
    """Where in a definition a schema stands, as far as that decides what it may say.

    `no_default` is why there may be no default, `uncorrelated` the place from which on old values
    cannot be matched. `costs` counts what rules cost; without it, rules are not compiled. `times`
    is how many values of the schema an object can have; None is as many as fit into it.
    """

    is_root: bool = False
    in_meta: bool = False
    no_default: str | None = None
    uncorrelated: str = ""
    costs: RuleCosts | None = None
    times: int | None = 1

    def inner(self, **changes: Any) -> SchemaPlace:
        """A place below."""
        return dataclasses.replace(self, is_root=False, **changes)


class SchemaErrors:
    """Problems of schemas, and apart from them those of rules, which are reported last."""

    def __init__(self) -> None:
        self.schema: list[FieldError] = []
        self.rules: list[FieldError] = []


def validate(schema: Json, path: str, place: SchemaPlace) -> list[FieldError]:
    """What is wrong with a schema and all that are in it."""
    errors = SchemaErrors()
    _visit(schema, path, place, errors)
    return errors.schema + errors.rules


def _visit(schema: Json, path: str, place: SchemaPlace, errors: SchemaErrors) -> None:
    found = SchemaErrors()
    found.schema += _keywords(schema, path, place)
    _visit_below(schema, path, place, found)
    found.schema += _collections(schema, path)
    rules = schema.get(RULES) or []
    for index, rule in enumerate(rules):
        found.schema += _rule(schema, rule, f"{path}.{RULES}[{index}]")
    if rules and not found.schema and place.costs is not None:
        node = nodes.root(schema) if place.is_root else nodes.Node(schema)
        is_root = place.is_root or bool(schema.get(EMBEDDED))
        where = rule_form.RulePlace(is_root, place.uncorrelated, place.costs, place.times)
        found.rules += rule_form.validate(node, f"{path}.{RULES}", where)
    errors.schema += found.schema
    errors.rules += found.rules


def _visit_below(schema: Json, path: str, place: SchemaPlace, errors: SchemaErrors) -> None:
    additional = schema.get("additionalProperties")
    properties: Json = schema.get("properties") or {}
    times = rule_costs.times_below(schema, place.times)
    if additional is not None:
        if properties and additional is not True:
            text = "additionalProperties and properties are mutual exclusive"
            errors.schema.append(field.forbidden(f"{path}.additionalProperties", text))
        if isinstance(additional, dict):
            reason = "inside additionalProperties applying to object metadata"
            below = place.inner(times=times)
            below = below.inner(no_default=reason) if place.in_meta else below
            _visit(additional, f"{path}.additionalProperties", below, errors)
    for name, child in sorted(properties.items()):
        below = place.inner(times=times)
        if (place.is_root or schema.get(EMBEDDED)) and name in _META:
            below = below.inner(in_meta=True)
            if place.is_root:
                below = below.inner(no_default=f"in top-level {name}")
        _visit(child, f"{path}.properties[{name}]", below, errors)
    apart = place.inner(costs=None)
    if schema.get("not") is not None:
        _visit(schema["not"], f"{path}.not", apart, errors)
    for keyword in ("allOf", "oneOf", "anyOf"):
        for index, clause in enumerate(schema.get(keyword) or ()):
            _visit(clause, f"{path}.{keyword}[{index}]", apart, errors)
    items = schema.get("items")
    below = place.inner(times=times)
    if schema.get(LIST_TYPE) != "map" and not place.uncorrelated:
        below = below.inner(uncorrelated=path)
    if isinstance(items, dict):
        _visit(items, f"{path}.items", below, errors)
    elif isinstance(items, list):
        for index, each in enumerate(items):
            if isinstance(each, dict):
                _visit(each, f"{path}.items[{index}]", below, errors)


def _keywords(schema: Json, path: str, place: SchemaPlace) -> Iterator[FieldError]:
    named = schema.get("type") or ""
    if named and named not in _TYPES:
        yield field.not_supported(f"{path}.type", named, _TYPES)
    if schema.get("default") is not None and place.no_default is not None:
        yield field.forbidden(f"{path}.default", f"must not be set {place.no_default}")
    for keyword in _UNSUPPORTED:
        if schema.get(keyword):
            yield field.forbidden(f"{path}.{keyword}", f"{keyword} is not supported")
    if schema.get("$ref") is not None:
        yield field.forbidden(f"{path}.$ref", "$ref is not supported")
    if named == "null":
        text = "type cannot be set to null, use nullable as an alternative"
        yield field.forbidden(f"{path}.type", text)
    if isinstance(schema.get("items"), list):
        text = "items must be a schema object and not an array"
        yield field.forbidden(f"{path}.items", text)
    if place.in_meta and schema.get(EMBEDDED):
        yield field.forbidden(f"{path}.{EMBEDDED}", "must not be used inside of resource meta")
    if schema.get("uniqueItems"):
        text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        yield field.forbidden(f"{path}.uniqueItems", text)


def _collections(schema: Json, path: str) -> Iterator[FieldError]:
    """Extensions that say what kind of list or map a value is."""
    named = schema.get("type") or ""
    list_type, map_type = schema.get(LIST_TYPE), schema.get(MAP_TYPE)
    if schema.get(PRESERVE) is False:
        yield field.invalid(f"{path}.{PRESERVE}", False, "must be true or undefined")
    if map_type is not None:
        yield from _requires_type(named, "object", MAP_TYPE, path)
        if map_type not in ("atomic", "granular"):
            yield field.not_supported(f"{path}.{MAP_TYPE}", map_type, ("atomic", "granular"))
    if list_type is not None:
        yield from _requires_type(named, "array", LIST_TYPE, path)
        if named == "array" and list_type == "set":
            yield from _set_items(schema.get("items") or {}, f"{path}.items")
        if list_type not in ("atomic", "set", "map"):
            supported = ("atomic", "set", "map")
            yield field.not_supported(f"{path}.{LIST_TYPE}", list_type, supported)
    if schema.get(MAP_KEYS) and list_type != "map":
        text = f"must be map if {MAP_KEYS} is non-empty"
        if list_type is None:
            yield field.required(f"{path}.{LIST_TYPE}", text)
        else:
            yield field.invalid(f"{path}.{LIST_TYPE}", list_type, text)
    if list_type == "map":
        yield from _map_list(schema, path)
    if list_type in ("set", "map") and isinstance(schema.get("items"), dict):
        yield from _nullable_items(schema, list_type, path)


def _requires_type(named: str, expected: str, keyword: str, path: str) -> Iterator[FieldError]:
    if named == expected:
        return
    text = f"must be {expected} if {keyword} is specified"
    if named:
        yield field.invalid(f"{path}.type", named, text)
    else:
        yield field.required(f"{path}.type", text)


def _set_items(items: Json, path: str) -> Iterator[FieldError]:
    text = f"must be atomic as item of a list with {LIST_TYPE}=set"
    named, list_type = items.get("type"), items.get(LIST_TYPE)
    if named == "array" and list_type not in (None, "atomic"):
        yield field.invalid(f"{path}.{LIST_TYPE}", list_type, text)
    elif named == "object" and items.get(MAP_TYPE) != "atomic":
        yield field.invalid(f"{path}.{MAP_TYPE}", list_type, text)


def _map_list(schema: Json, path: str) -> Iterator[FieldError]:
    keys, items = schema.get(MAP_KEYS) or [], schema.get("items")
    if not keys:
        text = f"must not be empty if {LIST_TYPE} is map"
        yield field.required(f"{path}.{MAP_KEYS}", text)
    if items is None:
        yield field.required(f"{path}.items", f"must have a schema if {LIST_TYPE} is map")
    if not isinstance(items, dict):
        return
    if items.get("type") != "object":
        text = f"must be object if parent array's {LIST_TYPE} is map"
        yield field.invalid(f"{path}.items.type", items.get("type") or "", text)
        return
    properties = items.get("properties") or {}
    for index, key in enumerate(keys):
        if key not in properties:
            text = "entries must all be names of item properties"
            yield field.invalid(f"{path}.{MAP_KEYS}", internal_json.text(keys), text)
        elif properties[key].get("type") in ("array", "object"):
            text = f"must be a scalar type if parent array's {LIST_TYPE} is map"
            yield field.invalid(f"{path}.items.properties[{key}].type", "object", text)
        if key in keys[:index]:
            text = "must not contain duplicate entries"
            yield field.invalid(f"{path}.{MAP_KEYS}", internal_json.text(keys), text)


def _nullable_items(schema: Json, list_type: str, path: str) -> Iterator[FieldError]:
    items = schema["items"]
    if items.get("nullable"):
        text = f"cannot be nullable when {LIST_TYPE} is {list_type}"
        yield field.forbidden(f"{path}.items.nullable", text)
    if list_type != "map":
        return
    for key in schema.get(MAP_KEYS) or ():
        child = (items.get("properties") or {}).get(key)
        if child is None:
            continue
        where = f"{path}.items.properties[{key}]"
        if key not in (items.get("required") or ()) and child.get("default") is None:
            text = f"this property is in {MAP_KEYS}, so it must have a default or be a required"
            yield field.required(f"{where}.default", f"{text} property")
        if child.get("nullable"):
            text = f"this property is in {MAP_KEYS}, so it cannot be nullable"
            yield field.forbidden(f"{where}.nullable", text)


def _rule(schema: Json, rule: Json, path: str) -> Iterator[FieldError]:
    """The fields of a rule, apart from whether it can be compiled."""
    text, message = (rule.get("rule") or "").strip(), rule.get("message") or ""
    if not text:
        yield field.required(f"{path}.rule", "rule is not specified")
    elif message and not message.strip():
        yield field.invalid(f"{path}.message", message, "must be non-empty if specified")
    elif _has_newlines(message.strip()):
        yield field.invalid(f"{path}.message", message, "must not contain line breaks")
    elif _has_newlines(text) and not message.strip():
        why = "message must be specified if rule contains line breaks"
        yield field.required(f"{path}.message", why)
    wording = rule.get("messageExpression") or ""
    if wording and not wording.strip():
        why = "messageExpression must be non-empty if specified"
        yield field.required(f"{path}.messageExpression", why)
    reason = rule.get("reason")
    if reason is not None and reason not in rule_form.REASONS:
        yield field.not_supported(f"{path}.reason", reason, rule_form.REASONS)
    where = rule.get("fieldPath") or ""
    if not where:
        return
    if not where.strip():
        yield field.invalid(f"{path}.fieldPath", where, "must be non-empty if specified")
    if _has_newlines(where):
        yield field.invalid(f"{path}.fieldPath", where, "must not contain line breaks")
    try:
        field_paths.find(where, nodes.Node(schema))
    except field_paths.FieldPathError:
        yield field.invalid(f"{path}.fieldPath", where, "must be a valid path")


def _has_newlines(text: str) -> bool:
    return "\n" in text or "\r" in text
