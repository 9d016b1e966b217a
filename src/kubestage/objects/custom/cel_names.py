"""Names and values of a custom resource as rules see them.

A field whose name is no identifier is known by an escaped name; a field of which the schema says
nothing is not known at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.custom.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_RESERVED: Final = frozenset(
    {
        "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for",
        "function", "if", "import", "let", "loop", "package", "namespace", "return", "var",
        "void", "while",
    }
)  # fmt: skip
_PARTS: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_part: Final = re.compile(r"__|[-./]")
_is_possible: Final = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*").fullmatch
_SCALARS: Final = {"boolean": "bool", "number": "double", "integer": "int"}
_STRING: Final = Node({"type": "string"})
_NAMES: Final = ("name", "generateName")
_META: Final = Node({"type": "object", "properties": {each: {"type": "string"} for each in _NAMES}})


def escape(name: str) -> str | None:
    """The identifier that stands for a field; None if there can be none."""
    if _is_possible(name) is None:
        return None
    if name in _RESERVED:
        return f"__{name}__"
    return _part.sub(lambda match: _PARTS[match[0]], name)


def type_name(node: Node) -> str:
    """The type of a value, as a message about a rule names it."""
    if node.type == "array":
        return "list"
    if node.type == "object":
        return "map" if node.additional is not None else "object"
    return _SCALARS.get(node.type, node.type)


def is_exposed(node: Node) -> bool:
    """Whether rules can see values of a schema: its types must be known to the bottom."""
    if node.int_or_string:
        return True
    if node.type == "array":
        return node.items is not None and is_exposed(node.items)
    if node.type == "object":
        return node.additional is None or is_exposed(node.additional)
    return bool(node.type)


def fields(node: Node, *, is_root: bool) -> Mapping[str, Node]:
    """The fields of an object that rules can ask for, by their escaped names."""
    found = {}
    for name, child in named_fields(node, is_root=is_root):
        escaped = escape(name)
        if escaped is not None and is_exposed(child):
            found[escaped] = child
    return found


def named_fields(node: Node, *, is_root: bool) -> Iterator[tuple[str, Node]]:
    """The fields of an object by their own names, with those that every resource has."""
    if not is_root and not node.is_embedded:
        yield from node.properties.items()
        return
    has_all = all(_is_text(node.properties.get(each)) for each in ("apiVersion", "kind"))
    meta = node.properties.get("metadata")
    if meta is None or meta.type != "object":
        has_all = False
    else:
        has_all = has_all and all(_is_text(meta.properties.get(each)) for each in _NAMES)
    own = {"apiVersion": _STRING, "kind": _STRING, "metadata": _META}
    yield from (node.properties if has_all else {**node.properties, **own}).items()


def _is_text(node: Node | None) -> bool:
    return node is not None and node.type == "string"


def value(item_value: Any, node: Node, *, is_root: bool = False) -> Any:
    """A value as rules see it: a field that is null is not there."""
    if item_value is None or node.int_or_string:
        return item_value
    if type(item_value) is list:
        items = node.items
        return item_value if items is None else [value(item, items) for item in item_value]
    if type(item_value) is dict:
        if node.additional is not None:
            below = node.additional
            return {name: value(item, below) for name, item in item_value.items()}
        seen = {}
        known = fields(node, is_root=is_root)
        for name, item in item_value.items():
            escaped = escape(name)
            if item is not None and escaped is not None and escaped in known:
                seen[escaped] = value(item, known[escaped])
        return seen
    if node.type == "number" and type(item_value) is int:
        return float(item_value)
    return item_value
