"""Runs a case by the rules of its recording: one pod at a time, bound at once, tried again only
after a preemption."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler import config, explanation, profiles, selection
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.cycle import Cycle
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.replay import volumes
from kubestage.scheduler.replay.cluster import NODE_FINISHED_PHASES, ReplayCluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.runtime import Profile


MAX_ATTEMPTS: Final = 4
ALL_NODES: Final = 100
RECORDED_POINTS: Final = (
    "bind", "filter", "permit", "postFilter", "preBind", "preEnqueue", "preFilter", "preScore",
    "queueSort", "reserve", "score",
)  # fmt: skip


class Runner:
    """One case on its way."""

    def __init__(self, case: Json) -> None:
        self.cache = Cache()
        self.cluster = ReplayCluster(case["objects"], self.cache)
        self.nominator = Nominator()
        stream = random.Random(0)
        self.handle = Handle(
            self.cluster, self.cluster, self.nominator, stream, self.cache,
            deterministic_preemption=True,
        )  # fmt: skip
        stated = case.get("kubeSchedulerConfiguration")
        configuration = config.from_dict(stated) if stated else config.default()
        self.completed = config.complete(configuration)
        self.profiles = profiles.build(configuration, self.handle)
        self.cycle = Cycle(self.nominator, stream, ALL_NODES, selection.TieBreak.FIRST)
        self.order = list(case.get("pods") or ())
        self.preempted: list[str] = []
        self._load()

    def attempts(self) -> Iterator[Json]:
        """Every attempt, in order, explained as in the recording."""
        for key in self.order:
            self.nominator.remove(self.cluster.pod(key).uid)
            for number in range(1, MAX_ATTEMPTS + 1):
                explained, again = self._attempt(key)
                yield {**explained, "attempt": number}
                if not again:
                    break

    def assignments(self) -> dict[str, str]:
        """The node of every tried pod that has one."""
        pods = (pod_views.of(raw) for raw in self.cluster.list("v1", "Pod"))
        return {pod.key: pod.node_name for pod in pods if pod.node_name and pod.key in self.order}

    def unscheduled(self) -> list[str]:
        """The tried pods that are there without a node, in the order in which they were tried."""
        placed = {*self.assignments(), *self.cluster.deleted}
        return [key for key in self.order if key not in placed]

    def profile_plugins(self) -> Json:
        """Which plugins each profile runs where, as the recording lists them."""
        return {
            each.scheduler_name: {
                point: [
                    {"name": name, "weight": each.weights[point][name]}
                    if point == "score"
                    else name
                    for name in each.points[point]
                ]
                for point in RECORDED_POINTS
            }
            for each in self.completed.profiles
        }

    def _load(self) -> None:
        for node in self.cluster.list("v1", "Node"):
            self.cache.add_node(node_views.of(node))
        pending = []
        for raw in self.cluster.list("v1", "Pod"):
            pod = pod_views.of(raw)
            if not pod.node_name:
                pending.append(pod)
                self.nominator.add(pod, pod.nominated_node_name)
            elif pod.phase not in NODE_FINISHED_PHASES:
                self.cache.add_pod(pod)
        if not self.order:
            self.order = [
                pod.key for pod in sorted(pending, key=lambda pod: pod.priority, reverse=True)
            ]

    def _attempt(self, key: str) -> tuple[Json, bool]:
        pod = self.cluster.pod(key)
        profile = self.profiles.get(pod.scheduler_name)
        if profile is None:
            message = f"no profile for schedulerName {pod.scheduler_name}"
            return _unattempted(pod, "ignored", message), False
        for plugin in profile.pre_enqueue:
            status = plugin.pre_enqueue(pod)
            if not status.is_success:
                explained = _unattempted(pod, "gated", status.message)
                return {**explained, "preEnqueue": {plugin.name: explanation.answer(status)}}, False
        attempt = self.cycle.schedule(profile, pod, self.cache.columns)
        if attempt.selected is None:
            return self._make_room(attempt)
        return self._bind(profile, attempt), False

    def _make_room(self, attempt: Attempt) -> tuple[Json, bool]:
        self.cycle.post_filter(attempt)
        explained = explanation.explain(attempt)
        if attempt.post_filter is None:
            return explained, False
        result, status = attempt.post_filter
        if not status.is_success or result is None or not result.nominated_node:
            return explained, False
        for victim in explained["preemption"]["victims"]:
            if victim not in self.cluster.deleted:
                self.cluster.delete_pod(self.cluster.pod(victim))
            self.preempted.append(victim)
        for other in self.nominator.on(result.nominated_node):
            # The recorded scheduler had no API server, so these nominations stayed.
            self.cluster.patch_status(other, {"nominatedNodeName": other.nominated_node_name})
        self.cluster.patch_status(attempt.pod, {"nominatedNodeName": result.nominated_node})
        return explained, True

    def _bind(self, profile: Profile, attempt: Attempt) -> Json:
        explained = explanation.explain(attempt)
        node_name = attempt.node_name
        assert node_name is not None
        selected = volumes.selected_claims(self.cluster, attempt.pod)
        for plugin in profile.reserve:
            status = plugin.reserve(attempt.state, attempt.pod, node_name)
            assert status.is_success, status
        for plugin in profile.pre_bind:
            plugin.pre_bind(attempt.state, attempt.pod, node_name)
        bound = volumes.finish_binding(self.cluster, attempt.pod, selected)
        if bound:
            explained["volumesBound"] = bound
        self.nominator.remove(attempt.pod.uid)
        self.cluster.bind(self.cluster.pod(attempt.pod.key), node_name)
        return explained


def _unattempted(pod: PodView, result: str, message: str) -> Json:
    return {
        "pod": pod.key,
        "profile": pod.scheduler_name,
        "result": result,
        "feasible": [],
        "topNodes": [],
        "selected": None,
        "message": message,
    }
