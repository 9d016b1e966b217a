"""The contract of a measurement, and what it can use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import msgspec

from kubestage.errors import InputError
from kubestage.measure.params import Params
from kubestage.measure.results import NOTHING, MeasurementResult, PendingResult, Result

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from kubestage.cluster.access import Cluster, Timer
    from kubestage.measure.facilities import Facilities
    from kubestage.measure.registry import Registry


P = TypeVar("P", bound=Params)
S = TypeVar("S", bound="Sharable")


class Measurement(Generic[P]):
    """Something that is measured: started with `start`, reported by `gather`.

    One instance lives for a whole test and is known by its method and identifier. A subclass
    names its `Params` and returns a `MeasurementResult`, or a `PendingResult` if it has to wait.
    `perform` may know other actions; the default knows ``start`` and ``gather``.
    """

    params_type: ClassVar[type[Params]] = Params
    actions: ClassVar[tuple[str, ...]] = ()
    """The actions of a class with its own `perform`; empty if it may know any."""
    needs_start: ClassVar[bool] = False
    """Whether an ending without a ``start`` before it fails, or measures something else."""
    ends: ClassVar[tuple[str, ...]] = ("gather",)
    """The actions that end what ``start`` began."""
    is_restarted: ClassVar[bool] = False
    """Whether it has to be started again before it can end a second time."""

    @classmethod
    def inner_mentions(cls, params: Params) -> list[tuple[str, dict[str, Any]]]:
        """The methods that are performed for these parameters with their own, if others are."""
        del params
        return []

    @classmethod
    def unknown_parameters(cls, params: Params, registry: Registry) -> list[str]:
        """Warnings about parameters that none of the other methods knows."""
        del params, registry
        return []

    def __init__(self, context: Context) -> None:
        self.context = context
        self.cluster: Cluster = context.cluster
        self._waits: list[Wait] = []

    @property
    def now_ns(self) -> int:
        """The time."""
        return self.cluster.moments.now_ns

    def perform(self, params: P) -> Result:
        """Do what `params.action` says."""
        if params.action == "start":
            return self.start(params)
        if params.action == "gather":
            return self.gather(params)
        raise unknown_action(params.action, "start", "gather")

    def start(self, params: P) -> Result:
        """Begin to measure."""
        del params
        return NOTHING

    def gather(self, params: P) -> Result:
        """Report what was measured; the default does not know this action."""
        raise unknown_action(params.action, "start")

    def dispose(self) -> None:
        """The test is over: let go of watches and timers."""

    def end(self) -> None:
        """Dispose, and cancel all waits."""
        self.dispose()
        for wait in self._waits:
            wait.cancel()
        self._waits.clear()

    def wait(
        self,
        until: Callable[[], bool],
        then: Callable[[bool], MeasurementResult],
        *,
        every_ns: int,
        timeout_ns: int,
        at_once: bool = True,
        at_end: bool = True,
    ) -> PendingResult:
        """Check a condition repeatedly; `then` receives whether it became true in time.

        The first check is now, unless `at_once` is False; the last one when the time is up, unless
        `at_end` is False.
        """
        wait = Wait(self.cluster, until, then, every_ns, timeout_ns, at_end=at_end)
        self._waits = [each for each in self._waits if not each.pending.is_resolved]
        self._waits.append(wait)
        wait.begin(at_once=at_once)
        return wait.pending


def known_actions(kind: type[Measurement[Any]]) -> tuple[str, ...]:
    """The actions that a measurement knows; empty if that is not known."""
    if kind.actions or kind.perform is not Measurement.perform:
        return kind.actions
    return ("start",) if kind.gather is Measurement.gather else ("start", "gather")


def unknown_action(action: str, *known: str) -> InputError:
    """The error about an action that a measurement does not know."""
    problem = f"unknown action {action!r}" if action else "no action"
    names = ", ".join(known[:-1]) + f" or {known[-1]}" if len(known) > 1 else known[0]
    return InputError(problem, path="params.action", fix=f"use {names}")


class Wait:
    """A condition that is checked until it is true, or until a timeout."""

    def __init__(
        self,
        cluster: Cluster,
        until: Callable[[], bool],
        then: Callable[[bool], MeasurementResult],
        every_ns: int,
        timeout_ns: int,
        *,
        at_end: bool = True,
    ) -> None:
        self.pending = PendingResult()
        self._moments = cluster.moments
        self._until = until
        self._then = then
        # Without a pause virtual time would never go on.
        self._every_ns = max(every_ns, 1_000_000)
        self._end_ns = self._moments.now_ns + timeout_ns
        self._at_end = at_end
        self._timer: Timer | None = None

    def begin(self, *, at_once: bool = True) -> None:
        """Check for the first time, now or after a pause."""
        if at_once:
            self._check()
        else:
            self._pause()

    def cancel(self) -> None:
        """Stop requesting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        self._timer = None
        is_over = self._moments.now_ns >= self._end_ns
        if (self._at_end or not is_over) and self._until():
            self.pending.resolve(self._then(True))
        elif is_over:
            self.pending.resolve(self._then(False))
        else:
            self._pause()

    def _pause(self) -> None:
        next_ns = min(self._moments.now_ns + self._every_ns, self._end_ns)
        self._timer = self._moments.at(next_ns, self._check)


class Sharable(Protocol):
    """What several measurements of one test use together, such as a watch on all pods.

    It is created with the cluster as its only argument.
    """

    def dispose(self) -> None:
        """The test is over."""


class Shared:
    """What the measurements of one test share; created at its first use."""

    def __init__(self) -> None:
        self._objects: dict[type[Any], Sharable] = {}

    def get(self, kind: type[S], cluster: Cluster) -> S:
        """The one object of a class that all measurements of the test share."""
        found = self._objects.get(kind)
        if found is None:
            make: Any = kind
            found = self._objects[kind] = make(cluster)
        assert isinstance(found, kind)
        return found

    def dispose(self) -> None:
        """The test is over."""
        for each in self._objects.values():
            each.dispose()
        self._objects.clear()


class Context(msgspec.Struct, frozen=True):
    """What a measurement can use: the cluster, a random stream, and what the run offers.

    `registry` has other measurements, for those that consist of several. `shared` is what the
    measurements of a test share; by default a measurement is on its own.
    """

    method: str
    identifier: str
    cluster: Cluster
    random: random.Random
    facilities: Facilities
    registry: Registry | None = None
    shared: Shared = msgspec.field(default_factory=Shared)

    def share(self, kind: type[S]) -> S:
        """The object of a class that the measurements of this test use together."""
        return self.shared.get(kind, self.cluster)
