"""A queue that is run once, and what was seen of it; its books are checked at every turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.traffic import record as columns
from kubestage.traffic.fast.engine import FastRequests
from kubestage.traffic.record import Record
from kubestage.traffic.requests import SKENARIO_CPU
from tests.traffic.queueing.supply import Supply, System

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WARM_UP: Final = 0.05
_CORES: Final = 10


class Seen(NamedTuple):
    """Those who arrived while the queue was looked at, from the first to the last unit of time.

    All times are in units. `found` is how many each of them found there; `level` and `waiting` are
    how many there were, and how many of those waited, on average over time.
    """

    sojourn: NDArray[np.float64]
    wait: NDArray[np.float64]
    service: NDArray[np.float64]
    is_served: NDArray[np.bool_]
    found: NDArray[np.int64]
    level: float
    waiting: float
    utilisation: float


class Ends(Record):
    """A Record that keeps its lines as they come."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[NDArray[np.int64]] = []

    def add_ends(self, ends: NDArray[np.int64]) -> None:
        super().add_ends(ends)
        self.lines.append(ends)


def run(system: System, customers: int, seed: int) -> Seen:
    """Run a queue until about so many have come, and until the last of them is gone."""
    end_ns = round(customers / system.rate * system.unit_ns)
    first_ns = round(end_ns * _WARM_UP)
    supply = Supply(system, end_ns, seed=seed)
    ends = Ends()
    requests = FastRequests(system.service, supply, record=ends, compiled=True)
    for at in range(system.replicas):
        requests.add_replica(f"replica-{at}", system.cores)
    used_ns = [_used_at(requests, at_ns) for at_ns in (first_ns, end_ns)]
    now_ns = end_ns
    while requests.in_flight:
        now_ns += 1_000 * system.unit_ns
        requests.advance(now_ns)
    requests.check()
    lines, service_ns = np.concatenate(ends.lines), supply.service_ns
    asked_ns = np.zeros_like(service_ns) if system.is_io else service_ns
    _check(requests, lines, asked_ns)
    capacity_ns = (end_ns - first_ns) * system.cores * system.replicas
    utilisation = (used_ns[1] - used_ns[0]) / capacity_ns
    seen = _seen(lines, service_ns, (first_ns, end_ns), system.unit_ns)
    return seen._replace(utilisation=utilisation)


def _used_at(requests: FastRequests, at_ns: int) -> float:
    requests.advance(at_ns)
    requests.check()
    return sum(replica.cpu_core_ns for replica in requests.replicas().values())


def _check(requests: FastRequests, lines: NDArray[np.int64], asked_ns: NDArray[np.float64]) -> None:
    """Nobody got lost or came twice, ends are told in order, and nobody got CPU for nothing."""
    assert requests.record.arrived == len(lines) == len(asked_ns)
    assert np.all(np.diff(lines[:, columns.ENDED_NS]) >= 0)
    assert np.all(np.bincount(lines[:, columns.NUMBER]) == 1)
    completed = lines[lines[:, columns.OUTCOME] == columns.COMPLETED, columns.NUMBER]
    states = requests.replicas().values()
    assert sum(replica.completed for replica in states) == len(completed)
    if requests.service.discipline != SKENARIO_CPU:
        needed_ns = float(asked_ns[completed].sum())
        used_ns = sum(replica.cpu_core_ns for replica in states)
        # An end is put off to the next whole nanosecond, and cores may be busy until then.
        assert -1e-9 * needed_ns <= used_ns - needed_ns <= _CORES * len(completed)


def _seen(
    lines: NDArray[np.int64],
    service_ns: NDArray[np.float64],
    span_ns: tuple[int, int],
    unit_ns: int,
) -> Seen:
    ended_ns = lines[lines[:, columns.OUTCOME] == columns.COMPLETED, columns.ENDED_NS]
    ordered = np.empty_like(lines)
    ordered[lines[:, columns.NUMBER]] = lines
    arrived_ns = ordered[:, columns.ARRIVED_NS]
    is_served = ordered[:, columns.OUTCOME] == columns.COMPLETED
    entered_before = np.cumsum(is_served) - is_served
    found = entered_before - np.searchsorted(ended_ns, arrived_ns, side="right")
    served = ordered[is_served]
    begins_ns, waits_ns = served[:, columns.ARRIVED_NS], served[:, columns.WAITED_NS]
    watched = slice(*np.searchsorted(arrived_ns, span_ns).tolist())
    part = ordered[watched]
    return Seen(
        sojourn=(part[:, columns.ENDED_NS] - part[:, columns.ARRIVED_NS]) / unit_ns,
        wait=part[:, columns.WAITED_NS] / unit_ns,
        service=service_ns[watched] / unit_ns,
        is_served=is_served[watched],
        found=found[watched],
        level=_over_time(begins_ns, served[:, columns.ENDED_NS], *span_ns),
        waiting=_over_time(begins_ns, begins_ns + waits_ns, *span_ns),
        utilisation=0.0,
    )


def _over_time(
    begins_ns: NDArray[np.int64], ends_ns: NDArray[np.int64], first_ns: int, last_ns: int
) -> float:
    """How many of these spans there are at a time, on average."""
    spans_ns = np.clip(ends_ns, first_ns, last_ns) - np.clip(begins_ns, first_ns, last_ns)
    return float(spans_ns.sum() / (last_ns - first_ns))
