"""The text in which Go controllers dump a struct before they hash it.

A pod template's hash is part of ReplicaSet names and pod labels, so the text has to agree to the
letter: types and field names in declaration order, absent fields with their zero value, even the
private parts of quantities and times. Each struct is compiled once; absent fields are constants.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import quantity, schema, timestamps

if TYPE_CHECKING:
    from collections.abc import Callable

    Body = Callable[[Any], str]
    # Text before the value, JSON name (None: embedded), how to write it, text if it is absent.
    Step = tuple[str, str | None, Body, str]

_NIL: Final = "<nil>"
_PACKAGE_PATH: Final = re.compile(r"[a-z]+/")
_WORD_BITS: Final = 64
# Seconds from year 1, where Go's time starts, to 1970.
_UNIX_OFFSET: Final = 62_135_596_800
_LOCATION: Final = (
    "(*time.Location){name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> "
    "extend:(string) cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}"
)


def dump(struct_name: str, value: dict[str, Any]) -> str:
    """The dump of a value of a struct that controllers hash: ``core/v1.PodTemplateSpec``."""
    return f"({_type_name(struct_name)}){_struct(struct_name)(value)}"


def _type_name(expression: str) -> str:
    """``[]v1.Volume`` of ``[]core/v1.Volume``: Go names the package, not its path."""
    return _PACKAGE_PATH.sub("", expression)


@functools.cache
def _struct(name: str) -> Body:
    steps = [_step(field) for field in schema.struct(name).fields]

    def body(value: Any) -> str:
        parts = []
        for prefix, key, write, absent in steps:
            if key is None:
                parts.append(prefix + write(value))
            else:
                item = value.get(key)
                parts.append(absent if item is None else prefix + write(item))
        return "{" + " ".join(parts) + "}"

    return body


def _step(field: schema.Field) -> Step:
    prefix = f"{field.go_name}:({_type_name(field.type.name)})"
    if field.inline:
        return prefix, None, _struct(field.type.name), ""
    return prefix, field.json_name, _body(field.type), prefix + _zero(field.type)


def _body(type_: schema.Type) -> Body:
    bare = type_.bare
    if bare.form is schema.Form.STRUCT:
        return _struct(bare.name)
    if bare.form is schema.Form.LIST:
        return _list(bare)
    if bare.form is schema.Form.MAP:
        return _map(bare)
    if bare.form is schema.Form.OPAQUE:
        return _OPAQUE[bare.name]
    return _SCALARS[bare.form]


def _zero(type_: schema.Type) -> str:
    """What Go prints for a field that was never set."""
    if type_.form is schema.Form.STRUCT:
        return _struct(type_.name)({})
    if type_.form is schema.Form.OPAQUE:
        return _OPAQUE[type_.name](None)
    zeros = {schema.Form.STRING: "", schema.Form.BOOL: "false", schema.Form.INTEGER: "0"}
    return zeros.get(type_.form, _NIL)


def _element(type_: schema.Type | None) -> Callable[[Any], str]:
    """Elements lose their type; of pointers a mark remains."""
    assert type_ is not None
    write = _body(type_)
    mark = "<*>" if type_.form is schema.Form.POINTER else ""
    return lambda item: _zero(type_) if item is None else mark + write(item)


def _list(type_: schema.Type) -> Body:
    write = _element(type_.element)
    return lambda value: "[" + " ".join(map(write, value)) + "]"


def _map(type_: schema.Type) -> Body:
    write = _element(type_.element)

    def body(value: Any) -> str:
        return "map[" + " ".join(f"{key}:{write(value[key])}" for key in sorted(value)) + "]"

    return body


def _bytes(data: bytes) -> str:
    return "[" + " ".join(map(str, data)) + "]"


def _quantity(value: Any) -> str:
    amount = quantity.Quantity(0, format="") if value is None else quantity.of(value)
    number, scale, decimal = amount.unscaled, amount.scale, _NIL
    if amount.is_big:
        words = []
        rest = abs(number)
        while rest:
            words.append(str(rest & ((1 << _WORD_BITS) - 1)))
            rest >>= _WORD_BITS
        digits = "[" + " ".join(words) + "]" if words else _NIL
        decimal = (
            f"{{unscaled:(big.Int){{neg:(bool){_bool(number < 0)} abs:(big.nat){digits}}} "
            f"scale:(inf.Scale){-scale}}}"
        )
        number, scale = 0, 0
    return (
        f"{{i:(resource.int64Amount){{value:(int64){number} scale:(resource.Scale){scale}}} "
        f"d:(resource.infDecAmount){{Dec:(*inf.Dec){decimal}}} "
        f"s:(string){amount.text} Format:(resource.Format){amount.format}}}"
    )


def _moment(parse: Callable[[str], int]) -> Body:
    def body(value: Any) -> str:
        nanoseconds, seconds, location = 0, 0, f"(*time.Location){_NIL}"
        if value is not None:
            unix_seconds, nanoseconds = divmod(parse(value), 10**9)
            seconds, location = unix_seconds + _UNIX_OFFSET, _LOCATION
        return (
            f"{{Time:(time.Time){{wall:(uint64){nanoseconds} ext:(int64){seconds} "
            f"loc:{location}}}}}"
        )

    return body


def _int_or_string(value: Any) -> str:
    is_string = isinstance(value, str)
    number, text = (0, value) if is_string else (value or 0, "")
    return f"{{Type:(intstr.Type){int(is_string)} IntVal:(int32){number} StrVal:(string){text}}}"


def _fields(value: Any) -> str:
    return f"{{Raw:([]uint8){_bytes(msgspec.json.encode(value))}}}"


def _bool(value: bool) -> str:
    return "true" if value else "false"


_SCALARS: Final[dict[schema.Form, Body]] = {
    schema.Form.STRING: str,
    schema.Form.INTEGER: str,
    schema.Form.BOOL: _bool,
}
_OPAQUE: Final[dict[str, Body]] = {
    "resource.Quantity": _quantity,
    "meta/v1.Time": _moment(timestamps.parse_time),
    "meta/v1.MicroTime": _moment(timestamps.parse_micro_time),
    "meta/v1.FieldsV1": _fields,
    "intstr.IntOrString": _int_or_string,
}
