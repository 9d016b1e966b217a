"""Notes and bars on stderr: a bar is drawn only if a person watches and the work is long."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import screen
from kubestage.runs.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.observer import Advance, StageRunner
    from kubestage.scenario.controller import ScenarioController
    from kubestage.stage import Stage

_FINISHING: Final = "Interrupted: what is being written is finished first."


class TerminalObserver(Observer):
    """Writes notes to stderr and draws bars there."""

    def note(self, text: str) -> None:
        """Print a note."""
        screen.note(f"Note: {text}")

    def on_run(self, name: str, number: int, total: int) -> None:
        """Print the name of a run, where a person watches."""
        if sys.stderr.isatty():
            screen.note(f"{number} of {total}: {name}")

    @contextlib.contextmanager
    def progress(
        self, what: str, total: int, *, noticeable: int = 0, in_bytes: bool = False
    ) -> Iterator[Advance]:
        """Draw a bar while the block runs, if `total` is `noticeable`."""
        if not sys.stderr.isatty() or total < noticeable:
            with super().progress(what, total) as advance:
                yield advance
            return
        from rich import progress

        columns = _columns(in_bytes=in_bytes)
        drawing = screen.console()
        with progress.Progress(*columns, console=drawing, transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda done, what=None: bar.update(task, completed=done, description=what)

    def on_interrupt(self) -> None:
        """Say why it takes a moment."""
        with contextlib.suppress(OSError):
            screen.note(_FINISHING)

    @contextlib.contextmanager
    def watch_scenarios(
        self, scenarios: Sequence[Json]
    ) -> Iterator[Callable[[ScenarioController], None] | None]:
        """Show how far Scenarios are, if a person watches."""
        from kubestage.cli import scenario_view

        with contextlib.ExitStack() as stack:
            is_seen = sys.stderr.isatty()
            yield stack.enter_context(scenario_view.shown(scenarios)) if is_seen else None

    @contextlib.contextmanager
    def watch_stage(self, stage: Stage, end_ns: int) -> Iterator[StageRunner]:
        """Show a living cluster, if a person watches."""
        from kubestage.cli import live_view

        view = live_view.shown if sys.stderr.isatty() else super().watch_stage
        with view(stage, end_ns) as runner:
            yield runner


def _columns(*, in_bytes: bool) -> tuple[Any, ...]:
    from rich import progress

    columns = (
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
    )
    if in_bytes:
        return (*columns, progress.DownloadColumn())
    return (*columns, progress.MofNCompleteColumn(), progress.TimeRemainingColumn())


OBSERVER: Final = TerminalObserver()


@contextlib.contextmanager
def shown(what: str, total: int, *, at_least: int) -> Iterator[Advance]:
    """A function that reports how much is done; it draws where `total` reaches `at_least`."""
    with OBSERVER.progress(what, total, noticeable=at_least) as advance:
        yield advance
