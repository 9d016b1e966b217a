"""The two strategies of a Deployment: replacing pods gradually, and all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import ownership, pods
from kubestage.controllers.deployment import (
    fenceposts,
    history,
    new_replica_set,
    progress,
    replica_sets,
    scaling,
    status,
)
from kubestage.controllers.pods import POD
from kubestage.errors import ApiError

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.deployment.rollout import Rollout
    from kubestage.controllers.lister import Lister


def recreate(rollout: Rollout, lister: Lister) -> int | None:
    """Take the next step; when to sync again, if nothing else happens."""
    active = replica_sets.active(rollout.old)
    for each in active:
        scaling.resize(rollout, each, 0)
    if active or _are_old_pods_running(rollout, lister):
        return progress.report(rollout)
    if rollout.new is None:
        new_replica_set.create(rollout)
    assert rollout.new is not None
    scaling.resize(rollout, rollout.new, rollout.replicas)
    at_unix_ns = progress.report(rollout)
    if status.is_complete(rollout, rollout.status):
        history.clean_up(rollout)
    return at_unix_ns


def _are_old_pods_running(rollout: Rollout, lister: Lister) -> bool:
    for each in rollout.old:
        if replica_sets.reported(each, "replicas"):
            return True
        for pod in lister.owned(POD, each["metadata"]["uid"]):
            if ownership.is_controlled_by(pod, each) and not pods.is_terminal(pod):
                return True
    return False


def roll(rollout: Rollout) -> int | None:
    """Take the next step; when to sync again, if nothing else happens."""
    if rollout.new is None:
        new_replica_set.create(rollout)
    new = rollout.new
    assert new is not None
    has_moved = _grow(rollout, new) or _shrink(rollout, new)
    at_unix_ns = progress.report(rollout)
    if not has_moved and status.is_complete(rollout, rollout.status):
        history.clean_up(rollout)
    return at_unix_ns


def _grow(rollout: Rollout, new: Json) -> bool:
    """Scale the new ReplicaSet, up as far as the surge lets it or down to its size."""
    size = replica_sets.replicas(new)
    if size == rollout.replicas:
        return False
    desired = rollout.replicas
    if size < desired:
        desired = new_replica_set.next_size(rollout, new)
    return scaling.resize(rollout, new, desired) is not None


def _shrink(rollout: Rollout, new: Json) -> bool:
    """Scale old ReplicaSets down, the pods first that are not available anyway."""
    old = replica_sets.active(rollout.old)
    if not old:
        return False
    minimum = rollout.replicas - fenceposts.max_unavailable(rollout.spec)
    unavailable = replica_sets.replicas(new) - replica_sets.available(new)
    excess = replica_sets.total_replicas(rollout.all) - minimum - unavailable
    if excess <= 0:
        return False
    try:
        unhealthy = _drop_unhealthy(rollout, old, excess)
        if unhealthy is None:
            return False
        surplus = replica_sets.total_available([*old, new]) - minimum
        return unhealthy + _drop(rollout, old, surplus) > 0
    except ApiError:
        # As upstream: the rest of the sync goes on, and the next one tries again.
        return False


def _drop_unhealthy(rollout: Rollout, old: list[Json], limit: int) -> int | None:
    """How many pods went; None if a ReplicaSet reports pods that it is no longer to have."""
    dropped = 0
    for index, each in enumerate(old):
        if dropped >= limit:
            break
        size, available = replica_sets.replicas(each), replica_sets.available(each)
        count = min(limit - dropped, size - available)
        if count < 0:
            return None
        if count:
            old[index] = scaling.resize(rollout, each, size - count) or each
            dropped += count
    return dropped


def _drop(rollout: Rollout, old: list[Json], surplus: int) -> int:
    dropped = 0
    for each in old:
        size = replica_sets.replicas(each)
        count = min(size, surplus - dropped)
        if size and count > 0:
            scaling.resize(rollout, each, size - count)
            dropped += count
    return dropped
