"""Objects through defaults, preparation and rules, and what the rules say of them."""

from __future__ import annotations

from typing import Any

from kubestage.objects import defaulting, strategy
from kubestage.objects.validation import rules


def make(api_version: str, kind: str, *, namespaced: bool = False, **parts: Any) -> dict[str, Any]:
    """A defaulted object as a store would hold it."""
    meta = {"name": "x", "resourceVersion": "1", "uid": "u", **parts.pop("metadata", {})}
    if namespaced:
        meta["namespace"] = "n"
    obj = {"apiVersion": api_version, "kind": kind, "metadata": meta, **parts}
    return defaulting.stored(obj)


def problems(obj: dict[str, Any]) -> list[str]:
    """What is wrong with a new object."""
    return [str(error) for error in rules.validate_create(strategy.prepare_for_create(obj))]


def changes(new: dict[str, Any], old: dict[str, Any], subresource: str = "") -> list[str]:
    """What is wrong with an object that replaces another."""
    prepared = strategy.prepare_for_update(new, old, subresource)
    return [str(error) for error in rules.validate_update(prepared, old, subresource)]
