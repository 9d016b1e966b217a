"""Emptying a cluster, so that nothing from before has a say in what is simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scenario.resource import SCENARIO
from kubestage.store import seeding

if TYPE_CHECKING:
    from kubestage.store.store import Store

_DEFINITION: Final = "CustomResourceDefinition"


def wipe(store: Store) -> int:
    """Remove all objects but Scenarios and what every cluster has; how many there were.

    Finalizers and grace periods are for clusters that go on: nobody is asked here. Definitions go
    last, as nothing of a kind can be removed once the kind is unknown.
    """
    collections = sorted(store.ledger.collections(), key=lambda each: each.kind.kind == _DEFINITION)
    removed = 0
    for collection in collections:
        kind = collection.kind
        if (kind.api_version, kind.kind) == SCENARIO:
            continue
        for key in tuple(collection.keys(None)):
            if not seeding.is_seeded(kind, key):
                store.remove(kind, key)
                removed += 1
    store.settle()
    return removed
