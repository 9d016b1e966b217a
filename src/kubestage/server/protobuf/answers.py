"""Messages that only answers have: lists, metadata alone, Status."""

from __future__ import annotations

from typing import Final

from kubestage.server.protobuf.table import Field

LIST_META: Final = "meta.v1.ListMeta"
PARTIAL: Final = "meta.v1.PartialObjectMetadata"
PARTIAL_LIST: Final = "meta.v1.PartialObjectMetadataList"
STATUS: Final = "meta.v1.Status"

FIELDS: Final[dict[str, dict[int, Field]]] = {
    LIST_META: {
        1: Field("selfLink", "string", ""),
        2: Field("resourceVersion", "string", ""),
        3: Field("continue", "string", ""),
        4: Field("remainingItemCount", "int64", "p"),
    },
    PARTIAL: {1: Field("metadata", "meta.v1.ObjectMeta", "")},
    PARTIAL_LIST: {1: Field("metadata", LIST_META, ""), 2: Field("items", PARTIAL, "r")},
    STATUS: {
        1: Field("metadata", LIST_META, ""),
        2: Field("status", "string", ""),
        3: Field("message", "string", ""),
        4: Field("reason", "string", ""),
        5: Field("details", "meta.v1.StatusDetails", "p"),
        6: Field("code", "int32", ""),
    },
    "meta.v1.StatusDetails": {
        1: Field("name", "string", ""),
        2: Field("group", "string", ""),
        3: Field("kind", "string", ""),
        4: Field("causes", "meta.v1.StatusCause", "r"),
        5: Field("retryAfterSeconds", "int32", ""),
        6: Field("uid", "string", ""),
    },
    "meta.v1.StatusCause": {
        1: Field("reason", "string", ""),
        2: Field("message", "string", ""),
        3: Field("field", "string", ""),
    },
}
