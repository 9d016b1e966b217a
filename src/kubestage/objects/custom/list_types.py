"""Lists that are sets or maps: no element twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.objects.custom.nodes import Node
    from kubestage.objects.validation.field import FieldError

_encode: Final = msgspec.json.Encoder(order="sorted").encode


def validate(value: Any, node: Node | None, path: str = "") -> list[FieldError]:
    """Elements that are there twice, the whole object through."""
    if node is None or not node.has_list_types:
        return []
    errors: list[FieldError] = []
    if type(value) is list:
        if node.list_type == "set":
            errors += [
                field.duplicate(f"{path}[{index}]", value[index]) for index in repeated(value)
            ]
        elif node.list_type == "map":
            errors += _validate_map(value, node.map_keys, path)
        if node.items is not None and node.items.has_list_types:
            for index, item in enumerate(value):
                errors += validate(item, node.items, f"{path}[{index}]")
    elif type(value) is dict:
        for name, item in value.items():
            if type(item) is not dict and type(item) is not list:
                continue
            if node.additional is not None:
                errors += validate(item, node.additional, f"{path}[{name}]")
            child = node.properties.get(name)
            if child is not None:
                errors += validate(item, child, f"{path}.{name}" if path else name)
    return errors


def repeated(values: list[Any]) -> list[int]:
    """Where each value that is there more than once appears for the second time."""
    seen: dict[bytes, int] = {}
    found = []
    for index, value in enumerate(values):
        text = _encode(value)
        seen[text] = seen.get(text, 0) + 1
        if seen[text] == 2:
            found.append(index)
    return found


def _validate_map(value: list[Any], keys: list[str], path: str) -> list[FieldError]:
    for index, item in enumerate(value):
        if item is not None and type(item) is not dict:
            text = "must be an object for an array of list-type map"
            return [field.invalid(f"{path}[{index}]", item, text)]
    named = [{key: item[key] for key in keys if key in item} if item else {} for item in value]
    return [field.duplicate(f"{path}[{index}]", named[index]) for index in repeated(named)]
