"""Empties a cluster, so that nothing from before affects what is simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scenario.resource import SCENARIO
from kubestage.store import seeding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.store.store import Store

_DEFINITION: Final = "CustomResourceDefinition"


def wipe(store: Store, grain: int | None = None) -> Iterator[None]:
    """Remove all objects but Scenarios and what every cluster has; `grain` of them at a time.

    Finalizers and grace periods are ignored: the cluster does not go on. Definitions go
    last, as nothing of a kind can be removed once the kind is unknown.
    """
    collections = sorted(store.collections(), key=lambda each: each.kind.kind == _DEFINITION)
    for collection in collections:
        kind = collection.kind
        if (kind.api_version, kind.kind) == SCENARIO:
            continue
        for number, key in enumerate(tuple(collection.keys(None)), 1):
            # It may have been removed in between.
            if not seeding.is_seeded(kind, key) and key in collection.objects:
                store.remove(kind, key)
            if grain is not None and number % grain == 0:
                store.deliver()
                yield
    store.settle()
