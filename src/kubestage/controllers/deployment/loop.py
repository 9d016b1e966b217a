"""The loop behind Deployments."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kubestage.controllers import ownership, pod_control
from kubestage.controllers.controller import Controller
from kubestage.controllers.deployment import (
    fenceposts,
    history,
    new_replica_set,
    progress,
    replica_sets,
    rollback,
    scaling,
    status,
    strategies,
)
from kubestage.controllers.deployment.replica_sets import REPLICA_SET, Comparisons
from kubestage.controllers.deployment.rollout import DEPLOYMENT, Rollout
from kubestage.controllers.pods import POD
from kubestage.controllers.selectors import Selectors
from kubestage.errors import ApiError
from kubestage.objects import labels
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change


class DeploymentController(Controller):
    """Has a Deployment's pods run its template, by way of ReplicaSets."""

    name = "deployment-controller"
    max_retries: ClassVar[int | None] = 15
    ignores_rewordings = True

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._selectors = Selectors()
        self._unclaimed: set[str] = set()
        # ReplicaSets that nothing controls, by namespace.
        self._orphans: dict[str, set[str]] = {}
        for key, obj in self.lister.collection(REPLICA_SET).objects.items():
            # This loop may come when they are there already.
            if ownership.controller_of(obj) is None:
                self._orphans.setdefault(obj["metadata"]["namespace"], set()).add(key)
        self._comparisons = Comparisons()
        self._at_hand: str | None = None

    def handlers(self) -> Handlers:
        """Deployments, their ReplicaSets, and pods that are gone."""
        return {
            ("apps", "Deployment"): self._on_deployment,
            ("apps", "ReplicaSet"): self._on_replica_set,
            ("", "Pod"): self._on_pod,
        }

    def _on_deployment(self, change: Change) -> None:
        new, old = change.new, change.old
        namespace = new["metadata"]["namespace"]
        if change.type == DELETED:
            self._selectors.drop(namespace, change.key)
            self._unclaimed.discard(change.key)
            return
        if old is None:
            selector = labels.from_label_selector(new["spec"]["selector"])
            self._selectors.set(namespace, change.key, selector)
            self._unclaimed.add(change.key)
        elif change.key == self._at_hand and _is_report(new, old):
            # A sync of a Deployment depends on its own status.
            return
        self.queue.add(change.key)

    def _on_replica_set(self, change: Change) -> None:
        new, old = change.new, change.old
        reference = ownership.controller_of(new)
        before = ownership.controller_of(old) if old is not None else None
        self._note_orphan(change, is_one=reference is None and change.type != DELETED)
        if before is not None and before != reference:
            self._add_owner(new, before)
        if change.type == DELETED:
            self._comparisons.forget(new["metadata"]["uid"])
        if reference is not None:
            self._add_owner(new, reference)
        elif change.type != DELETED and "deletionTimestamp" not in new["metadata"]:
            found = ownership.labels_of(new)
            if old is None or before is not None or ownership.labels_of(old) != found:
                for key in self._selectors.matching(new["metadata"]["namespace"], found):
                    self._unclaimed.add(key)
                    self.queue.add(key)

    def _note_orphan(self, change: Change, *, is_one: bool) -> None:
        namespace = change.new["metadata"]["namespace"]
        if is_one:
            self._orphans.setdefault(namespace, set()).add(change.key)
        elif namespace in self._orphans:
            self._orphans[namespace].discard(change.key)
            if not self._orphans[namespace]:
                del self._orphans[namespace]

    def _on_pod(self, change: Change) -> None:
        """A Deployment that recreates its pods goes on when the last of them is gone."""
        if change.type != DELETED:
            return
        reference = ownership.controller_of(change.new)
        if reference is None or reference["kind"] != "ReplicaSet":
            return
        namespace = change.new["metadata"]["namespace"]
        replica_set = self.lister.get(REPLICA_SET, f"{namespace}/{reference['name']}")
        if replica_set is None or replica_set["metadata"]["uid"] != reference["uid"]:
            return
        above = ownership.controller_of(replica_set)
        deployment = self._owner(namespace, above) if above is not None else None
        if deployment is None or fenceposts.is_rolling(deployment["spec"]):
            return
        by_owner = self.lister.collection(POD).owners
        sets = self.lister.owned(REPLICA_SET, deployment["metadata"]["uid"])
        if not any(by_owner.get(each["metadata"]["uid"]) for each in sets):
            self.queue.add(f"{namespace}/{deployment['metadata']['name']}")

    def _owner(self, namespace: str, reference: Json) -> Json | None:
        if reference["kind"] != "Deployment":
            return None
        found = self.lister.get(DEPLOYMENT, f"{namespace}/{reference['name']}")
        return found if found is not None and found["metadata"]["uid"] == reference["uid"] else None

    def _add_owner(self, replica_set: Json, reference: Json) -> None:
        namespace = replica_set["metadata"]["namespace"]
        if self._owner(namespace, reference) is not None:
            self.queue.add(f"{namespace}/{reference['name']}")

    def sync(self, key: str) -> None:
        """Take the next step of a Deployment, and report."""
        deployment = self.lister.get(DEPLOYMENT, key)
        if deployment is None:
            return
        sets = self._claim(key, deployment)
        new = self._comparisons.find_new(deployment, sets)
        rollout = Rollout(self.store, self.events, key, deployment, sets, new)
        self._at_hand = key
        try:
            at_unix_ns = self._step(rollout)
        except ApiError as error:
            if pod_control.is_namespace_ending(error):
                return
            if rollout.deployment is not deployment:
                self.queue.add(key)
            raise
        finally:
            self._at_hand = None
        if at_unix_ns is not None:
            self.queue.add_at(key, at_unix_ns)

    def _claim(self, key: str, deployment: Json) -> list[Json]:
        """The ReplicaSets of a Deployment, the oldest first, after adoption and release."""
        metadata = deployment["metadata"]
        selector = self._selectors.get(metadata["namespace"], key)
        replica_sets_there = self.lister.collection(REPLICA_SET)
        keys = {*replica_sets_there.owners.get(metadata["uid"])}
        if key in self._unclaimed:
            # NOTE: those of others are not looked at: that was a fiftieth of the time of a load
            # with 5,000 nodes, whose namespaces have 300 Deployments each (benchmarks/load.py).
            keys |= self._orphans.get(metadata["namespace"], set())
        candidates = [replica_sets_there.objects[each] for each in sorted(keys)]
        self._unclaimed.discard(key)
        try:
            claimed = ownership.Claims(self.store, deployment, selector).claim(candidates)
        except ApiError:
            self._unclaimed.add(key)
            raise
        return sorted(claimed, key=replica_sets.age)

    def _step(self, rollout: Rollout) -> int | None:
        """Do what a sync of a Deployment has to do; when to sync again if nothing changes."""
        if "deletionTimestamp" in rollout.deployment["metadata"]:
            new_replica_set.keep_up(rollout)
            status.report(rollout)
            return None
        progress.check_paused(rollout)
        is_paused = bool(rollout.spec.get("paused"))
        revision = rollback.desired(rollout.deployment)
        new_replica_set.keep_up(rollout)
        if not is_paused and revision is not None:
            rollback.roll_back(rollout, revision)
            return None
        if is_paused or scaling.is_called_for(rollout):
            scaling.scale(rollout)
            if is_paused and revision is None:
                history.clean_up(rollout)
            status.report(rollout)
            return None
        if fenceposts.is_rolling(rollout.spec):
            return strategies.roll(rollout)
        return strategies.recreate(rollout, self.lister)


def _is_report(new: Json, old: Json) -> bool:
    before, after = old["metadata"], new["metadata"]
    return new["spec"] is old["spec"] and before.get("annotations") is after.get("annotations")
