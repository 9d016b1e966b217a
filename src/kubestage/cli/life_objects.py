"""The objects of a living cluster as tables; of many pods or nodes, those that need attention."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import table
from kubestage.objects import gvk
from kubestage.objects.tables import text
from kubestage.results.life import node_groups
from kubestage.results.life.workloads import Workloads
from kubestage.store.log import ADDED, Change
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.stage import Stage

_SHOWN: Final = (
    ("v1", "Node"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("batch/v1", "CronJob"),
    ("batch/v1", "Job"),
    ("apps/v1", "ReplicaSet"),
    ("v1", "ReplicationController"),
    ("v1", "Pod"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "PersistentVolume"),
    ("policy/v1", "PodDisruptionBudget"),
    ("v1", "Service"),
    ("v1", "ResourceQuota"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"),
    ("kubestage.dev/v1alpha1", "Traffic"),
    ("kubestage.dev/v1alpha1", "NodeGroup"),
)
ROWS: Final = 20
"""So many objects of a kind are listed."""
_SETTLED: Final = ("Running", "Succeeded")
_NO_OWNER: Final = "<none>"


def found(stage: Stage) -> Iterator[tuple[Kind, list[Json]]]:
    """The objects of each kind that people look at."""
    custom = [
        (each.kind.api_version, each.kind.kind)
        for each in stage.store.collections()
        if each.kind.definition is not None
    ]
    for kind in (*_SHOWN, *sorted(custom)):
        row = stage.store.kind(kind)
        objects = stage.store.list(row).items
        if kind == ("apps/v1", "ReplicaSet"):
            objects = [obj for obj in objects if obj["spec"].get("replicas")]
        if objects:
            yield row, objects


def tables(stage: Stage, *, wide: bool, lists_all: bool) -> list[str]:
    """A table for each kind; long ones are cut, and many pods are counted by workload."""
    kinds = list(found(stage))
    namespaces = {
        obj["metadata"]["namespace"]
        for kind, objects in kinds
        if kind.namespaced
        for obj in objects
    }
    layout = table.Layout(wide=wide, with_namespace=len(namespaces) > 1, with_kind=True)
    now_ns = stage.clock.unix_ns
    written = []
    for kind, objects in kinds:
        if lists_all or len(objects) <= ROWS:
            written.append(table.render([(kind, objects)], layout, now_ns))
            continue
        shown, rest = _chosen(kind, objects)
        cut = table.render([(kind, shown)], layout, now_ns) if shown else ""
        counted = _by_workload(stage) if kind.kind == "Pod" else ""
        between = "\n" if counted and cut else ""
        written.append(f"{counted}{between}{cut}{rest}: --all lists them\n")
    return written


def _chosen(kind: Kind, objects: list[Json]) -> tuple[list[Json], str]:
    """The first few objects, of pods and nodes those that need attention, and what is left out."""
    if kind.kind not in ("Pod", "Node"):
        return objects[:ROWS], f"and {len(objects) - ROWS:,} more"
    is_settled = _is_settled if kind.kind == "Pod" else node_groups.is_ready
    urgent = [obj for obj in objects if not is_settled(obj)]
    noun = kind.kind.lower()
    if not urgent:
        return [], f"{plural(len(objects), noun)}, none of which needs attention"
    unshown = f"and {len(urgent) - ROWS:,} more like these, " if len(urgent) > ROWS else ""
    settled = len(objects) - len(urgent)
    need = "needs" if settled == 1 else "need"
    return urgent[:ROWS], f"{unshown}and {plural(settled, noun)} that {need} no attention"


def _is_settled(pod: Json) -> bool:
    """Whether a pod is as it should be: over, or running and ready."""
    if phase(pod) not in _SETTLED:
        return False
    conditions = pod["status"].get("conditions") or ()
    is_ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
    return is_ready or phase(pod) == "Succeeded"


def _by_workload(stage: Stage) -> str:
    """How many pods each workload has, by phase, and how many nodes they are on."""
    known = Workloads(stage.store)
    kind = stage.store.kind(gvk.POD)
    phases: dict[str, collections.Counter[str]] = {}
    nodes: dict[str, set[str]] = {}
    for key, pod in stage.store.read(gvk.POD).items():
        workload = known.on_pod(Change(0, ADDED, kind, key, pod, None))
        name = _NO_OWNER if workload is None else workload.name
        phases.setdefault(name, collections.Counter())[phase(pod)] += 1
        if pod["spec"].get("nodeName"):
            nodes.setdefault(name, set()).add(pod["spec"]["nodeName"])
    titles = sorted({each for counts in phases.values() for each in counts})
    rows = [("PODS OF", "PODS", *(each.upper() for each in titles), "NODES")]
    for name, counts in sorted(phases.items(), key=lambda each: (-_unsettled(each[1]), each[0])):
        numbers = (counts.total(), *(counts[each] for each in titles), len(nodes.get(name, ())))
        rows.append((name, *(f"{each:,}" for each in numbers)))
    lines = [line.rstrip() for line in text.align(rows[: ROWS + 1])]
    if len(rows) > ROWS + 1:
        lines.append(f"and {plural(len(rows) - ROWS - 1, 'more workload')}: --all lists all pods")
    return "".join(f"{line}\n" for line in lines)


def _unsettled(counts: collections.Counter[str]) -> int:
    return sum(number for name, number in counts.items() if name not in _SETTLED)


def phase(pod: dict[str, Any]) -> str:
    """The phase of a pod, or that it is Terminating."""
    if "deletionTimestamp" in pod["metadata"]:
        return "Terminating"
    return (pod.get("status") or {}).get("phase") or "Pending"
