"""The contract of a measurement, and what it is given to work with."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

import msgspec

from kubestage.errors import InputError
from kubestage.measure.outcome import NOTHING, Later, Outcome, Result
from kubestage.measure.params import Params

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from kubestage.cluster.access import Cluster, Timer
    from kubestage.measure.facilities import Facilities


P = TypeVar("P", bound=Params)


class Measurement(Generic[P]):
    """Something that is measured: begun with `start`, told of with `gather`.

    One instance lives for a whole test and is known by its method and identifier. A subclass
    names its `Params` and answers with an `Outcome`, or with a `Later` if it has to wait. What
    other actions there are is for `perform` to say; the default knows ``start`` and ``gather``.
    """

    params_type: ClassVar[type[Params]] = Params

    def __init__(self, context: Context) -> None:
        self.context = context
        self.cluster: Cluster = context.cluster

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
        raise InputError(
            f"unknown action {params.action!r}", path="params.action", fix="use start or gather"
        )

    def start(self, params: P) -> Result:
        """Begin to measure."""
        del params
        return NOTHING

    def gather(self, params: P) -> Result:
        """Say what was measured."""
        raise NotImplementedError

    def dispose(self) -> None:
        """The test is over: let go of watches and timers."""

    def wait(
        self,
        until: Callable[[], bool],
        then: Callable[[bool], Outcome],
        *,
        every_ns: int,
        timeout_ns: int,
    ) -> Later:
        """Ask again and again, at once first; `then` is told whether it came true in time."""
        return Wait(self.cluster, until, then, every_ns, timeout_ns).later


class Wait:
    """A question that is asked until it comes true, or for long enough."""

    def __init__(
        self,
        cluster: Cluster,
        until: Callable[[], bool],
        then: Callable[[bool], Outcome],
        every_ns: int,
        timeout_ns: int,
    ) -> None:
        self.later = Later()
        self._moments = cluster.moments
        self._until = until
        self._then = then
        self._every_ns = every_ns
        self._end_ns = self._moments.now_ns + timeout_ns
        self._timer: Timer | None = None
        self._ask()

    def _ask(self) -> None:
        if self._until():
            self.later.resolve(self._then(True))
        elif self._moments.now_ns >= self._end_ns:
            self.later.resolve(self._then(False))
        else:
            next_ns = min(self._moments.now_ns + self._every_ns, self._end_ns)
            self._timer = self._moments.at(next_ns, self._ask)


class Context(msgspec.Struct, frozen=True):
    """What a measurement is given: the cluster, chance of its own, and what the run offers."""

    method: str
    identifier: str
    cluster: Cluster
    random: random.Random
    facilities: Facilities
