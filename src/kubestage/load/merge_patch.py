"""What a template says that a live object does not: the patch of an update."""

from __future__ import annotations

from typing import Any


def difference(current: Any, wanted: dict[str, Any]) -> dict[str, Any]:
    """The JSON merge patch that has an object take on what a template says.

    Nothing is taken away: a field that only the object has stays, whoever set it.
    """
    patch: dict[str, Any] = {}
    for key, value in wanted.items():
        if value is None:
            continue
        if not isinstance(current, dict) or key not in current:
            patch[key] = value
        elif isinstance(value, dict) and isinstance(current[key], dict):
            inner = difference(current[key], value)
            if inner:
                patch[key] = inner
        elif value != current[key]:
            patch[key] = value
    return patch
