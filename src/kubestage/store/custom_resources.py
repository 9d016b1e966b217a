"""How custom resources and their definitions are prepared.

A definition says at run time whether its objects have a status apart; `strategy` knows only the
kinds of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import strategy
from kubestage.store import definitions

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind


def prepare_for_create(kind: Kind, obj: dict[str, Any], now: str) -> dict[str, Any]:
    """As `strategy`, for kinds of the table; a custom resource may not begin with a status."""
    prepared = strategy.prepare_for_create(obj, now=now)
    if definitions.is_definition(kind):
        return {**prepared, "status": definitions.first_status(prepared["spec"])}
    if kind.definition is not None and "status" in kind.subresources:
        return {name: part for name, part in prepared.items() if name != "status"}
    return prepared


def prepare_for_update(
    kind: Kind, new: dict[str, Any], old: dict[str, Any], subresource: str, now: str
) -> dict[str, Any]:
    """As `strategy`, for kinds of the table; without a status apart, all is one."""
    prepared = strategy.prepare_for_update(new, old, subresource, now=now)
    if kind.definition is None or "status" in kind.subresources:
        return prepared
    whole = {name: part for name, part in prepared.items() if name != "status"}
    if "status" in new:
        whole["status"] = new["status"]
    if new.get("status") != old.get("status"):
        count = old["metadata"].get("generation", 0) + 1
        whole["metadata"] = {**prepared["metadata"], "generation": count}
    return whole
