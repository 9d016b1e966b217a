"""Compiled kernels are loaded beside the event loop: nobody is to wait for them.

NOTE: to load them takes half a second, and to compile them, once on a machine, ten. Loaded at once,
that was the longest that others waited for: 420 ms of the loop's time (benchmarks/server.py live).
What the kernels do is done without them meanwhile.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from kubestage.scheduler.quick import kernels
from kubestage.traffic.fast import compiling

if TYPE_CHECKING:
    from collections.abc import Callable


def begin() -> None:
    """Load them in a thread from now on."""
    kernels.COMPILED.run = compiling.COMPILED.run = _in_thread


def end() -> None:
    """Load them at once again."""
    kernels.COMPILED.run = kernels.at_once
    compiling.COMPILED.run = compiling.at_once


def _in_thread(work: Callable[[], object]) -> None:
    threading.Thread(target=work, name="kernels", daemon=True).start()
