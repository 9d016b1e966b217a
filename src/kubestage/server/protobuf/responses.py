"""Answers in protobuf: objects, lists and metadata alone in their envelope, events of watches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import NotAcceptable
from kubestage.server.protobuf import answers, table
from kubestage.server.protobuf.encoding import encode, field
from kubestage.server.protobuf.envelope import MAGIC

if TYPE_CHECKING:
    from kubestage.aliases import Json

CONTENT_TYPE: Final = b"application/vnd.kubernetes.protobuf"
WATCH_TYPE: Final = CONTENT_TYPE + b";stream=watch"
_OWN: Final = {
    "PartialObjectMetadata": answers.PARTIAL,
    "PartialObjectMetadataList": answers.PARTIAL_LIST,
    "Status": answers.STATUS,
}
_NO_MESSAGE: Final = (
    "object *unstructured.Unstructured does not implement the protobuf marshalling interface and "
    "cannot be encoded to a protobuf message"
)


def body(obj: Json) -> bytes:
    """An object as the body of an answer; NotAcceptable if its kind has no message."""
    api_version, kind = obj["apiVersion"], obj["kind"]
    raw = _message(api_version, kind, obj)
    if raw is None:
        raise NotAcceptable(_NO_MESSAGE)
    head = field(1, api_version.encode()) + field(2, kind.encode())
    return MAGIC + field(1, head) + field(2, raw) + field(3, b"") + field(4, b"")


def frame(event_type: str, obj: Json) -> bytes:
    """An event of a watch, after its length."""
    event = field(1, event_type.encode()) + field(2, field(1, body(obj)))
    return len(event).to_bytes(4, "big") + event


def check_message(api_version: str, kind: str) -> None:
    """Refuse to send objects of a kind whole that has no message."""
    if table.message_of(api_version, kind) is None:
        raise NotAcceptable(_NO_MESSAGE)


def _message(api_version: str, kind: str, obj: Json) -> bytes | None:
    message = _OWN.get(kind) or table.message_of(api_version, kind)
    if message is not None:
        return encode(message, obj)
    item = table.message_of(api_version, kind.removesuffix("List"))
    if item is None:
        return None
    # The message of any list: its metadata, and its items.
    metadata = field(1, encode(answers.LIST_META, obj["metadata"]))
    return metadata + b"".join(field(2, encode(item, each)) for each in obj["items"])
