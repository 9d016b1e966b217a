"""The tuning sets of a load by their names, and the phases that they pace."""

from __future__ import annotations

import difflib
import functools
from typing import TYPE_CHECKING

from kubestage.clusterloader import config
from kubestage.clusterloader.tuning import schedules
from kubestage.clusterloader.tuning.executions import Action, Closed, Execution, Limited, Scheduled
from kubestage.errors import InputError
from kubestage.golang.rate import Limiter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.cluster.access import Moments
    from kubestage.sim.streams import Streams


class TuningSets:
    """Begins the actions of phases at their instants.

    A set's `initial_delay_ns` is waited before its first action (ClusterLoader2 reads the field
    and ignores it). Each set draws random numbers from a stream of its own, ``tuning/<name>``. All
    phases and steps that name a GlobalQpsLoad share its limit.
    """

    def __init__(
        self, sets: Iterable[config.TuningSet], moments: Moments, streams: Streams
    ) -> None:
        self._sets = {each.name: each for each in sets}
        self._moments = moments
        self._streams = streams
        self._buckets: dict[str, Limiter] = {}
        self._under_way: dict[int, Execution] = {}
        self._count = 0
        self._is_stopped = False

    @property
    def under_way(self) -> int:
        """How many phases are."""
        return len(self._under_way)

    def execute(self, name: str, actions: Sequence[Action], finished: Callable[[], None]) -> None:
        """Begin actions as the set says; `finished` is called once, never from within this call.

        It is when all of them are done and the schedule is over: most sets wait after their last
        action too.
        """
        tuning_set = self._find(name)
        self._count += 1
        done = functools.partial(self._finish, self._count, finished)
        execution = self._execution(tuning_set, actions, done)
        self._under_way[self._count] = execution
        delay_ns = tuning_set.initial_delay_ns if actions else 0
        execution.start(self._moments.now_ns + delay_ns)
        if self._is_stopped:
            execution.stop()

    def _finish(self, number: int, finished: Callable[[], None]) -> None:
        del self._under_way[number]
        finished()

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
        self, tuning_set: config.TuningSet, actions: Sequence[Action], done: Callable[[], None]
    ) -> Execution:
        load, name, moments = tuning_set.load, tuning_set.name, self._moments
        if isinstance(load, config.ParallelismLimitedLoad):
            return Closed(moments, actions, done, load.parallelism_limit)
        if isinstance(load, config.GlobalQpsLoad):
            bucket = self._buckets.get(name)
            if bucket is None:
                bucket = self._buckets[name] = Limiter(load.qps, load.burst)
            return Limited(moments, actions, done, bucket)
        rng = self._streams.stream(f"tuning/{name}")
        return Scheduled(moments, actions, done, schedules.schedule(load, len(actions), rng))
