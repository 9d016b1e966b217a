"""Objects made as a server would hold them, and judged; what is wrong as texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import defaulting, kinds, strategy
from kubestage.objects.validation import rules

if TYPE_CHECKING:
    from kubestage.aliases import Json

NOW = "2026-01-01T00:00:00Z"
_NAMESPACED = {(row.api_version, row.kind): row.namespaced for row in kinds.BUILT_IN}


def make(
    api_version: str, kind: str, name: str = "x", meta: Json | None = None, **parts: Any
) -> Json:
    """The object with its defaults, in a namespace if its kind has one."""
    identity = {"name": name, "resourceVersion": "1", "uid": "u", **(meta or {})}
    if _NAMESPACED[api_version, kind]:
        identity["namespace"] = "n"
    obj = {"apiVersion": api_version, "kind": kind, "metadata": identity, **parts}
    return defaulting.stored(obj, now=NOW)


def problems(obj: Json) -> list[str]:
    """What is wrong with a new object."""
    prepared = strategy.prepare_for_create(obj, now=NOW)
    return [str(error) for error in rules.validate_create(prepared)]


def changed(new: Json, old: Json, subresource: str = "") -> list[str]:
    """What is wrong with an object that is to replace another."""
    prepared = strategy.prepare_for_update(new, old, subresource, now=NOW)
    return [str(error) for error in rules.validate_update(prepared, old, subresource)]
