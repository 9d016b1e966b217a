"""Rewind: a store is again what it was at a version.

That is for one whose newest changes could not be kept, so that no client sees them. Its next
versions are newer than all that it ever had.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.custom import rows
from kubestage.store import definitions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.collection import Collection
    from kubestage.store.core import Core


def rewind(core: Core, revision: int) -> None:
    """Take back all that happened after a version; subscribers are not notified.

    Expired if the history does not reach back so far: then nothing has happened.
    """
    changed = [each for each in core.ledger.collections() if each.log.newest > revision]
    then = [(each, each.log.states_at(revision)) for each in changed]
    for collection, states in then:
        for key, state in states.items():
            _put_back(core, collection, key, state)
        collection.log.rewind(revision)


def _put_back(core: Core, collection: Collection, key: str, state: Json | None) -> None:
    current = collection.objects.get(key)
    if state is not None:
        collection.put(key, state, current)
    elif current is not None:
        collection.drop(key, current)
    if definitions.is_definition(collection.kind):
        if current is not None and rows.is_established(current):
            core.kinds.unregister(current)
        if state is not None and rows.is_established(state):
            core.kinds.register(state)
