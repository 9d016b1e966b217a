"""A phase on a clock: actions that note when they begin and take as long as they are told to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.cluster.stage_moments import StageMoments
from kubestage.clusterloader.tuning import Action, TuningSets
from kubestage.sim.environment import Environment
from kubestage.sim.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.clusterloader import config

BEGIN_NS = 1_000
"""When the tests begin: nothing can happen at time zero."""


class Drawn:
    """Chance that was drawn before."""

    def __init__(self, numbers: Sequence[float] = ()) -> None:
        self._numbers = list(numbers)

    def random(self) -> float:
        return self._numbers.pop(0)


class DrawnStreams(Streams):
    """Streams that all give what was drawn before."""

    def __init__(self, numbers: Sequence[float]) -> None:
        super().__init__()
        self._drawn = Drawn(numbers)

    def stream(self, name: str) -> Drawn:  # type: ignore[override]
        del name
        return self._drawn


class Took:
    """An action that notes its start and is done after a while."""

    def __init__(self, paced: Paced, index: int, took_ns: int) -> None:
        self._paced = paced
        self._index = index
        self._took_ns = took_ns

    def begin(self, done: Callable[[], None]) -> None:
        paced = self._paced
        paced.begun.append((paced.elapsed_ns, self._index))
        paced.moments.at(paced.moments.now_ns + self._took_ns, done)


class Paced:
    """Tuning sets on a stage's clock, and what they did."""

    def __init__(self, sets: Iterable[config.TuningSet], streams: Streams | None = None) -> None:
        self.environment = Environment()
        self.environment.run(BEGIN_NS)
        self.moments = StageMoments(self.environment)
        self.sets = TuningSets(sets, self.moments, streams or Streams(7))
        self.begun: list[tuple[int, int]] = []
        self.finished: list[int] = []

    @property
    def elapsed_ns(self) -> int:
        return self.moments.now_ns - BEGIN_NS

    @property
    def starts(self) -> list[int]:
        return [at_ns for at_ns, _ in self.begun]

    def actions(self, durations_ns: Sequence[int]) -> list[Action]:
        return [Took(self, index, each).begin for index, each in enumerate(durations_ns)]

    def execute(self, name: str, durations_ns: Sequence[int]) -> None:
        self.sets.execute(name, self.actions(durations_ns), self.note_finished)

    def note_finished(self) -> None:
        self.finished.append(self.elapsed_ns)

    def run(self, until_ns: int | None = None) -> None:
        self.environment.run(None if until_ns is None else BEGIN_NS + until_ns)
