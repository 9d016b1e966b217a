"""The engine beside SimPy: the same work on one core, in turns, best of several rounds.

Run as ``python benchmarks/sim.py [rounds]``. Figures are CPU time, for the machine is shared.
"""

from __future__ import annotations

import importlib.util
import pathlib
import sys
import time
from typing import TYPE_CHECKING

import simpy
import simpy_queue

from kubestage.sim import (
    ArrayStock,
    CountsOnly,
    Entity,
    Environment,
    MemoryRecorder,
    Movement,
    Recorder,
    Streams,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TICKS = 500_000
CUSTOMERS = 200_000
SERVERS, ARRIVALS_PER_S, SERVICES_PER_S = 10, 8.0, 1.0
EXAMPLE = pathlib.Path(__file__).parents[1] / "examples" / "02-queue" / "main.py"


class Tick(ArrayStock[Entity]):
    """A stock whose one entity is moved from it back into it, each nanosecond."""

    def __init__(self, environment: Environment) -> None:
        super().__init__("Tick", "Ticker")
        self.environment = environment
        self.movement = Movement("tick", 1, self, self)
        ArrayStock.add(self, Entity("ticker", "Ticker"))
        environment.add_to_schedule(self.movement)

    def add(self, entity: Entity) -> None:
        ArrayStock.add(self, entity)
        self.environment.add_to_schedule(self.movement, self.environment.clock.now_ns + 1)


def ticks(recorder: Recorder) -> int:
    environment = Environment(halt_time=TICKS + 1, recorder=recorder)
    Tick(environment)
    environment.run()
    return environment.completed_count


def simpy_ticks() -> int:
    environment = simpy.Environment()

    def ticker() -> Iterator[simpy.Event]:
        for _ in range(TICKS):
            yield environment.timeout(1)

    environment.process(ticker())  # type: ignore[arg-type]  # an iterator that yields events
    environment.run()
    return TICKS


def queue(recorder: Recorder) -> int:
    spec = importlib.util.spec_from_file_location("queue_example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    environment = Environment(recorder=recorder)
    example.Queue(
        environment,
        Streams(1),
        servers=SERVERS,
        arrivals_per_s=ARRIVALS_PER_S,
        services_per_s=SERVICES_PER_S,
        customers=CUSTOMERS,
    )
    environment.run()
    return environment.completed_count


def run_simpy_queue() -> int:
    simpy_queue.mean_wait(CUSTOMERS, SERVERS, ARRIVALS_PER_S, SERVICES_PER_S)
    return 3 * CUSTOMERS


def measure(rounds: int, *runs: Callable[[], int]) -> list[float]:
    """Movements a second of each, the runs taking turns so that a noisy moment hits all."""
    best = [0.0] * len(runs)
    for _ in range(rounds):
        for which, run in enumerate(runs):
            began = time.process_time()
            movements = run()
            best[which] = max(best[which], movements / (time.process_time() - began))
    return best


def compare(
    title: str, ours: Callable[[Recorder], int], theirs: Callable[[], int], rounds: int
) -> None:
    counted, listed, simpy_rate = measure(
        rounds, lambda: ours(CountsOnly()), lambda: ours(MemoryRecorder()), theirs
    )
    print(title)
    for name, rate in (
        ("kubestage, counts only", counted),
        ("kubestage, lists kept", listed),
        ("SimPy", simpy_rate),
    ):
        print(f"  {name:<24}{rate / 1e6:>8.3f} M movements/s {rate / simpy_rate:>7.2f}x")


def main(rounds: int) -> None:
    compare(f"Bare loop, {TICKS:,} ticks (goal 0.8x)", ticks, simpy_ticks, rounds)
    title = f"M/M/{SERVERS}, {CUSTOMERS:,} customers, 3 movements each (goal 2x)"
    compare(title, queue, run_simpy_queue, rounds)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
