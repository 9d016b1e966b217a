"""One piece of work in this process: set up, scheduled in slices, and what that took."""

from __future__ import annotations

import dataclasses
import gc
import os
import pathlib
import resource
import time
from typing import TYPE_CHECKING, Any, Final

import scheduler_lists
from scheduler_calibration import Calibration

from kubestage.scheduler import config
from kubestage.scheduler.framework import SUCCESS
from kubestage.scheduler.quick import kernels
from kubestage.scheduler.record import Recording
from kubestage.scheduler.scheduler import Scheduler
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.stage import few_collections
from kubestage.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.framework import CycleState, Status
    from kubestage.scheduler.handle import Handle


SLICE_SECONDS: Final = 0.075
_FIRST_SLICE: Final = 200
_GROWTH: Final = 10
_AROUND: Final = 3
_STATUS: Final = pathlib.Path("/proc/self/status")


class LeavesUnbound:
    """Stands in for DefaultBinder: pods stay assumed, as in the runs of the reference."""

    name = "LeavesUnbound"

    def __init__(self, args: Json, handle: Handle) -> None:
        del args, handle

    def bind(self, state: CycleState, pod: PodView, node_name: str) -> Status:
        del state, pod, node_name
        return SUCCESS


UNBOUND: Final = {
    "bind": {"enabled": [{"name": "LeavesUnbound"}], "disabled": [{"name": "DefaultBinder"}]}
}


@dataclasses.dataclass(frozen=True)
class Work:
    """What is to be scheduled, and how; without binding nothing is written, as in the reference."""

    objects: Iterable[Json]
    binding: bool = True
    recording: Recording = Recording.DECISIONS
    enabled: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    plugins: Mapping[str, type[Any]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Effort:
    """What scheduling took: attempts, CPU seconds, and the machine's speed meanwhile."""

    attempts: int
    seconds: float
    speed: float | None
    best_speed: float | None


def prepared(work: Work) -> tuple[Scheduler, Store, int]:
    """A scheduler with all nodes known and all pods queued, its store, and how many pods.

    Objects are taken one by one, so what is held in memory is the store's.
    """
    streams = Streams(1)
    store = Store(Clock(), streams, implicit_namespaces=True)
    plugins = work.enabled if work.binding else {**work.enabled, **UNBOUND}
    scheduler = Scheduler(
        store,
        None,
        streams,
        config.from_dict(
            {
                "apiVersion": "kubescheduler.config.k8s.io/v1",
                "kind": "KubeSchedulerConfiguration",
                "profiles": [{"plugins": dict(plugins)}],
            }
        ),
        plugins={"LeavesUnbound": LeavesUnbound, **work.plugins},
        recording=work.recording,
        events=work.binding,
    )
    pending = 0
    for obj in work.objects:
        if obj["kind"] == "Pod" and "nodeName" not in obj["spec"]:
            store.create({**obj, "status": {}})
            pending += 1
        else:
            store.load(obj)
    gc.collect()
    return scheduler, store, pending


def run(
    scheduler: Scheduler, folder: pathlib.Path | None, slice_seconds: float = SLICE_SECONDS
) -> Effort:
    """Schedule all that is queued, looking at the speed of the machine in between.

    A slice is a number of pods, from what the last one took; the clock is read at its ends only.
    """
    calibration = Calibration(folder)
    calibration.take(_AROUND)
    attempts, spent, at_most = 0, 0.0, _FIRST_SLICE
    with few_collections():
        while True:
            started = time.process_time()
            tried = scheduler.run_until_idle(at_most)
            seconds = time.process_time() - started
            attempts, spent = attempts + tried, spent + seconds
            if tried < at_most:
                break
            calibration.take()
            fitting = int(tried * slice_seconds / max(seconds, 1e-6))
            at_most = max(1, min(fitting, at_most * _GROWTH))
    calibration.take(_AROUND)
    return Effort(attempts, spent, calibration.speed, calibration.best_speed)


def load_kernels() -> float | None:
    """Have the compiled kernels ready, as they are in a run that goes on; the seconds it took.

    They are loaded, and called once for a few pods of another cluster: what Numba does at the first
    call (compile, or read from disk) is part of loading. None if there are none to be loaded.
    """
    started = time.process_time()
    if not kernels.COMPILED.load():
        return None
    few = [*map(scheduler_lists.node, range(3)), *map(scheduler_lists.pod, range(12))]
    scheduler, _, _ = prepared(Work(few))
    scheduler.run_until_idle()
    return time.process_time() - started


def keep_to_one_core() -> None:
    """No thread of a library shall help; several programs side by side take turns at cores."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[os.getpid() % len(cores)]})


def peak_mb() -> float:
    """The most memory that this process has had.

    Linux counts in the parent's for a new process in `getrusage`, but not in its status.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
