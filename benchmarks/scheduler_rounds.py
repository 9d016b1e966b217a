"""What a child process measures, one figure each, and how it is requested.

A process of its own for each figure: its memory is its own, and nothing is warm that would not be
in the first run of a program, except for the compiled kernels: they are loaded before the clock
starts, and what that takes is a figure of its own.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any, Final

import scheduler_lists
import scheduler_measuring
import scheduler_parts
import scheduler_scaling
import scheduler_shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.aliases import Json
    from kubestage.scheduler.scheduler import Scheduler


CACHE: Final = "NUMBA_CACHE_DIR"
# Some of the shapes take seconds; there is no need to look at the machine that often.
_SHAPE_SLICE_SECONDS: Final = 0.25


def ask(what: str, folder: pathlib.Path | None, **arguments: Any) -> Json:
    """Have a child process measure something."""
    request = {"what": what, "folder": None if folder is None else str(folder), **arguments}
    return _answer(request)


def loading() -> Json:
    """Seconds to load the compiled kernels, when a machine has never done so, and ever after."""
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (_answer({"what": "loading", "folder": None}, {CACHE: cache}) for _ in "12")
    return {"cold_seconds": cold["seconds"], "warm_seconds": warm["seconds"]}


def _answer(request: Json, environment: Mapping[str, str] | None = None) -> Json:
    done = subprocess.run(
        [sys.executable, __file__, json.dumps(request)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    found: Json = json.loads(done.stdout)
    return found


def _list(folder: pathlib.Path | None, name: str, binding: bool) -> Json:
    objects = scheduler_lists.objects(name, folder)
    work = scheduler_measuring.Work(objects, binding=binding)
    found, scheduler = _scheduled(work, folder)
    return found | {"identical": _identical(scheduler, name, folder, objects)}


def _shape(folder: pathlib.Path | None, name: str) -> Json:
    shape = scheduler_shapes.SHAPES[name]
    work = shape.work(folder)
    found, scheduler = _scheduled(work, folder, _SHAPE_SLICE_SECONDS)
    if shape.is_recorded:
        assert isinstance(work.objects, list)
        found["identical"] = _identical(scheduler, shape.real, folder, work.objects)
    return found


def _scheduled(
    work: scheduler_measuring.Work,
    folder: pathlib.Path | None,
    slice_seconds: float = scheduler_measuring.SLICE_SECONDS,
) -> tuple[Json, Scheduler]:
    loaded_seconds = scheduler_measuring.load_kernels()
    scheduler, _, pods = scheduler_measuring.prepared(work)
    effort = scheduler_measuring.run(scheduler, folder, slice_seconds)
    bound = sum(bool(row.node) for row in scheduler.record.decisions)
    assert bound == pods, f"{pods - bound} pods of {pods} got no node"
    return {
        "pods": pods,
        "attempts": effort.attempts,
        "pods_per_second": pods / effort.seconds,
        "speed": effort.speed,
        "best_speed": effort.best_speed,
        "loaded_seconds": loaded_seconds,
        "peak_mb": scheduler_measuring.peak_mb(),
    }, scheduler


def _identical(
    scheduler: Scheduler, name: str, folder: pathlib.Path | None, objects: list[Json]
) -> int | None:
    """How many pods went where the real scheduler sent them, after looking at as many nodes."""
    expected = scheduler_lists.placements(name, folder)
    if expected is None:
        return None
    pods = [each["metadata"] for each in objects if each["kind"] == "Pod"]
    keys = [f"{pod.get('namespace', 'default')}/{pod['name']}" for pod in pods]
    rows = {row.pod: [row.node, row.evaluated] for row in reversed(scheduler.record.decisions)}
    return sum(rows.get(key) == each for key, each in zip(keys, expected, strict=False))


def _failing(folder: pathlib.Path | None, name: str) -> Json:
    """Milliseconds for an attempt at a pod that fits nowhere, and for another at the same."""
    del folder
    scheduler_measuring.load_kernels()
    scheduler, _, _ = scheduler_measuring.prepared(scheduler_shapes.failing(name))
    scheduler.schedule_one()
    first_ms = _spent_ms(scheduler)
    waiting = [each.pod for pods in scheduler.queue.pods().values() for each in pods]
    scheduler.activate(waiting)
    return {"first_ms": first_ms, "again_ms": _spent_ms(scheduler)}


def _spent_ms(scheduler: Scheduler) -> float:
    started = time.process_time()
    attempts = scheduler.run_until_idle()
    return (time.process_time() - started) * 1000 / attempts


def _size(folder: pathlib.Path | None, nodes: int, pods: int) -> Json:
    scheduler_measuring.load_kernels()
    return scheduler_scaling.measure(nodes, pods, folder)


def _parts(folder: pathlib.Path | None) -> Json:
    del folder
    scheduler_measuring.load_kernels()
    return scheduler_parts.measure()


def _loading(folder: pathlib.Path | None) -> Json:
    del folder
    return {"seconds": scheduler_measuring.load_kernels()}


_MEASURED: Final[dict[str, Callable[..., Json]]] = {
    "list": _list,
    "shape": _shape,
    "failing": _failing,
    "size": _size,
    "parts": _parts,
    "loading": _loading,
}


def main() -> None:
    request = json.loads(sys.argv[1])
    folder = request.pop("folder")
    measure = _MEASURED[request.pop("what")]
    scheduler_measuring.keep_to_one_core()
    print(json.dumps(measure(None if folder is None else pathlib.Path(folder), **request)))


if __name__ == "__main__":
    main()
