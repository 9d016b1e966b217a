"""Emptying a cluster, so that nothing from before has a say in what is simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scenario.resource import SCENARIO
from kubestage.store import seeding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.store.store import Store

_DEFINITION: Final = "CustomResourceDefinition"


def wipe(store: Store, grain: int | None = None) -> Iterator[None]:
    """Remove all objects but Scenarios and what every cluster has; so many at a time, if given.

    Finalizers and grace periods are for clusters that go on: nobody is asked here. Definitions go
    last, as nothing of a kind can be removed once the kind is unknown.
    """
    collections = sorted(store.ledger.collections(), key=lambda each: each.kind.kind == _DEFINITION)
    for collection in collections:
        kind = collection.kind
        if (kind.api_version, kind.kind) == SCENARIO:
            continue
        for number, key in enumerate(tuple(collection.keys(None)), 1):
            # Somebody else may have had it removed in between.
            if not seeding.is_seeded(kind, key) and key in collection.objects:
                store.remove(kind, key)
            if grain is not None and number % grain == 0:
                store.ledger.deliver()
                yield
    store.settle()
