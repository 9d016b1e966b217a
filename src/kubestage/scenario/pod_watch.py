"""The pods of a cluster as a step has to know them: which have no node, which start or end, which
are gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import gvk
from kubestage.scenario.ledger import Ledger
from kubestage.scenario.scheduler_writes import ForeignWrite
from kubestage.scenario.timeline import (
    PREEMPTED,
    SCHEDULED,
    UNSCHEDULED,
    PodRecord,
    Timeline,
)
from kubestage.scheduler.preemption import executor
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from collections.abc import Container

    from kubestage.aliases import Json
    from kubestage.sim.clock import Clock
    from kubestage.store.log import Change
    from kubestage.store.store import Store


POD: Final = ("v1", "Pod")
_TYPE: Final = {"apiVersion": "v1", "kind": "Pod"}
_NODE_TYPE: Final = {"apiVersion": "v1", "kind": "Node"}
_ENDED: Final = ("Succeeded", "Failed")
# These only report what happens: their changes do not influence scheduling.
_REPORTS: Final = ("Event", "Lease", "Scenario")
# What pods are scheduled by, besides one another: controllers may come up with more of it.
_OFFERS: Final = frozenset({
    "CSIDriver", "CSINode", "CSIStorageCapacity", "DeviceClass", "Node", "PersistentVolume",
    "PersistentVolumeClaim", "ResourceClaim", "ResourceSlice", "StorageClass",
})  # fmt: skip


class PodWatch:
    """Observes every change of the cluster.

    `schedulers` are the scheduler names that are served here, None for all. `preemptor` is set
    while a scheduler runs that does not report its attempts: then all bindings and deletions are
    attributed to it. `is_operating` is set while the scenario's own events are carried out.
    """

    def __init__(
        self, store: Store, ledger: Ledger, schedulers: Container[str] | None = None
    ) -> None:
        self.ledger = ledger
        self.timeline = Timeline()
        self.step = 0
        self.is_operating = False
        self.preemptor: str | None = None
        # What a scheduler in this process wrote that it must not, in words.
        self.foreign_write = ""
        self.quiet_since_ns = 0
        # Pods that start or end, and namespaces that end, with the time of their last move, the
        # latest last.
        self.moving: dict[str, int] = {}
        # Pods that were tried in this step and have no node yet, and those that controllers made:
        # these are reported even if no scheduler tries them.
        self.unschedulable: dict[str, None] = {}
        self._store = store
        self._clock: Clock = store.clock
        self._schedulers = schedulers

    def on_change(self, change: Change) -> None:
        """Record one change."""
        kind = change.kind.kind
        if kind == "Pod" and not change.kind.group:
            self.quiet_since_ns = self._clock.now_ns
            if change.type == DELETED:
                self._on_gone(change)
            else:
                self._on_pod(change)
        elif kind not in _REPORTS:
            self.quiet_since_ns = self._clock.now_ns
            if kind in _OFFERS and _is_another_offer(change):
                self.ledger.changed()
            if kind == "Node" and not change.kind.group:
                self._on_node(change)
            elif kind == "Namespace" and not change.kind.group:
                self._on_namespace(change)

    def _on_node(self, change: Change) -> None:
        """Pods of a deleted node will be deleted; a change of allocatable that no event caused is
        reported.

        A node that was created with its name alone has what its kubelet finds.
        """
        old, new = change.old, change.new
        if change.type == DELETED:
            for key, pod in self._store.read(POD).items():
                if pod["spec"].get("nodeName") == change.key:
                    self._note_move(key, pod, None)
        elif old is not None and not self.is_operating and _offered(old) != _offered(new):
            patch = msgspec.json.encode({"status": {"allocatable": _offered(new)}}).decode()
            target = {"typeMeta": _NODE_TYPE, "objectMeta": {"name": change.key}, "patch": patch}
            self.timeline.happened(self.step, "Patch", {"operation": target, "result": new})

    def _on_namespace(self, change: Change) -> None:
        """A namespace that was deleted is on its way until all that was in it is gone."""
        if change.type != DELETED and "deletionTimestamp" in change.new["metadata"]:
            self.moving.setdefault(change.key, self._clock.now_ns)
        else:
            self.moving.pop(change.key, None)

    def forget(self) -> None:
        """Drop everything that is known."""
        self.ledger, self.timeline = Ledger(), Timeline()
        self.moving, self.unschedulable, self.foreign_write = {}, {}, ""

    def check_writes(self) -> None:
        """ForeignWrite if a scheduler wrote what it must not."""
        if self.foreign_write:
            raise ForeignWrite(self.foreign_write)

    def begin(self, timeline: Timeline) -> None:
        """A Scenario begins, on an empty cluster at time zero."""
        self.forget()
        self.timeline = timeline
        self.step = self.quiet_since_ns = 0

    def take_up(self, step: int) -> None:
        """Continue after a step that another controller has finished, with the pods that exist."""
        self.step = step
        for key, pod in self._store.read(POD).items():
            self.pod_record(pod)
            if self._is_without_node(pod):
                self.ledger.appeared(key)
            self._note_move(key, pod, None)

    def pod_counts(self) -> Json:
        """How many pods were scheduled so far, have no node now, or were preempted."""
        counts = self.timeline.counts
        return {
            "scheduled": counts.get(SCHEDULED, 0),
            "pending": self.ledger.unscheduled,
            "preempted": counts.get(PREEMPTED, 0),
        }

    def pod_record(self, pod: Json) -> PodRecord:
        """What is known of a pod; an unknown one exists from now on."""
        records, uid = self.timeline.records, pod["metadata"]["uid"]
        found = records.get(uid)
        if found is None:
            found = records[uid] = PodRecord(self.step)
            node = pod["spec"].get("nodeName")
            if node:
                found.bound_to, found.bound_at = node, self.step
        return found

    def preempted(self, pod: Json, by: str) -> None:
        """A pod is preempted: the timeline names the other pod, and gets a Delete."""
        record = self.pod_record(pod)
        if record.preempted_by is not None:
            return
        record.preempted_by, record.preempted_at, record.deletion_reported = by, self.step, True
        self.ledger.changed()
        self.timeline.happened(self.step, PREEMPTED, record.result(pod))
        self._report_deletion(pod)

    def _on_pod(self, change: Change) -> None:
        key, new, old = change.key, change.new, change.old
        record = self.pod_record(new)
        was_bound = old is not None and bool(old["spec"].get("nodeName"))
        node = new["spec"].get("nodeName")
        is_over = (new.get("status") or {}).get("phase") in _ENDED
        is_leaving = "deletionTimestamp" in new["metadata"]
        if node and not was_bound and change.type != ADDED:
            record.bound_to, record.bound_at = node, self.step
            self.ledger.left(key)
            self.ledger.changed()
            if self.preemptor is not None:
                self.timeline.happened(self.step, SCHEDULED, record.result(new))
        elif self._is_without_node(new):
            self.ledger.appeared(key)
        else:
            self.ledger.left(key)
        if is_leaving and self.preemptor not in (None, key) and not record.deletion_reported:
            self.preempted(new, self.preemptor or "")
        if is_over and not is_leaving and old is not None and not _is_over(old):
            self._report_end(new)
            self.ledger.changed()
        if change.type == ADDED and not node and not is_over:
            self.unschedulable[key] = None
        self._note_move(key, new, old)

    def _is_without_node(self, pod: Json) -> bool:
        """Whether a pod waits for a node now, and its scheduler is served here."""
        spec = pod["spec"]
        if spec.get("nodeName") or spec.get("schedulingGates"):
            return False
        if _is_over(pod) or "deletionTimestamp" in pod["metadata"]:
            return False
        return self._schedulers is None or spec["schedulerName"] in self._schedulers

    def _note_move(self, key: str, new: Json, old: Json | None) -> None:
        node = new["spec"].get("nodeName")
        is_held = bool(node) and not _is_over(new)
        is_ending = "deletionTimestamp" in new["metadata"] or node not in self._store.read(gvk.NODE)
        if is_held and (_is_starting(new) or is_ending):
            is_same = old is not None and _stage(old) == _stage(new)
            if not (is_same and key in self.moving):
                self.moving.pop(key, None)
                self.moving[key] = self._clock.now_ns
        else:
            self.moving.pop(key, None)

    def _on_gone(self, change: Change) -> None:
        key, pod = change.key, change.new
        self.ledger.left(key)
        if pod["spec"].get("nodeName"):
            self.ledger.changed()
        self.moving.pop(key, None)
        record = self.timeline.records.get(pod["metadata"]["uid"])
        if record is None or record.deletion_reported:
            return
        if self.preemptor is not None:
            self.preempted(pod, self.preemptor)
            return
        record.deletion_reported = True
        if _is_victim(pod):
            # A scheduler that reports its attempts reports this next.
            return
        if (
            key in self.unschedulable
            and record.attempts
            and record.attempts[-1]["step"] == self.step
        ):
            # It will not be there when the step ends.
            self.timeline.happened(self.step, UNSCHEDULED, record.result(pod))
        self.unschedulable.pop(key, None)
        self._report_deletion(pod)

    def _report_deletion(self, pod: Json) -> None:
        target = {"typeMeta": _TYPE, "objectMeta": _name_of(pod)}
        self.timeline.happened(self.step, "Delete", {"operation": target})

    def _report_end(self, pod: Json) -> None:
        phase = pod["status"]["phase"]
        patch = {
            "typeMeta": _TYPE,
            "objectMeta": _name_of(pod),
            "patch": f'{{"status":{{"phase":"{phase}"}}}}',
        }
        self.timeline.happened(self.step, "Patch", {"operation": patch, "result": pod})


def _is_another_offer(change: Change) -> bool:
    """Whether a change may make a difference to a pod that found no node."""
    old, new = change.old, change.new
    if old is None or change.type == DELETED or change.kind.kind != "Node":
        return True
    return (
        old.get("spec") != new.get("spec")
        or old["metadata"].get("labels") != new["metadata"].get("labels")
        or _offered(old) != _offered(new)
    )


def _offered(node: Json) -> Json:
    """What a node has for pods."""
    found: Json = (node.get("status") or {}).get("allocatable") or {}
    return found


def _is_over(pod: Json) -> bool:
    return (pod.get("status") or {}).get("phase") in _ENDED


def _is_victim(pod: Json) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(each.get("reason") == executor.BY_SCHEDULER for each in conditions)


def _is_starting(pod: Json) -> bool:
    """Whether a pod on a node is not yet what its node is to make of it."""
    return (pod.get("status") or {}).get("phase") == "Pending"


def _stage(pod: Json) -> tuple[bool, bool, bool]:
    return (
        bool(pod["spec"].get("nodeName")),
        _is_starting(pod),
        "deletionTimestamp" in pod["metadata"],
    )


def _name_of(pod: Json) -> Json:
    metadata = pod["metadata"]
    return {"name": metadata["name"], "namespace": metadata["namespace"]}
