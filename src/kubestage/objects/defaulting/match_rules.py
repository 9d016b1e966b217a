"""Defaults of the requests that a webhook or an admission policy matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


def complete_resources(match: Json | None) -> None:
    """Complete what a policy or its binding matches."""
    if match is not None:
        complete_selectors(match)
        complete_scopes((*match.get("resourceRules", ()), *match.get("excludeResourceRules", ())))


def complete_selectors(holder: Json) -> None:
    """All objects, and equivalent resources, too."""
    holder.setdefault("matchPolicy", "Equivalent")
    holder.setdefault("namespaceSelector", {})
    holder.setdefault("objectSelector", {})


def complete_scopes(rules: Iterable[Json]) -> None:
    """Resources with and without namespace."""
    for rule in rules:
        rule.setdefault("scope", "*")
