"""Other processes, which begin with everything imported."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerProcess

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.server.journal.writer"])


def begin(target: Callable[..., None], *args: Any) -> tuple[ForkServerProcess, Connection]:
    """Have a process work, and hear what it sends into the pipe that it is given last."""
    ours, theirs = CONTEXT.Pipe(duplex=False)
    child = CONTEXT.Process(target=target, args=(*args, theirs))
    child.start()
    theirs.close()
    return child, ours
