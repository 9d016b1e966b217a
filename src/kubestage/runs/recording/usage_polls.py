"""Samples what pods and nodes use, at intervals: by metrics.k8s.io, or by a Prometheus."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from kubestage.errors import ApiError, Forbidden, NotFound
from kubestage.golang import durations
from kubestage.objects import quantity, timestamps
from kubestage.remote import refusals
from kubestage.sources import usage
from kubestage.sources.usage import UsageSample
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.remote.connection import Connection
    from kubestage.remote.prometheus import PrometheusQueries, RangeSeries
    from kubestage.remote.server_time import ServerTime
    from kubestage.sources.anonymising.streamed_names import StreamedNaming
    from kubestage.sources.usage import UsageWriter

_ROOT: Final = "/apis/metrics.k8s.io/v1beta1"
# How long an API that is absent is left alone.
_ABSENT_S: Final = 300.0
_NANO: Final = -9
_CPU: Final = (
    "sum by (namespace, pod, container) "
    '(rate(container_cpu_usage_seconds_total{{container!="",container!="POD"}}[{window}s]))'
)
_MEMORY: Final = (
    "sum by (namespace, pod, container) "
    '(container_memory_working_set_bytes{container!="",container!="POD"})'
)
# A Prometheus has scraped what is this old; of a longer gap so many steps are read at once.
_SCRAPED_NS: Final = 30 * SECOND_NS
_STEPS: Final = 60
_MOST_GAP_NS: Final = 6 * 3600 * SECOND_NS
_SHORTEST_WINDOW_S: Final = 120


class _Items(msgspec.Struct):
    items: list[Any] | None = None


class UsageSource(Protocol):
    """Where samples come from."""

    name: str

    async def samples(self) -> list[UsageSample]:
        """Those that are new; ApiError if there is no answer."""


class UsagePolls:
    """Writes samples at intervals; what stands in the way is a problem, and no failure."""

    def __init__(self, source: UsageSource, writer: UsageWriter, interval_ns: int,
                 naming: StreamedNaming | None) -> None:  # fmt: skip
        self.problem = ""
        self._source = source
        self._writer = writer
        self._interval_s = interval_ns / SECOND_NS
        self._naming = naming

    async def run(self) -> None:
        """Sample for ever."""
        while True:
            wait_s = self._interval_s
            try:
                found = await self._source.samples()
                self._writer.add([self._named(each) for each in found])
                self._writer.flush()
                self.problem = ""
            except (NotFound, Forbidden) as problem:
                self.problem = problem.message if isinstance(problem, Forbidden) else ""
                wait_s = max(_ABSENT_S, wait_s)
            except ApiError as problem:
                # Where metrics-server is down, its API answers 503.
                self.problem = problem.message
            await asyncio.sleep(wait_s)

    def _named(self, sample: UsageSample) -> UsageSample:
        if self._naming is None:
            return sample
        names = self._naming.names
        return msgspec.structs.replace(
            sample,
            namespace=names.name("namespace", sample.namespace),
            pod=names.name("pod", sample.pod),
            container=names.name("container", sample.container),
            node=names.name("node", sample.node),
        )


class MetricsApi:
    """metrics.k8s.io, which metrics-server serves."""

    name = usage.METRICS_API

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._times: dict[str, str] = {}

    async def samples(self) -> list[UsageSample]:
        """What was measured since the last time."""
        times: dict[str, str] = {}
        found: list[UsageSample] = []
        for plural in ("nodes", "pods"):
            for item in await self._items(plural):
                metadata = item["metadata"]
                key = f"{plural}/{metadata.get('namespace', '')}/{metadata['name']}"
                times[key] = str(item.get("timestamp"))
                if self._times.get(key) != times[key]:
                    found += _pod(item) if plural == "pods" else _node(item)
        # Only of what is there, so that it does not grow with all pods that ever were.
        self._times = times
        return found

    async def _items(self, plural: str) -> list[Json]:
        reply = await self._connection.send("GET", f"{_ROOT}/{plural}")
        if reply.code >= 400:
            raise refusals.from_answer(reply.code, reply.body, reply.headers)
        try:
            items = msgspec.json.decode(reply.body, type=_Items).items or []
        except msgspec.DecodeError as problem:
            text = f"{_ROOT}/{plural} is no list: {problem}"
            raise refusals.Unreachable(text) from problem
        return [each for each in items if _is_sound(each)]


def _is_sound(item: Any) -> bool:
    return isinstance(item, dict) and isinstance((item.get("metadata") or {}).get("name"), str)


def _pod(item: Json) -> Iterator[UsageSample]:
    for each in item.get("containers") or ():
        sample = _sample(item, each.get("usage"))
        if sample is not None:
            yield msgspec.structs.replace(
                sample,
                namespace=item["metadata"].get("namespace") or "",
                pod=item["metadata"]["name"],
                container=str(each.get("name") or ""),
            )


def _node(item: Json) -> Iterator[UsageSample]:
    sample = _sample(item, item.get("usage"))
    if sample is not None:
        yield msgspec.structs.replace(sample, node=item["metadata"]["name"])


def _sample(item: Json, used: Any) -> UsageSample | None:
    """A sample without names; None if its amounts cannot be read."""
    try:
        at_ns = timestamps.parse_time(str(item.get("timestamp")))
        window_ns = durations.parse_duration(str(item.get("window") or "0s"))
        cpu = quantity.exact_of(used.get("cpu", "0"), _NANO)
        memory = quantity.value_of(used.get("memory", "0"))
    except (ValueError, AttributeError):
        return None
    return UsageSample(
        at_ns=at_ns, cpu_nanocores=cpu or 0, memory_bytes=memory, window_ns=window_ns
    )


class PrometheusUsage:
    """Range queries to a Prometheus; times that were missed are queried later."""

    name = usage.PROMETHEUS

    def __init__(self, queries: PrometheusQueries, time: ServerTime, interval_ns: int,
                 last_ns: int = 0) -> None:  # fmt: skip
        self._queries = queries
        self._time = time
        self._step_ns = interval_ns
        self._last_ns = last_ns
        """The newest time that was queried; of an earlier run if it is not long ago."""

    async def samples(self) -> list[UsageSample]:
        """What was measured since the last time, one sample for each step."""
        step_ns = self._step_ns
        newest_ns = (self._time.now_ns - _SCRAPED_NS) // step_ns * step_ns
        oldest_ns = max(newest_ns - _MOST_GAP_NS, 0)
        begin_ns = max(self._last_ns + step_ns, oldest_ns) if self._last_ns else newest_ns
        if begin_ns > newest_ns:
            return []
        end_ns = min(newest_ns, begin_ns + (_STEPS - 1) * step_ns)
        window_s = max(2 * step_ns // SECOND_NS, _SHORTEST_WINDOW_S)
        cpu = await self._queries.ranges(_CPU.format(window=window_s), begin_ns, end_ns, step_ns)
        memory = await self._queries.ranges(_MEMORY, begin_ns, end_ns, step_ns)
        self._last_ns = end_ns
        return list(_joined(cpu, memory, window_s * SECOND_NS))


def _joined(
    cpu: list[RangeSeries], memory: list[RangeSeries], window_ns: int
) -> Iterator[UsageSample]:
    """A sample where both amounts are known."""
    bytes_of = {_names(each.labels): dict(each.points) for each in memory}
    for series in cpu:
        names = _names(series.labels)
        known = bytes_of.get(names, {})
        for at_ns, cores in series.points:
            # Neither is a number where a counter began anew.
            if at_ns in known and cores == cores and known[at_ns] == known[at_ns]:
                namespace, pod, container = names
                yield UsageSample(
                    at_ns=at_ns, namespace=namespace, pod=pod, container=container,
                    cpu_nanocores=round(cores * 10**9), memory_bytes=round(known[at_ns]),
                    window_ns=window_ns,
                )  # fmt: skip


def _names(labels: dict[str, str]) -> tuple[str, str, str]:
    return labels.get("namespace", ""), labels.get("pod", ""), labels.get("container", "")
