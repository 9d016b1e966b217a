"""A queue with plugins that reject on demand, and pods to put into it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.metrics import SchedulerMetrics
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.plugins.priority_sort import PrioritySort
from kubestage.scheduler.plugins.scheduling_gates import SchedulingGates
from kubestage.scheduler.queue import QueuedPod, SchedulingQueue
from kubestage.scheduler.queue.nominations import Nominations
from kubestage.scheduler.replay.cluster import ReplayCluster
from kubestage.scheduler.runtime import Profile
from kubestage.scheduler.status import SUCCESS, Status
from kubestage.scheduler.timing import Timekeeper
from kubestage.sim.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView


SECOND = 1_000_000_000
NODE_ADD = ClusterEvent(EventResource.NODE, ActionType.ADD)
NODE_LABEL = ClusterEvent(EventResource.NODE, ActionType.UPDATE_NODE_LABEL)
NODE_TAINT = ClusterEvent(EventResource.NODE, ActionType.UPDATE_NODE_TAINT)


class WaitsForNodes:
    """Wants a new node; a hint says whether the node is a big one."""

    name = "WaitsForNodes"

    def pre_filter(self, *_: Any) -> tuple[Status, None]:
        return SUCCESS, None

    def events_to_register(self) -> Sequence[EventHint]:
        return [EventHint(NODE_ADD, _is_big), EventHint(NODE_LABEL)]


class WaitsForTwoThings:
    """Wants a label, whatever it is, on a node or on a pod."""

    name = "WaitsForLabels"

    def pre_filter(self, *_: Any) -> tuple[Status, None]:
        return SUCCESS, None

    def events_to_register(self) -> Sequence[EventHint]:
        pod_label = ClusterEvent(EventResource.POD, ActionType.UPDATE_POD_LABEL)
        return [EventHint(NODE_LABEL), EventHint(pod_label)]


class Silent:
    """Does not say what it waits for."""

    name = "Silent"

    def pre_filter(self, *_: Any) -> tuple[Status, None]:
        return SUCCESS, None


def _is_big(pod: PodView, old: Json | None, new: Json | None) -> bool:
    del pod, old
    return new is not None and new["metadata"]["name"].startswith("big")


def node(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name}}


def pod(name: str, priority: int = 0, **spec: Any) -> PodView:
    return pod_views.of(raw_pod(name, priority, **spec))


def raw_pod(name: str, priority: int = 0, **spec: Any) -> Json:
    status = spec.pop("status", {})
    labels = spec.pop("labels", {})
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}", "labels": labels},
        "spec": {"containers": [], "priority": priority, **spec},
        "status": status,
    }


class QueueUnderTest:
    """A queue on a clock that the test moves."""

    def __init__(self, *pods: Json, **backoff: int) -> None:
        self.clock = Clock()
        cluster = ReplayCluster(pods, Cache())
        handle = Handle(cluster, cluster, Nominator(), random.Random(0), Cache())
        plugins: dict[str, Sequence[Any]] = {
            "queueSort": [PrioritySort({}, handle)],
            "preEnqueue": [SchedulingGates({}, handle)],
            "preFilter": [WaitsForNodes(), WaitsForTwoThings(), Silent()],
        }
        self.nominator = handle.nominator
        self.metrics = SchedulerMetrics()
        time = Timekeeper(self.metrics, self.clock, None)
        profiles = {"default-scheduler": Profile("default-scheduler", plugins, {})}
        nominations = Nominations(self.nominator, cluster)
        self.queue = SchedulingQueue(profiles, nominations, time, **backoff)

    def at(self, seconds: float) -> None:
        """Move the clock and do what is due."""
        self.clock.now_ns = round(seconds * SECOND)
        self.queue.flush()

    def fail(self, name: str, *plugins: str, pending: Sequence[str] = ()) -> QueuedPod:
        """Pop a pod, which must be this one, and put it back as rejected (or after an error)."""
        queued = self.queue.pop()
        assert queued is not None
        assert queued.pod.name == name
        self.put_back(queued, *plugins, pending=pending)
        return queued

    def put_back(self, queued: QueuedPod, *plugins: str, pending: Sequence[str] = ()) -> None:
        queued.unschedulable_plugins = frozenset(plugins)
        queued.pending_plugins = frozenset(pending)
        self.queue.add_unschedulable(queued)

    def where(self) -> dict[str, list[str]]:
        """Names by queue; empty queues are left out."""
        return {
            queue: [each.pod.name for each in pods]
            for queue, pods in self.queue.pods().items()
            if pods
        }

    def incoming(self) -> dict[tuple[str, ...], int]:
        """How many pods entered which queue on which occasion."""
        return self.metrics.incoming_pods.values
