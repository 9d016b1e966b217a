"""What charts and tables are made of: moments and times, taken out of what a run came to."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.clusterloader.result import LoadResult, Measured
    from kubestage.measure.results import Latencies, Verdict


_CREATED: Final = "pod_startup"
_SCHEDULED: Final = "create_to_schedule"
_BAD: Final = 400


class LatencyGroup(msgspec.Struct):
    """Metrics that belong into one picture: those of one measurement."""

    method: str
    identifiers: list[str]
    metrics: dict[str, list[Latencies]]
    verdicts: list[Verdict]

    @property
    def title(self) -> str:
        """What it is called."""
        return self.identifiers[0] if len(self.identifiers) == 1 else self.method

    @property
    def main(self) -> str:
        """The metric that was judged, which others are parts of; empty if there is none."""
        judged = (each.name.rpartition(" ")[0] for each in self.verdicts)
        return next((name for name in judged if name in self.metrics), "")

    def longest_ns(self) -> dict[str, dict[str, int]]:
        """How long it took at most, by metric and object."""
        found: dict[str, dict[str, int]] = {}
        for name, parts in self.metrics.items():
            times = found.setdefault(name, {})
            for part in parts:
                for each, took_ns in zip(part.objects, part.took_ns, strict=True):
                    times[each] = max(took_ns, times.get(each, 0))
        return found

    def took_ns(self) -> dict[str, list[int]]:
        """How long, by metric."""
        return {
            name: [took for each in parts for took in each.took_ns]
            for name, parts in self.metrics.items()
        }


def groups(result: LoadResult) -> list[LatencyGroup]:
    """All latencies; measurements of one method with a metric each are put together."""
    found: dict[tuple[str, str], list[tuple[Measured, Latencies]]] = {}
    for measured, latencies in result.latencies():
        found.setdefault((measured.method, measured.identifier), []).append((measured, latencies))
    found_groups: dict[tuple[str, str], LatencyGroup] = {}
    for (method, identifier), pairs in found.items():
        is_single = len({latencies.metric for _, latencies in pairs}) == 1
        key = (method, "" if is_single else identifier)
        group = found_groups.setdefault(key, LatencyGroup(method, [], {}, []))
        group.identifiers.append(identifier)
        for measured, latencies in pairs:
            group.metrics.setdefault(latencies.metric, []).append(latencies)
            group.verdicts.extend(
                each for each in measured.outcome.verdicts if each not in group.verdicts
            )
    # What was judged comes first.
    return sorted(found_groups.values(), key=lambda group: not group.verdicts)


def pod_moments(result: LoadResult) -> dict[str, list[int]]:
    """When pods were created, got a node and ran, since the test began."""
    moments: dict[str, list[int]] = {"created": [], "scheduled": [], "running": []}
    begin = result.began_ns
    for _, found in result.latencies():
        if found.metric == _CREATED:
            moments["created"] += [began - begin for began in found.began_ns]
        if found.metric in (_CREATED, _SCHEDULED):
            ends = [
                began + took - begin
                for began, took in zip(found.began_ns, found.took_ns, strict=True)
            ]
            moments["running" if found.metric == _CREATED else "scheduled"] += ends
    return {name: times for name, times in moments.items() if times}


def calls_per_second(result: LoadResult) -> list[Json]:
    """The rows of the view of the same name."""
    calls: collections.Counter[tuple[int, str]] = collections.Counter()
    failed: collections.Counter[tuple[int, str]] = collections.Counter()
    log = result.calls
    for sent_ns, verb, code in zip(log.sent_ns, log.verbs, log.codes, strict=True):
        key = ((sent_ns - result.began_ns) // SECOND_NS, verb)
        calls[key] += 1
        failed[key] += code >= _BAD
    return [
        {"second": second, "verb": verb, "calls": number, "failed": failed[second, verb]}
        for (second, verb), number in sorted(calls.items())
    ]


def call_times(result: LoadResult) -> dict[str, list[int]]:
    """How long calls took by verb, and how long they waited for a client to send them."""
    log = result.calls
    found: dict[str, list[int]] = {}
    waited = []
    for verb, requested, sent, ended in zip(
        log.verbs, log.asked_ns, log.sent_ns, log.ended_ns, strict=True
    ):
        found.setdefault(verb, []).append(ended - sent)
        waited.append(sent - requested)
    return {**found, "wait for the client": waited} if any(waited) else found


def series(result: LoadResult) -> dict[tuple[str, str, str], dict[str, list[tuple[int, float]]]]:
    """Values over time that belong together (who, what, unit), each by name."""
    found: dict[tuple[str, str, str], dict[str, list[tuple[int, float]]]] = {}
    for measured, each in result.series():
        what, _, whose = each.metric.partition(" ")
        if "/" not in whose:
            what, whose = each.metric, each.metric
        pod, _, container = whose.partition("/")
        if container and pod.startswith(container):
            whose = container
        points = [
            (at_ns - result.began_ns, value)
            for at_ns, value in zip(each.at_ns, each.values, strict=True)
            if value == value
        ]
        key = (measured.identifier, what, each.unit)
        found.setdefault(key, {}).setdefault(whose, []).extend(points)
    return found


def end_seconds(result: LoadResult) -> float:
    """How long the run is on the axis of its charts."""
    log = result.calls
    last_ns = max((result.took_ns, *(max(log.ended_ns, default=0) - result.began_ns,)))
    return max(last_ns / SECOND_NS, 1e-3)
