"""The structure of YAML as Go's yaml.v3 decodes it: what the injection check compares.

Its scalars are those of YAML 1.2, unlike the ones that objects are read with.
"""

from __future__ import annotations

import re
from typing import Any, Final

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from kubestage.errors import KubestageError
from kubestage.objects import yaml_aliases

_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS: Final = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLS: Final = frozenset(("true", "True", "TRUE", "false", "False", "FALSE"))
_FLOAT_WORD: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_INTEGER: Final = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)"
)
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:[Tt ][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})?)?"
)


class Unreadable(KubestageError):
    """The text is no YAML: why, and in which line, if that is known."""

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(f"{problem}, in line {line}" if line else problem)


class Scalar(str):
    """The type of a scalar that is no string: ``int``, ``float``, ``bool``, ``time``."""

    __slots__ = ()


STRING: Final = Scalar("string")
NULL: Final = Scalar("null")
Shape = Scalar | list[Any] | dict[Any, Any]


def read(text: str) -> list[Any]:
    """The shape of each document."""
    try:
        return _Reader(text).documents()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise Unreadable(error.problem or "", 0 if mark is None else mark.line + 1) from None
    except yaml.YAMLError as error:
        raise Unreadable(str(error)) from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None


def plain(text: str) -> Scalar:
    """The type of an unquoted scalar."""
    if text in _NULLS:
        return NULL
    if text in _BOOLS:
        return Scalar("bool")
    if text[0] not in "+-.0123456789":
        return STRING
    digits = text.replace("_", "")
    if _INTEGER.fullmatch(digits) is not None:
        return Scalar("int")
    if _FLOAT.fullmatch(digits) is not None or _FLOAT_WORD.fullmatch(text) is not None:
        return Scalar("float")
    return Scalar("time") if _TIME.fullmatch(text) is not None else STRING


class _Reader:
    """Goes through the events of one text."""

    def __init__(self, text: str) -> None:
        self._next = _Loader(text).get_event
        self._anchors: dict[str, Any] = {}
        self._aliases = yaml_aliases.AliasCount()

    def documents(self) -> list[Any]:
        found = []
        self._next()
        event = self._next()
        while type(event) is not StreamEndEvent:
            assert type(event) is DocumentStartEvent
            self._anchors.clear()
            found.append(self._value(self._next())[0])
            self._next()
            event = self._next()
        return found

    def _value(self, event: Any) -> tuple[Any, Any]:
        """A shape, and what the value is as a key."""
        kind = type(event)
        if kind is ScalarEvent:
            shape = self._scalar(event)
            found: tuple[Any, Any] = shape, event.value if shape is STRING else (shape, event.value)
        elif kind is AliasEvent:
            if event.anchor not in self._anchors:
                raise Unreadable(f"unknown anchor {event.anchor}", event.start_mark.line + 1)
            if self._aliases.exceeds(self._anchors[event.anchor]):
                raise Unreadable(yaml_aliases.PROBLEM, event.start_mark.line + 1)
            return self._anchors[event.anchor], id(event)
        elif kind is MappingStartEvent:
            found = self._mapping(), id(event)
        else:
            found = self._sequence(), id(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = found[0]
        return found

    def _scalar(self, event: Any) -> Scalar:
        if event.implicit[0]:
            return plain(event.value)
        tag = event.tag
        if tag is None or tag == "!" or event.implicit[1]:
            return STRING
        name = tag.removeprefix("tag:yaml.org,2002:")
        return Scalar(name) if name in ("int", "float", "bool", "null") else STRING

    def _sequence(self) -> list[Any]:
        found = []
        while type(event := self._next()) is not SequenceEndEvent:
            found.append(self._value(event)[0])
        return found

    def _mapping(self) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        merged: list[Any] = []
        while type(event := self._next()) is not MappingEndEvent:
            _, key = self._value(event)
            value, _ = self._value(self._next())
            if key == "<<" and event.implicit[0]:
                merged.extend(value if isinstance(value, list) else [value])
            elif key in found:
                raise Unreadable(f"key {event.value!r} again", event.start_mark.line + 1)
            else:
                found[key] = value
        for each in merged:
            if not isinstance(each, dict):
                raise Unreadable("map merge requires map or sequence of maps as the value")
            found = {**each, **found}
        return found
