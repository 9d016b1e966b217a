"""Looks of autoscalers that somebody brings: the HPA's frame, with another decision inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods as pod_questions
from kubestage.controllers.hpa import metric_replicas, normalizing
from kubestage.controllers.hpa.conditions import SCALING_ACTIVE, SCALING_LIMITED, Draft
from kubestage.controllers.hpa.framework import Look, PodLook, Recommendation
from kubestage.controllers.hpa.reconcile import HpaLook, Outcome, Wish
from kubestage.errors import InputError
from kubestage.metrics.board import MetricsError
from kubestage.objects import pod_resources

if TYPE_CHECKING:
    import logging
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.framework import Autoscaler
    from kubestage.controllers.hpa.metrics_client import MetricsClient
    from kubestage.controllers.hpa.settings import HpaSettings
    from kubestage.controllers.hpa.surroundings import Scale, Surroundings
    from kubestage.sim.clock import Clock


ALL: Final = "*"
"""Stands for every HorizontalPodAutoscaler that is not named."""

_MILLI: Final = 1000


def chosen(classes: Mapping[str, type[Autoscaler]], key: str) -> type[Autoscaler] | None:
    """Who decides for an HPA, if it is not the HPA itself."""
    return classes.get(key) or classes.get(ALL)


class OwnAutoscaler:
    """Stands where the HPA's own autoscaler would stand, and asks the one that was brought."""

    def __init__(
        self,
        settings: HpaSettings,
        brought: Autoscaler,
        clock: Clock,
        log: logging.LoggerAdapter[logging.Logger],
    ) -> None:
        self.settings = settings
        self.brought = brought
        self.clock = clock
        self.log = log
        self.history = normalizing.History()

    def sync(self, now_ns: int, hpa: Json, around: Surroundings) -> Outcome:
        """Look once: read scale and metrics, ask, rescale if need be, write the status."""
        return _OwnLook(self, now_ns, hpa, around).outcome()


class _OwnLook(HpaLook):
    """One look while it is under way."""

    def __init__(self, own: OwnAutoscaler, now_ns: int, hpa: Json, around: Surroundings) -> None:
        super().__init__(own.settings, own.history, now_ns, hpa, around)
        self._own = own
        self._brought = own.brought
        self._name = type(own.brought).__name__

    def _wish(self, scale: Scale) -> Wish:
        """Whatever there is now, the one that was brought is asked."""
        current, lowest, highest = scale.spec_replicas, self.lowest, self.highest
        if getattr(self._brought, "scales_to_zero", False):
            lowest = 0
        pods = self._pods(scale)
        client = self.around.metrics(pods)
        statuses, standard = self._standard(scale)
        used = {resource: _used(client, resource) for resource in ("cpu", "memory")}
        told = [_pod_look(pod, used) for pod in pods]
        now_ns = self._own.clock.now_ns
        look = Look(self.hpa, now_ns, current, told, client, self._own.log, standard)
        answer = self._checked(self._brought.recommend(look), current)
        text = f"{self._name} was able to calculate a replica count"
        self.draft.set(SCALING_ACTIVE, "True", "ValidMetricFound", text)
        self.recommendation = answer.replicas
        limited = normalizing.within(answer.replicas, lowest, highest)
        status = "False" if limited.replicas == answer.replicas else "True"
        self.draft.set(SCALING_LIMITED, status, limited.reason, limited.message)
        reason = f"{self._name}: {answer.reason}" if answer.reason else self._name
        return Wish(limited.replicas, reason, statuses, None)

    def _pods(self, scale: Scale) -> Sequence[Json]:
        try:
            return metric_replicas.pods_of(scale.selector, self.around, self.draft)
        except metric_replicas.Unable as error:
            raise self._unable(scale, error) from error

    def _standard(self, scale: Scale) -> tuple[list[Json] | None, int | None]:
        """What the HPA's metrics say, for whoever looks at it, and what would follow from it."""
        aside = Draft(self.stored, self.draft.now_ns)
        try:
            found = metric_replicas.compute(self.settings, self.hpa, scale, self.around, aside)
        except metric_replicas.Unable as error:
            return error.statuses, None
        return found.statuses, found.replicas

    def _checked(self, answer: Recommendation | int | None, current: int) -> Recommendation:
        if answer is None:
            return Recommendation(current)
        told = answer if isinstance(answer, Recommendation) else Recommendation(answer)
        if type(told.replicas) is not int or told.replicas < 0:
            raise InputError(
                f"{self._name}.recommend answered {answer!r}",
                fix="return a whole number of replicas, a Recommendation, or None",
            )
        return told


def _pod_look(pod: Json, used: Mapping[str, Mapping[str, float]]) -> PodLook:
    name = pod["metadata"]["name"]
    requests = pod_resources.requests(pod)
    cpu, memory = requests.get(pod_resources.CPU), requests.get(pod_resources.MEMORY)
    return PodLook(
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
