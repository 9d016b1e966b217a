"""Values of a patch made fit to become part of an object."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects.patches import ordering

DROP: Final = object()


def without_nulls(value: Any) -> Any:
    """The value without members that are null, at any depth; nulls in lists stay."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def without_directives(value: Any) -> Any:
    """The value without objects that carry a directive; `DROP` if it is one itself."""
    if isinstance(value, dict):
        if ordering.DIRECTIVE in value:
            return DROP
        cleaned = {key: without_directives(item) for key, item in value.items()}
        return {key: item for key, item in cleaned.items() if item is not DROP}
    if isinstance(value, list):
        return [item for item in map(without_directives, value) if item is not DROP]
    return value
