"""Other sizes for ReplicaSets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.deployment import fenceposts, replica_sets, revisions
from kubestage.store.event_recorder import NORMAL

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.deployment.rollout import Rollout


def resize(rollout: Rollout, replica_set: Json, size: int, *, force: bool = False) -> Json | None:
    """Give a ReplicaSet another size; the ReplicaSet, or None if its size is that already.

    With `force` its annotations get the Deployment's size even if its own stays.
    """
    was = replica_sets.replicas(replica_set)
    if was == size and not force:
        return None
    annotations = revisions.annotations_of(replica_set)
    if was == size and revisions.have_sizes(annotations, rollout.spec):
        return None
    metadata = {
        **replica_set["metadata"],
        "annotations": revisions.with_sizes(annotations, rollout.spec),
    }
    spec = {**replica_set["spec"], "replicas": size}
    resized = rollout.store.update({**replica_set, "metadata": metadata, "spec": spec})
    if was == size:
        return None
    direction = "up" if was < size else "down"
    name = replica_sets.name(replica_set)
    text = f"Scaled {direction} replica set {name} from {was} to {size}"
    rollout.events.event(rollout.deployment, NORMAL, "ScalingReplicaSet", text)
    return resized


def is_called_for(rollout: Rollout) -> bool:
    """Whether a ReplicaSet knows the Deployment by another size."""
    for each in replica_sets.active(rollout.all):
        known = revisions.size(each, revisions.DESIRED_REPLICAS)
        if known is not None and known != rollout.replicas:
            return True
    return False


def scale(rollout: Rollout) -> None:
    """Scale the Deployment to its size without advancing its rollout."""
    only = _only_or_latest(rollout)
    if only is not None:
        resize(rollout, only, rollout.replicas)
    elif _is_saturated(rollout):
        for each in replica_sets.active(rollout.old):
            resize(rollout, each, 0)
    elif fenceposts.is_rolling(rollout.spec):
        _scale_in_proportion(rollout)


def _only_or_latest(rollout: Rollout) -> Json | None:
    """The one ReplicaSet that is to have pods; if none is, the newest."""
    candidates = replica_sets.active(rollout.all)
    if len(candidates) == 1:
        return candidates[0]
    if candidates or not rollout.all:
        return None
    return rollout.new if rollout.new is not None else rollout.old[-1]


def _is_saturated(rollout: Rollout) -> bool:
    new = rollout.new
    if new is None:
        return False
    known = revisions.number(revisions.annotations_of(new).get(revisions.DESIRED_REPLICAS, ""))
    sizes = (replica_sets.replicas(new), known, replica_sets.available(new))
    return all(size == rollout.replicas for size in sizes)


def _scale_in_proportion(rollout: Rollout) -> None:
    """Share out what is to be added or taken away; the largest ReplicaSet gets the rest of it."""
    sets, spec = replica_sets.active(rollout.all), rollout.spec
    allowed = rollout.replicas + fenceposts.max_surge(spec) if rollout.replicas else 0
    to_add = allowed - replica_sets.total_replicas(sets)
    # Of ReplicaSets of one size the newest grows first, and the oldest shrinks first.
    sets.sort(key=replica_sets.age, reverse=to_add > 0)
    sets.sort(key=replica_sets.replicas, reverse=True)
    sizes, added = [], 0
    for each in sets:
        share = _share(rollout, each, to_add, added)
        sizes.append(replica_sets.replicas(each) + share)
        added += share
    if to_add and sizes:
        sizes[0] = max(sizes[0] + to_add - added, 0)
    for each, size in zip(sets, sizes, strict=True):
        resize(rollout, each, size, force=True)


def _share(rollout: Rollout, replica_set: Json, to_add: int, added: int) -> int:
    if to_add == added:
        return 0
    fraction = _fraction(rollout, replica_set)
    return min(fraction, to_add - added) if to_add > 0 else max(fraction, to_add - added)


def _fraction(rollout: Rollout, replica_set: Json) -> int:
    """By how much a ReplicaSet changes if it keeps its share of the Deployment."""
    size = replica_sets.replicas(replica_set)
    if not rollout.replicas:
        return -size
    before = revisions.size(replica_set, revisions.MAX_REPLICAS) or rollout.status.get("replicas")
    if not before:
        return 0
    after = rollout.replicas + fenceposts.max_surge(rollout.spec)
    return int(size * after / before + 0.5) - size
