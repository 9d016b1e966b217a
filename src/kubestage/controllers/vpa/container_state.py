"""One container of one pod: which of its samples are new, and its memory peak of the interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.vpa import amounts
from kubestage.controllers.vpa.histogram import YEAR_ONE_NS

if TYPE_CHECKING:
    from kubestage.controllers.vpa.aggregate_state import AggregateContainerState


class ContainerState:
    """Passes on to an aggregate what is new: all CPU samples, but one memory peak an interval."""

    def __init__(self) -> None:
        self.last_cpu_ns = YEAR_ONE_NS
        self.window_end_ns = YEAR_ONE_NS
        self._memory_peak = 0
        self._oom_peak = 0
        self._last_memory_ns = YEAR_ONE_NS

    @property
    def max_memory_peak(self) -> int:
        """The most memory in this interval, as it was seen or as an OOM lets suppose."""
        return max(self._memory_peak, self._oom_peak)

    def add_cpu(self, aggregate: AggregateContainerState, millicores: int, at_ns: int) -> bool:
        """A sample of CPU; False if it is of no use: of no later time than the last one."""
        if millicores < 0 or at_ns <= self.last_cpu_ns:
            return False
        aggregate.add_cpu(millicores, at_ns)
        self.last_cpu_ns = at_ns
        return True

    def add_memory(self, aggregate: AggregateContainerState, bytes_: int, at_ns: int) -> bool:
        """A sample of memory; False if it is older than the last one."""
        if at_ns < self._last_memory_ns:
            return False
        return self._add_memory(aggregate, bytes_, at_ns, is_oom=False)

    def _add_memory(
        self, aggregate: AggregateContainerState, bytes_: int, at_ns: int, *, is_oom: bool
    ) -> bool:
        if bytes_ < 0:
            return False
        self._last_memory_ns = at_ns
        if self.window_end_ns == YEAR_ONE_NS:
            self.window_end_ns = at_ns
        if at_ns < self.window_end_ns:
            peak = self.max_memory_peak
            if peak == 0 or bytes_ <= peak:
                return True
            aggregate.subtract_peak(peak, self.window_end_ns)
        else:
            interval_ns = aggregate.memory_interval_ns
            past_ns = at_ns - self.window_end_ns
            self.window_end_ns += past_ns - past_ns % interval_ns + interval_ns
            self._memory_peak = self._oom_peak = 0
        aggregate.add_peak(bytes_, self.window_end_ns)
        if is_oom:
            self._oom_peak = bytes_
        else:
            self._memory_peak = bytes_
        return True

    def record_oom(self, aggregate: AggregateContainerState, requested: int, at_ns: int) -> bool:
        """The container was killed for lack of memory; False if that is too long ago to count.

        It is taken as a sample of more than it had. An earlier guess of this kind is no ground for
        a higher one, so that a container that is killed again and again does not run away.
        """
        horizon_ns = self._last_memory_ns - aggregate.memory_interval_ns
        if self._last_memory_ns != YEAR_ONE_NS and at_ns < horizon_ns:
            return False
        used = max(requested, self._memory_peak)
        needed = max(
            used + amounts.from_float(aggregate.oom_min_bump_up),
            amounts.scale(used, aggregate.oom_bump_up_ratio),
        )
        return self._add_memory(aggregate, needed, at_ns, is_oom=True)
