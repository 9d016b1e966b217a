"""From the bytes of a message to a JSON object, by the table.

Each message is compiled once: its fields by number, each with a function for its value. Absent is
absent and zero is absent, unless the Go type would write it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.server.protobuf import table, values, wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json

_MAX_DEPTH: Final = 100
# Far more than any object holds, and read within a fraction of a second.
_MAX_FIELDS: Final = 250_000
# A slice of numbers may also come packed into one piece.
_PACKABLE: Final = ("int32", "int64", "bool")


class _Step(NamedTuple):
    """What to do with one field: `nested` is set for messages, `convert` for all else."""

    name: str
    wire_type: int
    convert: Callable[[values.Payload], Any] | None
    nested: str
    flags: str
    keep_zero: bool
    packable: bool


@functools.cache
def _steps(message: str) -> dict[int, _Step]:
    return {number: _step(field) for number, field in table.fields(message).items()}


def _step(field: table.Field) -> _Step:
    name, type_name, flags = field
    if type_name in values.SCALARS:
        wire_type, convert = values.SCALARS[type_name]
        if "m" in flags:
            wire_type = wire.BYTES
        # Bytes are a slice, which is empty rather than absent.
        keep_zero = "z" in flags or ("p" in flags and type_name != "bytes")
        packable = type_name in _PACKABLE and "r" in flags
        return _Step(name, wire_type, convert, "", flags, keep_zero, packable)
    special = values.SPECIAL.get(type_name)
    nested = "" if special is not None else type_name
    return _Step(name, wire.BYTES, special, nested, flags, True, False)


def decode(message: str, data: bytes) -> Json:
    """The JSON object of a message; `Malformed` if the bytes are none."""
    return _Reader().message(message, data, {})


class _Reader:
    """Reads one body, and keeps count: neither depth nor number of fields is without end."""

    def __init__(self) -> None:
        self.depth = 0
        self.left = _MAX_FIELDS

    def message(self, name: str, data: bytes, out: Json) -> Json:
        """Add the fields of a message to an object."""
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise wire.Malformed("proto: nested too deeply")
        steps = _steps(name)
        for number, wire_type, payload in wire.entries(data):
            self.left -= 1
            if self.left < 0:
                raise wire.Malformed(f"proto: more than {_MAX_FIELDS} fields")
            step = steps.get(number)
            if step is None:
                continue
            if wire_type == step.wire_type:
                self._field(step, payload, out)
            elif step.packable and wire_type == wire.BYTES:
                self._unpack(step, payload, out)
            else:
                raise wire.Malformed(f"proto: wrong wireType = {wire_type} for field {step.name}")
        self.depth -= 1
        return out

    def _field(self, step: _Step, payload: values.Payload, out: Json) -> None:
        if "m" in step.flags:
            key, value = self._entry(step, payload)
            out.setdefault(step.name, {})[key] = value
        elif "r" in step.flags:
            out.setdefault(step.name, []).append(self._value(step, payload))
        elif step.convert is not None:
            _put(step, step.convert(payload), out)
        elif "i" in step.flags:
            self._merge(step, payload, out)
        elif step.nested in _CHOICES:
            _put(step, self._value(step, payload), out)
        else:
            # A second piece of a message adds to the first.
            self._merge(step, payload, out.setdefault(step.name, {}))

    def _merge(self, step: _Step, payload: values.Payload, out: Json) -> None:
        assert isinstance(payload, bytes)
        self.message(step.nested, payload, out)

    def _value(self, step: _Step, payload: values.Payload) -> Any:
        if step.convert is not None:
            return step.convert(payload)
        assert isinstance(payload, bytes)
        value = self.message(step.nested, payload, {})
        choose = _CHOICES.get(step.nested)
        return value if choose is None else choose(value)

    def _entry(self, step: _Step, payload: values.Payload) -> tuple[str, Any]:
        """One key and value of a map; what is missing of them is zero."""
        assert isinstance(payload, bytes)
        key, content = "", b""
        for number, wire_type, part in wire.entries(payload):
            if number > 2:
                continue
            if wire_type != wire.BYTES or not isinstance(part, bytes):
                raise wire.Malformed(f"proto: wrong wireType = {wire_type} for field {step.name}")
            if number == 1:
                key = values.to_string(part)
            else:
                content = part
        return key, self._value(step, content)

    def _unpack(self, step: _Step, payload: values.Payload, out: Json) -> None:
        assert isinstance(payload, bytes)
        assert step.convert is not None
        into = out.setdefault(step.name, [])
        at = 0
        while at < len(payload):
            number, at = wire.varint(payload, at)
            into.append(step.convert(number))


def _put(step: _Step, value: Any, out: Json) -> None:
    """Set a value, or drop it if it is zero and would not be written."""
    if value or (step.keep_zero and value is not None):
        out[step.name] = value
    else:
        out.pop(step.name, None)


def _schema_or_bool(value: Json) -> Any:
    return value["schema"] if "schema" in value else value.get("allows", False)


def _schema_or_list(value: Json) -> Any:
    return value.get("jSONSchemas") or value.get("schema")


def _schema_or_names(value: Json) -> Any:
    return value.get("property") or value.get("schema")


# Messages of which only one part is written, without its name.
_CHOICES: Final[dict[str, Callable[[Json], Any]]] = {
    "apiextensions.v1.JSONSchemaPropsOrBool": _schema_or_bool,
    "apiextensions.v1.JSONSchemaPropsOrArray": _schema_or_list,
    "apiextensions.v1.JSONSchemaPropsOrStringArray": _schema_or_names,
}
