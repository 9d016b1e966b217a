"""The schemas of one document: only what its paths refer to, and what those refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import schema
from kubestage.server.openapi import custom_schemas, definitions, type_schemas
from kubestage.server.openapi.definitions import REF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind, KindTable

    CustomSchema = Callable[[Kind | None, str, definitions.Definitions | None], Json]


_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."
_KEY: Final = "x-kubernetes-group-version-kind"


class SchemaComponents:
    """Schemas by public name, gathered as they are referred to."""

    def __init__(
        self,
        kinds: KindTable,
        published: definitions.Definitions | None,
        custom: CustomSchema = custom_schemas.of,
    ) -> None:
        self._kinds = kinds
        self._published = published
        self._custom = custom
        self.schemas: dict[str, Json] = {}

    def kind(self, group: str, version: str, kind: str) -> Json:
        """A reference to the schema of a kind."""
        name = self._published.name_of(group, version, kind) if self._published else None
        return self._ref(name or self._unpublished(group, version, kind))

    def list_of(self, group: str, version: str, kind: str) -> Json:
        """A reference to the schema of a list of a kind."""
        list_kind = f"{kind}List"
        name = self._published.name_of(group, version, list_kind) if self._published else None
        if name is not None:
            return self._ref(name)
        items = self.kind(group, version, kind)
        name = f"{items['$ref'].removeprefix(REF)}List"
        if name not in self.schemas:
            head = custom_schemas.head(self._published)
            row = self._kinds.get(f"{group}/{version}" if group else version, kind)
            self.schemas[name] = {
                "description": f"{list_kind} is a list of {kind}",
                "type": "object",
                "required": ["items"],
                "properties": {
                    **head,
                    "metadata": {**head["metadata"], "allOf": [self.meta("ListMeta")]},
                    "items": {"type": "array", "items": items},
                },
                _KEY: [{"group": group, "version": version, "kind": list_kind}],
                **custom_schemas.selectable_fields(row),
            }
        return self._ref(name)

    def meta(self, kind: str) -> Json:
        """A reference to a type of the API machinery, such as ``Status``."""
        return self._ref(_META + kind)

    def _ref(self, name: str) -> Json:
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current not in self.schemas:
                self.schemas[current] = found = self._schema(current)
                waiting += _references(found)
        return {"$ref": REF + name}

    def _schema(self, name: str) -> Json:
        found = self._published.schema(name) if self._published else None
        if found is None and name.startswith(_META):
            declared = "meta/v1." + name.removeprefix(_META)
            if declared in schema.names():
                type_schemas.collect(schema.struct(declared), self.schemas)
                found = self.schemas.get(name)
        return {"type": "object"} if found is None else found

    def _unpublished(self, group: str, version: str, kind: str) -> str:
        """Make the schema of a kind that has no published definition; its name is returned."""
        api_version = f"{group}/{version}" if group else version
        row = self._kinds.get(api_version, kind)
        struct = type_schemas.of_kind(api_version, kind)
        if struct is not None and (row is None or row.definition is None):
            name = type_schemas.collect(struct, self.schemas)
        else:
            name = custom_schemas.public_name(group, version, kind)
            if name not in self.schemas:
                self.schemas[name] = schema = self._custom(row, kind, self._published)
                for reference in _references(schema):
                    self._ref(reference)
        self.schemas[name] = {
            **self.schemas[name],
            _KEY: [{"group": group, "version": version, "kind": kind}],
        }
        return name


def _references(value: Any) -> Iterator[str]:
    """The names of all schemas that a schema refers to."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "$ref" and isinstance(item, str):
                yield item.removeprefix(REF)
            else:
                yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)
