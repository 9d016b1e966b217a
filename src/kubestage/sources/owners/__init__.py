"""Objects that a source lacks, and that others in it refer to.

A dump without ReplicaSets has pods that nothing controls: the Deployment would create all of them
again. Here the missing owner is rebuilt from what its pods say of it (their ownerReferences, their
template hash), with its own uid, so that controllers find their pods again. Nothing else is added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.sources.owners import (
    classes,
    deployments,
    jobs,
    nodes,
    replica_sets,
    revisions,
    sets,
)
from kubestage.sources.owners.known import Known
from kubestage.sources.owners.rebuilding import Rebuilt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

__all__ = ["Completed", "complete"]


class Completed(msgspec.Struct, frozen=True):
    """What was missing, rebuilt, and what a person should know about it."""

    added: list[Json]
    notes: list[str]


def complete(objects: Iterable[Json]) -> Completed:
    """Rebuild what recorded objects refer to and what is not among them.

    Objects that were never in a cluster (they have no uid) are left to the controllers.
    """
    known = Known(objects)
    rebuilt = Rebuilt()
    if not known.pods:
        return Completed([], [])
    for part in (nodes, classes, replica_sets, deployments, jobs, sets, revisions):
        part.complete(known, rebuilt)
    _note_others(known, rebuilt)
    return Completed(rebuilt.objects, rebuilt.notes())


def _note_others(known: Known, rebuilt: Rebuilt) -> None:
    """Controllers that are missing still: their kinds cannot be rebuilt, or are not simulated."""
    for reference, pods in known.orphans().values():
        rebuilt.note(
            "not in the source, and of a kind that cannot be rebuilt: nothing replaces their pods",
            f"{reference['kind'].lower()}/{reference['name']}",
            pods=len(pods),
        )
