"""What became of each pod in a run of the scheduler, and of the nodes."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.objects import gvk
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.record import WAITING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.record import Decision
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.stage import Stage


SCHEDULED: Final = "Scheduled"
PENDING: Final = "Pending"
GATED: Final = "Gated"
PREEMPTED: Final = "Preempted"
FAILED: Final = "Failed"
# Statuses that need attention, the worst first.
NEEDS_ATTENTION: Final = (PENDING, GATED, FAILED, PREEMPTED)

RESOURCES: Final = ("cpu", "memory")

_FINISHED: Final = ("Succeeded", "Failed")
_RESULTS: Final = ("podScheduled", "podUnscheduled", "podPreempted")


class Placement(msgspec.Struct, frozen=True):
    """One pod that was pending, or was preempted."""

    namespace: str
    name: str
    status: str
    node: str
    profile: str
    priority: int
    attempts: int
    evaluated: int
    feasible: int
    message: str

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"

    @property
    def is_without_node(self) -> bool:
        """Whether it needs a node and has none, or has left without one."""
        return self.status in (PENDING, GATED) or (self.status == FAILED and not self.node)


class Summary(msgspec.Struct, frozen=True):
    """How the run ended; `allocated` is the requested share of each resource in percent."""

    counts: dict[str, int]
    running_before: int
    nodes: int
    nodes_used: int
    allocated: dict[str, float]


class PodHistory:
    """The pods of a timeline: which needed a node, and which were preempted."""

    def __init__(self, timeline: Mapping[str, list[Json]]) -> None:
        self.pods: dict[str, PodView] = {}
        self.pending: set[str] = set()
        self.victims: dict[str, tuple[str, str]] = {}
        self.running_before = 0
        for events in timeline.values():
            for event in events:
                self._take(event)

    def _take(self, event: Json) -> None:
        if event["operation"] == "Create":
            created = event["create"]["result"]
            if (created["apiVersion"], created["kind"]) == gvk.POD:
                self._take_new(pod_views.of(created))
            return
        result = next((event[name] for name in _RESULTS if name in event), None)
        if result is None:
            return
        pod = pod_views.of(result["pod"])
        self.pods.setdefault(pod.key, pod)
        if result["preemptedBy"]:
            self.victims[pod.key] = result["preemptedBy"], result["boundTo"] or ""
        else:
            self.pending.add(pod.key)

    def _take_new(self, pod: PodView) -> None:
        self.pods[pod.key] = pod
        if pod.phase in _FINISHED:
            return
        if pod.node_name:
            self.running_before += 1
        else:
            self.pending.add(pod.key)


def placements(history: PodHistory, stage: Stage, scheduler: Scheduler) -> list[Placement]:
    """Every pod that was pending and every victim, in the order of their names."""
    decisions: dict[str, list[Decision]] = collections.defaultdict(list)
    for decision in scheduler.record.decisions:
        if decision.result != WAITING:
            decisions[decision.pod].append(decision)
    found = [
        _placement(pod, decisions[key], history.victims.get(key), stage, scheduler)
        for key, pod in history.pods.items()
        if key in history.pending or key in history.victims
    ]
    return sorted(found, key=lambda each: (each.namespace, each.name))


def placement_of(key: str, stage: Stage, scheduler: Scheduler) -> Placement:
    """What became of a pod at which at least one attempt was made, even if it is deleted."""
    decisions = [each for each in scheduler.record.decisions if each.pod == key]
    attempts = [each for each in decisions if each.result != WAITING]
    pod = stage.store.read(gvk.POD).get(key)
    if pod is not None:
        return _placement(pod_views.of(pod), attempts, None, stage, scheduler)
    namespace, _, name = key.partition("/")
    last = decisions[-1]
    status = SCHEDULED if last.node else PENDING
    return Placement(
        namespace,
        name,
        status,
        last.node,
        last.profile,
        0,
        len(attempts),
        last.evaluated,
        last.feasible,
        last.message,
    )


def summary(history: PodHistory, found: list[Placement], scheduler: Scheduler) -> Summary:
    """Pods by status, nodes in use, and how full they are."""
    columns = scheduler.cache.columns
    counts = collections.Counter(each.status for each in found)
    return Summary(
        {status: counts[status] for status in (*NEEDS_ATTENTION, SCHEDULED)},
        history.running_before,
        len(columns),
        int((columns.pod_count > 0).sum()),
        {name: _percent(columns, name) for name in RESOURCES},
    )


def _percent(columns: Any, resource: str) -> float:
    offered = int(columns.allocatable_of(resource).sum())
    taken = int(columns.requested_of(resource).sum())
    return round(100 * taken / offered, 1) if offered else 0.0


def _placement(
    pod: PodView,
    decisions: list[Decision],
    victim_of: tuple[str, str] | None,
    stage: Stage,
    scheduler: Scheduler,
) -> Placement:
    current = stage.store.read(gvk.POD).get(pod.key)
    last = decisions[-1] if decisions else None
    node = last.node if last else ""
    if current is not None:
        node = current["spec"].get("nodeName") or ""
    if victim_of is not None and current is None:
        status, node, message = PREEMPTED, victim_of[1], f"preempted by {victim_of[0]}"
    elif current is not None and (current.get("status") or {}).get("phase") == FAILED:
        status, message = FAILED, _failure(current["status"])
    elif node:
        status, message = SCHEDULED, ""
    else:
        status, message = _unplaced(pod, last, scheduler)
    return Placement(
        pod.namespace,
        pod.name,
        status,
        node,
        pod.scheduler_name,
        pod.priority,
        len(decisions),
        last.evaluated if last else 0,
        last.feasible if last else 0,
        message,
    )


def _failure(status: Json) -> str:
    """Why a pod has failed, as far as it says."""
    parts = [status.get("reason") or "", status.get("message") or ""]
    return ": ".join(each for each in parts if each) or "its containers failed"


def _unplaced(pod: PodView, last: Decision | None, scheduler: Scheduler) -> tuple[str, str]:
    profile = scheduler.profiles.get(pod.scheduler_name)
    if profile is None:
        known = ", ".join(scheduler.profiles)
        return PENDING, f"no profile is called {pod.scheduler_name} (there is {known})"
    queued = scheduler.queue.get(pod.key)
    if queued is not None and queued.is_gated:
        for plugin in profile.pre_enqueue:
            answer = plugin.pre_enqueue(queued.pod)
            if not answer.is_success:
                return GATED, answer.message
    return PENDING, last.message if last else "not tried"
