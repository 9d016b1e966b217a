"""The index and the documents, each built at its first request and then cached as bytes."""

from __future__ import annotations

import collections
import hashlib
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

import kubestage
from kubestage.server.discovery import groups, resources
from kubestage.server.openapi import definitions, paths
from kubestage.server.openapi.components import SchemaComponents

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import KindTable


# A document that is requested by its hash never changes: the header for that.
EXPIRES: Final = b"Thu, 31 Dec 2099 23:59:59 GMT"
BEARER: Final[Json] = {
    "type": "apiKey",
    "in": "header",
    "name": "authorization",
    "description": "Bearer Token authentication",
}
_KEPT: Final = 64
# By hash: the newest documents, so that a stage with ever new definitions does not grow.
_documents: collections.OrderedDict[str, bytes] = collections.OrderedDict()


class OpenApiDocument(NamedTuple):
    """A document as it is served; `hash` names its content, in the index and as its ETag."""

    body: bytes
    hash: str


def index(kinds: KindTable) -> Json:
    """The body of ``/openapi/v3``: where each document lies, and which state it has."""
    found = {}
    for group in ["", *groups.names(kinds)]:
        for version in groups.versions(kinds, group):
            path = f"apis/{group}/{version}" if group else f"api/{version}"
            name = content_hash(kinds, group, version)
            found[path] = {"serverRelativeURL": f"/openapi/v3/{path}?hash={name}"}
    return {"paths": found}


def document(kinds: KindTable, path: str) -> OpenApiDocument | None:
    """The document of ``api/v1`` or ``apis/GROUP/VERSION``; None if that is not served."""
    match path.strip("/").split("/"):
        case ["api", version]:
            group = ""
        case ["apis", group, version] if group:
            pass
        case _:
            return None
    if version not in groups.versions(kinds, group):
        return None
    digest = content_hash(kinds, group, version)
    body = _documents.get(digest)
    if body is None:
        body = _build(kinds, group, version)
        _documents[digest] = body
        if len(_documents) > _KEPT:
            _documents.popitem(last=False)
    return OpenApiDocument(body, digest)


def content_hash(kinds: KindTable, group: str, version: str) -> str:
    """A name for all that goes into a document, found without building it."""
    rows = resources.served_resources(kinds, group, version)
    definitions_used = [
        row.definition
        for row in kinds
        if row.definition is not None and (row.group, row.version) == (group, version)
    ]
    parts = (kubestage.__version__, definitions.is_installed(), group, version, rows)
    content = msgspec.json.encode((parts, definitions_used))
    return hashlib.sha512(content).hexdigest().upper()


def _build(kinds: KindTable, group: str, version: str) -> bytes:
    components = SchemaComponents(kinds, definitions.read())
    served = paths.build(kinds, components, group, version)
    return msgspec.json.encode(
        {
            "openapi": "3.0.0",
            "info": {"title": "Kubernetes", "version": f"v{definitions.VERSION}"},
            "paths": served,
            "components": {
                "schemas": dict(sorted(components.schemas.items())),
                "securitySchemes": {"BearerToken": BEARER},
            },
        }
    )
