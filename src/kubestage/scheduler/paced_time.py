"""Time as a paced scheduler spends it: drawn from the laws of its pacing, on the virtual clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import distributions
from kubestage.scheduler.metrics import SCHEDULED
from kubestage.scheduler.timing import Timekeeper

if TYPE_CHECKING:
    import random

    from kubestage.scheduler.metrics import SchedulerMetrics
    from kubestage.scheduler.pacing import SchedulerPacing
    from kubestage.scheduler.status import Status
    from kubestage.sim.clock import Clock

_NS: Final = 1e-9
_SHARES: Final = {"PreFilter": 0.05, "Filter": 0.5, "PreScore": 0.05, "Score": 0.3}
"""What part of an attempt is spent where; taking stock of the nodes is the rest.

Where nothing is scored, filtering takes that part too.
"""


class PacedTimekeeper(Timekeeper):
    """Has attempts take time, one after another."""

    is_paced = True

    def __init__(
        self,
        metrics: SchedulerMetrics,
        clock: Clock,
        pacing: SchedulerPacing,
        stream: random.Random,
    ) -> None:
        super().__init__(metrics, clock, None)
        self._stream = stream
        self._attempt = distributions.parse(pacing.attempt)
        self._per_node = distributions.parse(pacing.attempt_per_node)
        self._ran: list[tuple[str, str, str]] = []
        self._spent_on_last_ns = 0

    def ran_to_the_end(self, profile: str, *, is_scored: bool) -> None:
        """All points up to the choice of a node have run."""
        for point in _SHARES if is_scored else ("PreFilter", "Filter"):
            self._ran.append((point, "Success", profile))

    def ran(self, point: str, status: Status, profile: str) -> None:
        """An extension point has run; those of the search share its time when it is over."""
        if point in _SHARES:
            self._ran.append((point, status.code.value, profile))
        elif point == "Bind":
            found = self.metrics.point_duration.of(point, status.code.value, profile)
            found.observe(self.binding_ns * _NS)
        else:
            super().ran(point, status, profile)

    def decided(self, started_ns: int, evaluated: int) -> None:
        """An attempt ends: it has looked at so many nodes, and the next one waits until then."""
        spent_ns = self._attempt.sample_ns(self._stream)
        if self._per_node.first or self._per_node.second:
            spent_ns += round(self._per_node.sample(self._stream) * evaluated)
        self.free_ns = max(self.free_ns, started_ns) + spent_ns
        self._spent_on_last_ns = spent_ns
        self.metrics.decided(spent_ns)
        is_scored = any(point == "Score" for point, _, _ in self._ran)
        for point, code, profile in self._ran:
            share = _SHARES[point]
            if point == "Filter" and not is_scored:
                share += _SHARES["PreScore"] + _SHARES["Score"]
            self.metrics.point_duration.of(point, code, profile).observe(spent_ns * share * _NS)
        self._ran.clear()

    def attempted(self, result: str, profile: str, started_ns: int) -> None:
        """An attempt came to its end; one that failed took as long as the search did."""
        spent_ns = self.clock.now_ns - started_ns
        if result != SCHEDULED:
            spent_ns = spent_ns or self._spent_on_last_ns
        self.metrics.attempted(result, profile, spent_ns)
