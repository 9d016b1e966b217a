"""A structural schema as a tree: one node a schema, with its keywords at hand.

Only schemas that `structural_form` passed are compiled, so a node need not doubt its keywords.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json

PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
EMBEDDED: Final = "x-kubernetes-embedded-resource"
INT_OR_STRING: Final = "x-kubernetes-int-or-string"
LIST_TYPE: Final = "x-kubernetes-list-type"
MAP_KEYS: Final = "x-kubernetes-list-map-keys"
MAP_TYPE: Final = "x-kubernetes-map-type"
RULES: Final = "x-kubernetes-validations"


class Node:
    """What a value may be at one place of an object.

    `additional` is the schema of a map's values; `has_additional` alone means that a map may hold
    anything. `raw` is the schema as it was written.
    """

    __slots__ = (
        "additional", "default", "has_additional", "has_defaults", "has_list_types",
        "int_or_string", "is_embedded", "items", "list_type", "map_keys", "map_type", "nullable",
        "preserves", "properties", "raw", "rules", "type",
    )  # fmt: skip

    def __init__(self, schema: Json) -> None:
        self.raw = schema
        self.type: str = schema.get("type") or ""
        self.nullable = bool(schema.get("nullable"))
        self.default: Any = schema.get("default")
        self.preserves = bool(schema.get(PRESERVE))
        self.is_embedded = bool(schema.get(EMBEDDED))
        self.int_or_string = bool(schema.get(INT_OR_STRING))
        self.list_type: str | None = schema.get(LIST_TYPE)
        self.map_keys: list[str] = schema.get(MAP_KEYS) or []
        self.map_type: str | None = schema.get(MAP_TYPE)
        self.rules: list[Json] = schema.get(RULES) or []
        items = schema.get("items")
        self.items = Node(items) if isinstance(items, dict) else None
        self.properties = {
            name: Node(each) for name, each in (schema.get("properties") or {}).items()
        }
        additional = schema.get("additionalProperties")
        self.has_additional = additional is not None
        self.additional = Node(additional) if isinstance(additional, dict) else None
        self.has_defaults: bool = any(
            child.default is not None or child.has_defaults for child in self._children()
        )
        self.has_list_types: bool = self.list_type in ("set", "map") or any(
            child.has_list_types for child in self._children()
        )

    def _children(self) -> list[Node]:
        found = [*self.properties.values()]
        return found + [each for each in (self.items, self.additional) if each is not None]

    def field(self, name: str) -> Node | None:
        """The schema of a field: its own, else that of all fields without one."""
        found = self.properties.get(name)
        return self.additional if found is None else found


def root(schema: Json) -> Node:
    """The schema of whole resources, which have a kind and metadata whatever it says."""
    node = Node(schema)
    node.is_embedded = True
    return node
