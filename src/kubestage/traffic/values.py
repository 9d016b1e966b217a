"""What requests tell the metrics APIs besides CPU: rates, concurrency and response times.

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
    from kubestage.traffic.measuring import Tally
    from kubestage.traffic.stream import Stream

_MILLI: Final = 1_000
_PERCENTS: Final = (50, 95, 99)
RATE: Final = "requests_per_second"
FAILURES: Final = "failures_per_second"
CONCURRENCY: Final = "concurrent_requests"
RESPONSE: Final = "response_time_seconds"
_OF_PODS: Final = (RATE, CONCURRENCY, RESPONSE)


class Where(NamedTuple):
    """An object that has values: its namespace, its resource and its name."""

    namespace: str
    resource: str
    name: str


class Values:
    """Turns what streams saw since the last look into values for the board.

    What was told at the last look and is not known any more is withdrawn: of a pod or a Traffic
    that is gone, and of response times when no request ended.
    """

    def __init__(self) -> None:
        self._told: dict[tuple[Where, str], ValueSample | ExternalSample] = {}

    def look(self, streams: Iterable[Stream], now_ns: int, unix_ns: int) -> Post:
        """What the board is to show when this look has arrived there."""
        objects: dict[Where, tuple[int, Tally]] = {}
        found: dict[tuple[Where, str], ValueSample | ExternalSample] = {}
        for stream in streams:
            seen = stream.look(now_ns)
            if seen is None:
                continue
            window_ns, whole, by_pod = seen
            namespace, target = stream.namespace, stream.spec.target
            resource = targets.RESOURCES[target["kind"]]
            _add(objects, Where(namespace, resource, target["name"]), window_ns, whole)
            for name, tally in by_pod.items():
                _add(objects, Where(namespace, "pods", name), window_ns, tally)
            labels = {"traffic": stream.name}
            outside = Where(namespace, "", stream.name)
            for metric, milli in _values(whole, window_ns).items():
                sample = ExternalSample(metric, labels, unix_ns, window_ns, milli)
                found[outside, metric] = sample
        for where, (window_ns, tally) in objects.items():
            for metric, milli in _values(tally, window_ns).items():
                if where.resource != "pods" or metric in _OF_PODS:
                    known = ValueSample(where.name, metric, unix_ns, window_ns, milli)
                    found[where, metric] = known
        before, self._told = self._told, found
        gone = {key: sample for key, sample in before.items() if key not in found}
        return Post(found, gone)


class Post:
    """Puts values on the board, and takes others off."""

    def __init__(
        self,
        found: dict[tuple[Where, str], ValueSample | ExternalSample],
        gone: dict[tuple[Where, str], ValueSample | ExternalSample],
    ) -> None:
        self._found = found
        self._gone = gone

    def __call__(self, board: Board) -> None:
        """The look has arrived."""
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
    objects: dict[Where, tuple[int, Tally]], where: Where, window_ns: int, tally: Tally
) -> None:
    known = objects.get(where)
    objects[where] = (window_ns, tally if known is None else known[1].plus(tally))


def _values(tally: Tally, window_ns: int) -> dict[str, int]:
    """The values, in thousandths, by metric."""
    values = {
        RATE: _rate(tally.came, window_ns),
        FAILURES: _rate(tally.failed, window_ns),
        CONCURRENCY: tally.in_flight * _MILLI,
    }
    if tally.completed:
        values[RESPONSE] = _seconds(tally.response_ns / tally.completed)
        if tally.buckets is not None:
            for percent, value_ns in record.percentiles(tally.buckets, _PERCENTS).items():
                values[f"response_time_p{percent}_seconds"] = _seconds(value_ns)
    return values


def _rate(count: int, window_ns: int) -> int:
    return round(count * _MILLI * SECOND_NS / window_ns)


def _seconds(time_ns: float) -> int:
    return round(time_ns * _MILLI / SECOND_NS)
