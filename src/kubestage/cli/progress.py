"""A bar on stderr, if a person watches and the work is long."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _ignore(_: int) -> None:
    """Nobody watches."""


@contextlib.contextmanager
def shown(what: str, total: int, *, at_least: int) -> Iterator[Callable[[int], None]]:
    """A function to be told how much is done; it draws where `total` reaches `at_least`."""
    if not sys.stderr.isatty() or total < at_least:
        yield _ignore
        return
    from rich import console, progress

    columns = (
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console.Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
