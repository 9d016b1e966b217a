"""Work on forks of this process, several at a time.

A fork has all that is in memory, plugins of the user included, and may change it: nothing has to be
encoded but its result, and nothing of it is left afterwards.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import selectors
import signal
import sys
import threading
import warnings
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

# NOTE: more would save little, for one rehearsal of all takes a third of the time, and each takes
# hundreds of megabytes on a large cluster.
_MOST: Final = 4
# Of prctl(2).
_PR_SET_PDEATHSIG: Final = 1


def possible() -> int:
    """How many forks may work at a time; one if there are none."""
    return min(len(os.sched_getaffinity(0)), _MOST) if is_possible() else 1


def is_possible() -> bool:
    """Whether there may be forks now.

    Libraries of macOS do not work in forks. Nor may other threads do, which could hold locks.
    """
    return is_supported() and threading.active_count() == 1


def is_supported() -> bool:
    """Whether there are forks on this system."""
    return sys.platform == "linux"


class _Fork(NamedTuple):
    number: int
    pid: int
    pipe: BinaryIO
    parts: list[bytes]

    def result(self) -> bytes:
        """What it has sent; nothing if it failed."""
        self.pipe.close()
        _, status = os.waitpid(self.pid, 0)
        return b"" if status else b"".join(self.parts)

    def end(self) -> None:
        """Have it end at once."""
        os.kill(self.pid, signal.SIGKILL)
        self.result()


def results(
    works: Sequence[Callable[[], T]], jobs: int, on_start: Callable[[int, int], None]
) -> dict[int, T]:
    """What each of some works returns, by its number; the last ones are started first.

    One that fails is missing: who does it again here gets its error. So are those that come after
    one for which the system has no process. `on_start` is called with how many are done and the
    number of the one that starts.
    """
    found: dict[int, T] = {}
    waiting = list(range(len(works)))
    done = 0
    with selectors.DefaultSelector() as running:
        try:
            while waiting or running.get_map():
                while waiting and len(running.get_map()) < jobs:
                    number = waiting.pop()
                    on_start(done, number)
                    fork = _started(number, works[number])
                    if fork is None:
                        waiting.clear()
                        break
                    running.register(fork.pipe, selectors.EVENT_READ, fork)
                for fork in _ended(running):
                    done += 1
                    sent = fork.result()
                    if sent:
                        found[fork.number] = pickle.loads(sent)
        finally:
            for key in tuple(running.get_map().values()):
                cast("_Fork", key.data).end()
    return found


def _started(number: int, work: Callable[[], object]) -> _Fork | None:
    reading, writing = os.pipe()
    parent = os.getpid()
    try:
        with warnings.catch_warnings():
            # Python 3.12 warns of threads. There are none but those that draw the progress.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return None
    if not pid:
        _work(work, writing, parent)
    os.close(writing)
    return _Fork(number, pid, os.fdopen(reading, "rb", buffering=0), [])


def _work(work: Callable[[], object], writing: int, parent: int) -> None:
    """What a fork does; nothing of the process that it is a copy of happens after that."""
    try:
        # Ctrl-C is for the process that started this one.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _end_with_parent(parent)
        gc.freeze()
        encoded = pickle.dumps(work(), pickle.HIGHEST_PROTOCOL)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(encoded)
        os._exit(0)
    finally:
        os._exit(1)


def _end_with_parent(parent: int) -> None:
    """Have the system end this process when the one that started it ends, however that happens."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _ended(running: selectors.BaseSelector) -> list[_Fork]:
    """Read what forks send; those that have ended."""
    ended = []
    for key, _ in running.select() if running.get_map() else ():
        fork = cast("_Fork", key.data)
        part = fork.pipe.read(1 << 20)
        if part:
            fork.parts.append(part)
        else:
            running.unregister(fork.pipe)
            ended.append(fork)
    return ended
