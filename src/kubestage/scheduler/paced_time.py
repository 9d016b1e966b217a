"""Time as a paced scheduler spends it: drawn from the distributions of its pacing."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import InputError
from kubestage.objects import distributions
from kubestage.scheduler import config
from kubestage.scheduler.metrics import SCHEDULED
from kubestage.scheduler.pacing import SHARES
from kubestage.scheduler.timing import Timekeeper
from kubestage.scheduler.timings import MODELLED, Timings

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping

    from kubestage.scheduler.metrics import SchedulerMetrics
    from kubestage.scheduler.pacing import SchedulerPacing
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.status import Status
    from kubestage.sim.clock import Clock
    from kubestage.sim.environment import Environment
    from kubestage.sim.streams import Streams

_NS: Final = 1e-9
_SHARES: Final = {"PreFilter": 0.05, "Filter": 0.5, "PreScore": 0.05, "Score": 0.3}
"""What part of an attempt is spent where; taking stock of the nodes is the rest.

Where nothing is scored, filtering takes that part too.
"""
_PLUGINS: Final = {
    "PreFilter": "pre_filter",
    "Filter": "filter",
    "PreScore": "pre_score",
    "Score": "score",
    "Bind": "bind",
}
_SAMPLED: Final = 10
"""Where no timings are kept, one attempt in so many has its plugins observed, as upstream does."""


class Timing(NamedTuple):
    """How the durations of a scheduler come about: see `Scheduler`."""

    stopwatch: Callable[[], int] | None
    pacing: SchedulerPacing | None
    model: SchedulerPacing | None
    keeps_timings: bool

    @property
    def active_pacing(self) -> SchedulerPacing | None:
        """The pacing, if anything takes virtual time by it."""
        return None if self.pacing is None or self.pacing.is_instant else self.pacing

    @property
    def is_paced(self) -> bool:
        """Whether what it does takes virtual time."""
        return self.active_pacing is not None

    def check(self, environment: Environment | None) -> None:
        """Raise an error if time has to pass and nothing lets it pass."""
        if self.is_paced and environment is None:
            raise InputError(
                "a scheduler that is not driven by time cannot be paced",
                path="pacing",
                fix="hand in an environment, or leave it out",
            )


@functools.cache
def _usual_shares(point: str) -> float:
    """The shares that the default plugins of an extension point have together."""
    name = point[0].lower() + point[1:]
    (profile,) = config.complete(config.default()).profiles
    return sum(SHARES.get(plugin, 1.0) for plugin in profile.points[name])


class PacedTimekeeper(Timekeeper):
    """Has attempts take time, one after another.

    A drawn time is that of the default plugins, which divide it among themselves by their shares.
    Where a profile has fewer plugins, more of them, or such that have larger shares, an attempt
    takes less time or more. With `keeps_timings` the durations are stored as timings, too.
    """

    is_paced = True

    def __init__(
        self,
        metrics: SchedulerMetrics,
        clock: Clock,
        pacing: SchedulerPacing,
        stream: random.Random,
        *,
        keeps_timings: bool = False,
    ) -> None:
        super().__init__(metrics, clock, None)
        self.timings = Timings(MODELLED) if keeps_timings else None
        self._stream = stream
        self._attempt = distributions.parse(pacing.attempt)
        self._per_node = distributions.parse(pacing.attempt_per_node)
        self._shares = pacing.plugins
        self._parts: dict[tuple[str, str], list[tuple[str, float]]] = {}
        self._scales: dict[tuple[str, str], float] = {}
        self._ran: list[tuple[str, str, str]] = []
        self._spent_on_last_ns = 0

    def know(self, profiles: Mapping[str, Profile]) -> None:
        """Divide extension points among the plugins of these profiles."""
        for name, profile in profiles.items():
            for point, attribute in _PLUGINS.items():
                shares = {
                    plugin.name: self._shares.get(plugin.name, 1.0)
                    for plugin in getattr(profile, attribute)
                }
                whole = sum(shares.values())
                self._parts[name, point] = [
                    (each, own / (whole or 1.0)) for each, own in shares.items()
                ]
                self._scales[name, point] = whole / _usual_shares(point)

    def ran_to_the_end(self, profile: str, *, is_scored: bool) -> None:
        """All points up to the choice of a node have run."""
        for point in _SHARES if is_scored else ("PreFilter", "Filter"):
            self._ran.append((point, "Success", profile))

    def ran(self, point: str, status: Status, profile: str) -> None:
        """An extension point has run; those of the search share its time when it is over."""
        if point in _SHARES:
            self._ran.append((point, status.code.value, profile))
        elif point == "Bind":
            self._divide(point, status.code.value, profile, self.binding_ns)
        else:
            super().ran(point, status, profile)

    def decided(self, started_ns: int, evaluated: int, profile: str) -> None:
        """An attempt ends that evaluated so many nodes; the next one waits until then."""
        spent_ns = self._attempt.sample_ns(self._stream)
        if self._per_node.first or self._per_node.second:
            spent_ns += round(self._per_node.sample(self._stream) * evaluated)
        drawn_ns, is_scored = spent_ns, any(point == "Score" for point, _, _ in self._ran)
        parts = []
        for point, code, name in self._ran:
            share = _SHARES[point]
            if point == "Filter" and not is_scored:
                share += _SHARES["PreScore"] + _SHARES["Score"]
            scale = self._scales.get((name, point), 1.0)
            spent_ns += round(drawn_ns * share * (scale - 1))
            parts.append((point, code, name, drawn_ns * share * scale))
        self._ran.clear()
        self._spend(started_ns, spent_ns)
        self._spent_on_last_ns = spent_ns
        self._has_decided(profile, spent_ns)
        for part in parts:
            self._divide(*part)

    def attempted(self, result: str, profile: str, started_ns: int) -> None:
        """An attempt came to its end; one that failed took as long as the search did."""
        spent_ns = self.clock.now_ns - started_ns
        if result != SCHEDULED:
            spent_ns = spent_ns or self._spent_on_last_ns
        self._has_attempted(result, profile, spent_ns)

    def _spend(self, started_ns: int, spent_ns: int) -> None:
        self.free_ns = max(self.free_ns, started_ns) + spent_ns

    def _divide(self, point: str, code: str, profile: str, spent_ns: float) -> None:
        """An extension point has taken so long; what its plugins took of that."""
        if self.timings is not None or self.attempts % _SAMPLED == 1:
            for plugin, share in self._parts.get((profile, point), ()):
                own_ns = spent_ns * share
                self.metrics.plugin_duration.distribution(plugin, point, code).observe(own_ns * _NS)
                if self.timings is not None:
                    self._spent_by.setdefault(point, {})[plugin] = round(own_ns)
        self._observe(point, code, profile, spent_ns)


class ModelledTimekeeper(PacedTimekeeper):
    """Records how long attempts would have taken; no virtual time passes.

    For a scheduler whose attempts belong to one instant, as those of a Scenario's step do: what
    it decides is the same with and without a model.
    """

    def __init__(
        self,
        metrics: SchedulerMetrics,
        clock: Clock,
        pacing: SchedulerPacing,
        stream: random.Random,
    ) -> None:
        super().__init__(metrics, clock, pacing, stream, keeps_timings=True)
        self._binding = distributions.parse(pacing.binding)

    def ran(self, point: str, status: Status, profile: str) -> None:
        """An extension point has run; a binding takes as long as its call would."""
        if point == "Bind":
            self.binding_ns = self._binding.sample_ns(self._stream)
        super().ran(point, status, profile)

    def attempted(self, result: str, profile: str, started_ns: int) -> None:
        """An attempt came to its end: the search, and the binding if it came to that."""
        del started_ns
        spent_ns = self._spent_on_last_ns
        if result == SCHEDULED:
            spent_ns += self.binding_ns
        self._has_attempted(result, profile, spent_ns)

    def _spend(self, started_ns: int, spent_ns: int) -> None:
        """No time passes."""


def timekeeper(
    metrics: SchedulerMetrics, clock: Clock, timing: Timing, streams: Streams
) -> Timekeeper:
    """The timekeeper of a scheduler: measuring, pacing or modelling."""
    if timing.active_pacing is not None:
        stream, keeps_timings = streams.stream("scheduler/attempts"), timing.keeps_timings
        return PacedTimekeeper(
            metrics, clock, timing.active_pacing, stream, keeps_timings=keeps_timings
        )
    if timing.model is not None:
        stream = streams.stream("scheduler/attempts")
        return ModelledTimekeeper(metrics, clock, timing.model, stream)
    return Timekeeper(metrics, clock, timing.stopwatch)
