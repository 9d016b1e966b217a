"""Waiting until there are as many objects as wanted, in the state that is wanted."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Generic, TypeVar

from kubestage.measure import informer
from kubestage.measure.informer import Tally
from kubestage.measure.measurement import Measurement
from kubestage.measure.outcome import NOTHING, Later
from kubestage.measure.params import Params

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kubestage.aliases import Json
    from kubestage.cluster.access import Selection
    from kubestage.measure.measurement import Context
    from kubestage.measure.outcome import Outcome, Result

P = TypeVar("P", bound=Params)


class CountedWait(Measurement[P], abc.ABC):
    """Counts the objects of a selection by sort, and looks at the counts at intervals.

    It looks for the first time after one interval, and when the time is up it looks no more.
    """

    looks_at_once = False

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._counts: list[Count[P]] = []

    def perform(self, params: P) -> Result:
        """Wait; there is no other action."""
        return self.count(params)

    def count(self, params: P) -> Later:
        """Begin to count and to wait."""
        self._counts = [each for each in self._counts if not each.later.is_resolved]
        count = Count(self, params)
        self._counts.append(count)
        count.begin()
        return count.later

    def dispose(self) -> None:
        """Count no further."""
        for count in self._counts:
            count.tally.stop()
        self._counts.clear()

    @abc.abstractmethod
    def selection(self, params: P) -> Selection:
        """Which objects are counted."""

    @abc.abstractmethod
    def sort(self, params: P, obj: Json) -> Hashable | None:
        """What an object counts as, None if it does not."""

    @abc.abstractmethod
    def pace_ns(self, params: P) -> tuple[int, int]:
        """How often to look, and for how long."""

    @abc.abstractmethod
    def is_reached(self, params: P, tally: Tally) -> bool:
        """Whether the counts are as wanted."""

    def reached(self, params: P, tally: Tally) -> Outcome:
        """What is said when they are."""
        del params, tally
        return NOTHING

    @abc.abstractmethod
    def missed(self, params: P, tally: Tally) -> Outcome:
        """What is said when they were not in time."""


class Count(Generic[P]):
    """One wait under way."""

    def __init__(self, owner: CountedWait[P], params: P) -> None:
        self.later = Later()
        self._owner = owner
        self._params = params
        self._every_ns, timeout_ns = owner.pace_ns(params)
        self._end_ns = owner.now_ns + timeout_ns
        self.tally = Tally(owner.cluster, owner.selection(params), self._sort)

    def begin(self) -> None:
        """Wait until all that is there is counted, and then for it to be as wanted."""
        synced = self._owner.wait(
            self._is_synced,
            informer.synced,
            every_ns=informer.STORE_LOOK_NS,
            timeout_ns=informer.SYNC_TIMEOUT_NS,
        )
        synced.then(self._counted)

    def _counted(self, outcome: Outcome) -> None:
        if outcome.errors:
            self._end(outcome)
            return
        looked = self._owner.wait(
            self._is_reached,
            self._said,
            every_ns=self._every_ns,
            timeout_ns=self._end_ns - self._owner.now_ns,
            at_once=self._owner.looks_at_once,
            at_end=False,
        )
        looked.then(self._end)

    def _sort(self, obj: Json) -> Hashable | None:
        return self._owner.sort(self._params, obj)

    def _is_synced(self) -> bool:
        return self.tally.is_synced

    def _is_reached(self) -> bool:
        return self._owner.is_reached(self._params, self.tally)

    def _said(self, is_reached: bool) -> Outcome:
        say = self._owner.reached if is_reached else self._owner.missed
        return say(self._params, self.tally)

    def _end(self, outcome: Outcome) -> None:
        self.tally.stop()
        self.later.resolve(outcome)
