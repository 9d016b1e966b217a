"""Objects with holes: what all renderings of one trace have in common.

Why filling a form gives what rendering, checking and reading would give:

* The holes are filled with letters, digits, and dots and hyphens between them. A YAML scanner
  treats these alike wherever they stand, but in an escape, the head of a block, a tag, an anchor,
  an alias or a key. In an escape or a head, a mark makes the text unreadable, and a form with any
  of the others is not made. So the structure around the holes does not depend on what fills them.
* Conditions and variables are the same in the guard's three runs. A hole that is a string is
  ``baseline`` in the second run and has its characters doubled in the third: both are harmless
  too, and a scalar with ``baseline`` in it is a string, for which the guard takes any scalar.
  Any other hole is the same in all three runs. So if one filling passes the guard, all do.
* What a scalar means is worked out from its whole text each time, by the same rules as reading.
"""

from __future__ import annotations

from typing import Any, Final

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from kubestage.clusterloader.templating.tracing import MARK
from kubestage.objects import json_documents, yaml_scalars

_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Unfit(Exception):
    """Something that a form does not do."""


class _Hole:
    """A scalar with something to fill in: text, place, text, place, ..., text."""

    __slots__ = ("_is_plain", "_parts", "_places")

    def __init__(self, text: str, is_plain: bool) -> None:
        self._is_plain = is_plain
        pieces = MARK.split(text)
        self._parts = pieces[0::2]
        self._places = tuple(map(int, pieces[1::2]))

    def filled(self, pasted: list[str]) -> Any:
        text = self._parts[0]
        for part, place in zip(self._parts[1:], self._places, strict=True):
            text += pasted[place] + part
        return yaml_scalars.plain(text) if self._is_plain else text


class _Map:
    """A mapping in which something is to be filled in; the rest is shared by all fillings."""

    __slots__ = ("_all", "_open")

    def __init__(self, entries: dict[str, Any]) -> None:
        self._all = entries
        self._open = [(key, value) for key, value in entries.items() if _is_open(value)]

    def filled(self, pasted: list[str]) -> dict[str, Any]:
        whole = self._all.copy()
        for key, value in self._open:
            whole[key] = value.filled(pasted)
        return whole


class _List:
    """As `_Map`, for a sequence."""

    __slots__ = ("_all", "_open")

    def __init__(self, elements: list[Any]) -> None:
        self._all = elements
        self._open = [(at, value) for at, value in enumerate(elements) if _is_open(value)]

    def filled(self, pasted: list[str]) -> list[Any]:
        whole = self._all.copy()
        for at, value in self._open:
            whole[at] = value.filled(pasted)
        return whole


def _is_open(value: Any) -> bool:
    return isinstance(value, _Hole | _Map | _List)


class Form:
    """The objects of a trace. What is not filled in is shared by all that come of it."""

    __slots__ = ("_objects",)

    def __init__(self, objects: list[Any]) -> None:
        self._objects = objects

    def filled(self, pasted: list[str]) -> list[dict[str, Any]]:
        """The objects of one rendering."""
        return [each.filled(pasted) if _is_open(each) else each for each in self._objects]


def read(text: str) -> Form | None:
    """The form of a trace's text; None if it has something that no form has."""
    if json_documents.looks_like_json(text.encode()):
        return None
    try:
        return Form(_Reader(text).documents())
    except (_Unfit, yaml.YAMLError, RecursionError, ValueError):
        return None


class _Reader:
    """Builds a form from the events of one text."""

    def __init__(self, text: str) -> None:
        self._next = _Loader(text).get_event

    def documents(self) -> list[Any]:
        found = []
        self._next()
        while type(self._next()) is DocumentStartEvent:
            value = self._value(self._next())
            self._next()
            if value is not None:
                found.append(value)
        return found

    def _value(self, event: Any) -> Any:
        kind = type(event)
        if kind is AliasEvent or event.anchor is not None or event.tag is not None:
            raise _Unfit
        if kind is ScalarEvent:
            is_plain = event.implicit[0]
            if MARK.search(event.value) is not None:
                return _Hole(event.value, is_plain)
            return yaml_scalars.plain(event.value) if is_plain else event.value
        if kind is MappingStartEvent:
            return self._mapping()
        assert kind is SequenceStartEvent
        return self._sequence()

    def _sequence(self) -> Any:
        elements = []
        while type(event := self._next()) is not SequenceEndEvent:
            elements.append(self._value(event))
        return _List(elements) if any(map(_is_open, elements)) else elements

    def _mapping(self) -> Any:
        entries: dict[str, Any] = {}
        while type(event := self._next()) is not MappingEndEvent:
            key = self._key(event)
            if key in entries:
                raise _Unfit
            entries[key] = self._value(self._next())
        return _Map(entries) if any(map(_is_open, entries.values())) else entries

    def _key(self, event: Any) -> str:
        if type(event) is not ScalarEvent or event.tag is not None or event.anchor is not None:
            raise _Unfit
        text: str = event.value
        if text == "<<" or MARK.search(text) is not None:
            raise _Unfit
        return yaml_scalars.plain_key(text) if event.implicit[0] else text
