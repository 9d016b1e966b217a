"""A work that measures its runs; in a file of its own, so that workers can import it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from kubestage.runs import run as runs

if TYPE_CHECKING:
    from kubestage.sweep.base_run import Base
    from kubestage.sweep.rows import Row, Task

INSIDE = "inside"
CPU = "cpu"


class Timed:
    """A base that measures each run itself, and the processor time that is spent around it."""

    def __init__(self, base: Base) -> None:
        self.base = base

    def key(self, task: Task) -> str:
        return self.base.key(task)

    def __call__(self, task: Task) -> Row:
        inside, inside_cpu = 0.0, 0.0
        original = runs.run

        def timed(*args: object, **options: object) -> object:
            nonlocal inside, inside_cpu
            begin, begin_cpu = time.perf_counter(), time.process_time()
            try:
                return original(*args, **options)  # type: ignore[arg-type]
            finally:
                inside += time.perf_counter() - begin
                inside_cpu += time.process_time() - begin_cpu

        runs.run = timed  # type: ignore[assignment]
        begin_cpu = time.process_time()
        try:
            row = self.base(task)
        finally:
            runs.run = original
        assert row.error is None, row.error
        around = time.process_time() - begin_cpu - inside_cpu
        measures = {**row.measures, INSIDE: inside, CPU: around}
        return msgspec.structs.replace(row, measures=measures)
