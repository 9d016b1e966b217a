"""Ctrl-C during a load: once to end it cleanly, twice to exit at once."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Whether the user requested a stop; `on_first` is called at the first request."""

    def __init__(self, on_first: Callable[[], None]) -> None:
        self.is_pressed = False
        self._on_first = on_first
        self._end: Callable[[], None] | None = None

    @contextlib.contextmanager
    def handled(self) -> Iterator[Interrupts]:
        """Handle Ctrl-C, a polite request to end, and a terminal that is gone.

        What is ignored already, as by nohup, stays so. Only the main thread can handle signals.
        """
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        before = {each: signal.getsignal(each) for each in _SIGNALS}
        before = {each: known for each, known in before.items() if known is not signal.SIG_IGN}
        for each in before:
            signal.signal(each, self._pressed)
        try:
            yield self
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    @contextlib.contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """Call `end` at the first request, while a run is in progress."""
        self._end = end
        try:
            yield
        finally:
            self._end = None

    def _pressed(self, *_: Any) -> None:
        if self.is_pressed or self._end is None:
            raise KeyboardInterrupt
        self.is_pressed = True
        self._on_first()
        self._end()
