"""Every field of an object that its kind does not have or that holds a value of the wrong type.

The API server stops at the first wrong type and words it for programs (see `decode`). A person
a user who edits a file needs them all, each with its path and the likely fix.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage import lazy
from kubestage.objects import kinds, quantity, quantity_advice, schema, timestamps, type_check
from kubestage.objects.schema import Form

# NOTE: few files have such kinds.
with lazy.imports():
    from kubestage.objects.custom import file_check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Misfit(msgspec.Struct, frozen=True):
    """One field that cannot stay as it is; an API server drops one that `is_unknown`."""

    path: str
    problem: str
    fix: str | None = None
    is_unknown: bool = False


def misfits(obj: dict[str, Any]) -> list[Misfit]:
    """All misfits of an object, in the order in which it was written.

    Of kinds that the type table does not declare only the metadata is known.
    """
    api_version, kind = str(obj.get("apiVersion")), str(obj.get("kind"))
    struct = schema.kind_struct(api_version, kind) or schema.own_struct(api_version, kind)
    if struct is None:
        metadata = schema.struct("meta/v1.ObjectMeta")
        found = list(_struct(metadata, obj.get("metadata") or {}, "metadata", metadata))
        row = kinds.built_in(api_version, kind)
        return found if row is None else [*found, *_unknown(obj, row)]
    if type_check.fits(struct, obj):
        return []
    return list(_struct(struct, obj, "", struct))


def _unknown(obj: dict[str, Any], row: kinds.Kind) -> Iterator[Misfit]:
    """The fields that a definition of ours lacks."""
    for path, name, fix in file_check.unknown_fields(obj, row):
        yield Misfit(path, f'unknown field "{name}"', fix, is_unknown=True)


def _struct(struct: schema.Struct, value: Any, path: str, root: schema.Struct) -> Iterator[Misfit]:
    if not isinstance(value, dict):
        yield _wrong(path, "an object", value)
        return
    for key, item in value.items():
        where = f"{path}.{key}" if path else key
        field = struct.by_json.get(key)
        if field is None:
            fix = _suggestion(key, struct, root)
            yield Misfit(where, f'unknown field "{key}"', fix, is_unknown=True)
        elif item is not None:
            yield from _value(field.type.bare, item, where, root)


def _value(shape: schema.Type, value: Any, path: str, root: schema.Struct) -> Iterator[Misfit]:
    form = shape.form
    if form is Form.STRUCT:
        yield from _struct(shape.struct, value, path, root)
    elif form is Form.LIST:
        if not isinstance(value, list):
            yield _wrong(path, "a list", value)
            return
        assert shape.element is not None
        for index, item in enumerate(value):
            if item is not None:
                yield from _value(shape.element.bare, item, f"{path}[{index}]", root)
    elif form is Form.MAP:
        if not isinstance(value, dict):
            yield _wrong(path, "an object", value)
            return
        assert shape.element is not None
        for key, item in value.items():
            if item is not None:
                yield from _value(shape.element.bare, item, f"{path}[{key}]", root)
    else:
        check = _OPAQUE.get(shape.name) if form is Form.OPAQUE else _SCALARS[form]
        found = check(path, value, shape) if check is not None else None
        if found is not None:
            yield found


def _string(path: str, value: Any, _: schema.Type) -> Misfit | None:
    return None if isinstance(value, str) else _wrong(path, "a string", value)


def _object(path: str, value: Any, _: schema.Type) -> Misfit | None:
    return None if isinstance(value, dict) else _wrong(path, "an object", value)


def _bool(path: str, value: Any, _: schema.Type) -> Misfit | None:
    return None if isinstance(value, bool) else _wrong(path, "true or false", value)


def _float(path: str, value: Any, _: schema.Type) -> Misfit | None:
    return None if type(value) in (int, float) else _wrong(path, "a number", value)


def _integer(path: str, value: Any, shape: schema.Type) -> Misfit | None:
    if type(value) is not int:
        return _wrong(path, "a whole number", value)
    low, high = type_check.integer_range(shape)
    if low <= value < high:
        return None
    return Misfit(path, f"expected a whole number from {low} to {high - 1}, got {value}")


def _base64(path: str, value: Any, _: schema.Type) -> Misfit | None:
    if not isinstance(value, str):
        return _wrong(path, "a base64 string", value)
    if type_check.is_base64(value):
        return None
    return Misfit(path, "not base64", "encode it (base64), or write plain text under stringData")


def _int_or_string(path: str, value: Any, _: schema.Type) -> Misfit | None:
    if isinstance(value, str):
        return None
    if type(value) is not int:
        return _wrong(path, "a whole number or a string", value)
    return _integer(path, value, schema.type_of("int32"))


def _quantity(path: str, value: Any, _: schema.Type) -> Misfit | None:
    if isinstance(value, bool | list | dict):
        return _wrong(path, "a quantity", value)
    try:
        quantity.parse(str(value).strip())
    except quantity.QuantityError as error:
        return Misfit(
            path, f'"{value}" is not a quantity: {error}', quantity_advice.fix(str(value))
        )
    return None


def _text_of(expected: str, read: Callable[[str], Any]) -> Callable[..., Misfit | None]:
    def check(path: str, value: Any, _: schema.Type) -> Misfit | None:
        if not isinstance(value, str):
            return _wrong(path, expected, value)
        try:
            read(value)
        except ValueError:
            example = "2026-01-01T00:00:00Z" if read is timestamps.parse_time else _MICRO_EXAMPLE
            return Misfit(path, f'"{value}" is not {expected}', f"times look like {example}")
        return None

    return check


_MICRO_EXAMPLE: Final = "2026-01-01T00:00:00.000000Z"
_SCALARS: Final = {
    Form.STRING: _string,
    Form.BOOL: _bool,
    Form.INTEGER: _integer,
    Form.FLOAT: _float,
    Form.BYTES: _base64,
}
_OPAQUE: Final[dict[str, Callable[[str, Any, schema.Type], Misfit | None]]] = {
    "resource.Quantity": _quantity,
    "intstr.IntOrString": _int_or_string,
    "meta/v1.Time": _text_of("a time", timestamps.parse_time),
    "meta/v1.MicroTime": _text_of("a time", timestamps.parse_micro_time),
    "meta/v1.Duration": _string,
    "runtime.Unstructured": _object,
}

_CALLED: Final = {
    dict: "an object", list: "a list", str: "a string", bool: "true or false",
    int: "a whole number", float: "a number",
}  # fmt: skip


def _wrong(path: str, expected: str, value: Any) -> Misfit:
    got = _CALLED.get(type(value), type(value).__name__)
    if isinstance(value, bool):
        got = "true" if value else "false"
    return Misfit(path, f"expected {expected}, got {got}", _cure(expected, value))


def _cure(expected: str, value: Any) -> str | None:
    if expected.endswith("a string") and isinstance(value, bool):
        words = "y, yes, on" if value else "n, no, off"
        return f"put the value in quotes (bare {words} mean {str(value).lower()} in YAML)"
    if expected.endswith("a string") and isinstance(value, int | float):
        return f'put it in quotes: "{value}"'
    if isinstance(value, str) and "number" in expected and value.strip().lstrip("-").isdecimal():
        return f"remove the quotes: {value.strip()}"
    if isinstance(value, str) and expected == "true or false":
        return "write true or false, without quotes"
    if expected == "a list" and isinstance(value, dict):
        return 'start each entry with "- "'
    if expected == "an object" and isinstance(value, list):
        return 'remove the "- " in front'
    return None


def _suggestion(key: str, struct: schema.Struct, root: schema.Struct) -> str | None:
    by_lower = {name.lower(): name for name in struct.by_json}
    near = difflib.get_close_matches(key.lower(), by_lower, n=1, cutoff=0.7)
    if near:
        return f"did you mean {by_lower[near[0]]}?"
    elsewhere = _home_of(key, root)
    return f"did you mean {elsewhere}?" if elsewhere else None


def _home_of(key: str, root: schema.Struct) -> str | None:
    """Where in a kind a field of that name is, nearest to the top, outside of lists."""
    level = [("", root)]
    for _ in range(4):
        below = []
        for path, struct in level:
            for name, field in struct.by_json.items():
                if name == key:
                    return f"{path}{name}"
                if field.type.bare.form is Form.STRUCT and name != "status":
                    below.append((f"{path}{name}.", field.type.struct))
        level = below
    return None
