"""A worker process: receives its work once, then a task at a time, and answers with rows."""

from __future__ import annotations

import os
import pickle
import threading
import time
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, Final

from kubestage.sweep.engines.local import FAILED, READY

if TYPE_CHECKING:
    from kubestage.sweep.engines.engine import Work

_INTERVAL_SECONDS: Final = 1.0


def main(descriptor: int) -> None:
    """Work until the pipe of this number is closed."""
    parent = os.getppid()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    pipe: Any = connection.Connection(descriptor)
    try:
        try:
            work: Work = pickle.loads(pipe.recv_bytes())
        except Exception as error:  # noqa: BLE001 - whatever it is, the driver reports it
            pipe.send_bytes(FAILED + f"{type(error).__name__}: {error}".encode())
            return
        pipe.send_bytes(READY)
        while True:
            pipe.send_bytes(pickle.dumps(work(pickle.loads(pipe.recv_bytes()))))
    except (EOFError, OSError):
        # The driver has ended, or needs no more.
        return


def _end_with(parent: int) -> None:
    """End in the middle of a run if the driver was killed."""
    while os.getppid() == parent:
        time.sleep(_INTERVAL_SECONDS)
    os._exit(1)
