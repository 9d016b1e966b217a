"""What holds at every change of the store, whoever makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.store.log import ADDED, DELETED
from tests.controllers.worlds import reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.stage import Stage
    from kubestage.store.log import Change


class Watchman:
    """Hears of every change before any loop does, and speaks up when one should not be.

    `somebody_acts` says that a change is not the work of loops: limits bind only these.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._newest = 0
        self._pods: dict[str, dict[str, Json]] = {}
        self._sets: dict[str, dict[str, Json]] = {}
        self._owners: dict[str, Json] = {}
        self._gone: set[str] = set()
        self.somebody_acts = False

    def on_change(self, change: Change) -> None:
        """Look at one change."""
        assert change.revision > self._newest, f"{change} is not newer than {self._newest}"
        self._newest = change.revision
        metadata = change.new["metadata"]
        assert int(metadata["resourceVersion"]) == change.revision
        if change.old is not None:
            _check_life(change.old, change.new)
        kind = change.kind.kind
        if kind == "Pod":
            self._on_pod(change)
        elif kind == "ReplicaSet":
            self._on_replica_set(change)
        if kind in _LIMITS or kind == "Deployment":
            self._owners[metadata["uid"]] = change.new
            if change.type == DELETED:
                self._gone.add(metadata["uid"])
        if kind == "Job" and change.old is not None:
            _check_job(change.old, change.new)
        if kind == "PersistentVolumeClaim" and change.old is not None:
            was_bound = change.old.get("status", {}).get("phase") == "Bound"
            assert not was_bound or change.new["status"]["phase"] != "Pending", change

    def _on_pod(self, change: Change) -> None:
        pod, old = change.new, change.old
        uid = pod["metadata"]["uid"]
        if old is not None:
            _check_pod(old, pod)
            before = (reading.controller(old) or {}).get("uid", "")
            self._pods.get(before, {}).pop(uid, None)
        owner = reading.controller(pod) or {}
        if change.type != DELETED:
            self._pods.setdefault(owner.get("uid", ""), {})[uid] = pod
        if change.type == ADDED and not self.somebody_acts and owner.get("kind") in _LIMITS:
            found = self._owners.get(owner["uid"])
            assert found is not None, f"{change}: made for an owner that never was"
            _LIMITS[owner["kind"]](found, pod, list(self._pods[owner["uid"]].values()))
        begins_to_go = old is not None and reading.is_going(pod) > reading.is_going(old)
        if begins_to_go and owner.get("kind") == "StatefulSet" and not self.somebody_acts:
            self._check_farewell(self._owners[owner["uid"]], pod)

    def _check_farewell(self, owner: Json, pod: Json) -> None:
        """The last pod of a StatefulSet goes first, unless it is not the set that has it go."""
        disrupted = reading.status_of(pod, "DisruptionTarget") == "True"
        namespace = self._stage.store.get(_NAMESPACE, pod["metadata"]["namespace"])
        is_gone = reading.is_going(owner) or owner["metadata"]["uid"] in self._gone
        if disrupted or is_gone or reading.is_going(namespace):
            return
        name, number = pod["metadata"]["name"], reading.ordinal(pod)
        others = {
            reading.ordinal(each): each
            for each in self._pods[owner["metadata"]["uid"]].values()
            if reading.ordinal(each) > number
        }
        start, size = owner["spec"]["ordinals"]["start"], owner["spec"]["replicas"]
        is_ordered = owner["spec"]["podManagementPolicy"] == "OrderedReady"
        if not start <= number < start + size:
            assert not (is_ordered and others), f"{name} goes before {sorted(others)}"
        elif not reading.is_over(pod):
            ready = {key for key, each in others.items() if reading.is_ready(each)}
            missing = set(range(number + 1, start + size)) - ready
            assert not missing, f"{name} is renewed before {missing} are"

    def _on_replica_set(self, change: Change) -> None:
        new, old = change.new, change.old
        uid = new["metadata"]["uid"]
        for each in self._sets.values():
            each.pop(uid, None)
        owner = reading.controller(new)
        if change.type == DELETED or owner is None:
            return
        own = self._sets.setdefault(owner["uid"], {})
        own[uid] = new
        deployment = self._owners.get(owner["uid"])
        grew = old is None or old["spec"]["replicas"] < new["spec"]["replicas"]
        if deployment is None or not grew or self.somebody_acts:
            return
        total = sum(each["spec"]["replicas"] for each in own.values())
        surge, _ = reading.rolling_bounds(deployment)
        wanted = deployment["spec"]["replicas"]
        assert total <= wanted + surge, f"{change}: {total} of {wanted} and {surge} more"
        if deployment["spec"]["strategy"]["type"] == "Recreate" and new["spec"]["replicas"]:
            others = [each for each in own.values() if each is not new]
            assert not any(self._running(each) for each in others), f"{change}: old pods live"

    def _running(self, replica_set: Json) -> int:
        pods = self._pods.get(replica_set["metadata"]["uid"], {}).values()
        return reading.count(not reading.is_over(pod) for pod in pods)


def _check_life(old: Json, new: Json) -> None:
    """What no change of any object may do."""
    before, after = old["metadata"], new["metadata"]
    assert before["uid"] == after["uid"]
    assert before["creationTimestamp"] == after["creationTimestamp"]
    assert before.get("generation", 0) <= after.get("generation", 0)
    if "deletionTimestamp" in before:
        assert "deletionTimestamp" in after, f"{new['kind']} {after['name']} came back to life"
        added = set(after.get("finalizers", ())) - set(before.get("finalizers", ()))
        assert not added - _OF_POLICIES, f"{new['kind']} {after['name']} is held by {added}"
    observed = new.get("status", {}).get("observedGeneration", 0)
    assert observed <= after.get("generation", observed)


def _check_pod(old: Json, new: Json) -> None:
    name = new["metadata"]["name"]
    before, after = reading.phase(old), reading.phase(new)
    assert not reading.is_over(old) or before == after, f"{name} was {before} and is {after}"
    assert not (before == "Running" and after == "Pending"), f"{name} ran and is pending"
    bound = old["spec"].get("nodeName")
    assert bound in (None, new["spec"].get("nodeName")), f"{name} was bound twice"
    if after == "Running" or reading.is_ready(new):
        assert new["spec"].get("nodeName"), f"{name} runs nowhere"
    if reading.is_ready(new) and not reading.is_ready(old):
        assert after == "Running", f"{name} is {after} and got ready"
    restarts = {each["name"]: each["restartCount"] for each in _containers(old)}
    for each in _containers(new):
        assert each["restartCount"] >= restarts.get(each["name"], 0), f"{name} forgot restarts"


def _containers(pod: Json) -> list[Json]:
    found: list[Json] = pod.get("status", {}).get("containerStatuses", [])
    return found


def _check_job(old: Json, new: Json) -> None:
    before, after = old.get("status", {}), new.get("status", {})
    name = new["metadata"]["name"]
    assert before.get("succeeded", 0) <= after.get("succeeded", 0), f"{name} forgot successes"
    assert before.get("failed", 0) <= after.get("failed", 0), f"{name} forgot failures"
    for condition in ("Complete", "Failed"):
        if reading.status_of(old, condition) == "True":
            assert reading.status_of(new, condition) == "True", f"{name} is not {condition} now"
    both = reading.status_of(new, "Complete"), reading.status_of(new, "Failed")
    assert both != ("True", "True"), f"{name} is Complete and Failed"


def _limit_replicas(owner: Json, pod: Json, pods: list[Json]) -> None:
    active = reading.count(map(reading.is_active, pods))
    assert active <= owner["spec"]["replicas"], f"{pod['metadata']['name']} is one too many"


def _limit_job(job: Json, pod: Json, pods: list[Json]) -> None:
    name, spec = pod["metadata"]["name"], job["spec"]
    active = reading.count(map(reading.is_active, pods))
    assert active <= spec["parallelism"], f"{name} is one too many at once"
    assert not spec.get("suspend"), f"{name} was made by a suspended job"
    if spec.get("completions") is not None:
        done = reading.count(reading.phase(each) == "Succeeded" for each in pods)
        counted = job.get("status", {}).get("succeeded", 0)
        assert active + max(done, counted) <= spec["completions"], f"{name} is not needed"
    for condition in ("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"):
        assert reading.status_of(job, condition) != "True", f"{name} is for a job that is over"


def _limit_daemons(owner: Json, pod: Json, pods: list[Json]) -> None:
    node = reading.target_node(pod)
    rolling = owner["spec"]["updateStrategy"].get("rollingUpdate") or {}
    there = [each for each in pods if reading.target_node(each) == node]
    staying = reading.count(map(reading.is_active, there))
    most = 2 if rolling.get("maxSurge") else 1
    assert staying <= most, f"{pod['metadata']['name']} is one too many on {node}"


def _limit_ordinals(owner: Json, pod: Json, pods: list[Json]) -> None:
    spec, number = owner["spec"], reading.ordinal(pod)
    numbers = [reading.ordinal(each) for each in pods]
    assert len(numbers) == len(set(numbers)), f"two pods of {owner['metadata']['name']} are one"
    start = spec.get("ordinals", {}).get("start", 0)
    assert start <= number < start + spec["replicas"], f"{pod['metadata']['name']} is outside"
    if spec["podManagementPolicy"] == "OrderedReady":
        ready = {reading.ordinal(each) for each in pods if reading.is_ready(each)}
        missing = set(range(start, number)) - ready
        assert not missing, f"{pod['metadata']['name']} came before {missing}"


_LIMITS: Final[dict[str, Callable[[Json, Json, list[Json]], None]]] = {
    "ReplicaSet": _limit_replicas,
    "ReplicationController": _limit_replicas,
    "Job": _limit_job,
    "DaemonSet": _limit_daemons,
    "StatefulSet": _limit_ordinals,
}
_NAMESPACE: Final = ("v1", "Namespace")
_OF_POLICIES: Final = {"orphan", "foregroundDeletion"}
