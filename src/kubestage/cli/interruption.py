"""Ctrl-C on the command line: one line says what was saved and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.cli import progress
from kubestage.runs import interruption

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

reporting = interruption.reporting
is_wrapped = interruption.is_wrapped


class Interrupted(BaseException):
    """An interrupt on its way out; the parser of the command line would swallow Python's own."""


def deferred() -> AbstractContextManager[None]:
    """Let an interrupt wait until the end of the block, and say so."""
    return interruption.deferred(progress.OBSERVER)


def line(error: BaseException | None) -> str:
    """The line for an interrupt, even one that another error wraps."""
    notes: list[str] = []
    while error is not None:
        notes += getattr(error, "__notes__", ())
        error = error.__cause__ or error.__context__
    return f"Interrupted: {'; '.join(notes)}." if notes else "Interrupted."
