"""How long things take, by a stopwatch that is handed in.

The core has no clock but the virtual one, on which an attempt takes no time. Whoever wants real
durations in the metrics brings a stopwatch; only then are plugins measured, so that nobody else
pays for it.
"""

from __future__ import annotations

import collections
import functools
from typing import TYPE_CHECKING, Any, ClassVar, Final

from kubestage.scheduler.metrics import SCHEDULED
from kubestage.scheduler.status import SUCCESS, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.scheduler.metrics import SchedulerMetrics
    from kubestage.scheduler.queue.queued_pod import QueuedPod
    from kubestage.sim.clock import Clock

_NS: Final = 1e-9
_SUCCESS: Final = "Success"
_UP_TO_FILTER: Final = ("PreFilter", "Filter")
_SCORING: Final = ("PreScore", "Score")
_UP_TO_CHOICE: Final = (*_UP_TO_FILTER, *_SCORING)
_UP_TO_BINDING: Final = ("Reserve", "Permit", "PreBind")
_BINDING: Final = ("Bind", "PostBind")
_SAMPLED: Final = 10
"""One attempt in so many has the durations of its plugins observed."""

_POINTS: Final = {
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
    """Measures attempts, extension points and, now and then, plugins.

    `attempts` is how many have begun, and so the number of the last one. `is_paced` says whether
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
        self._spent_ns: dict[str, int] = {}
        self.attempts = 0
        self._silent: dict[tuple[str, str, str], int] = collections.defaultdict(int)
        self._decided = 0
        self._attempted: dict[tuple[str, str], int] = collections.defaultdict(int)
        self._bound = 0
        self._placed: dict[str, list[int]] = {}
        self.free_ns = 0
        self.binding_ns = 0

    def watch(self, plugin: Any) -> None:
        """Measure the calls of a plugin from now on, if there is a stopwatch.

        Its methods are covered on the instance, so to everybody else it is what it was.
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
        """An attempt has found a node without ado; the last of the numbers counts those bound.

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
            self._decided += tried

    def begin(self) -> int:
        """A new attempt begins; when it did, for `read` to be compared with."""
        self.attempts += 1
        return self.read_ns()

    def read_ns(self) -> int:
        """What the stopwatch shows."""
        return self.clock.now_ns if self._stopwatch is None else self._stopwatch()

    def ran(self, point: str, status: Status, profile: str) -> None:
        """All plugins of an extension point have run, with this outcome."""
        code = _SUCCESS if status is SUCCESS else status.code.value
        if self._stopwatch is None:
            # NOTE: a dozen observations of nothing for each attempt are worth saving up
            # (benchmarks/scheduler.py).
            self._silent[point, code, profile] += 1
            return
        spent_ns = self._spent_ns.pop(point, 0)
        self.metrics.point_duration.of(point, code, profile).observe(spent_ns * _NS)

    def decided(self, started_ns: int, evaluated: int) -> None:
        """An attempt has found a node, or that none of those that it looked at will do."""
        del evaluated
        if self._stopwatch is None:
            self._decided += 1
        else:
            self.metrics.decided(self.read_ns() - started_ns)

    def attempted(self, result: str, profile: str, started_ns: int) -> None:
        """An attempt came to its end."""
        spent_ns = self.read_ns() - started_ns
        if spent_ns:
            self.metrics.attempted(result, profile, spent_ns)
        else:
            self._attempted[result, profile] += 1

    def bound(self, queued: QueuedPod) -> None:
        """A pod got its node."""
        first_ns = queued.first_attempt_ns
        waited_ns = 0 if first_ns is None else self.clock.now_ns - first_ns
        if waited_ns or queued.attempts > 1:
            self.metrics.bound(queued.attempts, waited_ns)
        else:
            self._bound += 1

    def settle(self) -> None:
        """Hand over to the metrics what was saved up."""
        self._settle_placed()
        metrics = self.metrics
        for labels, count in self._silent.items():
            metrics.point_duration.of(*labels).observe(0.0, count)
        for (result, profile), count in self._attempted.items():
            metrics.attempted(result, profile, 0, count)
        metrics.decided(0, self._decided)
        metrics.bound(1, 0, self._bound)
        self._silent.clear()
        self._attempted.clear()
        self._decided = self._bound = 0

    def timed(self, point: str, plugin: str, method: Callable[..., Any], *args: Any) -> Any:
        """Call a plugin and note how long that took."""
        started_ns = self.read_ns()
        answer = method(*args)
        spent_ns = self.read_ns() - started_ns
        whole = _PART_OF.get(point, point)
        self._spent_ns[whole] = self._spent_ns.get(whole, 0) + spent_ns
        if self.attempts % _SAMPLED == 0:
            sampled = self.metrics.plugin_duration.of(plugin, point, _status(answer))
            sampled.observe(spent_ns * _NS)
        return answer


def _status(answer: Any) -> str:
    """The code in a plugin's answer; one that has none has succeeded."""
    for part in answer if isinstance(answer, tuple) else (answer,):
        if isinstance(part, Status):
            return part.code.value
    return _SUCCESS
