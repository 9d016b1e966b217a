"""What the API server knows of each endpoint: how long it takes, and how long it took.

An endpoint is what its metrics distinguish: a verb, a resource, a subresource and a scope.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.cluster.draws import Draws
from kubestage.metrics.families import Counter, Distribution, Histogram

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.cluster.profile import Profile
    from kubestage.metrics.families import Family, Labels
    from kubestage.objects.kinds import Kind
    from kubestage.sim.streams import Streams

BOUNDS: Final = (
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0,
    10.0, 15.0, 20.0, 30.0, 45.0, 60.0,
)  # fmt: skip
_FINER: Final = 2
SLI_BOUNDS: Final = BOUNDS[_FINER:]
RESOURCE, NAMESPACE, CLUSTER = "resource", "namespace", "cluster"

_COMPONENT: Final = "apiserver"
_LABELS: Final = ("verb", "group", "version", "resource", "subresource", "scope", "component")
_WATCH: Final = "WATCH"
_TOO_MANY: Final = 429
_READS: Final = frozenset({"GET", "LIST", _WATCH})
# A verb as the metrics name it: the profile's field for its time, and what etcd does.
_TIMES: Final = {
    "GET": ("get", "get"),
    "LIST": ("list", "list"),
    _WATCH: ("list", "list"),
    "POST": ("create", "create"),
    "PUT": ("update", "update"),
    "PATCH": ("patch", "update"),
    "APPLY": ("patch", "update"),
    "DELETE": ("delete", "delete"),
    "DELETECOLLECTION": ("delete", "delete"),
}
VERBS: Final = {
    "create": "POST",
    "get": "GET",
    "list": "LIST",
    "update": "PUT",
    "patch": "PATCH",
    "delete": "DELETE",
    "deletecollection": "DELETECOLLECTION",
}
"""The verbs of calls as the API server's metrics name them."""


class Name(NamedTuple):
    """The identity of an endpoint."""

    verb: str
    group: str
    version: str
    resource: str
    subresource: str
    scope: str


class Endpoint:
    """One endpoint: its distributions, and its metrics.

    `owed` are calls that nothing waits for, and that are counted when the metrics are read. One
    that `was_called` before the start has series from the beginning, so that its first call counts
    for a Prometheus, which sees no growth in a series that is new. Those `terminated` were refused
    by their priority level: they are in no other metric.
    """

    __slots__ = (
        "codes", "cpu", "duration", "etcd", "etcd_duration", "factor", "is_mutating", "labels",
        "name", "owed", "sli", "sli_labels", "success", "terminated", "was_called",
    )  # fmt: skip

    def __init__(self, name: Name, cpu: Draws, etcd: Draws, factor: float) -> None:
        self.name = name
        self.labels = (name.verb, "", *name[1:], _COMPONENT)
        self.sli_labels = (*name, _COMPONENT)
        self.cpu = cpu
        self.etcd = etcd
        self.factor = factor
        self.is_mutating = name.verb not in _READS
        self.success = 201 if name.verb == "POST" else 200
        self.codes: dict[int, int] = {}
        self.duration = Distribution(BOUNDS)
        self.sli = Distribution(SLI_BOUNDS)
        self.etcd_duration = Distribution(BOUNDS)
        self.owed = 0
        self.terminated = 0
        self.was_called = False

    def cpu_ns(self) -> int:
        """How long the next call occupies a core."""
        drawn = self.cpu.next_ns()
        return drawn if self.factor == 1.0 else round(drawn * self.factor)

    def observe(
        self, took_ns: int, waited_ns: int, etcd_ns: int, code: int, times: int = 1
    ) -> None:
        """Count calls: how long they took, of that in the queue, and of that for etcd."""
        self.codes[code] = self.codes.get(code, 0) + times
        took, duration, sli, etcd = took_ns * 1e-9, self.duration, self.sli, self.etcd_duration
        index = bisect_left(BOUNDS, took)
        duration.counts[index] += times
        duration.total += took * times
        if waited_ns:
            took -= waited_ns * 1e-9
            index = bisect_left(BOUNDS, took)
        # NOTE: the bounds of one histogram are those of the other but for the first, so one search
        # is enough for both; three of them were a third of the cost of counting a change.
        sli.counts[index - _FINER if index > _FINER else 0] += times
        sli.total += took * times
        etcd_s = etcd_ns * 1e-9
        etcd.counts[bisect_left(BOUNDS, etcd_s)] += times
        etcd.total += etcd_s * times

    def observe_watch(self, took_ns: int, times: int) -> None:
        """Count watches that have ended, which etcd had no part in: how long they lasted."""
        self.codes[self.success] = self.codes.get(self.success, 0) + times
        self.duration.observe(took_ns * 1e-9, times)
        self.sli.observe(took_ns * 1e-9, times)


class Endpoints:
    """All endpoints that were called, created at their first call."""

    def __init__(self, profile: Profile, streams: Streams) -> None:
        api, etcd = profile.api, profile.etcd
        fields = sorted({field for field, _ in _TIMES.values()})
        self._cpu = {
            field: Draws(getattr(api, field), streams, f"cluster/api/{field}") for field in fields
        }
        self._read = Draws(etcd.read, streams, "cluster/etcd/read")
        self._write = Draws(etcd.write, streams, "cluster/etcd/write")
        self._factors = dict(api.resources)
        self._known: dict[Name, Endpoint] = {}
        self._families: EndpointFamilies | None = None

    def __iter__(self) -> Iterator[Endpoint]:
        return iter(self._known.values())

    def find(self, verb: str, row: Kind, subresource: str = "", scope: str = RESOURCE) -> Endpoint:
        """The endpoint of a verb (``POST``), a kind, a subresource and a scope."""
        name = Name(verb, row.group, row.version, row.plural, subresource, scope)
        found = self._known.get(name)
        if found is None:
            field = _TIMES[verb][0]
            etcd = self._read if verb in _READS else self._write
            factor = self._factors.get(row.plural, 1.0)
            found = self._known[name] = Endpoint(name, self._cpu[field], etcd, factor)
        return found

    def families(self) -> list[Family]:
        """The API server's metrics of its requests, and of its requests to etcd."""
        called = [endpoint for endpoint in self if endpoint.codes or endpoint.was_called]
        if self._families is None or len(called) != len(self._families.called):
            self._families = EndpointFamilies(called)
        return [*self._families.updated(), *self._terminations()]

    def _terminations(self) -> list[Family]:
        """The requests that priority levels refused, if there are any."""
        refused = [each for each in self if each.terminated]
        if not refused:
            return []
        found = Counter(
            "apiserver_request_terminations_total",
            "ALPHA",
            "Number of requests which apiserver terminated in self-defense.",
            (*_LABELS, "code"),
        )
        for each in refused:
            found.increase(*each.sli_labels, str(_TOO_MANY), times=each.terminated)
        return [found]


class EndpointFamilies:
    """The metrics of endpoints that were called, kept from one scrape to the next.

    NOTE: a load with 5,000 nodes is scraped thousands of times, and between two scrapes most
    endpoints are not called: to put all together each time was a thirtieth of its time
    (benchmarks/load.py).
    """

    def __init__(self, called: list[Endpoint]) -> None:
        self.called = called
        self._totals = Counter(
            "apiserver_request_total",
            "STABLE",
            "Counter of apiserver requests broken out for each verb, dry run value, group, version,"
            " resource, scope, component, and HTTP response code.",
            ("verb", "dry_run", *_LABELS[1:], "code"),
        )
        self._durations = Histogram(
            "apiserver_request_duration_seconds",
            "STABLE",
            "Response latency distribution in seconds for each verb, dry run value, group, version,"
            " resource, subresource, scope and component.",
            BOUNDS,
            ("verb", "dry_run", *_LABELS[1:]),
        )
        self._indicator = Histogram(
            "apiserver_request_sli_duration_seconds",
            "ALPHA",
            "Response latency distribution (not counting webhook duration and priority & fairness"
            " queue wait times) in seconds for each verb, group, version, resource, subresource,"
            " scope and component.",
            SLI_BOUNDS,
            _LABELS,
        )
        for endpoint in called:
            self._durations.distributions[endpoint.labels] = endpoint.duration
            self._indicator.distributions[endpoint.sli_labels] = endpoint.sli
        self._etcd = _EtcdFamilies(called)

    def updated(self) -> list[Family]:
        """All of them, as of now."""
        self._totals.values = {
            (*endpoint.labels, str(code)): count
            for endpoint in self.called
            for code, count in (endpoint.codes or {endpoint.success: 0}).items()
        }
        return [self._totals, self._durations, self._indicator, *self._etcd.updated()]


class _EtcdFamilies:
    """The metrics of requests to etcd: those of all endpoints with one operation and resource."""

    def __init__(self, called: list[Endpoint]) -> None:
        self._latencies = Histogram(
            "etcd_request_duration_seconds",
            "ALPHA",
            "Etcd request latency in seconds for each operation and object type.",
            BOUNDS,
            ("operation", "group", "resource"),
        )
        self._counts = Counter(
            "etcd_requests_total",
            "ALPHA",
            "Etcd request counts for each operation and object type.",
            ("operation", "group", "resource"),
        )
        self._groups: dict[Labels, list[Endpoint]] = {}
        for endpoint in called:
            name = endpoint.name
            if name.verb != _WATCH:
                labels = (_TIMES[name.verb][1], name.group, name.resource)
                self._groups.setdefault(labels, []).append(endpoint)

    def updated(self) -> list[Family]:
        """Both of them, as of now."""
        latencies, counts = self._latencies, self._counts
        for labels, endpoints in self._groups.items():
            calls = sum(sum(each.codes.values()) for each in endpoints)
            if calls != counts.values.get(labels):
                counts.values[labels] = calls
                total = latencies.distribution(*labels)
                seen = [each.etcd_duration for each in endpoints]
                total.counts = [*map(sum, zip(*(each.counts for each in seen), strict=True))]
                total.total = 0.0
                for each in seen:
                    total.total += each.total
        return [latencies, counts]
