"""Pods by the workload that they belong to: how many are in which state, and for how long.

A pod belongs to the last of its owners: that of its ReplicaSet is a Deployment.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.objects import pod_resources
from kubestage.objects.spec_memo import SpecMemo
from kubestage.results.life.integral import Integral
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.store.log import Change
    from kubestage.store.store import Store


LAUNCHING: Final = "launching"
ACTIVE: Final = "active"
TERMINATING: Final = "terminating"
DONE: Final = "done"
_GENERATIONS: Final = 4


class WorkloadName(msgspec.Struct, frozen=True):
    """Where a workload is found; its text names it in tables, as in ``deployment/default/web``."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind.lower()}/{self.namespace}/{self.name}"


class ReplicaCounts:
    """The pods of one workload, by state, and the time that they had a node."""

    __slots__ = ("counts", "name", "place", "pods", "scheduled")

    def __init__(self, place: WorkloadName, now_ns: int) -> None:
        self.place = place
        self.name = str(place)
        self.counts: collections.Counter[str] = collections.Counter()
        self.scheduled = Integral(now_ns)
        self.pods: dict[str, None] = {}


class _Seen(msgspec.Struct, frozen=True):
    """What is known of a pod."""

    workload: ReplicaCounts | None
    state: str
    has_node: bool
    milli_cpu: int
    memory: int


class Workloads:
    """All pods of a cluster; it receives every change of one."""

    def __init__(self, store: Store) -> None:
        self.all: dict[str, ReplicaCounts] = {}
        self.pending = 0
        self.on_nodes: collections.Counter[str] = collections.Counter()
        self.requested_milli_cpu = 0
        self.requested_memory = 0
        self.changes = 0
        self._store = store
        self._pods: dict[str, _Seen] = {}
        self._owners: dict[str, ReplicaCounts] = {}
        self._amounts = SpecMemo(_amounts)

    def on_pod(self, change: Change) -> ReplicaCounts | None:
        """Take in a pod that came, changed or went; the workload that it belongs to."""
        before = self._pods.get(change.key)
        if change.type == DELETED:
            now = None
        else:
            now = self._seen(change, before)
            if now == before:
                return now.workload
        self._count(change.key, before, -1)
        self._count(change.key, now, 1)
        if now is None:
            self._pods.pop(change.key, None)
            return None if before is None else before.workload
        self._pods[change.key] = now
        return now.workload

    def reach(self, now_ns: int) -> None:
        """Count the time of all workloads until now."""
        for each in self.all.values():
            each.scheduled.reach(now_ns)

    def forget_gone(self) -> None:
        """Forget workloads whose object and pods are gone, for a record without an end."""
        # Owners are found again by the pods that come.
        self._owners.clear()
        for name, each in list(self.all.items()):
            kind = self._store.kinds.get(each.place.api_version, each.place.kind)
            objects = {} if kind is None else self._store.read(kind)
            if not each.pods and f"{each.place.namespace}/{each.place.name}" not in objects:
                del self.all[name]

    def of_pod(self, key: str) -> ReplicaCounts | None:
        """The workload that a pod belongs to; None of a pod that is gone, or that has no owner."""
        seen = self._pods.get(key)
        return None if seen is None else seen.workload

    def _seen(self, change: Change, before: _Seen | None) -> _Seen:
        pod, old = change.new, change.old
        workload = self._workload_of(pod) if before is None else before.workload
        state = _state(pod)
        has_node = bool(pod["spec"].get("nodeName")) and state != DONE
        if not has_node:
            milli_cpu, memory = 0, 0
        elif before is not None and before.has_node and old is not None and is_same(pod, old):
            milli_cpu, memory = before.milli_cpu, before.memory
        else:
            milli_cpu, memory = self._amounts.of(pod)
        return _Seen(workload, state, has_node, milli_cpu, memory)

    def _count(self, key: str, seen: _Seen | None, sign: int) -> None:
        if seen is None:
            return
        self.changes += 1
        self.requested_milli_cpu += sign * seen.milli_cpu
        self.requested_memory += sign * seen.memory
        if seen.has_node:
            self.on_nodes[seen.state] += sign
        elif seen.state != DONE:
            self.pending += sign
        workload = seen.workload
        if workload is None:
            return
        workload.counts[seen.state] += sign
        if seen.has_node:
            workload.scheduled.add(sign, self._store.clock.now_ns)
        if sign > 0:
            workload.pods[key] = None
        else:
            workload.pods.pop(key, None)

    def _workload_of(self, pod: Json) -> ReplicaCounts | None:
        """The topmost owner; None of a pod without one."""
        owner = controller(pod)
        if owner is None:
            return None
        if owner["uid"] not in self._owners:
            place = self.top(owner, pod["metadata"]["namespace"])
            now_ns = self._store.clock.now_ns
            workload = self.all.setdefault(str(place), ReplicaCounts(place, now_ns))
            self._owners[owner["uid"]] = workload
        return self._owners[owner["uid"]]

    def top(self, owner: Json, namespace: str) -> WorkloadName:
        """The last owner above one that is given by a reference."""
        for _ in range(_GENERATIONS):
            kind = self._store.kinds.get(owner["apiVersion"], owner["kind"])
            if kind is None:
                break
            found = self._store.read(kind).get(f"{namespace}/{owner['name']}")
            above = None if found is None else controller(found)
            if above is None:
                break
            owner = above
        return WorkloadName(owner["apiVersion"], owner["kind"], namespace, owner["name"])


def desired(obj: Json) -> int | None:
    """How many replicas a workload is to have; None where that is not set."""
    spec = obj.get("spec") or {}
    for field in ("replicas", "parallelism"):
        if isinstance(spec.get(field), int):
            number: int = spec[field]
            return number
    scheduled = (obj.get("status") or {}).get("desiredNumberScheduled")
    return scheduled if isinstance(scheduled, int) else None


def controller(obj: Json) -> Json | None:
    """The reference to the owner that manages an object."""
    for owner in obj["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            found: Json = owner
            return found
    return None


def is_same(pod: Json, old: Json) -> bool:
    """Whether what a pod asks for cannot have changed."""
    return pod["spec"] is old["spec"] and _allocated(pod) == _allocated(old)


def _allocated(pod: Json) -> list[Any]:
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return [(each.get("allocatedResources"), each.get("resources")) for each in statuses]


def _amounts(pod: Json) -> tuple[int, int]:
    """What a pod requests: thousandths of a core, and bytes."""
    requests = pod_resources.requests(pod, pod_resources.IN_PLACE)
    cpu, memory = requests.get(pod_resources.CPU), requests.get(pod_resources.MEMORY)
    return 0 if cpu is None else cpu.milli_value, 0 if memory is None else memory.value


def _state(pod: Json) -> str:
    status = pod.get("status") or {}
    if status.get("phase") in ("Succeeded", "Failed"):
        return DONE
    if "deletionTimestamp" in pod["metadata"]:
        return TERMINATING
    for condition in status.get("conditions") or ():
        if condition["type"] == "Ready":
            return ACTIVE if condition["status"] == "True" else LAUNCHING
    return LAUNCHING
