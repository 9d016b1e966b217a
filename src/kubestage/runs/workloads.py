"""The pods of a run by their workload: a Deployment, a StatefulSet, a Job, or none."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.objects import gvk
from kubestage.objects.views import pod as pod_views
from kubestage.runs import placements

if TYPE_CHECKING:
    from kubestage.runs.placements import Placement, PodHistory
    from kubestage.stage import Stage


NO_OWNER: Final = "(no owner)"

# Kinds that say how many pods they need, or have an owner that does.
_KNOWN: Final = {
    "Deployment": "apps/v1",
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "ReplicationController": "v1",
    "Job": "batch/v1",
}
_Key = tuple[str, str, str]


class Workload(msgspec.Struct, frozen=True):
    """A workload, how many pods it needs (None if unknown), and what became of them.

    `counts` are by status, and `nodes` is how many nodes the pods are on; pods that had a node
    before the run count, too.
    """

    namespace: str
    name: str
    desired: int | None
    counts: dict[str, int]
    nodes: int

    @property
    def needs_attention(self) -> bool:
        """Whether one of its pods is not where it should be."""
        return any(
            number for status, number in self.counts.items() if status in placements.NEEDS_ATTENTION
        )


def workloads_of(found: list[Placement], history: PodHistory, stage: Stage) -> list[Workload]:
    """The workloads of all pods of a run; those that need attention first, else by name."""
    statuses: dict[_Key, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    nodes: dict[_Key, set[str]] = collections.defaultdict(set)
    seen = set()
    for each in found:
        key = _owner(history.pods[each.key].raw, stage)
        statuses[key][each.status] += 1
        seen.add(each.key)
        if each.node and each.status == placements.SCHEDULED:
            nodes[key].add(each.node)
    for name, pod in stage.store.read(gvk.POD).items():
        view = pod_views.of(pod)
        key = _owner(pod, stage)
        if key in statuses and name not in seen and view.node_name and not view.is_terminal:
            statuses[key][placements.SCHEDULED] += 1
            nodes[key].add(view.node_name)
    workloads = [_workload(key, counts, len(nodes[key]), stage) for key, counts in statuses.items()]
    return sorted(workloads, key=lambda each: (not each.needs_attention, each.namespace, each.name))


def _workload(key: _Key, counts: collections.Counter[str], nodes: int, stage: Stage) -> Workload:
    namespace, kind, name = key
    if not kind:
        return Workload(namespace, NO_OWNER, None, dict(counts), nodes)
    desired = _desired(_object(stage, namespace, kind, name))
    return Workload(namespace, f"{kind.lower()}/{name}", desired, dict(counts), nodes)


def _owner(obj: Json, stage: Stage) -> _Key:
    """Namespace, kind and name of the topmost owner of a pod; no kind if it has none."""
    namespace = obj["metadata"].get("namespace") or "default"
    kind = name = ""
    current: Json | None = obj
    while current is not None:
        reference = _controller(current)
        if reference is None or reference["kind"] == "CronJob":
            break
        kind, name = reference["kind"], reference["name"]
        current = _object(stage, namespace, kind, name)
    return namespace, kind, name


def _controller(obj: Json) -> Json | None:
    references = obj["metadata"].get("ownerReferences") or ()
    return next((each for each in references if each.get("controller")), None)


def _object(stage: Stage, namespace: str, kind: str, name: str) -> Json | None:
    if kind not in _KNOWN:
        return None
    found: Json | None = stage.store.read((_KNOWN[kind], kind)).get(f"{namespace}/{name}")
    return found


def _desired(obj: Json | None) -> int | None:
    """How many pods a workload asks for at a time."""
    if obj is None:
        return None
    spec = obj["spec"]
    if obj["kind"] == "DaemonSet":
        desired: int | None = (obj.get("status") or {}).get("desiredNumberScheduled")
        return desired
    if obj["kind"] == "Job":
        parallelism = spec.get("parallelism")
        at_once = 1 if parallelism is None else int(parallelism)
        return min(at_once, int(spec.get("completions") or at_once))
    replicas = spec.get("replicas")
    return 1 if replicas is None else int(replicas)
