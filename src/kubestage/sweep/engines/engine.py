"""What a sweep expects of an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from kubestage.sweep.rows import Row, Task


class Work(Protocol):
    """What a worker does with a task. It pickles, and is sent to each worker once."""

    def __call__(self, task: Task) -> Row:
        """Compute one row. A run that fails is a row with its error, never an exception."""


class Pool(Protocol):
    """Workers that are ready for tasks of one work."""

    @property
    def slots(self) -> int:
        """How many tasks may be under way: enough to keep every worker busy, and no more."""

    def submit(self, task: Task) -> None:
        """Start a task."""

    def next(self) -> Row:
        """Wait until any of the tasks has ended, and return its row."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the workers, and forget tasks that are under way."""


class Engine(Protocol):
    """A way to compute many tasks."""

    def open(self, work: Work) -> Pool:
        """Start workers."""
