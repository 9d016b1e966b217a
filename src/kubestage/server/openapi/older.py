"""``/openapi/v2``: the form before the present one, without any definitions.

kubectl requests it when a file holds a ``List``, as protobuf, and checks against it what it knows
of. Nothing is in there, so that validation is left to the server, as it should be.
"""

from __future__ import annotations

from typing import Any, Final

PROTOBUF: Final = b"application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_TITLE: Final = "Kubernetes"


def document(version: str) -> dict[str, Any]:
    """The document as JSON has it."""
    return {"swagger": "2.0", "info": {"title": _TITLE, "version": version}, "paths": {}}


def encoded(version: str) -> bytes:
    """The document in gnostic's protobuf: swagger is 1, info 2 (title 1, version 2), paths 8."""
    info = _field(1, _TITLE.encode()) + _field(2, version.encode())
    return _field(1, b"2.0") + _field(2, info) + _field(8, b"")


def _field(number: int, content: bytes) -> bytes:
    # Short texts only, so that lengths take one byte.
    return bytes((number << 3 | 2, len(content))) + content
