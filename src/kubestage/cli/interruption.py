"""Ctrl-C: says in one line what was kept and what is missing, and leaves no file half written.

Whoever makes something worth keeping describes it with `telling`; `failures` prints what all of
them say. Files are written under `deferred`: an interrupt waits until they are whole.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WAITING: Final = "Interrupted: what is being written is finished first."


class Interrupted(BaseException):
    """An interrupt on its way out; the parser of the command line would swallow Python's own."""


@contextlib.contextmanager
def telling(kept: Callable[[], str]) -> Iterator[None]:
    """Have an interrupt say what `kept` answers at that moment."""
    try:
        yield
    except KeyboardInterrupt as error:
        error.add_note(kept())
        raise


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """Let an interrupt wait until the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []

    def hear(number: int, _: Any) -> None:
        if not waiting:
            with contextlib.suppress(OSError):
                typer.echo(_WAITING, err=True)
        waiting.append(number)

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        raise KeyboardInterrupt


def line(error: BaseException | None) -> str:
    """What to say about an interrupt, be it wrapped in another error."""
    notes: list[str] = []
    while error is not None:
        notes += getattr(error, "__notes__", ())
        error = error.__cause__ or error.__context__
    return f"Interrupted: {'; '.join(notes)}." if notes else "Interrupted."
