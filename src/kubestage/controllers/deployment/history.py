"""Old ReplicaSets are kept for going back to, but not too many of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.deployment import replica_sets, revisions
from kubestage.controllers.deployment.replica_sets import REPLICA_SET
from kubestage.errors import NotFound

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.deployment.rollout import Rollout


_ALL: Final = 2**31 - 1


def clean_up(rollout: Rollout) -> None:
    """Delete the ReplicaSets of the oldest revisions, if no pod is left of them."""
    limit = rollout.spec.get("revisionHistoryLimit")
    if limit is None or limit == _ALL or len(rollout.old) <= limit:
        return
    old = [each for each in rollout.old if not pods.is_terminating(each)]
    for each in _by_revision(old)[: max(len(old) - limit, 0)]:
        if _is_in_use(each):
            continue
        metadata = each["metadata"]
        try:
            rollout.store.delete(REPLICA_SET, metadata["name"], metadata["namespace"])
        except NotFound:
            continue


def _by_revision(sets: list[Json]) -> list[Json]:
    """The oldest revision first; revisions of equal number by age."""
    if any(revisions.revision(each) is None for each in sets):
        return sorted(sets, key=replica_sets.age)
    return sorted(sets, key=lambda each: (revisions.revision(each), replica_sets.age(each)))


def _is_in_use(replica_set: Json) -> bool:
    observed = replica_sets.reported(replica_set, "observedGeneration")
    return bool(
        replica_sets.replicas(replica_set)
        or replica_sets.reported(replica_set, "replicas")
        or replica_set["metadata"]["generation"] > observed
    )
