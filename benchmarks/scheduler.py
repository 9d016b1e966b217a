"""How fast pods are scheduled.

Two figures for each list: what the real scheduler was measured with (popped, filtered, scored,
assumed, reserved, recorded; no API server, no binding), and the whole thing (bound in the store,
with an Event for each pod, and everybody told).

Run as ``python benchmarks/scheduler.py [FOLDER]``, where FOLDER holds recorded lists (by default
``../shared/bench`` if there is one; without, lists of the same shapes are generated). One core;
each figure is from a process of its own, in CPU time. A ratio is pods a second over those of the
real scheduler times the speed of this machine, which is measured before, after and in slices in
between; of several rounds the middle one counts. ``--profile NAME`` shows where the time goes.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import pathlib
import pstats
import resource
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import scheduler_lists

from kubestage.scheduler import config
from kubestage.scheduler.framework import SUCCESS
from kubestage.scheduler.record import Recording
from kubestage.scheduler.scheduler import Scheduler
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.framework import CycleState, Status
    from kubestage.scheduler.handle import Handle

SHARED = pathlib.Path(__file__).parents[2] / "shared" / "bench"
SLICE_SECONDS = 0.1
TARGETS = {"basic": 8.0, "affinity": 4.0, "spread": 4.0, "mixed": 4.0}


class LeavesUnbound:
    """Stands in for DefaultBinder: pods stay assumed, as in the runs of the reference."""

    name = "LeavesUnbound"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args, handle

    def bind(self, state: CycleState, pod: PodView, node_name: str) -> Status:
        del state, pod, node_name
        return SUCCESS


def without_binding() -> config.SchedulerConfiguration:
    """The default configuration, but nothing is written to the store."""
    bind = {"enabled": [{"name": "LeavesUnbound"}], "disabled": [{"name": "DefaultBinder"}]}
    return config.from_dict(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [{"plugins": {"bind": bind}}],
        }
    )


def prepared(objects: list[dict[str, Any]], *, binding: bool) -> tuple[Scheduler, list[str]]:
    """A scheduler with all nodes known and all pods queued, and the keys of the pods."""
    streams = Streams(1)
    store = Store(Clock(), streams, implicit_namespaces=True)
    scheduler = Scheduler(
        store,
        None,
        streams,
        None if binding else without_binding(),
        plugins={"LeavesUnbound": LeavesUnbound},
        recording=Recording.DECISIONS,
        events=binding,
    )
    keys = []
    for obj in objects:
        if obj["kind"] == "Pod" and "nodeName" not in obj["spec"]:
            created = store.create({**obj, "status": {}})["metadata"]
            keys.append(f"{created['namespace']}/{created['name']}")
        else:
            store.load(obj)
    # The collector shall not walk what is there before the clock starts.
    gc.collect()
    gc.freeze()
    return scheduler, keys


def measure(name: str, folder: pathlib.Path | None, *, binding: bool) -> dict[str, Any]:
    """One list in this process."""
    scheduler, keys = prepared(scheduler_lists.objects(name, folder), binding=binding)
    calibration = scheduler_lists.Calibration(folder)
    calibration.take()
    attempts, spent, idle = 0, 0.0, False
    while not idle:
        started = time.process_time()
        while not idle and time.process_time() - started < SLICE_SECONDS:
            for _ in range(20):
                idle = not scheduler.schedule_next()
                attempts += not idle
        spent += time.process_time() - started
        calibration.take()
    wanted = scheduler_lists.placements(name, folder)
    rows = {row.pod: [row.node, row.evaluated] for row in reversed(scheduler.record.decisions)}
    identical = None
    if wanted is not None:
        identical = sum(rows.get(key) == each for key, each in zip(keys, wanted, strict=True))
    return {
        "pods": len(keys),
        "pods_per_second": attempts / spent,
        "speed": calibration.speed,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "identical": identical,
    }


def measure_failing(name: str) -> dict[str, float]:
    """Milliseconds for an attempt at a pod that fits nowhere, and for another at the same."""
    scheduler, _ = prepared(scheduler_lists.objects(name, None), binding=True)
    scheduler.schedule_one()
    first_ms = _spent_ms(scheduler)
    waiting = [each.pod for pods in scheduler.queue.pods().values() for each in pods]
    scheduler.activate(waiting)
    return {"first_ms": first_ms, "again_ms": _spent_ms(scheduler)}


def _spent_ms(scheduler: Scheduler) -> float:
    started = time.process_time()
    attempts = scheduler.run_until_idle()
    return (time.process_time() - started) * 1000 / attempts


def in_child(name: str, folder: pathlib.Path | None, *, binding: bool) -> dict[str, Any]:
    """The same in a process of its own, so that its memory is its own."""
    command = [sys.executable, __file__, "--child", name]
    command += [] if folder is None else [str(folder)]
    command += [] if binding else ["--no-binding"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def report(name: str, folder: pathlib.Path | None, rounds: int) -> None:
    """A line of the table."""
    alike = [in_child(name, folder, binding=False) for _ in range(rounds)]
    whole = [in_child(name, folder, binding=True) for _ in range(rounds)]
    real = scheduler_lists.reference(folder).get(name)
    peak_mb = max(each["peak_mb"] for each in whole)
    same = "".join(
        f"  {each['identical']}/{each['pods']} identical"
        for each in (alike[0], whole[0])
        if each["identical"] is not None
    )
    target = TARGETS[name.partition("-")[0]]
    text = f"{name:<20} {_figure(alike, real, target)} | with binding {_figure(whole, real)}"
    print(f"{text} {peak_mb:5.0f} MB{same}", flush=True)


def report_failing(name: str, rounds: int) -> None:
    """A line about attempts that find no node."""
    found = [in_child(name, None, binding=True) for _ in range(rounds)]
    first, again = (
        statistics.median(each[key] for each in found) for key in ("first_ms", "again_ms")
    )
    print(f"{name:<20} {first:6.2f} ms an attempt | again {again:6.2f} ms", flush=True)


def _figure(found: list[dict[str, Any]], real: float | None, target: float | None = None) -> str:
    rate = statistics.median(each["pods_per_second"] for each in found)
    text = f"{rate:6.0f} pods/s"
    if real is None:
        return text
    ratios = [each["pods_per_second"] / (real * each["speed"]) for each in found]
    ratio = statistics.median(ratios)
    text += f" {ratio:5.1f}x ({min(ratios):.1f}-{max(ratios):.1f})"
    if target is None:
        return text
    return f"{text} {'ok' if ratio >= target else 'MISSED'} (>= {target:g})"


def profile(name: str, folder: pathlib.Path | None) -> None:
    """Where the time goes, by function."""
    scheduler, _ = prepared(scheduler_lists.objects(name, folder), binding=True)
    profiler = cProfile.Profile()
    profiler.runcall(scheduler.run_until_idle)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(40)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--only", help="the list to run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--profile", metavar="NAME", help="show where the time goes in a list")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--no-binding", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    folder = given.folder
    if given.child in scheduler_lists.FAILING:
        print(json.dumps(measure_failing(given.child)))
        return
    if given.child:
        print(json.dumps(measure(given.child, folder, binding=not given.no_binding)))
        return
    if folder is None and SHARED.exists():
        folder = SHARED
    if given.profile:
        profile(given.profile, folder)
        return
    for name in scheduler_lists.NAMES:
        if given.only in (None, name):
            report(name, folder, given.rounds)
    for name in scheduler_lists.FAILING:
        if given.only in (None, name):
            report_failing(name, given.rounds)


if __name__ == "__main__":
    main()
