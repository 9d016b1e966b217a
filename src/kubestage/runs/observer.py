"""What a long call reports while it runs: notes for the user, and progress."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.recording.result import RecordStatus
    from kubestage.runs.shadowing.result import ShadowStatus
    from kubestage.scenario.controller import ScenarioController
    from kubestage.stage import Stage


class Advance(Protocol):
    """Reports how much of the work is done in all, and what is worked on now."""

    def __call__(self, done: int, what: str | None = None) -> None:
        """Report it."""


class StageRunner(Protocol):
    """Lets virtual time pass on a stage."""

    def run_until(self, at_ns: int) -> None:
        """Let time pass up to a moment since the beginning."""


class Observer:
    """Receives notes and progress; this one does nothing.

    The command line passes one that writes to stderr. In a notebook, derive from it to see more::

        class Printing(Observer):
            def note(self, text: str) -> None:
                print(text)
    """

    def note(self, text: str) -> None:
        """Something that the user may not have intended, or should know."""

    def on_interrupt(self) -> None:
        """Ctrl-C was pressed while files are written; they are finished first."""

    def on_recording(self, status: RecordStatus) -> None:
        """How far a recording of a live cluster is; every second."""

    def on_shadow(self, status: ShadowStatus) -> None:
        """How well the predictions about a live cluster do; every second."""

    def on_run(self, name: str, number: int, total: int) -> None:
        """One of several runs starts."""

    @contextlib.contextmanager
    def progress(
        self,
        what: str,  # noqa: ARG002
        total: int,  # noqa: ARG002
        *,
        noticeable: int = 0,  # noqa: ARG002
        in_bytes: bool = False,  # noqa: ARG002
    ) -> Iterator[Advance]:
        """Work of `total` parts that begins now; gives a function that reports how far it is.

        With fewer parts than `noticeable` it ends in less than a second. `in_bytes` says that a
        part is a byte.
        """
        yield _ignore

    @contextlib.contextmanager
    def watch_scenarios(
        self,
        scenarios: Sequence[Json],  # noqa: ARG002
    ) -> Iterator[Callable[[ScenarioController], None] | None]:
        """Scenarios run now; yields a function to call at intervals, or None."""
        yield None

    @contextlib.contextmanager
    def watch_stage(self, stage: Stage, end_ns: int) -> Iterator[StageRunner]:  # noqa: ARG002
        """A living cluster runs until `end_ns`; yields the function that advances it."""
        yield _Unseen(stage)


class _Unseen:
    """Lets time pass, and shows nothing."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def run_until(self, at_ns: int) -> None:
        """Let time pass up to a moment since the beginning."""
        self._stage.run(at_ns - self._stage.clock.now_ns)


def _ignore(done: int, what: str | None = None) -> None:
    """Nothing is shown."""


SILENT: Final = Observer()
