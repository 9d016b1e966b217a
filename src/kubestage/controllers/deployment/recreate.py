"""Recreation: the old pods go, all of them, and then the new ones come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import ownership, pods
from kubestage.controllers.deployment import (
    history,
    new_replica_set,
    progress,
    replica_sets,
    scaling,
    status,
)
from kubestage.controllers.pods import POD

if TYPE_CHECKING:
    from kubestage.controllers.deployment.rollout import Rollout
    from kubestage.controllers.lister import Lister


def recreate(rollout: Rollout, lister: Lister) -> int | None:
    """Take the next step; when to look again, if nothing else happens."""
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
