"""The wall clock beside virtual time: how far a clock that jumps has to keep up, and with whom.

kubectl works out some ages itself, from the wall clock (`describe`, `events`). They make sense if
virtual time is never far from it. So a clock that jumps keeps up with the wall clock while a client
is there: whenever a request comes, and all the time that a watch is open. It may run ahead, since
it jumps to work that is under way; it stays `LAG_NS` behind otherwise, which is what pods take to
come up, so that what has just happened does not lie in the future. Without clients, no time passes.

A clock that passes in real time is the wall clock's: the time that a server takes to start, and
that a busy machine loses, is made good at once.

A stage that begins at a moment of its own has nothing to keep up with. Time goes on there while
a client watches and something repeats without end: an autoscaler, a CronJob, Traffic.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.server.fanout import Fanout
    from kubestage.sim.clock import Clock
    from kubestage.stage import Stage

LAG_NS: Final = 15 * SECOND_NS
"""How far behind the wall clock virtual time is while nothing is under way."""

# A clock that is ahead passes this fast until the wall clock has caught up.
_AHEAD_SPEED: Final = 0.5
# Clients that poll do so at least this often.
_POLL_NS: Final = 10 * SECOND_NS
# Smaller steps are not worth it for a request.
_STEP_NS: Final = SECOND_NS // 10
# To keep up takes no longer than this in real time; what is left then is never made good.
_PATIENCE_S: Final = 10.0
_ENDLESS: Final = (
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"),
    ("batch/v1", "CronJob"),
    ("kubestage.dev/v1alpha1", "Traffic"),
)


class WallClock:
    """Where virtual time should be by the wall clock; `read` returns that in nanoseconds."""

    def __init__(self, clock: Clock, read: Callable[[], int] = time.time_ns) -> None:
        self._clock = clock
        self._read = read
        self._waived_ns = 0
        self._polled_at_ns = read()
        self._behind_since_s: float | None = None

    def due_ns(self, lag_ns: int = LAG_NS) -> int:
        """The moment, since time zero, that virtual time must have reached by now."""
        return self._read() - lag_ns - self._clock.epoch_ns - self._waived_ns

    def requested_ns(self) -> int:
        """The same for a request that has come: the clock's own now if that is near enough."""
        due_ns, now_ns = self.due_ns(), self._clock.now_ns
        return due_ns if due_ns >= now_ns + _STEP_NS else now_ns

    def polled_ns(self) -> int:
        """The same for a client that may poll: a clock that is ahead of the wall goes on slowly."""
        wall_ns = self._read()
        passed_ns, self._polled_at_ns = wall_ns - self._polled_at_ns, wall_ns
        if self.ahead_ns() <= 0 or passed_ns <= 0:
            return self.requested_ns()
        return self._clock.now_ns + int(min(passed_ns, _POLL_NS) * _AHEAD_SPEED)

    def ahead_ns(self) -> int:
        """How far virtual time is ahead of the wall clock; below 0, how far behind."""
        return self._clock.unix_ns - self._read()

    def speed(self, lag_ns: int = LAG_NS) -> float:
        """How fast time passes by itself; slowly while it is ahead."""
        return 1.0 if self._clock.now_ns <= self.due_ns(lag_ns) + _STEP_NS else _AHEAD_SPEED

    def kept_up(self) -> None:
        """Virtual time is where it has to be."""
        self._behind_since_s = None

    def fell_behind(self, lag_ns: int = LAG_NS) -> bool:
        """Virtual time is not where it has to be yet; whether it has taken too long to get there.

        Then virtual time stays so far behind, rather than keeping the machine busy for hours.
        """
        now_s = time.perf_counter()
        if self._behind_since_s is None:
            self._behind_since_s = now_s
        if now_s - self._behind_since_s < _PATIENCE_S:
            return False
        self._waived_ns += max(self.due_ns(lag_ns) - self._clock.now_ns, 0)
        self.kept_up()
        return True


class WatchingClients:
    """Whether time goes on because a client watches."""

    def __init__(self, stage: Stage, fanout: Fanout, wall: WallClock | None) -> None:
        self._store = stage.store
        self._fanout = fanout
        self._wall = wall

    @property
    def is_there(self) -> bool:
        """Whether a client watches, so that time has to go on."""
        if not self._fanout.watchers:
            return False
        return self._wall is not None or self.has_endless_work

    @property
    def has_endless_work(self) -> bool:
        """Whether there is something that repeats without end."""
        return any(self._store.read(each) for each in _ENDLESS)

    @property
    def speed(self) -> float:
        """How fast time passes for them."""
        return 1.0 if self._wall is None else self._wall.speed()
