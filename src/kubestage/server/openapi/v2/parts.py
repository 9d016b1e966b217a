"""Parts of the document: the built-in groups together, each other group and version alone."""

from __future__ import annotations

import collections
import functools
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.server.discovery import groups
from kubestage.server.openapi import definitions, documents, paths
from kubestage.server.openapi.components import SchemaComponents
from kubestage.server.openapi.v2 import gnostic, operations, schemas

if TYPE_CHECKING:
    from kubestage.objects.kinds import KindTable

    GroupVersions = tuple[tuple[str, str], ...]
    Entries = dict[str, msgspec.Raw]

_MOST: Final = 64
# By what names their content; those used last are kept.
_parts: collections.OrderedDict[str, DocumentPart] = collections.OrderedDict()


class DocumentPart:
    """Paths and definitions by name, as JSON; as protobuf when that is first requested."""

    def __init__(self, name: str, path_items: Entries, schemas_by_name: Entries) -> None:
        self.name = name
        self.paths = path_items
        self.definitions = schemas_by_name

    @functools.cached_property
    def encoded_paths(self) -> dict[str, bytes]:
        """The messages of the path items."""
        decode = msgspec.json.decode
        return {name: gnostic.path_item(decode(each)) for name, each in self.paths.items()}

    @functools.cached_property
    def encoded_definitions(self) -> dict[str, bytes]:
        """The messages of the definitions."""
        decode = msgspec.json.decode
        return {name: gnostic.schema(decode(each)) for name, each in self.definitions.items()}


def of(kinds: KindTable) -> list[DocumentPart]:
    """The parts of the document for a table, those that are new built."""
    changing = {(row.group, row.version) for row in kinds if row.definition is not None}
    every = [
        (group, version)
        for group in ["", *groups.names(kinds)]
        for version in groups.versions(kinds, group)
    ]
    fixed = tuple(each for each in every if each not in changing)
    found = [_part(kinds, repr(fixed), fixed)]
    return found + [
        _part(kinds, documents.content_hash(kinds, *each), (each,))
        for each in every
        if each in changing
    ]


def _part(kinds: KindTable, name: str, versions: GroupVersions) -> DocumentPart:
    found = _parts.get(name)
    if found is None:
        found = _parts[name] = _build(kinds, name, versions)
        if len(_parts) > _MOST:
            _parts.popitem(last=False)
    _parts.move_to_end(name)
    return found


def _build(kinds: KindTable, name: str, versions: GroupVersions) -> DocumentPart:
    components = SchemaComponents(kinds, definitions.read(), schemas.of_custom)
    items: Entries = {}
    for group, version in versions:
        for path, item in paths.build(kinds, components, group, version).items():
            items[path] = _raw(operations.convert(item))
    found = {
        each: _raw(schemas.convert(each, schema)) for each, schema in components.schemas.items()
    }
    return DocumentPart(name, items, found)


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
