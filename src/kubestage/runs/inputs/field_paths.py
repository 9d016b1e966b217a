"""Paths into plain values: ``spec.containers[0].resources.requests.cpu``.

A list is entered by a number or by the name of an item (``containers[web]``); a key with dots is
written in quotes (``annotations["example.com/a"]``).
"""

from __future__ import annotations

import difflib
import re
from typing import Any, Final

from kubestage.errors import InputError

Parts = tuple[str | int, ...]

_PART: Final = re.compile(
    r"""\[(?P<index>\d+)\]\.? | \[(?P<quote>["'])(?P<quoted>.*?)(?P=quote)\]\.?
    | \[(?P<item>[^\]"']+)\]\.? | (?P<name>[^.\[\]]+)\.? | (?P<rest>.)""",
    re.VERBOSE,
)
_FIX: Final = "write it as in spec.containers[0].resources.requests.cpu"


def parse(path: str) -> Parts:
    """The parts of a path; InputError if it is none."""
    found: list[str | int] = []
    for match in _PART.finditer(path):
        if match["rest"] is not None:
            raise InputError(f'"{path}" is no path', fix=_FIX)
        if match["index"] is not None:
            found.append(int(match["index"]))
        else:
            found.append(match["quoted"] or match["item"] or match["name"].strip())
    if not found:
        raise InputError("the path is empty", fix=_FIX)
    return tuple(found)


def value_at(value: Any, parts: Parts) -> Any:
    """What is there; None if there is nothing."""
    for part in parts:
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list):
            at = _place(value, part)
            value = None if at is None else value[at]
        else:
            return None
    return value


def replaced(value: Any, parts: Parts, new: Any) -> Any:
    """A copy with another value there; the rest is shared. Fields above it are added if missing."""
    if not parts:
        return new
    part, rest = parts[0], parts[1:]
    if isinstance(value, list):
        at = _place(value, part)
        if at is None:
            raise InputError(*_missing_item(value, part))
        return [*value[:at], replaced(value[at], rest, new), *value[at + 1 :]]
    if value is None or isinstance(value, dict):
        if isinstance(part, int):
            raise InputError(f"there is no list to take [{part}] of")
        known = value or {}
        return {**known, part: replaced(known.get(part), rest, new)}
    raise InputError(f"there is nothing below, no {part}")


def takes(value: Any, parts: Parts) -> bool:
    """Whether a value can be set there."""
    try:
        replaced(value, parts, None)
    except InputError:
        return False
    return True


def missing(value: Any, parts: Parts) -> InputError | None:
    """The error for a path that leads nowhere, with the likely one; None if something is there."""
    for part in parts:
        if isinstance(value, list):
            at = _place(value, part)
            if at is None:
                return InputError(*_missing_item(value, part))
            value = value[at]
        elif isinstance(value, dict):
            if part not in value:
                return _unknown(part, list(map(str, value)))
            value = value[part]
        else:
            return InputError(f"there is nothing below, no {part}")
    return None


def _place(items: list[Any], part: str | int) -> int | None:
    if isinstance(part, int):
        return part if part < len(items) else None
    names = (each.get("name") if isinstance(each, dict) else None for each in items)
    return next((at for at, name in enumerate(names) if name == part), None)


def _missing_item(items: list[Any], part: str | int) -> tuple[str]:
    names = [str(each["name"]) for each in items if isinstance(each, dict) and "name" in each]
    there = f"; there are {', '.join(names)}" if names else f"; there are {len(items)}"
    return (f"there is no [{part}]{there}",)


def _unknown(part: str | int, names: list[str]) -> InputError:
    near = difflib.get_close_matches(str(part), names, n=1)
    there = f"there are {', '.join(names)}" if names else None
    return InputError(f'there is no "{part}"', fix=f"did you mean {near[0]}?" if near else there)
