"""From the path of a field back to its line in a YAML text that has been read already."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import yaml
from yaml import events

from kubestage.objects import field_paths, yaml_scalars

_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclasses.dataclass(slots=True)
class Node:
    """A value's line, and its parts: keys with their lines, or list items."""

    line: int
    entries: dict[str, tuple[int, Node]] | None = None
    items: list[Node] | None = None


def roots(data: bytes) -> list[Node]:
    """The top node of each document that is not empty; YAMLError if the text is broken."""
    try:
        return _Builder(data).roots()
    except RecursionError:
        raise yaml.YAMLError("nested too deeply") from None


def line(node: Node, path: str, first_line: int = 1) -> int:
    """The line of a path under a node whose text starts on `first_line`."""
    found_at = node.line
    while path:
        if node.items is not None:
            index = field_paths.index(path)
            if index is None or index[0] >= len(node.items):
                break
            node, path = node.items[index[0]], index[1]
            found_at = node.line
        else:
            key = field_paths.key(path, node.entries or ())
            if key is None or node.entries is None:
                break
            (found_at, node), path = node.entries[key[0]], key[1]
    return found_at + first_line


class _Builder:
    """Builds nodes from libyaml's events.

    PyYAML's own composer recurses in C and takes the process down with it when a text is nested
    deeply enough.
    """

    def __init__(self, data: bytes) -> None:
        self._next = _Loader(data).get_event
        self._anchors: dict[str, Node] = {}

    def roots(self) -> list[Node]:
        found = []
        self._next()
        while isinstance(self._next(), events.DocumentStartEvent):
            event = self._next()
            self._anchors.clear()
            node = self._node(event)
            self._next()
            if not _is_null(event):
                found.append(node)
        return found

    def _node(self, event: Any) -> Node:
        node = Node(event.start_mark.line)
        if isinstance(event, events.AliasEvent):
            return self._anchors.get(str(event.anchor), node)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        if isinstance(event, events.SequenceStartEvent):
            node.items = []
            while not isinstance(event := self._next(), events.SequenceEndEvent):
                node.items.append(self._node(event))
        elif isinstance(event, events.MappingStartEvent):
            node.entries = {}
            while not isinstance(event := self._next(), events.MappingEndEvent):
                self._entry(event, node.entries)
        return node

    def _entry(self, event: Any, entries: dict[str, tuple[int, Node]]) -> None:
        key = self._node(event)
        value = self._node(self._next())
        if not isinstance(event, events.ScalarEvent):
            return
        if event.value == "<<" and event.implicit[0]:
            for source in reversed(value.items or [value]):
                entries.update(source.entries or {})
        else:
            entries[_key_text(event)] = key.line, value


def _key_text(event: Any) -> str:
    try:
        return yaml_scalars.plain_key(event.value) if event.implicit[0] else str(event.value)
    except ValueError:
        return str(event.value)


def _is_null(event: Any) -> bool:
    if not isinstance(event, events.ScalarEvent) or not event.implicit[0]:
        return False
    return event.value in ("", "~", "null", "Null", "NULL")
