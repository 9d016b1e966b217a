"""Tasks on Ray: on a cluster that is there, or on one that is started on this machine.

The work is put into Ray's object store once; each worker process fetches it once. A task whose
worker dies is tried again by Ray. A cluster that is started here listens on the loopback interface
only, has no dashboard, sends no usage statistics, and ends with the sweep.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import sys
import uuid
from typing import TYPE_CHECKING, Any, Final

import kubestage
from kubestage.errors import InputError
from kubestage.sweep.engines import crashes, ray_worker
from kubestage.sweep.engines.local import cores

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    from kubestage.sweep.engines.engine import Work
    from kubestage.sweep.rows import Row, Task

# Ray has the next task of a worker before it is done with the first.
_PER_CORE: Final = 2
# Inputs are small: the rest of the memory is for runs.
_STORE_BYTES: Final = 128 << 20
_CLUSTERS: Final = "ENABLE_RAY_CLUSTER"
_LOOPBACK: Final = "127.0.0.1"


class RayEngine:
    """A Ray cluster: that of an address, or one with so many processes of this machine."""

    def __init__(self, address: str | None = None, jobs: int | None = None) -> None:
        self.address = address
        self.jobs = jobs
        with _environment(address):
            self._ray = _library()

    def connect(self) -> bool:
        """Connect, or start a cluster; False if this process has one already."""
        if self._ray.is_initialized():
            return False
        _connect(self._ray, self.address, self.jobs)
        return True

    def open(self, work: Work) -> RayPool:
        """Connect, or start a cluster that ends with the pool."""
        return RayPool(self._ray, work, self.jobs, is_ours=self.connect())


class RayPool:
    """Tasks of one work on a cluster."""

    def __init__(self, ray: Any, work: Work, jobs: int | None, *, is_ours: bool) -> None:
        self._ray = ray
        self._is_ours = is_ours
        try:
            number = int(ray.cluster_resources().get("CPU", 1))
            self.slots = _PER_CORE * (number if jobs is None else min(jobs, number))
            self._token = uuid.uuid4().hex
            self._work = ray.put(work)
            function = ray.remote(ray_worker.compute)
            self._compute = function.options(max_retries=crashes.ATTEMPTS - 1, num_cpus=1)
            self._tasks: dict[Any, Task] = {}
        except BaseException:
            self._close()
            raise

    def submit(self, task: Task) -> None:
        """Start a task."""
        # In a list, so that it is not fetched for each task.
        reference = self._compute.remote(self._token, [self._work], task, kubestage.__version__)
        self._tasks[reference] = task

    def next(self) -> Row:
        """Wait until any of the tasks has ended."""
        [reference], _ = self._ray.wait(list(self._tasks), num_returns=1)
        task = self._tasks.pop(reference)
        errors = self._ray.exceptions
        try:
            row: Row = self._ray.get(reference)
        except errors.RayTaskError as error:
            cause = error.cause
            raise cause if isinstance(cause, InputError) else error from None
        except errors.RayError as error:
            return crashes.row(task, type(error).__name__)
        return row

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for reference in self._tasks:
            self._ray.cancel(reference, force=True)
        self._tasks.clear()
        self._close()

    def _close(self) -> None:
        if self._is_ours:
            self._ray.shutdown()


def _library() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError:
        fix = "pip install 'kubestage[ray]'"
        raise InputError("Ray is not installed", path="--engine", fix=fix) from None


@contextlib.contextmanager
def _environment(address: str | None) -> Iterator[None]:
    """Variables that Ray reads when it is imported, and that its processes inherit."""
    values = {"RAY_USAGE_STATS_ENABLED": "0"}
    if address is None:
        values |= {
            # Without it, Ray replaces the loopback address by one that others can reach.
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
            # Workers import kubestage, and what a user's plugin imports, from where we do.
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _loopback(address: str | None) -> Iterator[None]:
    """The same for a program that had imported Ray before: it has read the variable already."""
    constants = importlib.import_module("ray._private.ray_constants")
    before = getattr(constants, _CLUSTERS, None)
    if address is not None or before is None:
        yield
        return
    setattr(constants, _CLUSTERS, False)
    try:
        yield
    finally:
        setattr(constants, _CLUSTERS, before)


def _connect(ray: Any, address: str | None, jobs: int | None) -> None:
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        options |= {
            "num_cpus": jobs or cores(),
            "include_dashboard": False,
            "object_store_memory": _STORE_BYTES,
            "_node_ip_address": _LOOPBACK,
        }
    try:
        with _environment(address), _loopback(address):
            ray.init(address=address or "local", **options)
    except (ConnectionError, OSError, ValueError) as error:
        fix = "check the address, or leave it out to start one here"
        raise InputError(f"no Ray cluster: {error}", path="--address", fix=fix) from None
