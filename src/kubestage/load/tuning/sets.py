"""The tuning sets of a load by their names, and the phases that they pace."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from kubestage.cluster.token_bucket import TokenBucket
from kubestage.errors import InputError
from kubestage.load import config
from kubestage.load.tuning import schedules
from kubestage.load.tuning.executions import Action, Closed, Execution, Limited, Scheduled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.cluster.access import Moments
    from kubestage.sim.streams import Streams


class TuningSets:
    """Begins the actions of phases at their instants.

    A set's `initial_delay_ns` is waited before its first action (ClusterLoader2 reads the field
    and ignores it). Each set draws chance from a stream of its own, ``tuning/<name>``. The limit
    of a GlobalQpsLoad is one for all phases and steps that name it.
    """

    def __init__(
        self, sets: Iterable[config.TuningSet], moments: Moments, streams: Streams
    ) -> None:
        self._sets = {each.name: each for each in sets}
        self._moments = moments
        self._streams = streams
        self._buckets: dict[str, TokenBucket] = {}
        self._under_way: dict[int, Execution] = {}
        self._count = 0
        self._is_stopped = False

    @property
    def under_way(self) -> int:
        """How many phases are."""
        return len(self._under_way)

    def execute(self, name: str, actions: Sequence[Action], finished: Callable[[], None]) -> None:
        """Begin actions as the set says; `finished` is told once, never from within this call.

        It is when all of them are done and the schedule is over: most sets wait after their last
        action too.
        """
        tuning_set = self._find(name)
        self._count += 1
        told = _Finished(self._under_way, self._count, finished)
        execution = self._execution(tuning_set, actions, told.tell)
        self._under_way[self._count] = execution
        delay_ns = tuning_set.initial_delay_ns if actions else 0
        execution.start(self._moments.now_ns + delay_ns)
        if self._is_stopped:
            execution.stop()

    def stop(self) -> None:
        """Begin no more actions, now or later; phases finish when what is under way is done."""
        self._is_stopped = True
        for execution in list(self._under_way.values()):
            execution.stop()

    def _find(self, name: str) -> config.TuningSet:
        found = self._sets.get(name)
        if found is None:
            close = difflib.get_close_matches(name, list(self._sets), 1)
            known = ", ".join(self._sets) or "none"
            raise InputError(
                f"tuning set {name!r} is not declared",
                path="tuningSet",
                fix=f"did you mean {close[0]!r}?" if close else f"declared are: {known}",
            )
        return found

    def _execution(
        self, tuning_set: config.TuningSet, actions: Sequence[Action], told: Callable[[], None]
    ) -> Execution:
        load, name, moments = tuning_set.load, tuning_set.name, self._moments
        if isinstance(load, config.ParallelismLimitedLoad):
            return Closed(moments, actions, told, load.parallelism_limit)
        if isinstance(load, config.GlobalQpsLoad):
            bucket = self._buckets.get(name)
            if bucket is None:
                bucket = self._buckets[name] = TokenBucket(load.qps, load.burst)
            return Limited(moments, actions, told, bucket)
        chance = self._streams.stream(f"tuning/{name}")
        return Scheduled(moments, actions, told, schedules.schedule(load, len(actions), chance))


class _Finished:
    """Takes a phase off the list of those under way before it tells who waits for it."""

    def __init__(
        self, under_way: dict[int, Execution], number: int, finished: Callable[[], None]
    ) -> None:
        self._under_way = under_way
        self._number = number
        self._finished = finished

    def tell(self) -> None:
        del self._under_way[self._number]
        self._finished()
