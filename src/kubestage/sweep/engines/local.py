"""Tasks on this machine: in this process, or in one process for each core.

Worker processes are started as programs of their own, so that neither a notebook nor a script needs
a guard around its main part. The work is sent to each of them once. A worker that dies is replaced,
and its task is tried again.
"""

from __future__ import annotations

import collections
import os
import pickle
import subprocess
import sys
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import KubestageError
from kubestage.sweep.engines import crashes

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from kubestage.sweep.engines.engine import Pool, Work
    from kubestage.sweep.rows import Row, Task

READY: Final = b"ready"
FAILED: Final = b"failed: "
# A worker has its next task before it is done with the first.
_PER_WORKER: Final = 2
_PROGRAM: Final = "from kubestage.sweep.engines import local_worker; local_worker.main({})"
_GRACE_SECONDS: Final = 5


class LocalEngine:
    """Processes of this machine; `jobs` is how many, by default one for each core."""

    def __init__(self, jobs: int | None = None) -> None:
        self.jobs = jobs or cores()

    def open(self, work: Work) -> Pool:
        """Start workers; with one job, tasks run in this process."""
        return InProcessPool(work) if self.jobs == 1 else ProcessPool(work, self.jobs)


class InProcessPool:
    """Runs each task when its row is requested."""

    slots = 1

    def __init__(self, work: Work) -> None:
        self._work = work
        self._tasks: collections.deque[Task] = collections.deque()

    def submit(self, task: Task) -> None:
        """Remember a task."""
        self._tasks.append(task)

    def next(self) -> Row:
        """Run the first of them."""
        return self._work(self._tasks.popleft())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._tasks.clear()


class _Worker:
    """A process, and the tasks that it has; it works on the first of them."""

    def __init__(self, work: bytes) -> None:
        ours, theirs = connection.Pipe()
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM.format(number)],
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                # What a user's plugin prints would be mixed with our own output.
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                # Ctrl-C is for the process that started this one.
                start_new_session=True,
            )
        self.pipe: Any = ours
        self.tasks: collections.deque[Task] = collections.deque()
        self.is_ready = False
        self._send(work)

    @property
    def process_id(self) -> int:
        """The number of the process."""
        return self._process.pid

    def give(self, task: Task) -> None:
        """Send a task."""
        self.tasks.append(task)
        self._send(pickle.dumps(task))

    def _send(self, data: bytes) -> None:
        try:
            self.pipe.send_bytes(data)
        except OSError:
            # It has died: whoever reads from it will notice.
            return

    def end(self) -> int | None:
        """End the process; its exit code."""
        self.pipe.close()
        if self._process.poll() is None:
            self._process.kill()
        return self._process.wait(_GRACE_SECONDS)

    def exit_code(self) -> int | None:
        """The exit code of a process that has closed its pipe."""
        try:
            return self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return self.end()


class ProcessPool:
    """Worker processes."""

    def __init__(self, work: Work, jobs: int) -> None:
        self._work = pickle.dumps(work)
        self._deaths: collections.Counter[int] = collections.Counter()
        self._failed_starts = 0
        self._failed: collections.deque[Row] = collections.deque()
        self.workers: list[_Worker] = []
        self.slots = _PER_WORKER * jobs
        for _ in range(jobs):
            self.workers.append(_Worker(self._work))

    def submit(self, task: Task) -> None:
        """Send a task to the worker that has the fewest."""
        min(self.workers, key=lambda each: len(each.tasks)).give(task)

    def next(self) -> Row:
        """Wait until any of the tasks has ended."""
        while not self._failed:
            by_pipe = {each.pipe: each for each in self.workers}
            for pipe in connection.wait(list(by_pipe)):
                row = self._received(by_pipe[pipe])
                if row is not None:
                    return row
        return self._failed.popleft()

    def _received(self, worker: _Worker) -> Row | None:
        try:
            data = worker.pipe.recv_bytes()
        except (EOFError, OSError):
            self._replace(worker)
            return None
        if data == READY:
            worker.is_ready, self._failed_starts = True, 0
            return None
        if data.startswith(FAILED):
            problem = data.removeprefix(FAILED).decode(errors="replace")
            raise KubestageError(f"workers cannot load the inputs: {problem}")
        worker.tasks.popleft()
        row: Row = pickle.loads(data)
        return row

    def _replace(self, worker: _Worker) -> None:
        """Start another worker with the tasks of one that has died."""
        code = worker.exit_code()
        tasks = worker.tasks
        if not worker.is_ready:
            self._failed_starts += 1
            if self._failed_starts >= crashes.ATTEMPTS:
                problem = f"worker processes do not start: {crashes.reason(code)}"
                raise KubestageError(problem)
        elif tasks:
            first = tasks[0]
            self._deaths[first.index] += 1
            if self._deaths[first.index] >= crashes.ATTEMPTS:
                self._failed.append(crashes.row(tasks.popleft(), crashes.reason(code)))
        worker.pipe.close()
        fresh = _Worker(self._work)
        self.workers[self.workers.index(worker)] = fresh
        for task in tasks:
            fresh.give(task)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for worker in self.workers:
            worker.end()


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
