"""Tasks through a pool: as many under way as it has slots, so that memory does not grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.sweep.engines.engine import Pool
    from kubestage.sweep.rows import Row, Task


def rows(pool: Pool, tasks: Iterable[Task]) -> Iterator[Row]:
    """The rows of tasks, as they come; a task is taken only when there is a slot for it."""
    under_way = 0
    waiting = iter(tasks)
    while True:
        while under_way < pool.slots and (task := next(waiting, None)) is not None:
            pool.submit(task)
            under_way += 1
        if not under_way:
            return
        yield pool.next()
        under_way -= 1
