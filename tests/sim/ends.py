"""Two ends for any number of movements."""

from __future__ import annotations

from kubestage.sim import Entity, Environment, GeneratingSource, SinkStock


class Ends:
    """A source that never runs dry, and a sink."""

    def __init__(self) -> None:
        self.source = GeneratingSource("Source", "Thing", Entity)
        self.sink: SinkStock[Entity] = SinkStock("Sink", "Thing")

    def schedule(self, environment: Environment, *times: int) -> None:
        for time in times:
            environment.schedule(f"at_{time}", time, self.source, self.sink)


def times(environment: Environment) -> list[int]:
    """When movements happened."""
    return [occurs_at for occurs_at, _, _ in environment.completed_movements]
