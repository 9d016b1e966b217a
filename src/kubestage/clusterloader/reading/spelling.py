"""Paths as a file spells them: keys may have any case, and some have a second name."""

from __future__ import annotations

import re
from typing import Any, Final

from kubestage.clusterloader.reading.fields import folded

_PART: Final = re.compile(r"\[(\d+)\]|\.?([^.\[]+)")
_ALIASES: Final = {"objectBundle": ("objects",), "action": ("start", "stop")}


def as_written(path: str, value: Any) -> str:
    """A path in a value with the keys that the value has; from where it has none, as it is."""
    found, at = "", 0
    while at < len(path):
        match = _PART.match(path, at)
        if match is None:
            return found + path[at:]
        if match[1] is not None:
            index = int(match[1])
            value = value[index] if isinstance(value, list) and index < len(value) else None
            found += match[0]
        else:
            key = _key(match[2], value)
            value = value.get(key) if isinstance(value, dict) else None
            found += f".{key}" if found else key
        at = match.end()
    return found


def _key(name: str, value: Any) -> str:
    if not isinstance(value, dict) or name in value:
        return name
    by_fold = {folded(key): key for key in value if isinstance(key, str)}
    for each in (name, *_ALIASES.get(name, ())):
        if folded(each) in by_fold:
            return by_fold[folded(each)]
    return name
