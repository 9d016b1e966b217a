"""The types of values of a schema, and how large these may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.cel import declared, types
from kubestage.objects.cel.declared import LARGEST_REQUEST, Declared
from kubestage.objects.cel.sizes import Range
from kubestage.objects.cel.types import Type
from kubestage.objects.custom import cel_names

if TYPE_CHECKING:
    from kubestage.objects.custom.nodes import Node

# Texts in quotes, as JSON has them: the fewest and the most bytes of each format.
_DURATION: Final = (3, 32)
_DATE: Final = (12, 12)
_DATE_TIME: Final = (21, 32)
_FORMATS: Final = {
    "duration": (types.DURATION, _DURATION),
    "date": (types.TIMESTAMP, _DATE),
    "date-time": (types.TIMESTAMP, _DATE_TIME),
}
_LONGEST_TEXT: Final = LARGEST_REQUEST - 2
_BYTES_OF_A_LETTER: Final = 4
_SCALARS: Final = {
    "boolean": Declared(types.BOOL, 4),
    "number": Declared(types.DOUBLE, 1),
    "integer": Declared(types.INT, 1),
}


class SchemaTypes:
    """The types of the variables of a rule, and of the fields below them."""

    def __init__(self, node: Node, *, is_root: bool, optional_old: bool) -> None:
        found = declare(node, is_root=is_root)
        assert found is not None, "rules are only for values that they can see"
        self.declared = found
        self._structures: dict[str, Declared] = {}
        found.structures("self", self._structures)
        old = types.optional_of(found.type) if optional_old else found.type
        self.variables = {"self": found.type, "oldSelf": old}

    def field(self, structure: str, name: str) -> Type | None:
        """The type of a field."""
        whole = self._structures.get(structure)
        found = None if whole is None else whole.fields.get(name)
        return None if found is None else found.type

    def size(self, path: tuple[str, ...]) -> Range | None:
        """How large the data at a path can be, whatever variable it begins with."""
        found = self.declared.at(path[1:])
        return None if found is None else Range(0, found.most_elements)


def declare(node: Node, *, is_root: bool) -> Declared | None:
    """The type of a schema's values; None if rules cannot see them."""
    raw = node.raw
    if node.int_or_string:
        most = _LONGEST_TEXT if raw.get("maxLength") is None else _letters(raw["maxLength"])
        return Declared(types.DYN, 1, most)
    if node.type == "array":
        return _list(node)
    if node.type == "object":
        return _map(node) if node.additional is not None else _object(node, is_root=is_root)
    if node.type == "string":
        return _string(raw)
    return _SCALARS.get(node.type)


def _limit(value: Any) -> int:
    return max(int(value), 0)


def _letters(value: Any) -> int:
    return _limit(value) * _BYTES_OF_A_LETTER


def _list(node: Node) -> Declared | None:
    items = None if node.items is None else declare(node.items, is_root=node.items.is_embedded)
    if items is None:
        return None
    most = node.raw.get("maxItems")
    count = (LARGEST_REQUEST - 2) // (items.size + 1) if most is None else _limit(most)
    found = Declared(types.list_of(items.type), 2, count)
    found.element = items
    return found


def _map(node: Node) -> Declared | None:
    assert node.additional is not None
    values = declare(node.additional, is_root=node.additional.is_embedded)
    if values is None:
        return None
    most = node.raw.get("maxProperties")
    # Two quotes, a colon, a comma and the smallest key come with each value.
    count = (LARGEST_REQUEST - 2) // (values.size + 6) if most is None else _limit(most)
    found = Declared(types.map_of(types.STRING, values.type), 2, count)
    found.key, found.element = declared.string(), values
    return found


def _object(node: Node, *, is_root: bool) -> Declared:
    found = Declared(Type("struct", "object"), 2)
    required = set(node.raw.get("required") or ())
    for name, child in cel_names.named_fields(node, is_root=is_root):
        each = declare(child, is_root=child.is_embedded)
        if each is None:
            continue
        escaped = cel_names.escape(name)
        if escaped is not None:
            found.fields[escaped] = each
        if name in required and child.default is None:
            found.size += len(name.encode()) + each.size + 4
    return found


def _string(raw: dict[str, Any]) -> Declared:
    form, longest = raw.get("format") or "", raw.get("maxLength")
    if form in _FORMATS:
        found, (fewest, most) = _FORMATS[form]
        return Declared(found, fewest, most)
    if form == "byte":
        return Declared(types.BYTES, 2, _LONGEST_TEXT if longest is None else _limit(longest))
    if longest is not None:
        return Declared(types.STRING, 2, _letters(longest))
    choices = raw.get("enum") or ()
    if choices:
        sizes = [len(each.encode()) for each in choices if isinstance(each, str)]
        return Declared(types.STRING, 2, max(sizes, default=0))
    return Declared(types.STRING, 2, _LONGEST_TEXT)
