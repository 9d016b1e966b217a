"""The client of one program: its calls go to the modelled control plane until its pod ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from kubestage.cluster.access import Resource
from kubestage.errors import TooManyRequests, Unmodelled
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from kubestage.cluster.access import Answer, Call, Page, Selection, WatchEvent
    from kubestage.cluster.callers import Caller
    from kubestage.cluster.staged import StagedCluster
    from kubestage.cluster.subscription import StageSubscription

T = TypeVar("T")
# How often Kubernetes' library repeats a call that the server refuses for the moment.
_REPEATS: Final = 10


class ProgramClient:
    """Calls, watches and callbacks of one program, in virtual time.

    `caller` is the service account of the pod: its calls have the priority level of such.

    It has no limit of its own: a program that limits its calls does so itself. Once its pod has
    ended, nothing is sent and nothing is called back. `rng` is the only randomness that a program
    may use; it depends on the seed and the pod.
    """

    def __init__(
        self,
        cluster: StagedCluster,
        caller: Caller,
        rng: random.Random,
        on_failure: Callable[[str], None],
    ) -> None:
        self.rng = rng
        self._caller = caller
        self.is_stopped = False
        self._cluster = cluster
        self._on_failure = on_failure
        self._watches: list[StageSubscription] = []

    @property
    def now_ns(self) -> int:
        """Nanoseconds since the stage started."""
        return self._cluster.moments.now_ns

    @property
    def unix_ns(self) -> int:
        """Now as nanoseconds since 1970-01-01T00:00:00Z."""
        return self._cluster.moments.unix_ns

    def at(self, at_ns: int, callback: Callable[[], None]) -> None:
        """Call back at a time; never from within this method."""

        def due() -> None:
            if not self.is_stopped:
                callback()

        self._cluster.moments.at(at_ns, due)

    def after(self, delay_ns: int, callback: Callable[[], None]) -> None:
        """Call back after some time."""
        self.at(self.now_ns + delay_ns, callback)

    def call(self, call: Call, done: Callable[[Answer], None] | None = None) -> None:
        """Make a call; `done` receives the answer, or the error in it."""
        if not self.is_stopped:
            self._cluster.call(call, self._guarded(done), self._caller)

    def repeat(self, call: Call, times: int = _REPEATS) -> None:
        """Make a call; again, ten times at most, while the server asks to try it later."""

        def done(answer: Answer) -> None:
            if isinstance(answer.error, TooManyRequests) and times:
                seconds = answer.error.details.get("retryAfterSeconds", 1)
                self.after(seconds * SECOND_NS, lambda: self.repeat(call, times - 1))

        self.call(call, done)

    def raw(self, path: str, done: Callable[[Page], None] | None = None) -> None:
        """GET a path that is not a resource, as ``/readyz``."""
        if not self.is_stopped:
            self._cluster.raw(path, self._guarded(done))

    def watch(
        self,
        selection: Selection,
        on_event: Callable[[WatchEvent], None] | None = None,
        *,
        is_streamed: bool = False,
    ) -> StageSubscription:
        """Watch objects: a LIST and a WATCH, or one WATCH that also brings what exists.

        It ends with the pod, or when the subscription is stopped.
        """
        self._watches = [each for each in self._watches if not each.is_stopped]
        opened = self._cluster.watch(
            selection, self._guarded(on_event), is_streamed=is_streamed, caller=self._caller
        )
        self._watches.append(opened)
        if self.is_stopped:
            opened.stop()
        return opened

    def resource(self, api_version: str, plural: str) -> Resource:
        """The kind behind a name as in paths: ``v1``, ``pods``; Unmodelled if there is none."""
        group, _, version = api_version.rpartition("/")
        row = self._cluster.store.kinds.by_plural(group, version, plural)
        if row is None:
            raise Unmodelled(f'the cluster has no resource "{plural}" in "{api_version}"')
        return Resource(row.api_version, row.kind)

    def fail(self, problem: str) -> None:
        """End the program with an error, which becomes a warning of the load."""
        if not self.is_stopped:
            self.stop()
            self._on_failure(problem)

    def stop(self) -> None:
        """End all watches, and be silent from now on."""
        self.is_stopped = True
        for each in self._watches:
            each.stop()
        self._watches.clear()

    def _guarded(self, done: Callable[[T], None] | None) -> Callable[[T], None]:
        def received(answer: T) -> None:
            if done is not None and not self.is_stopped:
                done(answer)

        return received
