"""The document in both forms, joined from its parts."""

from __future__ import annotations

import collections
import functools
import gzip
import hashlib
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from kubestage.server.openapi import documents
from kubestage.server.openapi.v2 import gnostic, operations, parts

if TYPE_CHECKING:
    from kubestage.objects.kinds import KindTable
    from kubestage.server.openapi.v2.parts import DocumentPart

T = TypeVar("T")
PROTOBUF: Final = b"application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_TITLE: Final = "Kubernetes"
_SWAGGER: Final = "2.0"
_BEARER: Final = "BearerToken"
_MOST: Final = 2
_FASTEST: Final = 1
_documents: collections.OrderedDict[tuple[str, ...], WholeDocument] = collections.OrderedDict()


class WholeDocument:
    """The document of one state of the kind table."""

    def __init__(self, of: list[DocumentPart], version: str) -> None:
        self._parts = of
        self._version = version

    @functools.cached_property
    def json(self) -> bytes:
        """As Swagger 2.0."""
        return msgspec.json.encode(
            {
                "swagger": _SWAGGER,
                "info": {"title": _TITLE, "version": self._version},
                "paths": _merged([each.paths for each in self._parts]),
                "definitions": _merged([each.definitions for each in self._parts]),
                "parameters": operations.shared(),
                "securityDefinitions": {_BEARER: documents.BEARER},
                "security": [{_BEARER: []}],
            }
        )

    @functools.cached_property
    def protobuf(self) -> bytes:
        """As gnostic's message Document."""
        info = gnostic.field(1, _TITLE.encode()) + gnostic.field(2, self._version.encode())
        shared = {name: gnostic.parameter(each) for name, each in operations.shared().items()}
        paths = _merged([each.encoded_paths for each in self._parts])
        definitions = _merged([each.encoded_definitions for each in self._parts])
        return b"".join(
            [
                gnostic.field(1, _SWAGGER.encode()),
                gnostic.field(2, info),
                gnostic.field(8, _entries(2, paths)),
                gnostic.field(9, _entries(1, definitions)),
                gnostic.field(10, _entries(1, shared)),
                gnostic.field(12, gnostic.named(1, _BEARER, b"")),
                gnostic.field(13, gnostic.named(1, _BEARER, gnostic.api_key(documents.BEARER))),
            ]
        )

    @functools.cached_property
    def compressed_json(self) -> bytes:
        """The JSON form, for clients that take it compressed."""
        return gzip.compress(self.json, _FASTEST)

    @functools.cached_property
    def compressed_protobuf(self) -> bytes:
        """The other form, likewise."""
        return gzip.compress(self.protobuf, _FASTEST)

    @functools.cached_property
    def etag(self) -> str:
        """A name for the content, the same for both forms."""
        return f'"{hashlib.sha512(self.json).hexdigest().upper()}"'


def of(kinds: KindTable, version: str) -> WholeDocument:
    """The document for a table; `version` is the server's."""
    found = parts.of(kinds)
    key = (version, *(each.name for each in found))
    document = _documents.get(key)
    if document is None:
        document = _documents[key] = WholeDocument(found, version)
        if len(_documents) > _MOST:
            _documents.popitem(last=False)
    _documents.move_to_end(key)
    return document


def _merged(of: list[dict[str, T]]) -> dict[str, T]:
    """The entries of all parts, by name; what several of them have is the same."""
    merged: dict[str, T] = {}
    for each in of:
        merged |= each
    return dict(sorted(merged.items()))


def _entries(number: int, messages: dict[str, bytes]) -> bytes:
    return b"".join(gnostic.named(number, name, each) for name, each in messages.items())
