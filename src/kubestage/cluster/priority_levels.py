"""The levels of API Priority and Fairness: who has how many seats, and who borrows from whom.

The seats of the server are divided among the levels by their shares. Every ten seconds a level
lends some of those that it does not need, and the others get more by what they needed lately.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.cluster.queued_calls import QueuedCalls, Queuing
from kubestage.cluster.refused_calls import RefusedCalls
from kubestage.cluster.seat_demand import SeatDemand
from kubestage.cluster.seats import Seats, Unlimited
from kubestage.metrics.families import Counter, Gauge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.metrics.families import Family

EXEMPT, SYSTEM, NODE_HIGH = "exempt", "system", "node-high"
LEADER_ELECTION, WORKLOAD_HIGH = "leader-election", "workload-high"
WORKLOAD_LOW, GLOBAL_DEFAULT, CATCH_ALL = "workload-low", "global-default", "catch-all"
PERIOD_NS: Final = 10_000_000_000
"""How often seats are borrowed and given back."""
_LEAST_TARGET: Final = 0.001
_HALVINGS: Final = 64


_NODES: Final = Queuing(64, 6, 50)
_ELECTIONS: Final = Queuing(16, 4, 50)
_OTHERS: Final = Queuing(128, 6, 50)
_WIDEST: Final = 10
_WIDEST_SHARE: Final = 0.15


class Shares(NamedTuple):
    """The share of a level in the seats, how much of it others may borrow, in percent, its queues.

    Without queues a call that finds no seat is refused.
    """

    shares: int
    lendable: int
    queuing: Queuing | None = None


LEVELS: Final = {
    EXEMPT: Shares(0, 0),
    CATCH_ALL: Shares(5, 0),
    SYSTEM: Shares(30, 33, _NODES),
    NODE_HIGH: Shares(40, 25, _NODES),
    LEADER_ELECTION: Shares(10, 0, _ELECTIONS),
    WORKLOAD_HIGH: Shares(40, 50, _OTHERS),
    WORKLOAD_LOW: Shares(100, 90, _OTHERS),
    GLOBAL_DEFAULT: Shares(20, 50, _OTHERS),
}
"""The levels that a kube-apiserver has by default. Calls of the first never wait."""


class Level:
    """One level: its seats, its demand, and its limits.

    `nominal` is its part of the server's seats, `least` what is left when all that it may lend is
    lent, and `widest` how many of them one call may take.
    """

    __slots__ = (
        "demand",
        "dispatched",
        "is_exempt",
        "least",
        "name",
        "nominal",
        "queued",
        "refused",
        "seats",
        "widest",
    )

    def __init__(self, name: str, nominal: int, most_queued: int) -> None:
        _, lendable, queuing = LEVELS[name]
        self.name = name
        self.is_exempt = name == EXEMPT
        self.nominal = nominal
        self.least = nominal - math.floor(nominal * lendable / 100 + 0.5)
        self.widest = _WIDEST
        self.queued: QueuedCalls | None = None
        if queuing is not None:
            of_level = queuing.queues * queuing.length
            most_queued = min(most_queued or of_level, of_level)
            share = min(math.ceil(nominal * _WIDEST_SHARE), nominal // queuing.hand_size)
            self.widest = min(max(share, 1), _WIDEST)
            self.queued = QueuedCalls(queuing)
        self.seats = Unlimited() if self.is_exempt else Seats(nominal, most_queued)
        self.demand = SeatDemand()
        self.dispatched = 0
        self.refused = RefusedCalls()

    def takes(self, flow: str, now_ns: int, width: int) -> bool:
        """Whether a call that arrives now is served or queued, rather than refused at once.

        The queues of one flow are shorter than those of the level; a call without one counts for
        the level alone.
        """
        if self.seats.is_full(now_ns):
            return False
        if self.queued is None:
            return self.seats.due_ns(width) <= now_ns
        return not (flow and self.queued.is_full(flow, now_ns))

    def queue(self, flow: str, until_ns: int) -> None:
        """A call is queued until then."""
        if flow and self.queued is not None:
            self.queued.add(flow, until_ns)


class PriorityLevels:
    """All levels of a server with so many seats."""

    def __init__(self, seats: int, most_queued: int = 0) -> None:
        whole = sum(each.shares for each in LEVELS.values())
        self._server = seats
        self.due_ns = PERIOD_NS
        self.by_name = {
            name: Level(name, math.ceil(seats * each.shares / whole), most_queued)
            for name, each in LEVELS.items()
        }

        self._nominal = sum(level.nominal for level in self.by_name.values())

    def adjust(self, now_ns: int) -> None:
        """Move seats between levels for every period that is over."""
        while now_ns >= self.due_ns:
            self._borrow(self.due_ns)
            self.due_ns += PERIOD_NS

    def _borrow(self, at_ns: int) -> None:
        left = self._nominal
        limited, needed = [], []
        for level in self.by_name.values():
            most = level.demand.close(at_ns).most
            if level.is_exempt:
                left -= most
            else:
                limited.append(level)
                needed.append(max(level.least, min(level.nominal, most)))
        for level, count in zip(limited, self._allocated(limited, needed, left), strict=True):
            level.seats.resize(math.floor(count + 0.5), at_ns)

    def _allocated(
        self, levels: Sequence[Level], needed: Sequence[int], left: int
    ) -> Sequence[float]:
        """The seats of each level, if exempt calls left so many.

        None has less than its least, nor less than it needed while there are enough. If more are
        left, all are divided, with those of exempt calls: kube-apiserver does so, too.
        """
        least = [level.least for level in levels]
        if left <= sum(least):
            return least
        if left <= sum(needed):
            part = (left - sum(least)) / (sum(needed) - sum(least))
            return [low + (need - low) * part for low, need in zip(least, needed, strict=True)]
        targets = [
            max(need, level.demand.smoothed, _LEAST_TARGET)
            for level, need in zip(levels, needed, strict=True)
        ]
        # Any level may borrow as much as the server has.
        highest = [level.nominal + self._server for level in levels]
        return _fairly(self._nominal, needed, highest, targets)

    def families(self, now_ns: int) -> Iterator[Family]:
        """What the server reports of its levels."""
        self.adjust(now_ns)
        label = ("priority_level",)
        nominal = Gauge(
            "apiserver_flowcontrol_nominal_limit_seats",
            "BETA",
            "Nominal number of execution seats configured for each priority level",
            label,
        )
        current = Gauge(
            "apiserver_flowcontrol_current_limit_seats",
            "ALPHA",
            "current derived number of execution seats available to each priority level",
            label,
        )
        executing = Gauge(
            "apiserver_flowcontrol_current_executing_seats",
            "BETA",
            "Concurrency (number of seats) occupied by the currently executing requests in the API"
            " Priority and Fairness subsystem",
            label,
        )
        queued = Gauge(
            "apiserver_flowcontrol_current_inqueue_requests",
            "BETA",
            "Number of requests currently pending in queues of the API Priority and Fairness"
            " subsystem",
            label,
        )
        dispatched = Counter(
            "apiserver_flowcontrol_dispatched_requests_total",
            "BETA",
            "Number of requests executed by API Priority and Fairness subsystem",
            label,
        )
        rejected = Counter(
            "apiserver_flowcontrol_rejected_requests_total",
            "BETA",
            "Number of requests rejected by API Priority and Fairness subsystem",
            label,
        )
        for name, level in self.by_name.items():
            nominal.increase(name, times=level.nominal)
            current.increase(name, times=0 if level.is_exempt else level.seats.count)
            executing.increase(name, times=sum(level.seats.in_flight(now_ns)))
            queued.increase(name, times=sum(level.seats.in_line(now_ns)))
            dispatched.increase(name, times=level.dispatched)
            rejected.increase(name, times=level.refused.total)
        yield from (nominal, current, executing, queued, dispatched, rejected)


def _fairly(
    whole: int, lowest: Sequence[int], highest: Sequence[int], targets: Sequence[float]
) -> list[float]:
    """The same fraction of every target, within its bounds, so that the sum is the whole."""

    def at(fraction: float) -> list[float]:
        return [
            min(high, max(low, fraction * target))
            for low, high, target in zip(lowest, highest, targets, strict=True)
        ]

    below = 0.0
    above = max(high / target for high, target in zip(highest, targets, strict=True))
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        if sum(at(middle)) < whole:
            below = middle
        else:
            above = middle
    return at(above)
