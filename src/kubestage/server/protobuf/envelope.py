"""The envelope of a body: four magic bytes, then which kind it is and the bytes of its message."""

from __future__ import annotations

from typing import Any, Final

from kubestage import errors
from kubestage.golang import durations
from kubestage.server.protobuf import messages, table, wire

MAGIC: Final = b"k8s\x00"
_SHOWN: Final = 30


def is_known(api_version: str, kind: str) -> bool:
    """Whether bodies of a kind can be read; custom resources have no protobuf form."""
    return table.message_of(api_version, kind) is not None


def decode(data: bytes, api_version: str = "", kind: str = "") -> dict[str, Any]:
    """The object in a body; BadRequest if there is none.

    `api_version` and `kind` are what the request's path demands: they fill in what the envelope
    leaves out, and help to word a refusal.
    """
    try:
        default_version, default_kind, raw = _open(data)
    except wire.Malformed as error:
        raise errors.BadRequest(
            f"the object provided is unrecognized (must be of type {kind or 'object'}): {error} "
            f"({_summary(data)})"
        ) from error
    default_version, default_kind = default_version or api_version, default_kind or kind
    message = table.message_of(default_version, default_kind)
    try:
        if message is None:
            raise wire.Malformed(
                f"no kind {durations.quote(default_kind)} is registered for version "
                f'{durations.quote(default_version)} in scheme "pkg/api/legacyscheme/scheme.go:30"'
            )
        body = messages.decode(message, raw)
    except wire.Malformed as error:
        version = default_version.rpartition("/")[2]
        raise errors.BadRequest(
            f"{default_kind} in version {durations.quote(version)} cannot be handled as a "
            f"{kind or default_kind}: {error}"
        ) from error
    return {"kind": default_kind, "apiVersion": default_version, **body}


def _open(data: bytes) -> tuple[str, str, bytes]:
    """apiVersion, kind and the message's bytes."""
    if not data:
        raise wire.Malformed("empty data")
    if not data.startswith(MAGIC):
        raise wire.Malformed(
            "provided data does not appear to be a protobuf message, "
            f"expected prefix [{' '.join(str(each) for each in MAGIC)}]"
        )
    if len(data) == len(MAGIC):
        raise wire.Malformed("empty body")
    parts: dict[int, bytes] = {}
    for number, wire_type, payload in wire.entries(data[len(MAGIC) :]):
        if number > 4:
            continue
        if wire_type != wire.BYTES or not isinstance(payload, bytes):
            raise wire.Malformed(f"proto: wrong wireType = {wire_type} for field {number}")
        parts[number] = payload
    meta: dict[int, str] = {}
    for number, wire_type, payload in wire.entries(parts.get(1, b"")):
        if wire_type == wire.BYTES and isinstance(payload, bytes):
            meta[number] = payload.decode("utf-8", "replace")
    return meta.get(1, ""), meta.get(2, ""), parts.get(2, b"")


def _summary(data: bytes) -> str:
    """The first bytes, as Go shows data that is no text."""
    shown = "".join(f"{byte:02x}" for byte in data[:_SHOWN])
    return f"{shown} ..." if len(data) > _SHOWN else shown or "<empty>"
