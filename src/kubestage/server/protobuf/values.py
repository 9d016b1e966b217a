"""Values on the wire and in JSON: scalars, and messages with a JSON form of their own."""

from __future__ import annotations

import base64
import math
import struct
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.golang import durations
from kubestage.objects import nesting, timestamps
from kubestage.server.protobuf import wire

if TYPE_CHECKING:
    from collections.abc import Callable

Payload = int | bytes
_MAX_SECONDS: Final = 253_402_300_799
_MIN_SECONDS: Final = -62_135_596_800


def to_int32(payload: Payload) -> int:
    """A signed number; what does not fit is cut, as everywhere in protobuf."""
    assert isinstance(payload, int)
    value = payload & 0xFFFF_FFFF
    return value - (1 << 32) if value >> 31 else value


def to_int64(payload: Payload) -> int:
    """A signed number."""
    assert isinstance(payload, int)
    return payload - (1 << 64) if payload >> 63 else payload


def to_bool(payload: Payload) -> bool:
    """Whether a number is not zero."""
    return payload != 0


def to_string(payload: Payload) -> str:
    """Text; what is no UTF-8 becomes the replacement character, as Go's JSON has it."""
    assert isinstance(payload, bytes)
    return payload.decode("utf-8", "replace")


def to_bytes(payload: Payload) -> str:
    """Bytes, which JSON holds in base64."""
    assert isinstance(payload, bytes)
    return base64.b64encode(payload).decode()


def to_double(payload: Payload) -> float | int:
    """A number that JSON can hold; a whole one is written without a fraction."""
    assert isinstance(payload, bytes)
    (value,) = struct.unpack("<d", payload)
    if not math.isfinite(value):
        raise wire.Malformed(f"json: unsupported value: {value}")
    return int(value) if value.is_integer() and abs(value) < 1e21 else float(value)


SCALARS: Final[dict[str, tuple[int, Callable[[Payload], Any]]]] = {
    "int32": (wire.VARINT, to_int32),
    "int64": (wire.VARINT, to_int64),
    "bool": (wire.VARINT, to_bool),
    "string": (wire.BYTES, to_string),
    "bytes": (wire.BYTES, to_bytes),
    "double": (wire.FIXED64, to_double),
}


def _parts(payload: Payload, *fields: tuple[int, int]) -> list[Any]:
    """The last value of each field (number, wire type) of a small message; None if absent."""
    assert isinstance(payload, bytes)
    found: dict[tuple[int, int], Payload] = {}
    for number, wire_type, value in wire.entries(payload):
        found[number, wire_type] = value
    return [found.get(each) for each in fields]


def _quantity(payload: Payload) -> str:
    (text,) = _parts(payload, (1, wire.BYTES))
    return to_string(text) if text else "0"


def _seconds(payload: Payload) -> tuple[int, int] | None:
    """Seconds and nanoseconds of a time; None for no time at all."""
    if not payload:
        return None
    seconds, nanos = _parts(payload, (1, wire.VARINT), (2, wire.VARINT))
    whole, rest = to_int64(seconds or 0), to_int32(nanos or 0)
    if not _MIN_SECONDS <= whole <= _MAX_SECONDS or not 0 <= rest < durations.SECOND:
        raise wire.Malformed("Time.MarshalJSON: year outside of range [0,9999]")
    return None if whole == _MIN_SECONDS and not rest else (whole, rest)


def _time(payload: Payload) -> str | None:
    moment = _seconds(payload)
    return None if moment is None else timestamps.format_time(moment[0] * durations.SECOND)


def _micro_time(payload: Payload) -> str | None:
    moment = _seconds(payload)
    if moment is None:
        return None
    return timestamps.format_micro_time(moment[0] * durations.SECOND + moment[1])


def _duration(payload: Payload) -> str:
    (nanos,) = _parts(payload, (1, wire.VARINT))
    return durations.go_string(to_int64(nanos or 0))


def _int_or_string(payload: Payload) -> int | str:
    kind, number, text = _parts(payload, (1, wire.VARINT), (2, wire.VARINT), (3, wire.BYTES))
    if kind == 1:
        return to_string(text or b"")
    if kind:
        raise wire.Malformed("impossible IntOrString.Type")
    return to_int32(number or 0)


def _raw_json(payload: Payload) -> Any:
    (raw,) = _parts(payload, (1, wire.BYTES))
    if not raw:
        return None
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise wire.Malformed(f"raw JSON cannot be read: {error}") from error
    if nesting.is_too_deep(value, raw):
        raise wire.Malformed(f"raw JSON cannot be read: {nesting.TOO_DEEP}")
    return value


def _strings(payload: Payload) -> list[str]:
    assert isinstance(payload, bytes)
    return [
        to_string(value)
        for number, wire_type, value in wire.entries(payload)
        if number == 1 and wire_type == wire.BYTES
    ]


# None stands for an absent value.
SPECIAL: Final[dict[str, Callable[[Payload], Any]]] = {
    "resource.Quantity": _quantity,
    "meta.v1.Time": _time,
    "meta.v1.MicroTime": _micro_time,
    "meta.v1.Duration": _duration,
    "intstr.IntOrString": _int_or_string,
    "meta.v1.FieldsV1": _raw_json,
    "runtime.RawExtension": _raw_json,
    "apiextensions.v1.JSON": _raw_json,
    "authentication.v1.ExtraValue": _strings,
    "authorization.v1.ExtraValue": _strings,
    "certificates.v1.ExtraValue": _strings,
}
