"""What requests add to the metrics APIs besides CPU: rates, concurrency and response times.

The values of a pod, or of a target, are of all requests that it gets, whichever Traffic sent them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.metrics.samples import ExternalSample, ValueSample
from kubestage.traffic import record, targets
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.metrics.board import Board
    from kubestage.traffic.measuring import RequestCounts
    from kubestage.traffic.stream import Stream

_MILLI: Final = 1_000
_PERCENTS: Final = (50, 95, 99)
RATE: Final = "requests_per_second"
FAILURES: Final = "failures_per_second"
CONCURRENCY: Final = "concurrent_requests"
RESPONSE: Final = "response_time_seconds"
_OF_PODS: Final = (RATE, CONCURRENCY, RESPONSE)


class MetricSubject(NamedTuple):
    """An object that has values: its namespace, its resource and its name."""

    namespace: str
    resource: str
    name: str


class Values:
    """Turns what streams measured since the last scrape into values for the board.

    What was reported at the last scrape and is not known any more is withdrawn: of a pod or a
    Traffic that is gone, and of response times when no request ended.
    """

    def __init__(self) -> None:
        self._reported: dict[tuple[MetricSubject, str], ValueSample | ExternalSample] = {}

    def measure(self, streams: Iterable[Stream], now_ns: int, unix_ns: int) -> Post:
        """What the board is to show when this scrape has arrived there."""
        objects: dict[MetricSubject, tuple[int, RequestCounts]] = {}
        found: dict[tuple[MetricSubject, str], ValueSample | ExternalSample] = {}
        for stream in streams:
            seen = stream.measure(now_ns)
            if seen is None:
                continue
            window_ns, whole, by_pod = seen
            namespace, target = stream.namespace, stream.spec.target
            resource = targets.RESOURCES[target["kind"]]
            _add(objects, MetricSubject(namespace, resource, target["name"]), window_ns, whole)
            for name, counts in by_pod.items():
                _add(objects, MetricSubject(namespace, "pods", name), window_ns, counts)
            labels = {"traffic": stream.name}
            external = MetricSubject(namespace, "", stream.name)
            for metric, milli in _values(whole, window_ns).items():
                sample = ExternalSample(metric, labels, unix_ns, window_ns, milli)
                found[external, metric] = sample
        for where, (window_ns, counts) in objects.items():
            for metric, milli in _values(counts, window_ns).items():
                if where.resource != "pods" or metric in _OF_PODS:
                    known = ValueSample(where.name, metric, unix_ns, window_ns, milli)
                    found[where, metric] = known
        before, self._reported = self._reported, found
        gone = {key: sample for key, sample in before.items() if key not in found}
        return Post(found, gone)


class Post:
    """Puts values on the board, and takes others off."""

    def __init__(
        self,
        found: dict[tuple[MetricSubject, str], ValueSample | ExternalSample],
        gone: dict[tuple[MetricSubject, str], ValueSample | ExternalSample],
    ) -> None:
        self._found = found
        self._gone = gone

    def __call__(self, board: Board) -> None:
        """The scrape has arrived."""
        for (where, metric), sample in self._gone.items():
            if isinstance(sample, ExternalSample):
                board.withdraw_external(where.namespace, metric, sample.labels)
            else:
                board.withdraw_value(where.namespace, where.resource, metric, where.name)
        for (where, _), sample in self._found.items():
            if isinstance(sample, ExternalSample):
                board.post_external(where.namespace, [sample])
            else:
                board.post_values(where.namespace, where.resource, [sample])


def _add(
    objects: dict[MetricSubject, tuple[int, RequestCounts]],
    where: MetricSubject,
    window_ns: int,
    counts: RequestCounts,
) -> None:
    known = objects.get(where)
    objects[where] = (window_ns, counts if known is None else known[1].plus(counts))


def _values(counts: RequestCounts, window_ns: int) -> dict[str, int]:
    """The values, in thousandths, by metric."""
    values = {
        RATE: _rate(counts.came, window_ns),
        FAILURES: _rate(counts.failed, window_ns),
        CONCURRENCY: counts.in_flight * _MILLI,
    }
    if counts.completed:
        values[RESPONSE] = _seconds(counts.response_ns / counts.completed)
        if counts.buckets is not None:
            for percent, value_ns in record.percentiles(counts.buckets, _PERCENTS).items():
                values[f"response_time_p{percent}_seconds"] = _seconds(value_ns)
    return values


def _rate(count: int, window_ns: int) -> int:
    return round(count * _MILLI * SECOND_NS / window_ns)


def _seconds(time_ns: float) -> int:
    return round(time_ns * _MILLI / SECOND_NS)
