"""Bindings that take time: calls that wait for the client's limit and then for their answer."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from kubestage.objects import distributions
from kubestage.sim.rate import Rate

if TYPE_CHECKING:
    import random

    from kubestage.scheduler.binding_cycle import Placement
    from kubestage.scheduler.pacing import SchedulerPacing


class BindingsUnderWay:
    """Placements in the order in which their calls are done.

    Calls are sent in the order in which they were asked for, at the rate of the client.
    """

    def __init__(self, pacing: SchedulerPacing, stream: random.Random) -> None:
        self._law = distributions.parse(pacing.binding)
        self._stream = stream
        qps, burst = pacing.client_qps, pacing.client_burst
        self._rate = Rate(qps, burst) if qps else None
        self._calls: list[tuple[int, int, int, Placement]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._calls)

    @property
    def due_ns(self) -> int | None:
        """When the next call is done."""
        return self._calls[0][0] if self._calls else None

    def send(self, placement: Placement, at_ns: int) -> None:
        """Have a pod bound by a call that is made at a time."""
        sent_ns = self.charge(at_ns)
        done_ns = sent_ns + self._law.sample_ns(self._stream)
        self._count += 1
        heappush(self._calls, (done_ns, self._count, at_ns, placement))

    def charge(self, at_ns: int) -> int:
        """Make a call that nobody waits for; when it is sent."""
        return at_ns if self._rate is None else self._rate.take(at_ns)

    def pop_done(self, now_ns: int) -> tuple[Placement, int] | None:
        """A placement whose call is done, and how long that took; None if there is none."""
        if not self._calls or self._calls[0][0] > now_ns:
            return None
        done_ns, _, at_ns, placement = heappop(self._calls)
        return placement, done_ns - at_ns
