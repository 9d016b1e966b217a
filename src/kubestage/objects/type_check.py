"""The quick question about an object: does every field hold what its type can hold?

Almost every object that arrives is fine, so this only answers yes or no; `go_decoder` then finds
out what exactly is wrong. Each struct is compiled once into a function over the keys present.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any, Final

from kubestage.objects import quantity, schema, timestamps
from kubestage.objects.schema import Form

Check = Callable[[Any], bool]
Rule = tuple[type | None, Check | None]

_SCALARS: Final[dict[Form, type]] = {Form.STRING: str, Form.BOOL: bool}
_RANGES: Final = {
    "int": (-(2**63), 2**63),
    "int32": (-(2**31), 2**31),
    "int64": (-(2**63), 2**63),
    "uint32": (0, 2**32),
    "byte": (0, 2**8),
}
_checks: dict[str, Check] = {}


def fits(struct: schema.Struct, obj: dict[str, Any]) -> bool:
    """Whether the object has only fields of the struct, each with a value of its type."""
    return _struct_check(struct.name)(obj)


def _struct_check(name: str) -> Check:
    known = _checks.get(name)
    if known is not None:
        return known
    rules: dict[str, Rule] = {}
    find = rules.get

    def check(value: Any) -> bool:
        for key, item in value.items():
            rule = find(key)
            if rule is None:
                return False
            kind, test = rule
            if type(item) is kind:
                if test is not None and not test(item):
                    return False
            elif item is not None and (kind is not None or test is None or not test(item)):
                return False
        return True

    # Known before its fields are looked at, so that a struct may hold itself.
    _checks[name] = check
    for key, field in schema.struct(name).by_json.items():
        rules[key] = _rule(field.type.bare)
    return check


def _rule(shape: schema.Type) -> Rule:
    form = shape.form
    if form in _SCALARS:
        return _SCALARS[form], None
    if form is Form.INTEGER:
        return int, _range_check(integer_range(shape))
    if form is Form.STRUCT:
        return dict, _struct_check(shape.name)
    if form is Form.LIST:
        return list, _list_check(shape)
    if form is Form.MAP:
        return dict, _map_check(shape)
    if form is Form.BYTES:
        return str, is_base64
    if form is Form.FLOAT:
        return None, _is_number
    return _OPAQUE[shape.name]


def integer_range(shape: schema.Type) -> tuple[int, int]:
    """The half-open range of an integer type."""
    return _RANGES[shape.name]


def _range_check(bounds: tuple[int, int]) -> Check:
    low, high = bounds
    return lambda value: low <= value < high


def _list_check(shape: schema.Type) -> Check:
    assert shape.element is not None
    kind, test = _rule(shape.element.bare)

    def check(value: Any) -> bool:
        for item in value:
            if type(item) is kind:
                if test is not None and not test(item):
                    return False
            elif item is not None and (kind is not None or test is None or not test(item)):
                return False
        return True

    return check


def _map_check(shape: schema.Type) -> Check:
    check = _list_check(shape)
    return lambda value: check(value.values())


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def is_base64(value: str) -> bool:
    """Whether the text is base64, line breaks aside."""
    try:
        base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _is_quantity(value: Any) -> bool:
    # A float may have lost digits that the text still has.
    if type(value) is float:
        return False
    try:
        quantity.of(value)
    except quantity.QuantityError:
        return False
    return True


def _is_time(value: str) -> bool:
    try:
        timestamps.parse_time(value)
    except ValueError:
        return False
    return True


def _is_micro_time(value: str) -> bool:
    try:
        timestamps.parse_micro_time(value)
    except ValueError:
        return False
    return True


def _is_int_or_string(value: Any) -> bool:
    return type(value) is str or (type(value) is int and -(2**31) <= value < 2**31)


def _anything(_: Any) -> bool:
    return True


_OPAQUE: Final[dict[str, Rule]] = {
    "resource.Quantity": (None, _is_quantity),
    "meta/v1.Time": (str, _is_time),
    "meta/v1.MicroTime": (str, _is_micro_time),
    "meta/v1.Duration": (str, None),
    "meta/v1.FieldsV1": (None, _anything),
    "intstr.IntOrString": (None, _is_int_or_string),
    "runtime.Object": (None, _anything),
    "runtime.RawExtension": (None, _anything),
    "runtime.Unstructured": (dict, None),
    "apiextensions/v1.JSON": (None, _anything),
    "apiextensions/v1.JSONSchemaPropsOrArray": (None, _anything),
    "apiextensions/v1.JSONSchemaPropsOrBool": (None, _anything),
    "apiextensions/v1.JSONSchemaPropsOrStringArray": (None, _anything),
}
