"""Actions of one phase in progress: started by a schedule, a shared limit, or one after another.

Instants are absolute (start plus offset): an action that is late starts at once; nothing drifts.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.cluster.access import Moments, Timer
    from kubestage.clusterloader.tuning.schedules import ActionSchedule
    from kubestage.golang.rate import Limiter

Action = Callable[[Callable[[], None]], None]
"""Something to start; it calls its argument when it is done."""


class Execution(abc.ABC):
    """The common part: what is in progress, and when it is over.

    A subclass begins actions from `_advance`, which is called at the start and may call itself
    again through the moments; it sets `_is_scheduled` to False when it has no more to begin.
    """

    def __init__(
        self, moments: Moments, actions: Sequence[Action], finished: Callable[[], None]
    ) -> None:
        self._moments = moments
        self._actions = actions
        self._finished = finished
        self._start_ns = 0
        self._under_way = 0
        self._is_scheduled = True
        self._is_over = False
        self._timer: Timer | None = None

    def start(self, at_ns: int) -> None:
        """Begin at a time."""
        self._start_ns = at_ns
        self._wake(at_ns)

    def stop(self) -> None:
        """Begin no more; it is over when those under way are done."""
        if self._is_scheduled:
            self._is_scheduled = False
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._moments.at(self._moments.now_ns, self._end)

    @abc.abstractmethod
    def _advance(self) -> None:
        """Begin what is due, and see to it that the rest is."""

    def _wake(self, at_ns: int) -> None:
        self._timer = self._moments.at(at_ns, self._advance)

    def _begin(self, index: int) -> None:
        self._under_way += 1
        self._actions[index](self._done)

    def _done(self) -> None:
        assert self._under_way, "an action is done once"
        self._under_way -= 1
        self._end()

    def _end(self) -> None:
        if not self._is_scheduled and not self._under_way and not self._is_over:
            self._is_over = True
            self._finished()


class Scheduled(Execution):
    """Open loop: actions begin when the schedule says so, whatever became of those before."""

    def __init__(
        self,
        moments: Moments,
        actions: Sequence[Action],
        finished: Callable[[], None],
        schedule: ActionSchedule,
    ) -> None:
        super().__init__(moments, actions, finished)
        self._schedule = schedule
        self._next = schedule.next()

    def _advance(self) -> None:
        while self._is_scheduled:
            due = self._next
            offset_ns = self._schedule.end_ns if due is None else due[0]
            at_ns = self._start_ns + offset_ns
            if at_ns > self._moments.now_ns:
                self._wake(at_ns)
                return
            if due is None:
                self._is_scheduled = False
                self._end()
                return
            self._next = self._schedule.next()
            self._begin(due[1])


class Limited(Execution):
    """Open loop behind a limit that other phases share.

    The next one asks for its turn when the one before it has started.
    """

    def __init__(
        self,
        moments: Moments,
        actions: Sequence[Action],
        finished: Callable[[], None],
        bucket: Limiter,
    ) -> None:
        super().__init__(moments, actions, finished)
        self._bucket = bucket
        self._index = 0
        self._due_ns: int | None = None

    def _advance(self) -> None:
        while self._is_scheduled:
            if self._index == len(self._actions):
                self._is_scheduled = False
                self._end()
                return
            now_ns = self._moments.now_ns
            if self._due_ns is None:
                self._due_ns = self._bucket.reserve(now_ns)
            if self._due_ns > now_ns:
                self._wake(self._due_ns)
                return
            self._due_ns = None
            self._index += 1
            self._begin(self._index - 1)


class Closed(Execution):
    """Closed loop: so many are under way at once, and the next begins when one is done."""

    def __init__(
        self,
        moments: Moments,
        actions: Sequence[Action],
        finished: Callable[[], None],
        limit: int,
    ) -> None:
        super().__init__(moments, actions, finished)
        self._limit = limit
        self._index = 0
        self._is_beginning = False

    def _advance(self) -> None:
        # An action may be done from within its beginning: then the loop that is at it goes on.
        if self._is_beginning:
            return
        self._is_beginning = True
        while self._is_scheduled and self._under_way < self._limit:
            if self._index == len(self._actions):
                self._is_scheduled = False
                break
            self._index += 1
            self._begin(self._index - 1)
        self._is_beginning = False
        self._end()

    def _done(self) -> None:
        assert self._under_way, "an action is done once"
        self._under_way -= 1
        self._advance()
