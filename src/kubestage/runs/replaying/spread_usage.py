"""Recorded usage in place of the simulated usage of a replay's containers.

The demand of a workload is the recorded one, whatever the number of its pods: it is spread
evenly over the time that its containers run. Each has as much memory as a recorded one had on
average.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.metrics.samples import Used
from kubestage.objects import gvk
from kubestage.runs.replaying.pod_log import workload_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.runs.replaying.demand import Demand, Workload
    from kubestage.sim.clock import Clock
    from kubestage.stage import Stage


class _Share(NamedTuple):
    """A container that runs now, among those that share one demand."""

    pod: str
    container: str
    started_ns: int


class SpreadUsage:
    """Replaces usage at each scrape of a stage's metrics."""

    def __init__(self, demands: Iterable[Demand]) -> None:
        self._demands = {(each.workload, each.container): each for each in demands}
        self._pods: Mapping[str, Json] = {}
        self._clock: Clock | None = None
        self._last_ns = 0
        self._burnt: dict[_Share, float] = {}
        self._workloads: dict[str, str] = {}

    def follow(self, stage: Stage) -> None:
        """Be at work on a stage that has controllers."""
        assert stage.metrics is not None
        self._pods, self._clock = stage.store.read(gvk.POD), stage.clock
        stage.metrics.overlay = self

    def replaced(self, used: dict[str, dict[str, Used]]) -> dict[str, dict[str, Used]]:
        """The same containers, those of recorded workloads with their share."""
        assert self._clock is not None
        now_ns, epoch_ns = self._clock.now_ns, self._clock.epoch_ns
        before_ns, self._last_ns = self._last_ns, now_ns
        groups: dict[Workload, list[_Share]] = {}
        for pod, containers in used.items():
            workload = self._workload(pod)
            for name, each in containers.items():
                if (workload, name) in self._demands:
                    share = _Share(pod, name, each.started_ns)
                    groups.setdefault((workload, name), []).append(share)
        burnt: dict[_Share, float] = {}
        for key, shares in groups.items():
            demand = self._demands[key]
            ran_ns = sum(now_ns - max(before_ns, each.started_ns) for each in shares)
            in_all = demand.mean_cores(epoch_ns + before_ns, epoch_ns + now_ns) * (
                now_ns - before_ns
            )
            cores = in_all / max(ran_ns, 1)
            memory = demand.memory(epoch_ns + now_ns)
            for share in shares:
                # One that is new here has used that much since it was started.
                known = self._burnt.get(share)
                since_ns = share.started_ns if known is None else before_ns
                burnt[share] = (known or 0.0) + cores * (now_ns - since_ns)
                used[share.pod][share.container] = Used(share.started_ns, burnt[share], memory)
        self._burnt = burnt
        return used

    def _workload(self, key: str) -> str:
        found = self._workloads.get(key)
        if found is None:
            pod = self._pods.get(key)
            if pod is None:
                return ""
            found = self._workloads[key] = workload_of(pod)
        return found
