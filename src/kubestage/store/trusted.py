"""Writes of the cluster's own components, whose objects are right by construction.

A component that changes a part of what is stored, and nothing else, need not have the whole of it
defaulted and validated again. What it writes must be in canonical form: no field that is empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.store import replacing

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


def record_status(core: Core, kind: Kind, key: str, status: dict[str, Any]) -> dict[str, Any]:
    """Give a stored object another status; one that is equal changes nothing."""
    old = core.ledger.collection(kind).objects[key]
    if old.get("status") == status:
        return old
    # NOTE: a twentieth of the cost of an update of the status, and every pod is written several
    # times in its life (benchmarks/controllers.py).
    new = old.copy()
    new["metadata"], new["status"] = old["metadata"].copy(), status
    return core.put(kind, key, new)


def record_metadata(core: Core, kind: Kind, key: str, metadata: dict[str, Any]) -> dict[str, Any]:
    """Give a stored object other labels, annotations, owners or finalizers.

    As with any update, an object that is being deleted goes with its last finalizer.
    """
    old = core.ledger.collection(kind).objects[key]
    if old["metadata"] == metadata:
        return old
    return replacing.replace(core, kind, key, {**old, "metadata": metadata})
