"""What a test expects of one object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

from kubestage.errors import InputError
from kubestage.testing.clusters import (
    event_expectations,
    naming,
    owned_pods,
    pod_expectations,
    trials,
)
from kubestage.testing.clusters.event_expectations import ExpectedEvents
from kubestage.testing.clusters.expecting import hold
from kubestage.testing.clusters.messages import Problem
from kubestage.testing.clusters.pod_expectations import PodsExpectation

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.testing.clusters.cluster import Cluster

_MISSING: Final = object()
# What a workload's status calls its ready replicas, and its spec or status those it is to have.
_READY: Final = {
    "Deployment": ("readyReplicas", "replicas"),
    "ReplicaSet": ("readyReplicas", "replicas"),
    "ReplicationController": ("readyReplicas", "replicas"),
    "StatefulSet": ("readyReplicas", "replicas"),
    "DaemonSet": ("numberReady", ""),
}


class ObjectExpectation:
    """What is expected of an object; each method may be followed by another."""

    def __init__(self, cluster: Cluster, name: str, namespace: str | None = None) -> None:
        self._cluster = cluster
        self._text = name
        self._named = cluster.named(name, namespace)

    def exists(self, *, within: str | int | None = None) -> Self:
        """It is there."""
        __tracebackhide__ = True
        return self._check(lambda _: None, within)

    def gone(self, *, within: str | int | None = None) -> Self:
        """It is not there, or no more."""
        __tracebackhide__ = True

        def check() -> Problem | None:
            found = naming.find(self._cluster.store, self._named)
            if found is None:
                return None
            finalizers = found["metadata"].get("finalizers")
            lines = [f"It has the finalizers {', '.join(finalizers)}."] if finalizers else []
            return Problem(f"{self._named} to be gone", "it is there", [found], lines)

        hold(self._cluster, check, within)
        return self

    def ready(self, count: int | None = None, *, within: str | int | None = None) -> Self:
        """So many replicas of a workload are ready, by default all; of others, it is Ready."""
        __tracebackhide__ = True
        return self._check(lambda obj: self._unready(obj, count), within)

    def condition(
        self, kind: str, status: str = "True", *, within: str | int | None = None
    ) -> Self:
        """A condition of its status is as stated: ``condition("Available")``."""
        __tracebackhide__ = True
        return self._check(lambda obj: self._other_condition(obj, kind, status), within)

    def field(self, path: str, value: Any, *, within: str | int | None = None) -> Self:
        """A field has a value: ``field("status.phase", "Running")``, ``spec.ports.0.port``."""
        __tracebackhide__ = True
        return self._check(lambda obj: self._other_value(obj, path, value), within)

    def pods(self, selector: str = "") -> PodsExpectation:
        """Its pods: of a workload or of anything that owns workloads, or those of a Service."""
        named = self._named

        def found() -> list[Json]:
            obj = naming.find(self._cluster.store, named)
            return [] if obj is None else owned_pods.of(self._cluster.store, obj, selector)

        return PodsExpectation(self._cluster, found, f"pods of {named}")

    def survives(
        self,
        *,
        zone: str | None = None,
        node: str | None = None,
        lasts: str = "15m",
        at_least: int = 1,
    ) -> Self:
        """It keeps `at_least` ready replicas while a zone or node is silent, and recovers.

        This is tried on a copy.
        """
        __tracebackhide__ = True
        trials.survives(self._cluster, self._named, zone, node, lasts, at_least)
        return self

    def events(
        self,
        *,
        reason: str = "",
        message: str = "",
        at_least: int = 1,
        within: str | int | None = None,
    ) -> Self:
        """There are Events about it with this reason, whose message has this text in it."""
        __tracebackhide__ = True
        required = ExpectedEvents(self._named, reason, message, at_least)
        hold(self._cluster, lambda: event_expectations.missing(self._cluster, required), within)
        return self

    def _check(
        self, problem_of: Callable[[Json], Problem | None], within: str | int | None
    ) -> Self:
        __tracebackhide__ = True

        def check() -> Problem | None:
            store = self._cluster.store
            found = naming.find(store, self._named)
            if found is None:
                near = naming.others(store, self._named)
                return Problem(str(self._named), "it is not there", (), [near])
            return problem_of(found)

        hold(self._cluster, check, within)
        return self

    def _unready(self, obj: Json, count: int | None) -> Problem | None:
        kind = obj["kind"]
        if kind not in _READY:
            if count is not None:
                fix = f"leave out {count}"
                raise InputError(f"a {kind} has no replicas", path=self._text, fix=fix)
            return self._other_condition(obj, "Ready", "True")
        status = obj.get("status") or {}
        ready_field, desired_field = _READY[kind]
        ready = status.get(ready_field) or 0
        if count is None:
            count = obj["spec"].get("replicas", 1) if desired_field else None
            count = status.get("desiredNumberScheduled") or 0 if count is None else count
        is_observed = status.get("observedGeneration") == obj["metadata"].get("generation")
        if ready == count and is_observed:
            return None
        pods = owned_pods.of(self._cluster.store, obj)
        pods.sort(key=pod_expectations.is_ready)
        verb = "is" if ready == 1 else "are"
        seen = "" if is_observed else " (its controller has not seen its last change yet)"
        expected = f"{self._named} to have {count} ready"
        return Problem(expected, f"{ready} {verb}{seen}", [obj, *pods])

    def _other_condition(self, obj: Json, kind: str, status: str) -> Problem | None:
        conditions = (obj.get("status") or {}).get("conditions") or []
        found = next((each for each in conditions if each.get("type") == kind), None)
        if found is not None and found.get("status") == status:
            return None
        if found is None:
            names = ", ".join(str(each.get("type")) for each in conditions) or "none"
            is_now = f"there is no such condition, but {names}"
        else:
            words = [found.get("reason"), found.get("message")]
            why = ": ".join(str(each) for each in words if each)
            is_now = f"it is {found.get('status')}{f' ({why})' if why else ''}"
        expected = f"condition {kind} of {self._named} to be {status}"
        return Problem(expected, is_now, [obj, *owned_pods.of(self._cluster.store, obj)])

    def _other_value(self, obj: Json, path: str, value: Any) -> Problem | None:
        found = _value_at(obj, path)
        if found == value:
            return None
        is_now = "there is no such field" if found is _MISSING else f"it is {found!r}"
        return Problem(f"{path} of {self._named} to be {value!r}", is_now, [obj])


def _value_at(obj: Any, path: str) -> Any:
    for part in path.split("."):
        if isinstance(obj, dict) and part in obj:
            obj = obj[part]
        elif isinstance(obj, list) and part.isdigit() and int(part) < len(obj):
            obj = obj[int(part)]
        else:
            return _MISSING
    return obj
