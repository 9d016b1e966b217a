"""Scraping: usage is read at an interval, and served after a delay.

A tick moves the one entity of the `MetricsTicktock` stock back into it. Each scrape is an entity,
too: it enters the `MetricsPipeline` and, after the delay, the `MetricsSink`; from then on the
board has its samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from kubestage.metrics.board import Board
from kubestage.metrics.samples import ContainerSample, PodSample, Used
from kubestage.metrics.settings import MetricsSettings
from kubestage.metrics.silent_nodes import SilentNodes
from kubestage.sim.entity import Entity
from kubestage.sim.model import Model
from kubestage.sim.periodic_timer import PeriodicTimer
from kubestage.sim.stock import ArrayStock, SinkStock
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.sim.environment import Environment

    Post = Callable[[Board], None]

KIND: Final = "Metrics"


class Source(Protocol):
    """Reports what containers have used; several sources may report one container."""

    def used(self) -> Mapping[str, Mapping[str, Used]]:
        """What each container has used until now, by the key of its pod and its name."""
        ...


class Overlay(Protocol):
    """Knows better what containers have used than the sources do."""

    def replaced(self, used: dict[str, dict[str, Used]]) -> dict[str, dict[str, Used]]:
        """What each container has used until now, from what all sources say together."""
        ...


class Scrape(Entity):
    """The samples of one moment, on their way to the board: each of `posts` puts a part there."""

    __slots__ = ("posts",)

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(name, kind)
        self.posts: list[Post] = []


class _Sink(SinkStock[Scrape]):
    """Where scrapes arrive; the board has their samples from then on."""

    __slots__ = ("_board",)

    def __init__(self, board: Board) -> None:
        super().__init__("MetricsSink", KIND, keeps_entities=False)
        self._board = board

    def add(self, entity: Scrape) -> None:
        """Put the samples on the board."""
        super().add(entity)
        for post in entity.posts:
            post(self._board)


class Metrics(Model):
    """The board, and the pipeline to it. Nothing is scraped until `require` is called."""

    def __init__(self, environment: Environment, settings: MetricsSettings | None = None) -> None:
        super().__init__(environment, "metrics")
        self.settings = settings or MetricsSettings()
        self.board = Board()
        self.silent_nodes = SilentNodes()
        self.overlay: Overlay | None = None
        self._sources: list[Source] = []
        self._others: list[Callable[[Scrape], None]] = []
        self._last: dict[tuple[str, str], tuple[int, Used]] = {}
        self._pipeline = self.own(ArrayStock[Scrape]("MetricsPipeline", KIND))
        self._sink = self.own(_Sink(self.board))
        every_ns = self.settings.resolution_ns
        self._ticktock = self.own(
            PeriodicTimer(environment, "MetricsTicktock", "metrics_tick", every_ns, self._scrape)
        )

    @property
    def is_on(self) -> bool:
        """Whether usage is being scraped."""
        return self._ticktock.is_running

    def add_source(self, source: Source) -> None:
        """Read this source, too, at every scrape."""
        self._sources.append(source)

    def on_scrape(self, call: Callable[[Scrape], None]) -> None:
        """Call this at every scrape, to add samples besides the usage of containers."""
        self._others.append(call)

    def require(self) -> None:
        """Scrape from now on, since the board is going to be read."""
        self._ticktock.start()

    def _scrape(self) -> None:
        scrape = Scrape(f"metrics-{self._sink.count + self._pipeline.count + 1}", KIND)
        scrape.posts.append(_PostPods(self._samples()))
        for call in self._others:
            call(scrape)
        environment = self.environment
        now_ns = environment.clock.now_ns
        self._pipeline.add(scrape)
        arrives_ns = now_ns + self.settings.delay_ns
        environment.schedule("send_metrics_to_sink", arrives_ns, self._pipeline, self._sink, scrape)

    def _samples(self) -> list[PodSample]:
        clock = self.environment.clock
        now_ns, unix_ns = clock.now_ns, clock.unix_ns
        before, self._last = self._last, {}
        samples: list[PodSample] = []
        for pod, containers in self._used().items():
            found: dict[str, ContainerSample] = {}
            window_ns = 0
            for container, used in containers.items():
                key = (pod, container)
                self._last[key] = (now_ns, used)
                since_ns, was = self._since(before.get(key), used)
                is_fresh = since_ns == used.started_ns
                if is_fresh and now_ns - since_ns < self.settings.fresh_ns:
                    break
                if used.cpu_core_ns < was:
                    break
                window_ns = max(window_ns, now_ns - since_ns)
                cpu = (used.cpu_core_ns - was) * SECOND_NS / max(now_ns - since_ns, 1)
                found[container] = ContainerSample(round(cpu), round(used.memory_bytes))
            else:
                namespace, _, name = pod.partition("/")
                samples.append(PodSample(namespace, name, unix_ns, window_ns, found))
        return samples

    def _since(self, before: tuple[int, Used] | None, used: Used) -> tuple[int, float]:
        """Since when usage counts, and what had been used then.

        That is since the last scrape, or since the container was started if that was later.
        """
        if before is not None and before[1].started_ns == used.started_ns:
            return before[0], before[1].cpu_core_ns
        return used.started_ns, 0.0

    def _used(self) -> dict[str, dict[str, Used]]:
        total: dict[str, dict[str, Used]] = {}
        for source in self._sources:
            for pod, containers in source.used().items():
                known = total.setdefault(pod, {})
                for name, used in containers.items():
                    known[name] = known[name].plus(used) if name in known else used
        return total if self.overlay is None else self.overlay.replaced(total)


class _PostPods:
    """Puts samples of pods on the board."""

    def __init__(self, samples: list[PodSample]) -> None:
        self._samples = samples

    def __call__(self, board: Board) -> None:
        board.post_pods(self._samples)
