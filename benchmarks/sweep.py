"""Sweeps: the cost of a run beyond the run itself, memory over 10,000 runs, and two processes.

``python benchmarks/sweep.py`` prints tables for docs/sweep.md; ``--runs 1000`` is quicker.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import sweep_timing

from kubestage.sweep import sweeping
from kubestage.sweep.driver import Driver
from kubestage.sweep.engines.local import LocalEngine
from kubestage.sweep.engines.ray_engine import RayEngine
from kubestage.sweep.store import RowStore
from kubestage.sweep.sweep_file import SweepDefinition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage.sweep.engines.engine import Engine, Pool, Work
    from kubestage.sweep.rows import Row

_CLUSTER = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "9"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: main, image: web, resources: {requests: {cpu: "1"}}}
"""
_CPU = "pod/web:spec.containers[0].resources.requests.cpu"
_MIB = 1 << 20


class Watched:
    """An engine that keeps the pool that it has opened, for a look at its processes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.pool: Pool | None = None

    def open(self, work: Work) -> Pool:
        self.pool = self._engine.open(work)
        return self.pool


def prepared(command: Sequence[str], seeds: int, values: str = "1,2") -> sweeping.PreparedSweep:
    definition = SweepDefinition(command=list(command), vary={_CPU: values}, seeds=seeds)
    return sweeping.prepare(definition)


def overhead(folder: pathlib.Path, number: int) -> Iterator[tuple[str, float, float, float]]:
    """Milliseconds of a run itself, beyond it, and of processor time beyond it, by engine."""
    this = prepared(["run", str(folder / "cluster.yaml")], number // 2)
    engines: dict[str, tuple[Callable[[], Engine], int]] = {
        "this process": (lambda: LocalEngine(1), 1),
        "2 processes": (lambda: LocalEngine(2), 2),
        "Ray, 2 processes": (lambda: RayEngine(None, 2), 2),
    }
    for name, (make, jobs) in engines.items():
        engine = make()
        with engine.open(sweep_timing.Timed(this.base)) as pool:
            # The start of processes and their imports are no part of a run.
            warm = list(this.design.tasks())[: 4 * jobs]
            for task in warm:
                pool.submit(task)
            for _ in warm:
                pool.next()
            store = RowStore(folder / f"{jobs}-{name[:3]}.sqlite")
            store.start({})
            driver = Driver(sweep_timing.Timed(this.base), this.design, _Open(pool), store)  # type: ignore[arg-type]
            begin, begin_cpu = time.perf_counter(), time.process_time()
            table = driver.run()
            wall, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
            store.close()
        inside = _total(table.rows, sweep_timing.INSIDE)
        around = _total(table.rows, sweep_timing.CPU)
        # In this process, the driver's processor time is that of the runs, too.
        cpu = around + (0.0 if jobs == 1 else cpu)
        yield name, *(1000 * each / number for each in (inside, jobs * wall - inside, cpu))


def _total(rows: Sequence[Row], measure: str) -> float:
    return sum(float(row.measures[measure] or 0) for row in rows)


class _Open:
    """An engine whose pool is open already, and stays so."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def open(self, work: Work) -> Pool:
        del work
        return _Borrowed(self._pool)  # type: ignore[return-value]


class _Borrowed:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.slots, self.submit, self.next = pool.slots, pool.submit, pool.next

    def __enter__(self) -> _Borrowed:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def memory(folder: pathlib.Path, number: int) -> Iterator[tuple[int, float, float]]:
    """MiB of the driver and of the largest worker while a sweep runs, by rows done."""
    this = prepared(["run", str(folder / "cluster.yaml")], number // 2)
    engine = Watched(LocalEngine(2))
    store = RowStore(folder / "memory.sqlite")
    store.start({})
    marks = [number // 10 * at for at in (1, 2, 5, 10)]
    found: list[tuple[int, float, float]] = []

    class Looking(Driver):
        def _advance(self, step: int, advance: object) -> None:
            super()._advance(step, advance)  # type: ignore[arg-type]
            if self.done in marks:
                workers = [each.process_id for each in engine.pool.workers]  # type: ignore[union-attr]
                found.append((self.done, _rss(os.getpid()), max(map(_rss, workers))))

    begin = time.perf_counter()
    table = Looking(this.base, this.design, engine, store).run()
    store.finish(table, {})
    print(f"{len(table.rows):,} runs in {time.perf_counter() - begin:.0f} s")
    yield from found


def _rss(process: int) -> float:
    pages = int(pathlib.Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MIB


def speed_up(folder: pathlib.Path, rounds: int) -> Iterator[tuple[float, float, float]]:
    """Seconds of a run, of the same runs in one process and in two; by turns."""
    (folder / "many.yaml").write_text(_CLUSTER.replace('pods: "9"', 'pods: "999"'))
    words = ["run", str(folder / "many.yaml"), "--nodes", "1800", "--for", "20h"]
    for _ in range(rounds):
        walls = []
        for jobs in (1, 2):
            this = prepared(words, 4)
            with LocalEngine(jobs).open(this.base) as pool:
                tasks = list(this.design.tasks())
                for task in tasks[:jobs]:
                    pool.submit(task)
                for _ in tasks[:jobs]:
                    pool.next()
                begin = time.perf_counter()
                table = Driver(this.base, this.design, _Open(pool)).run()
                walls.append(time.perf_counter() - begin)
        yield walls[0] / len(table.rows), walls[0], walls[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "cluster.yaml").write_text(_CLUSTER)
        print("load average", os.getloadavg())
        print("| engine | the run itself, ms | beyond it, ms | CPU beyond it, ms |")
        print("|---|---|---|---|")
        for name, inside, beyond, cpu in overhead(folder, min(400, options.runs)):
            print(f"| {name} | {inside:.1f} | {beyond:.2f} | {cpu:.2f} |")
        print("\n| a run, s | one process, s | two, s | times |\n|---|---|---|---|")
        for each, one, two in speed_up(folder, options.rounds):
            print(f"| {each:.2f} | {one:.1f} | {two:.1f} | {one / two:.2f} |")
        print()
        rows = list(memory(folder, options.runs))
        print("| rows | driver, MiB | worker, MiB |\n|---|---|---|")
        for done, driver, worker in rows:
            print(f"| {done:,} | {driver:.0f} | {worker:.0f} |")


if __name__ == "__main__":
    sys.exit(main())
