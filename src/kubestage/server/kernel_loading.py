"""Compiled kernels are loaded in a thread, so that the event loop does not wait for them.

NOTE: to load them takes half a second, and to compile them, once on a machine, ten seconds. Loaded
in the event loop, that was the longest wait of other requests: 420 ms (benchmarks/server.py live).
Until they are loaded, their work is done without them.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from kubestage.scheduler.quick import kernels
from kubestage.traffic.fast import compiling

if TYPE_CHECKING:
    from collections.abc import Callable


def load_in_thread() -> None:
    """Load them in a thread from now on."""
    kernels.COMPILED.run = compiling.COMPILED.run = _in_thread


def load_inline() -> None:
    """Load them where they are first used again."""
    kernels.COMPILED.run = kernels.at_once
    compiling.COMPILED.run = compiling.at_once


def _in_thread(work: Callable[[], object]) -> None:
    threading.Thread(target=work, name="kernels", daemon=True).start()
