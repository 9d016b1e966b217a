"""The loop of DaemonSets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import history
from kubestage.controllers.controller import Controller, Retry
from kubestage.controllers.daemonset import revisions, rolling
from kubestage.controllers.daemonset.fleet import Fleet
from kubestage.controllers.daemonset.management import Management
from kubestage.controllers.daemonset.placement import HASH_LABEL
from kubestage.controllers.ownership import Claims, controller_of, labels_of
from kubestage.controllers.pods import POD
from kubestage.controllers.rosters import Rosters
from kubestage.errors import ApiError
from kubestage.objects import gvk
from kubestage.store.log import ADDED, DELETED, MODIFIED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change

_KEPT: Final = ("collisionCount", "conditions")
_REQUIRED: Final = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
)


class DaemonSetController(Controller):
    """Has a pod of every DaemonSet on every node that will have it."""

    name = "daemonset-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._pods = Rosters(self.lister, POD)
        self._revisions = Rosters(self.lister, history.REVISION)
        self._rng = cluster.streams.stream("controllers/daemonset")
        self._fleets: dict[str, Fleet] = {}

    def handlers(self) -> Handlers:
        """Sets, their pods and revisions, and the nodes."""
        return {
            ("apps", "DaemonSet"): self._on_daemon_set,
            ("", "Pod"): self._on_pod,
            ("apps", "ControllerRevision"): self._on_revision,
            ("", "Node"): self._on_node,
        }

    def _on_daemon_set(self, change: Change) -> None:
        key, found = change.key, change.new
        if change.type == ADDED:
            rosters = self._pods.open(key, found), self._revisions.open(key, found)
            nodes = self.lister.collection(gvk.NODE).objects
            self._fleets[key] = Fleet(*rosters, nodes, self._rng)
        elif change.type == DELETED:
            self._pods.close(key)
            self._revisions.close(key)
            del self._fleets[key]
        elif change.old is not None and _differs_in_status_only(found, change.old):
            # NOTE: written by this loop; upstream syncs again and finds nothing to do.
            return
        self.queue.add(key)

    def _on_pod(self, change: Change) -> None:
        for roster in self._pods.on_change(change):
            self.queue.add(roster.key)

    def _on_revision(self, change: Change) -> None:
        is_new = change.type == ADDED and controller_of(change.new) is not None
        for roster in self._revisions.on_change(change):
            if not is_new:
                self.queue.add(roster.key)

    def _on_node(self, change: Change) -> None:
        """A node concerns the sets that should now have a pod there, or should not."""
        node, old = change.new, change.old
        if change.type == MODIFIED and old is not None and _is_as_inviting(node, old):
            return
        name = change.key
        for key, fleet in self._fleets.items():
            if fleet.placement is None:
                continue
            fleet.mark(name)
            # Upstream is not notified of deleted nodes; their pods count until the next sync.
            if change.type != DELETED and self._is_concerned(key, fleet, node):
                self.queue.add(key)

    def _is_concerned(self, key: str, fleet: Fleet, node: Json) -> bool:
        assert fleet.placement is not None
        should_run, may_go_on = fleet.placement.verdict(node)
        if not fleet.is_scheduled_on(node["metadata"]["name"]):
            return should_run
        found = self.lister.get(gvk.DAEMON_SET, key) or {}
        return not may_go_on or bool((found.get("status") or {}).get("numberMisscheduled"))

    def sync(self, key: str) -> None:
        """Create, delete and update the pods of one set, and write its status."""
        found = self.lister.get(gvk.DAEMON_SET, key)
        if found is None or "deletionTimestamp" in found["metadata"]:
            return
        fleet = self._fleets[key]
        self._settle(fleet, found)
        current, old = self._history(fleet, found)
        fleet.place(found, labels_of(current)[HASH_LABEL])
        management = Management(self.store, self.events, found, fleet, self.allowance)
        failure: ApiError | Retry | None = None
        try:
            management.run()
            if not management.has_acted:
                self._renew(fleet, found, management)
            revisions.clean_up(self.store, found, old, fleet.hashes)
        except (ApiError, Retry) as error:
            failure = error
        self._report(key, fleet, found)
        if failure is not None:
            raise failure
        if management.backoff_ns is not None:
            self.queue.add_after(key, management.backoff_ns)
        if fleet.next_due_ns is not None:
            self.queue.add_at(key, fleet.next_due_ns)

    def _settle(self, fleet: Fleet, found: Json) -> None:
        claims = Claims(self.store, found, fleet.roster.selector)
        fleet.settle(self.lister.collection(POD).objects, claims, self.clock.unix_ns)

    def _history(self, fleet: Fleet, found: Json) -> tuple[Json, list[Json]]:
        roster = fleet.revisions
        claims = Claims(self.store, found, roster.selector)
        for _ in roster.settle(self.lister.collection(history.REVISION).objects, claims):
            fleet.history = None
        collisions = (found.get("status") or {}).get("collisionCount")
        key = found["metadata"].get("generation"), collisions
        if fleet.history is None or fleet.history_key != key:
            members = tuple(fleet.roster.members.values())
            fleet.history = revisions.construct(self.store, found, roster.members.values(), members)
            fleet.history_key = key
        return fleet.history

    def _renew(self, fleet: Fleet, found: Json, management: Management) -> None:
        strategy = found["spec"].get("updateStrategy") or {}
        if strategy.get("type") == "RollingUpdate":
            fleet.count(self.clock.unix_ns)
            management.act(*rolling.next_step(found, fleet))

    def _report(self, key: str, fleet: Fleet, found: Json) -> None:
        self._settle(fleet, found)
        fleet.count(self.clock.unix_ns)
        stored = self.lister.get(gvk.DAEMON_SET, key)
        if stored is not None:
            before = stored.get("status") or {}
            new = _new_status(found, fleet, before)
            self.store.record_status(gvk.DAEMON_SET, key, new)


def _differs_in_status_only(new: Json, old: Json) -> bool:
    """Whether a set differs from what it was in its status only."""
    after, before = new["metadata"], old["metadata"]
    return new["spec"] is old["spec"] and all(
        after.get(name) == before.get(name)
        for name in ("labels", "annotations", "ownerReferences", "finalizers", "deletionTimestamp")
    )


def _is_as_inviting(new: Json, old: Json) -> bool:
    """Whether a node has the labels and taints that it had."""
    after, before = new.get("spec") or {}, old.get("spec") or {}
    return labels_of(new) == labels_of(old) and (
        after is before or (after.get("taints") or []) == (before.get("taints") or [])
    )


def _new_status(daemon_set: Json, fleet: Fleet, before: Json) -> Json:
    """The status of a set, from how it stands on the nodes that there are."""
    desired = current = misscheduled = ready = updated = available = 0
    for standing, names in fleet.groups.items():
        count = len(names)
        if not standing.is_desired:
            misscheduled += count if standing.is_known else 0
            continue
        desired += count
        if standing.has_pod:
            current += count
            ready += count if standing.is_ready else 0
            available += count if standing.is_available else 0
            updated += count if standing.is_updated else 0
    counts = {
        "currentNumberScheduled": current,
        "numberMisscheduled": misscheduled,
        "desiredNumberScheduled": desired,
        "numberReady": ready,
        "observedGeneration": daemon_set["metadata"].get("generation"),
        "updatedNumberScheduled": updated,
        "numberAvailable": available,
        "numberUnavailable": desired - available,
    }
    status: Json = {name: n for name, n in counts.items() if n or name in _REQUIRED}
    status.update((name, before[name]) for name in _KEPT if name in before)
    return status
