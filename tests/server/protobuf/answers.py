"""Reads answers in protobuf."""

from __future__ import annotations

from typing import Any

from kubestage.server.protobuf import answers, envelope, messages, table, wire


def unpacked(body: bytes) -> tuple[str, str, bytes]:
    """apiVersion, kind and message of an answer."""
    assert body.startswith(envelope.MAGIC)
    parts = fields(body[4:])
    head = fields(parts[1][0])
    return head[1][0].decode(), head[2][0].decode(), parts[2][0]


def fields(data: bytes) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for number, _, value in wire.entries(data):
        found.setdefault(number, []).append(value)
    return found


def read(body: bytes) -> dict[str, Any]:
    """The object, the list or the Status in an answer."""
    api_version, kind, raw = unpacked(body)
    head = {"apiVersion": api_version, "kind": kind}
    if kind == "Status":
        return {**head, **_of_answers(answers.STATUS, raw)}
    if kind.startswith("PartialObjectMetadata"):
        pieces = fields(raw).get(2, [raw]) if kind.endswith("List") else [raw]
        found = [fields(each)[1][0] for each in pieces]
        return {**head, "items": [messages.decode("meta.v1.ObjectMeta", each) for each in found]}
    message = table.message_of(api_version, kind)
    if message is not None:
        return {**head, **messages.decode(message, raw)}
    item = table.message_of(api_version, kind.removesuffix("List"))
    assert item is not None, kind
    items = [messages.decode(item, each) for each in fields(raw).get(2, [])]
    return {**head, "items": items}


def _of_answers(message: str, raw: bytes) -> dict[str, Any]:
    """A message that only answers have; zeros are left out."""
    found: dict[str, Any] = {}
    for number, values in fields(raw).items():
        name, type_name, flags = answers.FIELDS[message][number]
        read = [_value(type_name, each) for each in values]
        value = read if flags == "r" else read[-1]
        if value:
            found[name] = value
    return found


def _value(type_name: str, value: Any) -> Any:
    if type_name in answers.FIELDS:
        return _of_answers(type_name, value)
    return value.decode() if isinstance(value, bytes) else value
