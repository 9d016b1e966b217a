"""How deep a value may be nested, and of how many values it may consist.

What walks a value calls itself for each level. A value that is nested deeper than anyone writes
would end in the middle of that, so it is refused where it comes in. So is one that would keep
everyone else waiting: three megabytes of empty objects take half a minute to check.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

# A definition of a large custom resource comes to about 60.
DEEPEST: Final = 200
# A definition of a large custom resource comes to about 40,000.
MOST_VALUES: Final = 250_000
TOO_DEEP: Final = "exceeded max depth"


def depth(value: Any) -> int:
    """How many lists and objects lie within one another; no more than just too many."""
    level, found = [value], 0
    while level and found <= DEEPEST:
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                inner += each.values()
            elif isinstance(each, list):
                inner += each
        level = [each for each in inner if isinstance(each, dict | list)]
        found += 1
    return found if isinstance(value, dict | list) else 0


def is_too_large(text: bytes) -> bool:
    """Whether a text holds too many values, in JSON or in YAML.

    NOTE: nearly all texts have fewer commas, brackets and lines than would be needed.
    """
    marks = text.count(b",") + text.count(b"{") + text.count(b"[")
    if marks + text.count(b"\n") < MOST_VALUES:
        return False
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # What is no JSON is read slowly, and its lines and commas are likely values.
        return True
    # Of a repeated key one is left, and a comma is gone.
    lost = text.count(b",") - msgspec.json.encode(value).count(b",")
    return count(value) + max(lost, 0) > MOST_VALUES


def count(value: Any) -> int:
    """Of how many values a value consists, itself included."""
    level = [value] if isinstance(value, dict | list) else []
    found = 1
    while level:
        inner: list[Any] = []
        for each in level:
            inner += each.values() if isinstance(each, dict) else each
        found += len(inner)
        level = [each for each in inner if isinstance(each, dict | list)]
    return found


def is_too_deep(value: Any, text: bytes) -> bool:
    """Whether a value is nested too deep; `text` is what it was read from.

    NOTE: nearly all texts have fewer brackets than would be needed, and are not looked at closer.
    """
    if text.count(b"{") + text.count(b"[") <= DEEPEST:
        return False
    return depth(value) > DEEPEST
