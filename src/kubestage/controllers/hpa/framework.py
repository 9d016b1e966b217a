"""The interface of autoscalers that users provide.

::

    from kubestage.controllers.hpa.framework import Observation, Recommendation

    class Twice:
        def __init__(self, hpa):
            self.target = hpa["spec"]["scaleTargetRef"]["name"]

        def recommend(self, observation):
            return Recommendation(2 * observation.ready, "twice as many as are ready")

It replaces the HPA's own rules for some HorizontalPodAutoscalers: their objects state what is
scaled, between which limits and how often; the autoscaler decides how many replicas there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from kubestage.metrics.board import MetricsError
from kubestage.objects import labels

if TYPE_CHECKING:
    import logging
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.metrics_client import MetricsClient


__all__ = ["Autoscaler", "Observation", "PodObservation", "Recommendation"]


class PodObservation(NamedTuple):
    """What is known of a pod at a tick.

    Usage is that of the last sample, None as long as there is none; `request` is None for a pod
    that does not say what it requests. CPU is in cores, memory in bytes.
    """

    name: str
    phase: str
    is_ready: bool
    is_terminating: bool
    cpu: float | None
    memory: float | None
    cpu_request: float | None
    memory_request: float | None


class Recommendation(NamedTuple):
    """How many replicas there should be, and why: the reason is in Events, traces and reports."""

    replicas: int
    reason: str = ""


class Observation:
    """What an autoscaler observes at a tick.

    `now_ns` is virtual time since the simulation began. `replicas` is the desired number of
    replicas now, `lowest` and `highest` are the HPA's limits, within which every recommendation is
    kept. `hpa` is the object as stored, and `standard` what the HPA's own rules recommend at this
    moment, before they are tempered (None if there is nothing to go by). `log` takes lines that
    ``--log-level`` shows.
    """

    def __init__(
        self,
        hpa: Json,
        now_ns: int,
        replicas: int,
        pods: Sequence[PodObservation],
        client: MetricsClient,
        log: logging.LoggerAdapter[logging.Logger],
        standard: int | None,
    ) -> None:
        self.hpa = hpa
        self.now_ns = now_ns
        self.replicas = replicas
        self.lowest: int = hpa["spec"].get("minReplicas", 1)
        self.highest: int = hpa["spec"]["maxReplicas"]
        self.pods = pods
        self.log = log
        self.standard = standard
        self._client = client

    @property
    def seconds(self) -> float:
        """Virtual time since the simulation began."""
        return self.now_ns / 1_000_000_000

    @property
    def ready(self) -> int:
        """How many pods are Ready and stay."""
        return sum(each.is_ready and not each.is_terminating for each in self.pods)

    def of_pods(self, metric: str) -> dict[str, float]:
        """A custom metric of the pods, by name, such as ``requests_per_second``; maybe empty."""
        try:
            found = self._client.raw(metric, labels.EVERYTHING)
        except MetricsError:
            return {}
        return {name: each.value_milli / 1000 for name, each in found.items()}

    def external(self, metric: str, **matching: str) -> list[float]:
        """The values of an external metric that has these labels; maybe none."""
        try:
            found = self._client.external(metric, labels.selector_from_set(matching))
        except MetricsError:
            return []
        return [value / 1000 for value in found]


class Autoscaler(Protocol):
    """Created with its HPA, called at each of the HPA's ticks, dropped when the HPA is deleted.

    State is in attributes; they are copied when a stage is forked, so they must
    be picklable. `scales_to_zero` True allows no replicas at all, whatever the HPA's minimum.
    """

    def __init__(self, hpa: Json) -> None: ...

    def recommend(self, observation: Observation) -> Recommendation | int | None:
        """How many replicas there should be; None leaves them as they are."""
        ...
