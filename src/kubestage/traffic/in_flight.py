"""Requests in flight that are moved one by one, and what is reported to the record."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.traffic.record import END_WIDTH

if TYPE_CHECKING:
    from kubestage.traffic.record import Record
    from kubestage.traffic.request import Request

_KEPT: Final = 4_096


class RequestsInFlight:
    """Requests from their arrival to their end.

    They are reported to the record in bulk. Once `is_closed` it ends with the last request.
    """

    def __init__(self, record: Record, now_ns: int) -> None:
        self.is_closed = False
        self._record = record
        self._in_flight: OrderedDict[int, Request] = OrderedDict()
        self._area_ns, self._counted_ns = 0, now_ns
        self._arrivals: list[int] = []
        self._ends: list[tuple[int, ...]] = []

    def oldest(self) -> Request | None:
        """The request that has been in flight for the longest time."""
        return next(iter(self._in_flight.values()), None)

    def begin(self, request: Request, now_ns: int) -> None:
        """A request has arrived."""
        self._count_area(now_ns)
        self._in_flight[request.number] = request
        self._arrivals.append(request.arrived_ns)

    def end(self, request: Request, waited_ns: int, now_ns: int) -> None:
        """A request is complete or has failed."""
        self._count_area(now_ns)
        del self._in_flight[request.number]
        self._ends.append(
            (request.number, request.arrived_ns, now_ns, request.outcome, request.serial, waited_ns)
        )
        if len(self._ends) >= _KEPT:
            self._report()

    def record(self, now_ns: int) -> Record:
        """All that is known until now."""
        self._report()
        if self._in_flight or not self.is_closed:
            self._record.reach(now_ns)
        return self._record

    def check(self, now_ns: int) -> None:
        """Check that no request was lost, and that Little's law holds to the nanosecond."""
        self._count_area(now_ns)
        arrivals = [request.arrived_ns for request in self._in_flight.values()]
        self.record(now_ns).check(arrivals, self._area_ns)

    def _count_area(self, now_ns: int) -> None:
        self._area_ns += len(self._in_flight) * (now_ns - self._counted_ns)
        self._counted_ns = now_ns

    def _report(self) -> None:
        self._record.add_arrivals(np.array(self._arrivals, np.int64))
        ends = np.array(self._ends, np.int64).reshape(len(self._ends), END_WIDTH)
        self._record.add_ends(ends)
        self._arrivals, self._ends = [], []
