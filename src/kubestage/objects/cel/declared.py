"""Types as schemas declare them: with fields, and with how large values may become."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.cel import types

if TYPE_CHECKING:
    from kubestage.objects.cel.types import Type

LARGEST_REQUEST: Final = 3 * 1024 * 1024
"""The bytes of the largest request that a server takes."""


class Declared:
    """A type, the most elements that a value can have, and its fewest bytes in JSON."""

    __slots__ = ("element", "fields", "key", "most_elements", "size", "type")

    def __init__(self, found: Type, size: int, most_elements: int = 0) -> None:
        self.type = found
        self.size = size
        self.most_elements = most_elements
        self.fields: dict[str, Declared] = {}
        self.key: Declared | None = None
        self.element: Declared | None = None

    def at(self, path: tuple[str, ...]) -> Declared | None:
        """The type at a path of fields and of `@items`, `@keys` and `@values`."""
        found: Declared | None = self
        for name in path:
            if found is None:
                return None
            if name in ("@items", "@values"):
                found = found.element
            elif name == "@keys":
                found = found.key
            else:
                found = found.fields.get(name)
        return found

    def structures(self, name: str, found: dict[str, Declared]) -> None:
        """Give all structures in a type names of their own, and collect them by these."""
        if self.type.kind == "struct":
            self.type = types.Type("struct", name)
            found[name] = self
            for field, each in self.fields.items():
                each.structures(f"{name}.{field}", found)
        elif self.element is not None:
            self.element.structures(f"{name}.@elem", found)
            if self.type.kind == "list":
                self.type = types.list_of(self.element.type)
            else:
                self.type = types.map_of(types.STRING, self.element.type)


def string() -> Declared:
    """The type of strings that can be anything: keys of maps."""
    return Declared(types.STRING, 2)
