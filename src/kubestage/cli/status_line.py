"""A command that follows a cluster: a line that changes for a person, one a minute for a log."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, ClassVar, Final, Protocol, Self

from kubestage.cli import screen
from kubestage.cli.progress import TerminalObserver

_LINE_S: Final = 60.0


class Status(Protocol):
    """How far it is."""

    @property
    def elapsed_s(self) -> float:
        """Since it began."""

    @property
    def problems(self) -> list[str]:
        """What fails at the moment."""

    def text(self) -> str:
        """In one line."""


class FollowingObserver(TerminalObserver):
    """Shows a status until the block ends, and what happens at Ctrl-C."""

    FINISHING: ClassVar[str]
    NAME: ClassVar[str] = ""

    def __init__(self) -> None:
        self._live: Any = None
        self._shown_s = 0.0
        self._is_broken = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def on_interrupt(self) -> None:
        """Say what happens now."""
        with contextlib.suppress(OSError):
            screen.note(self.FINISHING)

    def show(self, status: Status) -> None:
        """Show it; a log has a line a minute, and one when something breaks or works again."""
        if sys.stderr.isatty():
            self._draw(f"{self.NAME}{status.elapsed_s:,.0f} s: {status.text()}")
            return
        is_due = status.elapsed_s - self._shown_s >= _LINE_S
        if is_due or bool(status.problems) != self._is_broken:
            self._shown_s = status.elapsed_s
            self._is_broken = bool(status.problems)
            screen.note(status.text())

    def _draw(self, line: str) -> None:
        from rich import status as statuses
        from rich.text import Text

        if self._live is None:
            self._live = statuses.Status("", console=screen.console())
            self._live.start()
        self._live.update(Text(line))
