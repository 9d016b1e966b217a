"""From the path of a field back to its line in a JSON text that has been read already."""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING, Final

from kubestage.objects import field_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

# As lenient as what read the text; only the ends of values are of interest.
_DECODER: Final = json.JSONDecoder(strict=False, parse_int=len)
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]')


def line(text: str, start: int, path: str) -> int:
    """The line of a path in the JSON document that starts at an offset."""
    line_at = at = start
    while path:
        if text[at : at + 1] == "[":
            found = field_paths.index(path)
            places = dict(enumerate(_sound_places(text, at))) if found is not None else {}
            if found is None or found[0] not in places:
                break
            line_at = at = places[found[0]][2]
            path = found[1]
        elif text[at : at + 1] == "{":
            named = {name: (key_at, value_at) for name, key_at, value_at in _sound_places(text, at)}
            step = field_paths.key(path, named)
            if step is None:
                break
            (line_at, at), path = named[step[0]], step[1]
        else:
            break
    return text.count("\n", 0, line_at) + 1


def _sound_places(text: str, at: int) -> list[tuple[str, int, int]]:
    """The entries of the object or list at `at`, up to where the text is broken, if it is."""
    found = []
    with contextlib.suppress(ValueError, IndexError, RecursionError):
        for each in _places(text, at):
            found.append(each)  # noqa: PERF402 - an error keeps what came before it
    return found


def _places(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Key, its offset and the value's offset for each entry of the object or list at `at`."""
    is_object = text[at] == "{"
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        key_at, name = at, ""
        if is_object:
            match = _STRING.match(text, at)
            if match is None:
                raise ValueError("no key")
            name = _string(match.group())
            at = _skip(text, _skip(text, match.end()) + 1)
        yield name, key_at, at
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _string(token: str) -> str:
    try:
        text: str = json.loads(token, strict=False)
    except ValueError:
        return token
    return text


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def duplicate_keys(text: str) -> list[tuple[str, int]]:
    """Keys that some object of a text holds twice, with the line of the later one.

    JSON decoders keep the last of the two and say nothing.
    """
    found: list[tuple[str, int]] = []
    open_objects: list[set[str] | None] = []
    at_key = False
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in "{[":
            at_key = token == "{"
            open_objects.append(set() if at_key else None)
        elif token in "}]":
            if open_objects:
                open_objects.pop()
            at_key = False
        elif token == ",":
            at_key = bool(open_objects) and open_objects[-1] is not None
        elif token == ":":
            at_key = False
        elif at_key and open_objects and (names := open_objects[-1]) is not None:
            name = _string(token)
            if name in names:
                found.append((name, text.count("\n", 0, match.start()) + 1))
            names.add(name)
    return found
