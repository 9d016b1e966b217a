"""An engine without processes: every task is computed when its row is requested."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from kubestage.sweep.engines.engine import Work
    from kubestage.sweep.rows import Row, Task


class InProcessPool:
    """Computes tasks; the last that was submitted comes first, as among several processes."""

    def __init__(self, work: Work, slots: int) -> None:
        self.slots = slots
        self.done = 0
        self._work = work
        self._tasks: collections.deque[Task] = collections.deque()

    def submit(self, task: Task) -> None:
        assert len(self._tasks) < self.slots
        self._tasks.append(task)

    def next(self) -> Row:
        self.done += 1
        return self._work(self._tasks.pop())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._tasks.clear()


class InProcessEngine:
    def __init__(self, slots: int = 1) -> None:
        self._slots = slots

    def open(self, work: Work) -> InProcessPool:
        return InProcessPool(work, self._slots)
