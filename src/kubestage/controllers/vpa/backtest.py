"""The recommender without a cluster: usage in, recommendations out.

    for step in backtest.run(vpa, rows, VpaSettings()):
        print(step.at_ns, step.recommendation)

`vpa` is a VerticalPodAutoscaler; of its spec only the resource policy counts, for all usage is
taken to be that of its pods. `rows` are `Usage` in the order of their times, as read from a CSV
file: a row names a pod and a container, and either amount may be missing. Rows are read as
the recommender reads the metrics API: once an interval, and then only at the newest row of each
container. The floors of a pod are shared by as many containers as are named.

`Backtest` is driven step by step: `feed` and `record_oom` add samples, `recommend` returns the
recommendation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.vpa import policies
from kubestage.controllers.vpa.cluster_state import ClusterState
from kubestage.controllers.vpa.recommending import Recommender
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.errors import InputError
from kubestage.objects import labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json


_NAMESPACE: Final = "default"


class Usage(NamedTuple):
    """What a container used: millicores and bytes, where known, at a time (unix nanoseconds)."""

    at_ns: int
    pod: str
    container: str
    cpu_millicores: int | None = None
    memory_bytes: int | None = None


class RecommendedAt(NamedTuple):
    """What was recommended at a time: the items of ``containerRecommendations``."""

    at_ns: int
    recommendation: list[Json]


class Backtest:
    """One VerticalPodAutoscaler and all that was used by its pods."""

    def __init__(self, vpa: Json, settings: VpaSettings | None = None) -> None:
        settings = settings or VpaSettings()
        metadata = {**(vpa.get("metadata") or {}), "namespace": _NAMESPACE}
        spec = vpa.get("spec") or {}
        self._state = ClusterState(settings)
        self._vpa = self._state.add_or_update_vpa(
            {"metadata": {"name": "vpa", **metadata}, "spec": spec}, labels.EVERYTHING
        )
        self._recommender = Recommender(settings)

    def feed(self, usage: Usage) -> None:
        """A sample; one that is no later than the last one of its container is passed over."""
        pod_id = self._know(usage.at_ns, usage.pod, usage.container)
        if usage.cpu_millicores is not None:
            self._state.add_cpu(pod_id, usage.container, usage.cpu_millicores, usage.at_ns)
        if usage.memory_bytes is not None:
            self._state.add_memory(pod_id, usage.container, usage.memory_bytes, usage.at_ns)

    def record_oom(self, at_ns: int, pod: str, container: str, requested_bytes: int) -> None:
        """A container was killed for lack of memory while it requested so much."""
        pod_id = self._know(at_ns, pod, container)
        self._state.record_oom(pod_id, container, requested_bytes, at_ns)

    def recommend(self, at_ns: int) -> list[Json]:
        """What is recommended now."""
        self._state.now_ns = at_ns
        recommendation = self._recommender.recommend(self._vpa, self._state)
        return policies.container_recommendations(recommendation)

    def _know(self, at_ns: int, pod: str, container: str) -> tuple[str, str]:
        self._state.now_ns = at_ns
        pod_id = (_NAMESPACE, pod)
        self._state.add_container(self._state.add_or_update_pod(pod_id, {}), container)
        return pod_id


def run(
    vpa: Json, rows: Iterable[Usage], settings: VpaSettings | None = None
) -> Iterator[RecommendedAt]:
    """What would have been recommended, interval by interval, until the rows end."""
    settings = settings or VpaSettings()
    backtest, every_ns = Backtest(vpa, settings), settings.recommender_interval_ns
    newest: dict[tuple[str, str], Usage] = {}
    tick_ns = last_ns = 0
    for row in rows:
        if row.at_ns < last_ns:
            raise InputError(
                f"usage of {row.pod} goes back in time", fix="sort the rows by their times"
            )
        tick_ns, last_ns = tick_ns or row.at_ns + every_ns, row.at_ns
        while row.at_ns > tick_ns:
            yield _tick(backtest, newest, tick_ns)
            tick_ns += every_ns
        newest[row.pod, row.container] = row
    if newest or tick_ns:
        yield _tick(backtest, newest, tick_ns)


def _tick(backtest: Backtest, newest: dict[tuple[str, str], Usage], at_ns: int) -> RecommendedAt:
    for usage in newest.values():
        backtest.feed(usage)
    newest.clear()
    return RecommendedAt(at_ns, backtest.recommend(at_ns))
