"""How long a tuning set takes, computed in advance and without a clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.clusterloader import config
from kubestage.golang.rate import Limiter
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable


class Expectations:
    """Expected durations, with the memory that shared limits have.

    Random durations count with their mean. Actions are assumed to be done as they start, so the
    real duration is never less than this by more than random variation allows.
    """

    def __init__(self, sets: Iterable[config.TuningSet]) -> None:
        self._sets = {each.name: each for each in sets}
        self._buckets: dict[str, Limiter] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._sets

    def is_closed(self, name: str) -> bool:
        """Whether a set goes by what becomes of its actions, so that nothing is known of it."""
        return isinstance(self._sets[name].load, config.ParallelismLimitedLoad)

    def expected_ns(self, name: str, count: int, begin_ns: int) -> int:
        """How long so many actions take that begin at a time; nothing where it is closed."""
        if not count:
            return 0
        tuning_set = self._sets[name]
        delay_ns, load = tuning_set.initial_delay_ns, tuning_set.load
        if isinstance(load, config.GlobalQpsLoad):
            return delay_ns + self._shared_ns(name, load, count, begin_ns)
        return delay_ns + _alone_ns(load, count)

    def _shared_ns(self, name: str, load: config.GlobalQpsLoad, count: int, begin_ns: int) -> int:
        bucket = self._buckets.setdefault(name, Limiter(load.qps, load.burst))
        # All at once: phases of one step ask at the same time.
        return max(bucket.reserve(begin_ns) for _ in range(count)) - begin_ns


def _alone_ns(load: config.Load, count: int) -> int:
    if isinstance(load, config.QpsLoad):
        return count * int(SECOND_NS / load.qps)
    if isinstance(load, config.TimeLimitedLoad):
        return load.time_limit_ns // count * count
    if isinstance(load, config.SteppedLoad):
        return count // load.burst_size * load.step_delay_ns
    if isinstance(load, config.RandomizedLoad):
        return int(count * SECOND_NS / load.average_qps)
    if isinstance(load, config.RandomizedTimeLimitedLoad):
        # The last of so many moments that are each as likely as any other.
        return load.time_limit_ns * count // (count + 1)
    if isinstance(load, config.PoissonLoad):
        return int((count - 1) * SECOND_NS / load.expected_actions_per_second)
    return 0
