"""Predicts where pods of an observed cluster go: one attempt of the scheduler, without a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.views import pod as pod_views
from kubestage.runs.predicting.mirror import Mirror
from kubestage.runs.predicting.prediction import Prediction, Preemption
from kubestage.runs.predicting.reading_client import ReadingClient
from kubestage.scheduler import config, extender, extender_http, profiles, sampling
from kubestage.scheduler.contract import classes
from kubestage.scheduler.cycle import Cycle
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.preemption import report
from kubestage.scheduler.selection import TieBreak

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.scheduler.extender import Transport
    from kubestage.scheduler.runtime import Profile
    from kubestage.store.store import Store

_ALL: int = 100


class Predictor:
    """Mirrors a cluster, and tries pods on it as a scheduler of this configuration would.

    Every change is reported with `put` and `remove`; `predict` answers. Other plugins than those
    of kube-scheduler come as classes by name, as for a `Stage`.
    """

    def __init__(
        self,
        configuration: SchedulerConfiguration | None = None,
        *,
        plugins: Mapping[str, type[Any]] | None = None,
        tie_break: TieBreak | str = TieBreak.HEAP,
        transport: Transport | None = extender_http.post,
        seed: int = 0,
    ) -> None:
        own = plugins or {}
        points = classes.points_of_all(own)
        chosen = config.complete(configuration or config.default(), points).configuration
        self._mirror = Mirror(seed)
        self._client = ReadingClient(self._mirror.store)
        extenders = extender.of_configuration(chosen, transport)
        stream = self._mirror.streams.stream("predictions")
        handle = Handle(
            self._client, self._client, self._mirror.nominator, stream, self._mirror.cache,
            extenders, deterministic_preemption=True, clock=self._mirror.store.clock,
        )  # fmt: skip
        self._profiles = profiles.build(chosen, handle, own)
        self._percentages: dict[str, int] = {}
        for name, profile in self._profiles.items():
            percentage = profile.percentage_of_nodes_to_score
            if percentage is None:
                percentage = chosen.percentage_of_nodes_to_score
            self._percentages[name] = percentage
            # Where its search begins in the real cluster is not known, so all are evaluated.
            profile.percentage_of_nodes_to_score = _ALL
        self._cycle = Cycle(self._mirror.nominator, stream, _ALL, TieBreak(tie_break), extenders)

    def put_all(self, objects: Iterable[Json]) -> None:
        """Take up the objects of a cluster."""
        self._mirror.put_all(objects)

    def put(self, obj: Json) -> None:
        """An object is new, or has changed; it is whole, and as the cluster has it."""
        self._mirror.put(obj)

    def remove(self, api_version: str, kind: str, name: str, namespace: str = "") -> None:
        """An object is gone."""
        self._mirror.remove(api_version, kind, name, namespace)

    def knows(self, scheduler_name: str) -> bool:
        """Whether the configuration has a profile for pods of this scheduler."""
        return scheduler_name in self._profiles

    def has_node(self, name: str) -> bool:
        """Whether the cluster has a node of this name now."""
        return name in self._mirror.cache.columns.row_of

    @property
    def store(self) -> Store:
        """The objects of the cluster, to read."""
        return self._mirror.store

    @property
    def node_count(self) -> int:
        """How many nodes the cluster has now."""
        return len(self._mirror.cache.columns)

    def predict(self, pod: Json, *, preemption: bool = True) -> Prediction:
        """Where a pod would go in the cluster as it is now.

        It may be in the cluster or not, and if it has a node, that is ignored. Without
        `preemption` there is no search for pods that would have to go if it fits nowhere.
        """
        view = _pending(pod)
        profile = self._profiles.get(view.scheduler_name)
        if profile is None:
            message = f"no profile is called {view.scheduler_name}"
            return Prediction(None, pod=view.key, message=message)
        for plugin in profile.pre_enqueue:
            status = plugin.pre_enqueue(view)
            if not status.is_success:
                return Prediction(None, pod=view.key, message=status.message)
        cache = self._mirror.cache
        there = cache.known_pod(view.uid)
        if there is not None:
            cache.remove_pod(view.uid)
        try:
            return self._attempt(view, profile, preemption=preemption)
        finally:
            if there is not None:
                cache.add_pod(there)

    def _attempt(self, view: PodView, profile: Profile, *, preemption: bool) -> Prediction:
        self._client.pod = view
        self._cycle.next_start = 0
        try:
            attempt = self._cycle.schedule(profile, view, self._mirror.cache.columns)
            if attempt.selected is None and preemption:
                self._cycle.post_filter(attempt)
        finally:
            self._client.pod = None
        sample = sampling.nodes_to_find(
            self._percentages[view.scheduler_name], len(attempt.evaluated)
        )
        return Prediction(
            attempt,
            pod=view.key,
            sample=sample,
            preemption=_preemption(attempt),
            message=attempt.failure,
        )


def _pending(pod: Json) -> PodView:
    """A pod as it was before it had a node."""
    spec, metadata = pod["spec"], pod["metadata"]
    if "nodeName" in spec:
        spec = {name: value for name, value in spec.items() if name != "nodeName"}
    if "uid" not in metadata:
        metadata = {**metadata, "uid": f"{metadata.get('namespace') or ''}/{metadata['name']}"}
    return pod_views.of({**pod, "metadata": metadata, "spec": spec})


def _preemption(attempt: Attempt) -> Preemption | None:
    account: report.Report | None = attempt.state.get(report.KEY)
    if account is None or account.chosen is None:
        return None
    victims = [victim.key for victim in account.chosen.victims]
    return Preemption(account.chosen.node_name, victims, sorted(account.tied))
