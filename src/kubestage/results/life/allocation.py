"""How much of the CPU and memory of Ready nodes pods have requested, over the whole of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.pod_resources import CPU, MEMORY

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.node_groups import NodeGroups
    from kubestage.results.life.workloads import Workloads

_PLACES: Final = 6


class Allocation:
    """Sums over time; call `reach` before what pods request, or nodes offer, becomes another."""

    def __init__(self, nodes: NodeGroups, workloads: Workloads, now_ns: int) -> None:
        self._nodes = nodes
        self._workloads = workloads
        self._since_ns = now_ns
        self._requested = {CPU: 0, MEMORY: 0}
        self._offered = {CPU: 0, MEMORY: 0}

    def reach(self, now_ns: int) -> None:
        """Count until now."""
        passed_ns = now_ns - self._since_ns
        if not passed_ns:
            return
        self._since_ns = now_ns
        self._requested[CPU] += self._workloads.requested_milli_cpu * passed_ns
        self._requested[MEMORY] += self._workloads.requested_memory * passed_ns
        self._offered[CPU] += self._nodes.allocatable_milli_cpu * passed_ns
        self._offered[MEMORY] += self._nodes.allocatable_memory * passed_ns

    def in_short(self) -> Json:
        """The shares until now; None if nodes offered nothing."""
        return {
            name: round(self._requested[name] / offered, _PLACES) if offered else None
            for name, offered in self._offered.items()
        }
