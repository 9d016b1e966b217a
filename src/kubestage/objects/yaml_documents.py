"""YAML text to plain values, the way Kubernetes tools read it, with the line of each document.

NOTE: values are built straight from libyaml's events. PyYAML's own loader composes a tree of
nodes first and then walks it with generators; skipping that takes half the time or less
(`benchmarks/objects.py`), and it leaves the line of a duplicate key at hand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
)

from kubestage.errors import InputError
from kubestage.golang import quote
from kubestage.objects import nesting, yaml_aliases, yaml_errors, yaml_scalars

if TYPE_CHECKING:
    from collections.abc import Iterator

_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SEPARATOR: Final = re.compile(rb"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_BOM: Final = b"\xef\xbb\xbf"
_OPEN: Final = object()
_QUOTE: Final = "quote it if it is meant as text"
_TEMPLATE: Final = "is this a template ({{ ... }})? render it first, or quote the braces"


def as_bytes(text: str | bytes) -> bytes:
    """A text as the UTF-8 that the parsers take, without a byte order mark."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    return data.removeprefix(_BOM)


def split(data: bytes) -> Iterator[tuple[bytes, int]]:
    """The parts of a stream between its ``---`` lines, each with its first line."""
    start, line = 0, 1
    for separator in _SEPARATOR.finditer(data):
        if separator.start() > start:
            yield data[start : separator.start()], line
            line += data.count(b"\n", start, separator.start())
        start = separator.start()
    yield data[start:], line


class _Values(dict[str, Any]):
    """Values of unquoted scalars seen so far; equal texts share one value."""

    def __missing__(self, text: str) -> Any:
        value = self[text] = yaml_scalars.plain(text)
        return value


class _Keys(dict[str, str]):
    """Keys of unquoted scalars seen so far."""

    def __missing__(self, text: str) -> str:
        key = self[text] = yaml_scalars.plain_key(text)
        return key


class Reader:
    """Reads one YAML stream."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._values = _Values()
        self._keys = _Keys()
        self._anchors: dict[str, Any] = {}
        self._aliases = yaml_aliases.AliasCount()
        self._problems: list[InputError] = []
        self._depth = 0
        # Of each key that a mapping sets again: the line of its value, and the key as Go shows it.
        self.repeated: list[tuple[int, str]] = []

    def documents(self) -> Iterator[tuple[Any, int, list[InputError]]]:
        """Each document that is not empty, its first line, and what is wrong but readable."""
        try:
            following = self._next = _Loader(self._text).get_event
            following()
            while type(following()) is DocumentStartEvent:
                event = following()
                self._anchors.clear()
                self._problems = []
                self._depth = 0
                value = self._value(event)
                following()
                if value is not None:
                    yield value, event.start_mark.line + 1, self._problems
        except yaml.YAMLError as error:
            raise yaml_errors.explain(error, self._text) from None

    def _value(self, event: Any) -> Any:
        kind = type(event)
        if kind is AliasEvent:
            return self._alias(event)
        anchor = event.anchor
        if anchor is not None:
            self._anchors[anchor] = _OPEN
        value = self._scalar(event) if kind is ScalarEvent else self._inner(event)
        if anchor is not None:
            self._anchors[anchor] = value
        return value

    def _inner(self, event: Any) -> Any:
        self._depth += 1
        self._check_depth(event)
        is_mapping = type(event) is MappingStartEvent
        value: Any = self._mapping() if is_mapping else self._sequence()
        self._depth -= 1
        return value

    def _check_depth(self, event: Any, more: int = 0) -> None:
        if self._depth + more > nesting.DEEPEST:
            raise _problem(event, "nested too deeply", "no Kubernetes object is that deep")

    def _scalar(self, event: Any) -> Any:
        try:
            if event.implicit[0]:
                return self._values[event.value]
            if event.tag is None:
                return event.value
            return yaml_scalars.tagged(event.tag, event.value)
        except ValueError as error:
            raise _problem(event, str(error), _QUOTE) from None

    def _sequence(self) -> list[Any]:
        following = self._next
        result = []
        while type(event := following()) is not SequenceEndEvent:
            result.append(self._value(event))
        return result

    def _mapping(self) -> dict[str, Any]:
        following, keys, values = self._next, self._keys, self._values
        result: dict[str, Any] = {}
        merged: set[str] = set()
        while True:
            event = following()
            try:
                if type(event) is ScalarEvent and event.implicit[0] and event.anchor is None:
                    if event.value == "<<":
                        self._merge(following(), result, merged)
                        continue
                    key = keys[event.value]
                elif type(event) is MappingEndEvent:
                    return result
                else:
                    key = self._odd_key(event)
                if key in result:
                    self._check_twice(event, key, merged)
                    result[key] = self._again(key, event)
                    continue
                event = following()
                if type(event) is ScalarEvent and event.implicit[0] and event.anchor is None:
                    result[key] = values[event.value]
                else:
                    result[key] = self._value(event)
            except ValueError as error:
                raise _problem(event, str(error), _QUOTE) from None

    def _odd_key(self, event: Any) -> str:
        """A key that is quoted, tagged, anchored or an alias, or what cannot be one."""
        key = self._value(event)
        if isinstance(key, dict | list):
            raise _problem(event, "a mapping or list cannot be a key", _TEMPLATE)
        return key if isinstance(key, str) else yaml_scalars.plain_key(str(key).lower())

    def _again(self, key: str, of: Any) -> Any:
        """The value of a key that the mapping has already."""
        event = self._next()
        value = self._value(event)
        is_text = not of.implicit[0] or isinstance(self._values[of.value], str)
        shown = quote.quote(key) if is_text else key
        self.repeated.append((event.start_mark.line + 1, shown))
        return value

    def _check_twice(self, event: Any, key: str, merged: set[str]) -> None:
        """A key that came by a merge may be set again, others may not."""
        if key in merged:
            merged.discard(key)
        else:
            self._problems.append(_problem(event, f'key "{key}" is set twice', "keep one of them"))

    def _merge(self, event: Any, result: dict[str, Any], merged: set[str]) -> None:
        """Take in what ``<<`` names; of several mappings the first wins."""
        value = self._value(event)
        for source in reversed(value) if isinstance(value, list) else [value]:
            if not isinstance(source, dict):
                problem = "map merge requires map or sequence of maps as the value"
                raise _problem(event, problem, "let << name a mapping, as in <<: *defaults")
            result.update(source)
            merged.update(source)

    def _alias(self, event: Any) -> Any:
        value = self._anchors.get(event.anchor, _OPEN)
        if value is _OPEN:
            inside = event.anchor in self._anchors
            problem = (
                f"anchor '{event.anchor}' value contains itself"
                if inside
                else f"unknown anchor '{event.anchor}' referenced"
            )
            raise _problem(event, problem, f"define &{event.anchor} before its use")
        if self._aliases.exceeds(value):
            raise _problem(event, yaml_aliases.PROBLEM, "write the values out")
        self._check_depth(event, nesting.depth(value))
        return value


def _problem(event: Any, problem: str, fix: str) -> InputError:
    return InputError(problem, line=event.start_mark.line + 1, fix=fix)


def values(text: str | bytes, file: str | None) -> list[Any]:
    """The value of each document; InputError with the file for the first thing that is wrong."""
    try:
        documents = list(Reader(as_bytes(text)).documents())
        problems = [problem for _, _, found in documents for problem in found]
        if problems:
            raise problems[0]
    except InputError as error:
        line, path = error.line, error.path
        raise InputError(error.problem, file=file, line=line, path=path, fix=error.fix) from None
    return [value for value, _, _ in documents]
