"""Autoscalers that users provide: the sync of the HPA with another decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods as pod_questions
from kubestage.controllers.hpa import metric_replicas, normalizing
from kubestage.controllers.hpa.conditions import SCALING_ACTIVE, SCALING_LIMITED, Draft
from kubestage.controllers.hpa.framework import Observation, PodObservation, Recommendation
from kubestage.controllers.hpa.reconcile import DesiredReplicas, HpaSync, SyncResult
from kubestage.errors import InputError
from kubestage.metrics.board import MetricsError
from kubestage.objects import pod_resources

if TYPE_CHECKING:
    import logging
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.context import HpaContext, Scale
    from kubestage.controllers.hpa.framework import Autoscaler
    from kubestage.controllers.hpa.metrics_client import MetricsClient
    from kubestage.controllers.hpa.settings import HpaSettings
    from kubestage.sim.clock import Clock


ALL: Final = "*"
"""Stands for every HorizontalPodAutoscaler that is not named."""

_MILLI: Final = 1000


def chosen_class(classes: Mapping[str, type[Autoscaler]], key: str) -> type[Autoscaler] | None:
    """The class that decides for an HPA, if it is not the HPA itself."""
    return classes.get(key) or classes.get(ALL)


class UserAutoscaler:
    """Takes the place of `HorizontalAutoscaler`, and calls the user's autoscaler."""

    def __init__(
        self,
        settings: HpaSettings,
        user: Autoscaler,
        clock: Clock,
        log: logging.LoggerAdapter[logging.Logger],
    ) -> None:
        self.settings = settings
        self.user = user
        self.clock = clock
        self.log = log
        self.history = normalizing.History()

    def sync(self, now_ns: int, hpa: Json, context: HpaContext) -> SyncResult:
        """Read scale and metrics, call the user's code, rescale if necessary, write the status."""
        return _UserSync(self, now_ns, hpa, context).result()


class _UserSync(HpaSync):
    """One sync in progress."""

    def __init__(
        self, autoscaler: UserAutoscaler, now_ns: int, hpa: Json, context: HpaContext
    ) -> None:
        super().__init__(autoscaler.settings, autoscaler.history, now_ns, hpa, context)
        self._autoscaler = autoscaler
        self._user = autoscaler.user
        self._name = type(autoscaler.user).__name__

    def _desired_replicas(self, scale: Scale) -> DesiredReplicas:
        """Whatever the present replicas, the user's autoscaler decides."""
        current, lowest, highest = scale.spec_replicas, self.lowest, self.highest
        if getattr(self._user, "scales_to_zero", False):
            lowest = 0
        pods = self._pods(scale)
        client = self.context.metrics(pods)
        statuses, standard = self._standard(scale)
        used = {resource: _used(client, resource) for resource in ("cpu", "memory")}
        pods_seen = [_pod_observation(pod, used) for pod in pods]
        now_ns = self._autoscaler.clock.now_ns
        observation = Observation(
            self.hpa, now_ns, current, pods_seen, client, self._autoscaler.log, standard
        )
        answer = self._checked(self._user.recommend(observation), current)
        text = f"{self._name} was able to calculate a replica count"
        self.draft.set(SCALING_ACTIVE, "True", "ValidMetricFound", text)
        self.recommendation = answer.replicas
        limited = normalizing.within(answer.replicas, lowest, highest)
        status = "False" if limited.replicas == answer.replicas else "True"
        self.draft.set(SCALING_LIMITED, status, limited.reason, limited.message)
        reason = f"{self._name}: {answer.reason}" if answer.reason else self._name
        return DesiredReplicas(limited.replicas, reason, statuses, None)

    def _pods(self, scale: Scale) -> Sequence[Json]:
        try:
            return metric_replicas.pods_of(scale.selector, self.context, self.draft)
        except metric_replicas.Unable as error:
            raise self._unable(scale, error) from error

    def _standard(self, scale: Scale) -> tuple[list[Json] | None, int | None]:
        """The statuses of the HPA's metrics, and the replicas that they would recommend."""
        aside = Draft(self.stored, self.draft.now_ns)
        try:
            found = metric_replicas.compute(self.settings, self.hpa, scale, self.context, aside)
        except metric_replicas.Unable as error:
            return error.statuses, None
        return found.statuses, found.replicas

    def _checked(self, answer: Recommendation | int | None, current: int) -> Recommendation:
        if answer is None:
            return Recommendation(current)
        pods_seen = answer if isinstance(answer, Recommendation) else Recommendation(answer)
        if type(pods_seen.replicas) is not int or pods_seen.replicas < 0:
            raise InputError(
                f"{self._name}.recommend answered {answer!r}",
                fix="return a whole number of replicas, a Recommendation, or None",
            )
        return pods_seen


def _pod_observation(pod: Json, used: Mapping[str, Mapping[str, float]]) -> PodObservation:
    name = pod["metadata"]["name"]
    requests = pod_resources.requests(pod)
    cpu, memory = requests.get(pod_resources.CPU), requests.get(pod_resources.MEMORY)
    return PodObservation(
        name,
        pod_questions.phase(pod),
        pod_questions.is_ready(pod),
        pod_questions.is_terminating(pod),
        used["cpu"].get(name),
        used["memory"].get(name),
        None if cpu is None else cpu.milli_value / _MILLI,
        None if memory is None else float(memory.value),
    )


def _used(client: MetricsClient, resource: str) -> dict[str, float]:
    """What pods use, by name, of those of which that is known."""
    try:
        found = client.resource(resource, "")
    except MetricsError:
        return {}
    return {name: each.value_milli / _MILLI for name, each in found.items()}
