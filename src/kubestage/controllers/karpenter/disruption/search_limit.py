"""How long a search for a command may take, in time that is only counted: so much a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.settings import KarpenterSettings


class SearchLimit:
    """Upstream's limits are of the wall clock; here, without a limit or a time, none is reached."""

    def __init__(self, limit_ns: int, simulation_ns: int) -> None:
        self._limit_ns = limit_ns
        self._simulation_ns = simulation_ns
        self._spent_ns = 0

    @classmethod
    def of(cls, settings: KarpenterSettings, consolidation_type: str) -> SearchLimit:
        """The limit of multi-node or single-node consolidation."""
        limits = {
            "multi": settings.multi_node_consolidation_timeout_ns,
            "single": settings.single_node_consolidation_timeout_ns,
        }
        return cls(limits[consolidation_type], settings.simulation_time_ns)

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return bool(self._limit_ns) and self._spent_ns > self._limit_ns

    def count_simulation(self) -> None:
        """One more simulation."""
        self._spent_ns += self._simulation_ns

    def allows_simulation(self) -> bool:
        """Count one more; whether it ends in time."""
        self.count_simulation()
        return not self.is_over
