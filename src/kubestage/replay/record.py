"""What happened during a step, noted as it happens: changes, Events, pods and ReplicaSets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.replay.naming import Naming
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sim.clock import Clock
    from kubestage.store.log import Change
    from kubestage.store.store import Store

Occurrence = tuple[str, str, str, str, str]

_UNTOLD_REASONS: Final = ("RegisteredNode",)
_UNTOLD_SOURCES: Final = ("default-scheduler", "real-scheduler", "kubelet")


class StepRecord:
    """Notes of one scenario; `begin` turns to the next step."""

    def __init__(self, store: Store, clock: Clock, namespace: str) -> None:
        self._store = store
        self._clock = clock
        # Whatever is there before the first step was made in none.
        self.step = -2
        self.changed_ns = 0
        self.changes = 0
        self.naming = Naming(namespace)
        self.created_in: dict[str, int] = {}
        self.created_order: dict[str, int] = {}
        self.terminating_ns: dict[str, int] = {}
        self.begin()

    def begin(self) -> None:
        """A step begins."""
        self.step += 1
        self.occurrences: list[tuple[Occurrence, int]] = []
        self.pods: list[list[str]] = []
        self.replicaset_scale: list[list[Any]] = []
        self._old_deployments = self._deployments()
        self.bounds: dict[str, Json] = {}
        self._before = {name: self._sums(uid) for uid, name in self._old_deployments.items()}

    def on_event(self, change: Change) -> None:
        """An Event was written, or counted on."""
        if change.kind.kind != "Event" or change.type == DELETED:
            return
        event = change.new
        source = (event.get("source") or {}).get("component") or event.get("reportingComponent")
        if source in _UNTOLD_SOURCES or event.get("reason") in _UNTOLD_REASONS:
            return
        about = event["involvedObject"]
        before = change.old.get("count", 1) if change.old else 0
        fresh = event.get("count", 1) - before
        if fresh <= 0:
            return
        self.changes += 1
        occurrence = (
            f"{about['kind']}/{about['name']}",
            event["type"],
            event["reason"],
            event["message"],
            source or "",
        )
        # A first count above one was reached by Events that were held back, or in another step.
        self.occurrences.append((occurrence, fresh if change.old else 1))

    def on_change(self, change: Change) -> None:
        """An object of the scenario changed."""
        self.changes += 1
        self.changed_ns = self._clock.now_ns
        uid = change.new["metadata"]["uid"]
        if change.type == ADDED:
            self.created_in[uid] = self.step
            self.created_order[uid] = change.revision
            self.naming.learn(change.new)
        kind = change.kind.kind
        if kind == "Pod":
            self._note_pod(change)
        elif kind == "ReplicaSet" and change.type != DELETED:
            self._note_replicaset(change)

    def _note_pod(self, change: Change) -> None:
        name = change.new["metadata"]["name"]
        if change.type == ADDED:
            self.pods.append(["create", name])
        elif change.type == DELETED:
            self.pods.append(["gone", name])
            return
        old, new = change.old or {"metadata": {}}, change.new
        is_ending = "deletionTimestamp" in new["metadata"]
        if is_ending and "deletionTimestamp" not in old["metadata"]:
            self.pods.append(["delete", name])
            self.terminating_ns[new["metadata"]["uid"]] = self._clock.now_ns
        if is_ending:
            return
        if _is_ready(new) and not _is_ready(old):
            self.pods.append(["ready", name])
        phase = (new.get("status") or {}).get("phase")
        if phase in ("Succeeded", "Failed") and phase != (old.get("status") or {}).get("phase"):
            self.pods.append([phase.lower(), name])

    def _note_replicaset(self, change: Change) -> None:
        new = change.new
        replicas = new["spec"].get("replicas", 0)
        before = change.old["spec"].get("replicas", 0) if change.old else None
        if replicas != before:
            self.replicaset_scale.append([new["metadata"]["name"], before, replicas])
        for reference in new["metadata"].get("ownerReferences") or ():
            name = self._old_deployments.get(reference["uid"])
            if name is not None:
                self._widen(name, reference["uid"])

    def _widen(self, name: str, uid: str) -> None:
        bounds = self.bounds.setdefault(name, dict(self._before[name]))
        for key, value in self._sums(uid).items():
            extreme = max if key.startswith("max") else min
            bounds[key] = extreme(bounds[key], value)

    def _deployments(self) -> dict[str, str]:
        found = self._store.read(("apps/v1", "Deployment")).values()
        return {each["metadata"]["uid"]: each["metadata"]["name"] for each in found}

    def _sums(self, uid: str) -> Json:
        owned = [
            each
            for each in self._store.read(("apps/v1", "ReplicaSet")).values()
            if any(ref["uid"] == uid for ref in each["metadata"].get("ownerReferences") or ())
        ]
        statuses = [each.get("status") or {} for each in owned]
        return {
            "max_spec_replicas": sum(each["spec"].get("replicas", 0) for each in owned),
            "max_status_replicas": sum(each.get("replicas", 0) for each in statuses),
            "min_ready": sum(each.get("readyReplicas", 0) for each in statuses),
            "min_available": sum(each.get("availableReplicas", 0) for each in statuses),
        }


def _is_ready(pod: Json) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
