"""All streams of requests of a stage: one for each Traffic object, fed by changes of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.sim.periodic_timer import PeriodicTimer
from kubestage.store.log import ADDED, DELETED, Change
from kubestage.traffic import targets

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.metrics.samples import Used
    from kubestage.metrics.scraper import Metrics, Scrape
    from kubestage.sim.environment import Environment
    from kubestage.store.store import Store
    from kubestage.traffic.past_usage import PastUsage
    from kubestage.traffic.record import Record
    from kubestage.traffic.stream import Stream
    from kubestage.traffic.values import Values


TRAFFIC: Final = ("kubestage.dev/v1alpha1", "Traffic")
_KIND: Final = ("kubestage.dev", "Traffic")
_POD: Final = ("", "Pod")
_REPORTS_NS: Final = 15 * 1_000_000_000
_OBSERVED: Final = frozenset({_POD, *targets.WATCHED})


class Traffics:
    """Starts a stream when a Traffic object is created, and ends it when that is deleted.

    Pods are reported to the streams whose target selects them. With `traces` every movement of a
    request is one of the environment; without it they are worked out in bulk, when a caller needs
    to know.

    NOTE: what a stream needs is loaded with the first one (benchmarks/startup.py).
    """

    def __init__(
        self,
        store: Store,
        environment: Environment,
        seed: int,
        metrics: Metrics,
        *,
        traces: bool = False,
    ) -> None:
        self._store = store
        self._environment = environment
        self._seed = seed
        self._metrics = metrics
        self._traces = traces
        self.streams: dict[str, Stream] = {}
        self._all: dict[str, Stream] = {}
        self._past: PastUsage | None = None
        self._values: Values | None = None
        self._timer = PeriodicTimer(
            environment, "TrafficTicktock", "traffic_tick", _REPORTS_NS, self.report
        )

    def start(self) -> None:
        """Start the streams of existing objects, then subscribe to changes."""
        self._store.subscribe(self._on_traffic, {_KIND})
        if self._store.kinds.get(*TRAFFIC) is not None:
            for key, obj in tuple(self._store.read(TRAFFIC).items()):
                self._begin(key, obj)

    def stop(self) -> None:
        """Stop listening; the results of requests so far can still be read."""
        self._store.unsubscribe(self._on_traffic)
        if self._all:
            self._store.unsubscribe(self._on_change)

    def catch_up(self) -> None:
        """Have all that was due by now happen."""
        for stream in self.streams.values():
            stream.catch_up()

    def check(self) -> None:
        """A run has ended: all that was due by now happens, and nothing went missing."""
        for stream in self.streams.values():
            stream.finish_run()

    def records(self) -> dict[str, Record]:
        """The results of requests, by the key of their Traffic, deleted ones included.

        Of several that had one name, one after the other, the later ones have a number, too.
        """
        self.catch_up()
        return {title: stream.record for title, stream in self._all.items()}

    def utilisation(self) -> dict[str, float]:
        """The average utilization of the active replicas of each stream since the last call."""
        self.catch_up()
        found = {key: stream.utilisation() for key, stream in self.streams.items()}
        return {key: value for key, value in found.items() if value is not None}

    def used(self) -> dict[str, dict[str, Used]]:
        """The CPU that requests have used, by pod and container."""
        self.catch_up()
        found: dict[str, dict[str, Used]] = {}
        for stream in self.streams.values():
            stream.add_used(found)
        assert self._past is not None
        self._past.add_used(found, self._store.read(gvk.POD))
        return found

    def _on_traffic(self, change: Change) -> None:
        key = change.key
        if change.type == ADDED:
            self._begin(key, change.new)
        elif change.type == DELETED:
            self._end(key)
        elif change.old is not None and change.new["spec"] is not change.old["spec"]:
            self.streams[key].change(change.new)

    def _begin(self, key: str, obj: Json) -> None:
        from kubestage.traffic.past_usage import PastUsage  # noqa: PLC0415 - loaded when needed
        from kubestage.traffic.stream import Stream  # noqa: PLC0415 - the same
        from kubestage.traffic.values import Values  # noqa: PLC0415 - the same

        if not self._all:
            self._past, self._values = PastUsage(), Values()
            self._store.subscribe(self._on_change, _OBSERVED)
            self._metrics.silent_nodes.subscribe(self._on_node)
            self._metrics.add_source(self)
            self._metrics.on_scrape(self._on_scrape)
            self._timer.start()
        same = sum(title.partition(" ")[0] == key for title in self._all)
        title = f"{key} ({same + 1})" if same else key
        stream = Stream(
            self._store,
            self._environment,
            self._seed,
            obj,
            title,
            self._metrics.silent_nodes,
            traces=self._traces,
        )
        self._all[title] = self.streams[key] = stream
        stream.find_pods()

    def _end(self, key: str) -> None:
        stream = self.streams.pop(key)
        stream.catch_up()
        found: dict[str, dict[str, Used]] = {}
        stream.add_used(found)
        assert self._past is not None
        self._past.keep(found, self._store.read(gvk.POD))
        stream.end()

    def _on_change(self, change: Change) -> None:
        if change.kind.kind == "Pod":
            for stream in self.streams.values():
                stream.on_pod(change)
        else:
            for stream in self.streams.values():
                stream.on_target(change)

    def _on_node(self, name: str) -> None:
        for stream in self.streams.values():
            stream.on_node(name)

    def report(self) -> None:
        """Write how streams stand into their objects; that is done every now and then anyway."""
        self.catch_up()
        objects = self._store.read(TRAFFIC)
        for key, stream in self.streams.items():
            obj, status = objects[key], stream.status()
            if obj.get("status") != status:
                self._store.update({**obj, "status": status}, subresource="status")

    def _on_scrape(self, measure: Scrape) -> None:
        assert self._values is not None
        self.catch_up()
        clock = self._environment.clock
        measure.posts.append(
            self._values.measure(self.streams.values(), clock.now_ns, clock.unix_ns)
        )
