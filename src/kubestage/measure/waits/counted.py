"""Waiting until there are as many objects as desired, in the desired state."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Generic, TypeVar

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.measure import informer
from kubestage.measure.informer import ObjectCounts
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.results import NOTHING, PendingResult

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from kubestage.aliases import Json
    from kubestage.cluster.access import Selection
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import MeasurementResult, Result

P = TypeVar("P", bound=Params)


def unchecked(timeout_ns: int, every_ns: int) -> Iterator[InputError]:
    """Nothing is checked where the first check, after one interval, would be after the end."""
    if timeout_ns < every_ns:
        problem = f"{durations.go_string(timeout_ns)}: nothing is checked before"
        fix = f"make it longer than the refreshInterval, {durations.go_string(every_ns)}"
        yield InputError(problem, path="params.timeout", fix=fix)


class CountedWait(Measurement[P], abc.ABC):
    """Counts the objects of a selection by class, and checks the counts at intervals.

    The first check is after one interval, and there is none when the time is up.
    """

    checks_at_once = False

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._counts: list[Count[P]] = []

    def perform(self, params: P) -> Result:
        """Wait; there is no other action."""
        return self.count(params)

    def count(self, params: P) -> PendingResult:
        """Start to count and to wait."""
        self._counts = [each for each in self._counts if not each.pending.is_resolved]
        count = Count(self, params)
        self._counts.append(count)
        count.begin()
        return count.pending

    def dispose(self) -> None:
        """Stop counting."""
        for count in self._counts:
            count.counts.stop()
        self._counts.clear()

    @abc.abstractmethod
    def selection(self, params: P) -> Selection:
        """Which objects are counted."""

    @abc.abstractmethod
    def sort(self, params: P, obj: Json) -> Hashable | None:
        """The class of an object, None if it does not count."""

    @abc.abstractmethod
    def pace_ns(self, params: P) -> tuple[int, int]:
        """How often to check, and for how long."""

    @abc.abstractmethod
    def is_reached(self, params: P, counts: ObjectCounts) -> bool:
        """Whether the counts are as desired."""

    def reached(self, params: P, counts: ObjectCounts) -> MeasurementResult:
        """The result when they are."""
        del params, counts
        return NOTHING

    @abc.abstractmethod
    def missed(self, params: P, counts: ObjectCounts) -> MeasurementResult:
        """The result when they were not in time."""


class Count(Generic[P]):
    """One wait that has not ended."""

    def __init__(self, owner: CountedWait[P], params: P) -> None:
        self.pending = PendingResult()
        self._owner = owner
        self._params = params
        self._every_ns, timeout_ns = owner.pace_ns(params)
        self._end_ns = owner.now_ns + timeout_ns
        self.counts = ObjectCounts(owner.cluster, owner.selection(params), self._sort)

    def begin(self) -> None:
        """Wait until all existing objects are counted, and then for the counts to be as desired."""
        synced = self._owner.wait(
            self._is_synced,
            informer.synced,
            every_ns=informer.STORE_POLL_NS,
            timeout_ns=informer.SYNC_TIMEOUT_NS,
        )
        synced.then(self._counted)

    def _counted(self, result: MeasurementResult) -> None:
        if result.errors:
            self._end(result)
            return
        looked = self._owner.wait(
            self._is_reached,
            self._result,
            every_ns=self._every_ns,
            timeout_ns=self._end_ns - self._owner.now_ns,
            at_once=self._owner.checks_at_once,
            at_end=False,
        )
        looked.then(self._end)

    def _sort(self, obj: Json) -> Hashable | None:
        return self._owner.sort(self._params, obj)

    def _is_synced(self) -> bool:
        return self.counts.is_synced

    def _is_reached(self) -> bool:
        return self._owner.is_reached(self._params, self.counts)

    def _result(self, is_reached: bool) -> MeasurementResult:
        say = self._owner.reached if is_reached else self._owner.missed
        return say(self._params, self.counts)

    def _end(self, result: MeasurementResult) -> None:
        self.counts.stop()
        self.pending.resolve(result)
