"""The timeline of a workload: its replicas, rollouts and pods, and who scales it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.results.history import object_timeline
from kubestage.results.history.object_timeline import ObjectTimeline, Series
from kubestage.results.life import workloads
from kubestage.results.life.marks import RESCALE
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.store.log import Change

AUTOSCALER: Final = "autoscaler"
_BETWEEN: Final = {"ReplicaSet": ("apps", "replicasets"), "Job": ("batch", "jobs")}
_SCALERS: Final = {
    "HorizontalPodAutoscaler": ("autoscaling", "horizontalpodautoscalers", "scaleTargetRef"),
    "VerticalPodAutoscaler": ("autoscaling.k8s.io", "verticalpodautoscalers", "targetRef"),
}
_DESIRED: Final = ("desiredNumberScheduled", "parallelism")
_READY: Final = ("readyReplicas", "numberReady", "ready")


class WorkloadTimeline(ObjectTimeline):
    """What happened to a workload of any kind that has pods."""

    def __init__(
        self, history: ClusterHistory, place: tuple[str, str], kind: str, namespace: str, name: str
    ) -> None:
        super().__init__(history)
        self.series = [Series("desired", []), Series("ready", []), Series("pods on nodes", [])]
        self.was_there = False
        self._place, self._kind, self._namespace, self._name = place, kind, namespace, name
        self._key = f"{namespace}/{name}"
        self._subject = f"{kind.lower()}/{self._key}"
        # ReplicaSets and Jobs that stand between it and its pods.
        self._between: set[tuple[str, str]] = set()
        self._scalers: set[tuple[str, str]] = set()
        self._placed: set[str] = set()

    @property
    def autoscalers(self) -> list[str]:
        """The autoscalers that have acted or may act on it."""
        return sorted(f"{kind} {name}" for kind, name in self._scalers)

    def begin(self, history: ClusterHistory) -> None:
        """Take in the first state."""
        obj = history.first(*self._place).get(self._key)
        self.was_there = obj is not None
        for kind, (group, plural) in _BETWEEN.items():
            for between in history.first(group, plural).values():
                self._know_between(kind, between)
        for kind, (group, plural, _) in _SCALERS.items():
            for scaler in history.first(group, plural).values():
                self._know_scaler(kind, scaler)
        for key, pod in history.first("", "pods").items():
            if self._owns(pod) and object_timeline.place(pod):
                self._placed.add(key)
        if obj is not None:
            self._measure(history.begin_ns, obj)

    def take(self, unix_ns: int, change: Change) -> None:
        """Take in a change."""
        kind = change.kind.kind
        if kind == "Pod":
            if self._owns(change.new):
                self._take_pod(unix_ns, change)
        elif kind == self._kind and change.key == self._key:
            self._take_workload(unix_ns, change)
        elif kind == "Event":
            self._take_event(unix_ns, change)
        elif kind in _BETWEEN:
            if self._know_between(kind, change.new) and change.type != "MODIFIED":
                done = "created" if change.type == ADDED else "deleted"
                subject = f"{kind.lower()}/{change.key}"
                self.add(unix_ns, done, subject, f"{kind} {change.key} {done}")
        elif kind in _SCALERS and self._know_scaler(kind, change.new):
            self._take_scaler(unix_ns, change)

    def _take_pod(self, unix_ns: int, change: Change) -> None:
        self.add_marks(unix_ns, change)
        before, after = object_timeline.moved(change)
        if before == after:
            return
        key, subject = change.key, f"pod/{change.key}"
        if after:
            self._placed.add(key)
            self.add(unix_ns, object_timeline.POD, subject, f"pod {key} placed on {after}")
        else:
            self._placed.discard(key)
            text = f"pod {key} left {before}: {object_timeline.departure(change)}"
            self.add(unix_ns, object_timeline.POD, subject, text)
        self.series[2].add(unix_ns, len(self._placed))

    def _take_workload(self, unix_ns: int, change: Change) -> None:
        self.was_there = True
        if change.type == ADDED:
            text = f"created with {workloads.desired(change.new) or 0} replicas"
            self.add(unix_ns, object_timeline.CREATED, self._subject, text)
        elif change.type == DELETED:
            self.add(unix_ns, object_timeline.DELETED_ENTRY, self._subject, "deleted")
        self.add_marks(unix_ns, change)
        self._measure(unix_ns, change.new)

    def _take_event(self, unix_ns: int, change: Change) -> None:
        about = change.new.get("involvedObject") or {}
        if about.get("namespace") != self._namespace:
            return
        who = (str(about.get("kind")), str(about.get("name")))
        if who in self._scalers:
            self.add_event(unix_ns, change, RESCALE)
        elif who == (self._kind, self._name):
            self.add_event(unix_ns, change)

    def _take_scaler(self, unix_ns: int, change: Change) -> None:
        kind, old, new = change.kind.kind, change.old, change.new
        subject = f"{kind.lower()}/{change.key}"
        if change.type == ADDED:
            self.add(unix_ns, AUTOSCALER, subject, f"{kind} {change.key} acts on it")
        elif change.type == DELETED:
            self.add(unix_ns, AUTOSCALER, subject, f"{kind} {change.key} deleted")
        elif old is not None and old.get("spec") != new.get("spec"):
            self.add(unix_ns, AUTOSCALER, subject, f"{kind} {change.key} changed")

    def _owns(self, pod: Json) -> bool:
        if pod["metadata"].get("namespace") != self._namespace:
            return False
        owner = workloads.controller(pod)
        if owner is None:
            return False
        who = (str(owner["kind"]), str(owner["name"]))
        return who == (self._kind, self._name) or who in self._between

    def _know_between(self, kind: str, obj: Json) -> bool:
        """Note a ReplicaSet or Job of the workload; whether it is one."""
        owner = workloads.controller(obj)
        is_of_it = (
            owner is not None
            and obj["metadata"].get("namespace") == self._namespace
            and (owner["kind"], owner["name"]) == (self._kind, self._name)
        )
        if is_of_it:
            self._between.add((kind, obj["metadata"]["name"]))
        return is_of_it

    def _know_scaler(self, kind: str, obj: Json) -> bool:
        target = (obj.get("spec") or {}).get(_SCALERS[kind][2]) or {}
        is_for_it = (
            obj["metadata"].get("namespace") == self._namespace
            and (target.get("kind"), target.get("name")) == (self._kind, self._name)
        )  # fmt: skip
        if is_for_it:
            self._scalers.add((kind, obj["metadata"]["name"]))
        return is_for_it

    def _measure(self, unix_ns: int, obj: Json) -> None:
        spec, status = obj.get("spec") or {}, obj.get("status") or {}
        desired = spec.get("replicas", _first(status | spec, _DESIRED))
        self.series[0].add(unix_ns, float(desired or 0))
        self.series[1].add(unix_ns, float(_first(status, _READY) or 0))
        self.series[2].add(unix_ns, float(len(self._placed)))


def _first(found: Json, names: tuple[str, ...]) -> Any:
    return next((found[name] for name in names if found.get(name) is not None), None)
