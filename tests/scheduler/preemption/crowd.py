"""Full clusters for preemption tests: what is on them, and what one attempt at a pod does."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler import selection
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.cycle import Cycle
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.plugins.default_preemption import DefaultPreemption
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.preemption import report
from kubestage.scheduler.replay.cluster import ReplayCluster
from kubestage.scheduler.runtime import Profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.extender import Extender


ARGS = {"minCandidateNodesPercentage": 10, "minCandidateNodesAbsolute": 100}
FIT = {"scoringStrategy": {"type": "LeastAllocated", "resources": [{"name": "cpu", "weight": 1}]}}


def node(name: str, cpu: int = 4, pods: int = 10, **labels: str) -> Json:
    """A node."""
    allocatable = {"cpu": str(cpu), "memory": "8Gi", "pods": str(pods)}
    metadata = {"name": name, "labels": labels}
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": metadata,
        "status": {"allocatable": allocatable},
    }  # fmt: skip


def pod(name: str, on: str = "", cpu: int = 1, priority: int = 0, **more: Any) -> Json:
    """A pod; `start` counts seconds, `labels` and `deleted` go to its metadata."""
    metadata: Json = {"name": name, "namespace": "default", "uid": f"uid-{name}", "generation": 1}
    metadata["labels"] = more.pop("labels", {})
    if more.pop("deleted", False):
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    status: Json = more.pop("status", {})
    if (start := more.pop("start", None)) is not None:
        status = {**status, "startTime": f"2026-01-01T00:00:{start:02}Z"}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": str(cpu)}}}
    spec = {"containers": [container], "priority": priority, **more}
    if on:
        spec["nodeName"] = on
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status,
    }  # fmt: skip


def budget(name: str, allowed: int, *disrupted: str, **labels: str) -> Json:
    """A disruption budget over pods with these labels."""
    times = dict.fromkeys(disrupted, "2026-01-01T00:00:00Z")
    return {
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": labels}},
        "status": {"disruptionsAllowed": allowed, "disruptedPods": times},
    }  # fmt: skip


class _Recorder(ReplayCluster):
    """Also writes down what it is told, in order."""

    def __init__(self, objects: Sequence[Json], cache: Cache) -> None:
        super().__init__(objects, cache)
        self.written: list[tuple[Any, ...]] = []

    def delete_pod(self, pod: PodView) -> None:
        self.written.append(("delete", pod.name))
        super().delete_pod(pod)

    def patch_status(self, pod: PodView, status: Json) -> None:
        self.written.append(("patch", pod.name, status))
        super().patch_status(pod, status)

    def event(
        self, regarding: Json, kind: str, reason: str, action: str, note: str, by: str
    ) -> None:
        self.written.append(
            ("event", regarding["metadata"]["name"], kind, reason, action, note, by)
        )


class Crowd:
    """A cluster with a scheduler that knows about resources and what `plugins` add."""

    def __init__(
        self,
        *objects: Json,
        plugins: Sequence[Any] = (),
        extenders: Sequence[Extender] = (),
        stream: random.Random | None = None,
        **args: int,
    ) -> None:
        self.cache, self.nominator = Cache(), Nominator()
        self.cluster = _Recorder(objects, self.cache)
        for each in self.cluster.list("v1", "Node"):
            self.cache.add_node(node_views.of(each))
        for each in self.cluster.list("v1", "Pod"):
            view = pod_views.of(each)
            if view.node_name:
                self.cache.add_pod(view)
            else:
                self.nominator.add(view, view.nominated_node_name)
        self.activated: list[str] = []
        handle = self.handle = Handle(
            self.cluster, self.cluster, self.nominator, stream or random.Random(0), self.cache,
            extenders, deterministic_preemption=stream is None,
            activate=lambda pods: self.activated.extend(each.name for each in pods),
        )  # fmt: skip
        filters = [NodeResourcesFit(FIT, handle), *plugins]
        self.plugin = DefaultPreemption(ARGS | args, handle)
        points = {
            "preFilter": [each for each in filters if hasattr(each, "pre_filter")],
            "filter": filters,
            "postFilter": [self.plugin],
        }
        self.profile = handle.profile = Profile("default-scheduler", points, {})
        self.cycle = Cycle(
            self.nominator, random.Random(0), 100, selection.TieBreak.FIRST, extenders
        )

    def attempt(self, name: str) -> Attempt:
        """Schedule a pod; if it fits nowhere, make room."""
        found = self.cycle.schedule(
            self.profile, self.cluster.pod(f"default/{name}"), self.cache.columns
        )
        if found.selected is None:
            self.cycle.post_filter(found)
        return found

    def preempt(self, name: str) -> Json:
        """What an attempt that finds no room tells of preemption."""
        found = self.attempt(name)
        assert found.selected is None, found.node_name
        return report.describe(found)
