"""The metrics ticktock: usage is looked at from time to time, and known some time later.

A tick moves the one entity of the `MetricsTicktock` stock back into it. Each look is an entity,
too: it enters the `MetricsPipeline` and, some time later, the `MetricsSink`, which is when the
board shows what was seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from kubestage.metrics.board import Board
from kubestage.metrics.samples import ContainerSample, PodSample, Used
from kubestage.metrics.settings import MetricsSettings
from kubestage.sim.entity import Entity
from kubestage.sim.model import Model
from kubestage.sim.stock import ArrayStock, SinkStock
from kubestage.sim.ticktock import Ticktock
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.sim.environment import Environment

    Post = Callable[[Board], None]

KIND: Final = "Metrics"


class Source(Protocol):
    """Somebody who knows what containers have used; several may know of one container."""

    def used(self) -> Mapping[str, Mapping[str, Used]]:
        """By the key of a pod and the name of a container, what it has used until now."""
        ...


class Look(Entity):
    """What was seen at one moment, on its way to the board: each of `posts` puts a part there."""

    __slots__ = ("posts",)

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(name, kind)
        self.posts: list[Post] = []


class _Sink(SinkStock[Look]):
    """Where looks arrive; what they saw is on the board from then on."""

    __slots__ = ("_board",)

    def __init__(self, board: Board) -> None:
        super().__init__("MetricsSink", KIND, keeps_entities=False)
        self._board = board

    def add(self, entity: Look) -> None:
        """Show what was seen."""
        super().add(entity)
        for post in entity.posts:
            post(self._board)


class Metrics(Model):
    """The board, and all that brings usage there. Nothing is looked at until somebody asks."""

    def __init__(self, environment: Environment, settings: MetricsSettings | None = None) -> None:
        super().__init__(environment, "metrics")
        self.settings = settings or MetricsSettings()
        self.board = Board()
        self._sources: list[Source] = []
        self._others: list[Callable[[Look], None]] = []
        self._last: dict[tuple[str, str], tuple[int, Used]] = {}
        self._pipeline = self.own(ArrayStock[Look]("MetricsPipeline", KIND))
        self._sink = self.own(_Sink(self.board))
        every_ns = self.settings.resolution_ns
        self._ticktock = self.own(
            Ticktock(environment, "MetricsTicktock", "metrics_tick", every_ns, self._look)
        )

    @property
    def is_on(self) -> bool:
        """Whether usage is being looked at."""
        return self._ticktock.is_on

    def add_source(self, source: Source) -> None:
        """Ask this one, too, at every look."""
        self._sources.append(source)

    def at_look(self, call: Callable[[Look], None]) -> None:
        """Have somebody add to every look what it knows besides the usage of containers."""
        self._others.append(call)

    def require(self) -> None:
        """Somebody is going to read the board: look at usage from now on."""
        self._ticktock.start()

    def _look(self) -> None:
        look = Look(f"metrics-{self._sink.count + self._pipeline.count + 1}", KIND)
        look.posts.append(_PostPods(self._samples()))
        for call in self._others:
            call(look)
        environment = self.environment
        now_ns = environment.clock.now_ns
        self._pipeline.add(look)
        arrives_ns = now_ns + self.settings.delay_ns
        environment.schedule("send_metrics_to_sink", arrives_ns, self._pipeline, self._sink, look)

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

        That is the last look, or for a container that was started after it, its whole life.
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
        return total


class _PostPods:
    """Puts samples on the board when they arrive there."""

    def __init__(self, samples: list[PodSample]) -> None:
        self._samples = samples

    def __call__(self, board: Board) -> None:
        board.post_pods(self._samples)
