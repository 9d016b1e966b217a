"""The shape in which the API server writes an object back, whatever was typed.

`normalize` does to a dict what decoding into the typed struct and encoding again does in Go:
null is absent, empty optional values vanish, mandatory ones appear with their zero value,
quantities and times get one spelling. Fields that the struct does not know are kept.

Each struct is compiled once into a function that loops over the keys that are there.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.errors import InputError
from kubestage.objects import schema, shape_values
from kubestage.objects.shape_values import Misfit, as_scalar, copy_json, wrong_type

if TYPE_CHECKING:
    from kubestage.objects.shape_values import Convert, Zero

__all__ = ["copy_json", "normalize"]


def normalize(obj: dict[str, Any], struct: schema.Struct | None = None) -> dict[str, Any]:
    """A fresh object in the shape of its kind (or of `struct`); shares nothing mutable with `obj`.

    Kinds that the type table does not declare are copied as they are. InputError names the path
    of a value that its field cannot hold.
    """
    if struct is None:
        struct = schema.kind_struct(obj.get("apiVersion") or "", obj.get("kind") or "")
        if struct is None:
            copied: dict[str, Any] = copy_json(obj)
            return copied
    try:
        shaped: dict[str, Any] = _struct_converter(struct.name)(obj)
    except Misfit as misfit:
        path = "".join(reversed(misfit.path)).removeprefix(".")
        raise InputError(misfit.problem, path=path or None) from None
    return shaped


class _Step(NamedTuple):
    """How one field is copied: scalars are checked for `scalar`, others go through `change`."""

    scalar: type | None
    change: Convert | None
    keep_empty: bool


_SCALARS: Final[dict[schema.Form, tuple[type, Any]]] = {
    schema.Form.STRING: (str, ""),
    schema.Form.BOOL: (bool, False),
    schema.Form.INTEGER: (int, 0),
    schema.Form.FLOAT: (float, 0),
}
_converters: dict[str, Convert] = {}


def _struct_converter(name: str) -> Convert:
    converter = _converters.get(name)
    if converter is not None:
        return converter
    steps: dict[str, _Step] = {}
    mandatory: list[tuple[str, Zero]] = []
    find = steps.get

    def convert(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise wrong_type("an object", value)
        out: dict[str, Any] = {}
        key = ""
        try:
            for key, item in value.items():
                step = find(key)
                if step is None:
                    out[key] = copy_json(item)
                elif item is not None:
                    scalar, change, keep_empty = step
                    if change is not None:
                        changed = change(item)
                    else:
                        changed = item if type(item) is scalar else as_scalar(item, scalar)
                    if keep_empty or changed:
                        out[key] = changed
        except Misfit as misfit:
            misfit.path.append(f".{key}")
            raise
        for key, zero in mandatory:
            if key not in out:
                out[key] = zero()
        return out

    # Known before its fields are looked at, so that a struct may hold itself.
    _converters[name] = convert
    for key, field in schema.struct(name).by_json.items():
        steps[key] = _step(field)
        if not _is_droppable(field):
            mandatory.append((key, _zero(field.type)))
    return convert


def _step(field: schema.Field) -> _Step:
    by_form = _SCALARS.get(field.type.bare.form)
    keep_empty = not _is_droppable(field) or field.type.form is schema.Form.POINTER
    if by_form is not None:
        return _Step(by_form[0], None, keep_empty)
    return _Step(None, _converter(field.type), keep_empty)


def _is_droppable(field: schema.Field) -> bool:
    """Whether Go leaves the field out when it is empty: omitempty never drops a struct."""
    is_struct = field.type.form in (schema.Form.STRUCT, schema.Form.OPAQUE)
    return field.omitzero or (field.omitempty and not is_struct)


def _converter(type_: schema.Type) -> Convert:
    bare = type_.bare
    if bare.form is schema.Form.STRUCT:
        return _struct_converter(bare.name)
    if bare.form is schema.Form.LIST:
        return _list_converter(bare)
    if bare.form is schema.Form.MAP:
        return _map_converter(bare)
    if bare.form is schema.Form.BYTES:
        return shape_values.to_base64
    if bare.form is schema.Form.OPAQUE:
        return _OPAQUE[bare.name][0]
    scalar = _SCALARS[bare.form][0]
    return lambda value: value if type(value) is scalar else as_scalar(value, scalar)


def _zero(type_: schema.Type) -> Zero:
    if type_.form is schema.Form.STRUCT:
        return functools.partial(_struct_converter(type_.name), {})
    if type_.form is schema.Form.OPAQUE:
        return _OPAQUE[type_.name][1]
    value = _SCALARS[type_.form][1] if type_.form in _SCALARS else None
    return lambda: value


def _list_converter(type_: schema.Type) -> Convert:
    assert type_.element is not None
    change, zero = _converter(type_.element), _zero(type_.element)

    def convert(value: Any) -> list[Any]:
        if type(value) is not list:
            raise wrong_type("a list", value)
        out: list[Any] = []
        try:
            for item in value:
                out.append(zero() if item is None else change(item))  # noqa: PERF401 # its length is the index
        except Misfit as misfit:
            misfit.path.append(f"[{len(out)}]")
            raise
        return out

    return convert


def _map_converter(type_: schema.Type) -> Convert:
    assert type_.element is not None
    change, zero = _converter(type_.element), _zero(type_.element)

    def convert(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise wrong_type("an object", value)
        out: dict[str, Any] = {}
        key = ""
        try:
            for key, item in value.items():
                out[key] = zero() if item is None else change(item)
        except Misfit as misfit:
            misfit.path.append(f"[{key}]")
            raise
        return out

    return convert


def _schema_or(*others: type) -> Convert:
    """A JSON schema, or one of the shorthands that its place allows."""

    def convert(value: Any) -> Any:
        schema_props = _struct_converter("apiextensions/v1.JSONSchemaProps")
        if type(value) is dict:
            return schema_props(value)
        if type(value) not in others:
            raise wrong_type("a schema", value)
        if type(value) is list:
            return [schema_props(item) if type(item) is dict else item for item in value]
        return value

    return convert


_OPAQUE: Final[dict[str, tuple[Convert, Zero]]] = {
    **shape_values.OPAQUE,
    "apiextensions/v1.JSONSchemaPropsOrArray": (_schema_or(list), shape_values.nothing),
    "apiextensions/v1.JSONSchemaPropsOrBool": (_schema_or(bool), lambda: False),
    "apiextensions/v1.JSONSchemaPropsOrStringArray": (_schema_or(list), shape_values.nothing),
}
