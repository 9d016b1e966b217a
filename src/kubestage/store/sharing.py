"""Keeping one copy of what two versions of an object have in common."""

from __future__ import annotations

from typing import Any

import msgspec

_encode = msgspec.json.Encoder(order="deterministic").encode


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal, types included (to Python, ``True == 1 == 1.0``)."""
    return left is right or (left == right and _encode(left) == _encode(right))


def share(new: Any, old: Any) -> Any:
    """The new value, built from the old one's parts wherever they are equal.

    Returns `old` itself if nothing differs. Neither is changed.
    """
    if new is old or same(new, old):
        return old
    if isinstance(new, dict) and isinstance(old, dict):
        return {key: share(value, old[key]) if key in old else value for key, value in new.items()}
    if isinstance(new, list) and isinstance(old, list):
        both = [share(value, before) for value, before in zip(new, old, strict=False)]
        return both + new[len(both) :]
    return new
