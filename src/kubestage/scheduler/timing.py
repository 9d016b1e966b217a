"""How long things take, by a stopwatch that is handed in.

The core has no clock but the virtual one, on which an attempt takes no time. For real
durations in the metrics, hand in a stopwatch; plugins are measured only then, since it costs
time. While it measures, every pod is tried in the ordinary way: in the fast lane plugins
are not called one by one.
"""

from __future__ import annotations

import collections
import functools
from typing import TYPE_CHECKING, Any, ClassVar, Final

from kubestage.scheduler.metrics import SCHEDULED
from kubestage.scheduler.status import SUCCESS, Status
from kubestage.scheduler.timings import ALGORITHM, ATTEMPT, MEASURED, PLUGIN, POINT, Part, Timings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.scheduler.metrics import SchedulerMetrics
    from kubestage.scheduler.queue.queued_pod import QueuedPod
    from kubestage.scheduler.runtime import Profile
    from kubestage.sim.clock import Clock

_NS: Final = 1e-9
_SUCCESS: Final = "Success"
_UP_TO_FILTER: Final = ("PreFilter", "Filter")
_SCORING: Final = ("PreScore", "Score")
_UP_TO_CHOICE: Final = (*_UP_TO_FILTER, *_SCORING)
_UP_TO_BINDING: Final = ("Reserve", "Permit", "PreBind")
_BINDING: Final = ("Bind", "PostBind")
_POINTS: Final = {
    "add_pod": "PreFilterExtensionAddPod",
    "remove_pod": "PreFilterExtensionRemovePod",
    "pre_enqueue": "PreEnqueue",
    "pre_filter": "PreFilter",
    "filter": "Filter",
    "filter_node": "Filter",
    "post_filter": "PostFilter",
    "pre_score": "PreScore",
    "score": "Score",
    "score_node": "Score",
    "normalize": "ScoreExtensionNormalize",
    "reserve": "Reserve",
    "unreserve": "Unreserve",
    "permit": "Permit",
    "pre_bind": "PreBind",
    "bind": "Bind",
    "post_bind": "PostBind",
}
_PART_OF: Final = {"ScoreExtensionNormalize": "Score"}


class Timekeeper:
    """Measures attempts, extension points and plugins; `timings` are None if nothing is measured.

    `attempts` is how many have started, and so the number of the last one. `is_paced` is whether
    attempts take virtual time; `free_ns` is when the next one can begin then, and `binding_ns` how
    long the last binding took.
    """

    is_paced: ClassVar[bool] = False

    def __init__(
        self, metrics: SchedulerMetrics, clock: Clock, stopwatch: Callable[[], int] | None
    ) -> None:
        self.metrics = metrics
        self.clock = clock
        self._stopwatch = stopwatch
        self.timings = None if stopwatch is None else Timings(MEASURED)
        self._spent_ns: dict[str, int] = {}
        self._spent_by: dict[str, dict[str, int]] = {}
        self.attempts = 0
        self._silent: dict[tuple[str, str, str], int] = collections.defaultdict(int)
        self._decided: dict[str, int] = collections.defaultdict(int)
        self._attempted: dict[tuple[str, str], int] = collections.defaultdict(int)
        self._bound = 0
        self._placed: dict[str, list[int]] = {}
        self.free_ns = 0
        self.binding_ns = 0

    def watch(self, plugin: Any) -> None:
        """Measure the calls of a plugin from now on, if there is a stopwatch.

        Its methods are covered on the instance, so that other instances stay as they are.
        """
        if self._stopwatch is None or not hasattr(plugin, "__dict__"):
            return
        for method, point in _POINTS.items():
            if hasattr(plugin, method):
                found = getattr(plugin, method)
                setattr(plugin, method, functools.partial(self.timed, point, plugin.name, found))

    @property
    def is_measuring(self) -> bool:
        """Whether the calls of plugins are measured."""
        return self._stopwatch is not None

    def ran_to_the_end(self, profile: str, *, is_scored: bool) -> None:
        """All points up to the choice of a node have run, and have succeeded."""
        for point in _UP_TO_CHOICE if is_scored else _UP_TO_FILTER:
            self._silent[point, _SUCCESS, profile] += 1

    def placed(self, profile: str, is_scored: bool) -> list[int]:
        """A quick attempt has found a node; the last of the numbers counts those bound.

        NOTE: once for each pod of the fast lane, so what it means is worked out in `settle`.
        """
        counts = self._placed.get(profile)
        if counts is None:
            counts = self._placed[profile] = [0, 0, 0]
        counts[0] += 1
        counts[1] += is_scored
        return counts

    def _settle_placed(self) -> None:
        silent = self._silent
        for profile, counts in self._placed.items():
            tried, scored, bound = counts
            counts[:] = 0, 0, 0
            for points, count in (
                ((*_UP_TO_FILTER, *_UP_TO_BINDING), tried),
                (_SCORING, scored),
                (_BINDING, bound),
            ):
                for point in points if count else ():
                    silent[point, _SUCCESS, profile] += count
            if bound:
                self._attempted[SCHEDULED, profile] += bound
            if tried:
                self._decided[profile] += tried

    def begin(self) -> int:
        """A new attempt begins; when it did, for `read` to be compared with."""
        self.attempts += 1
        if self._spent_ns:
            # What a preemption spent on trying nodes is part of its own extension point.
            self._spent_ns.clear()
            self._spent_by.clear()
        return self.read_ns()

    def read_ns(self) -> int:
        """What the stopwatch shows."""
        return self.clock.now_ns if self._stopwatch is None else self._stopwatch()

    def ran(self, point: str, status: Status, profile: str) -> None:
        """All plugins of an extension point have run, with this result."""
        code = _SUCCESS if status is SUCCESS else status.code.value
        if self._stopwatch is None:
            # NOTE: a dozen observations of nothing for each attempt are worth saving up
            # (benchmarks/scheduler.py).
            self._silent[point, code, profile] += 1
            return
        self._observe(point, code, profile, self._spent_ns.pop(point, 0))

    def know(self, profiles: Mapping[str, Profile]) -> None:
        """Prepare for these profiles."""

    def _observe(self, point: str, code: str, profile: str, spent_ns: float) -> None:
        self.metrics.ran(point, code, profile, spent_ns)
        if self.timings is not None:
            self.timings.observe(Part(profile, POINT, point), round(spent_ns))
            for plugin, own_ns in self._spent_by.pop(point, {}).items():
                self.timings.observe(Part(profile, PLUGIN, point, plugin), own_ns)

    def decided(self, started_ns: int, evaluated: int, profile: str) -> None:
        """An attempt has found a node, or that none of those that it evaluated fits."""
        del evaluated
        if self._stopwatch is None:
            self._decided[profile] += 1
        else:
            self._has_decided(profile, self.read_ns() - started_ns)

    def _has_decided(self, profile: str, spent_ns: int) -> None:
        self.metrics.decided(profile, spent_ns)
        if self.timings is not None:
            self.timings.observe(Part(profile, ALGORITHM), spent_ns)

    def attempted(self, result: str, profile: str, started_ns: int) -> None:
        """An attempt came to its end."""
        spent_ns = self.read_ns() - started_ns
        if spent_ns:
            self._has_attempted(result, profile, spent_ns)
        else:
            self._attempted[result, profile] += 1

    def _has_attempted(self, result: str, profile: str, spent_ns: int) -> None:
        self.metrics.attempted(result, profile, spent_ns)
        if self.timings is not None:
            self.timings.observe(Part(profile, ATTEMPT, result=result), spent_ns)

    def bound(self, queued: QueuedPod) -> None:
        """A pod got its node."""
        first_ns = queued.first_attempt_ns
        waited_ns = 0 if first_ns is None else self.clock.now_ns - first_ns
        if waited_ns or queued.attempts > 1:
            self.metrics.bound(queued.attempts, waited_ns)
            if queued.attempts > 1 and queued.flushed_ns is not None:
                self.metrics.scheduled_after_flush.increase()
        else:
            self._bound += 1

    def settle(self) -> None:
        """Hand over to the metrics what was saved up."""
        self._settle_placed()
        metrics = self.metrics
        for labels, count in self._silent.items():
            metrics.ran(*labels, 0, count)
        for (result, profile), count in self._attempted.items():
            metrics.attempted(result, profile, 0, count)
        for profile, count in self._decided.items():
            metrics.decided(profile, 0, count)
        metrics.bound(1, 0, self._bound)
        self._silent.clear()
        self._attempted.clear()
        self._decided.clear()
        self._bound = 0

    def timed(self, point: str, plugin: str, method: Callable[..., Any], *args: Any) -> Any:
        """Call a plugin and note how long that took."""
        started_ns = self.read_ns()
        answer = method(*args)
        spent_ns = self.read_ns() - started_ns
        whole = _PART_OF.get(point, point)
        self._spent_ns[whole] = self._spent_ns.get(whole, 0) + spent_ns
        by_plugin = self._spent_by.setdefault(whole, {})
        by_plugin[plugin] = by_plugin.get(plugin, 0) + spent_ns
        self.metrics.plugin_duration.distribution(plugin, point, _status(answer)).observe(
            spent_ns * _NS
        )
        return answer

    def hinted(self, plugin: str, event: str, hint: Callable[..., bool], *args: Any) -> bool:
        """Call a queueing hint, and note how long that took."""
        started_ns = self.read_ns()
        is_worth_it = hint(*args)
        label = "Queue" if is_worth_it else "QueueSkip"
        spent_ns = self.read_ns() - started_ns
        self.metrics.queueing_hints.distribution(plugin, event, label).observe(spent_ns * _NS)
        return is_worth_it

    def handled(self, event: str, handler: Callable[[Any], None], change: Any) -> None:
        """Have a change of the store handled, and note how long that took."""
        started_ns = self.read_ns()
        handler(change)
        self.metrics.event_handling.distribution(event).observe((self.read_ns() - started_ns) * _NS)


def _status(answer: Any) -> str:
    """The code in a plugin's answer; one that has none has succeeded."""
    for part in answer if isinstance(answer, tuple) else (answer,):
        if isinstance(part, Status):
            return part.code.value
    return _SUCCESS
