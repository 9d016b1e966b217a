"""Ctrl-C during a run: what was saved is reported, and no file is left half written.

A function that saves something describes it with `reporting`; the description becomes a note of
the KeyboardInterrupt. Files are written under `deferred`: an interrupt waits until they are whole.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.runs.observer import Observer


@contextlib.contextmanager
def reporting(saved: Callable[[], str]) -> Iterator[None]:
    """Add what `saved` returns to an interrupt of the block, as a note."""
    try:
        yield
    except BaseException as error:
        if is_wrapped(error):
            error.add_note(saved())
        raise


def is_wrapped(error: BaseException | None) -> bool:
    """Whether an error is an interrupt, or came up while one was on its way out."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


@contextlib.contextmanager
def deferred(observer: Observer) -> Iterator[None]:
    """Let an interrupt wait until the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []

    def on_signal(number: int, _: Any) -> None:
        if not waiting:
            observer.on_interrupt()
        waiting.append(number)

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        raise KeyboardInterrupt
