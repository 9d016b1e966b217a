"""Where the time of a run goes, by the part of the scheduler.

A profiler that sees every call makes calls look dear. Instead the program is stopped every half a
millisecond for its position; what it has spent since the last time goes to that part. A
compiled kernel counts for its caller.
"""

from __future__ import annotations

import collections
import signal
import time
from typing import TYPE_CHECKING, Any, Final

import scheduler_lists
import scheduler_measuring

from kubestage.stage import few_collections

if TYPE_CHECKING:
    import types

_INTERVAL_SECONDS: Final = 0.0005
_ROOMS: Final = "kubestage."
_REST: Final = "the rest of an attempt"
# The first of them that has a say in what goes on at the moment gets the time.
_PARTS: Final = (
    ("Events", ("scheduler.event_recorder",)),
    ("binding in the store, with notifications", ("store.", "scheduler.event_handlers")),
    ("the queue", ("scheduler.queue.",)),
    ("the record and the metrics", ("scheduler.record", "scheduler.metric", "scheduler.timing")),
    ("adding the pod to its node", ("scheduler.cache", "scheduler.columns")),
    ("choosing the node", ("scheduler.quick.", "scheduler.cycle", "scheduler.runtime")),
)
# What calls all of these; its own time is the rest.
_LOOP: Final = "scheduler.quick.lane"
NODES, PODS = 1_000, 50_000


def measure() -> dict[str, Any]:
    """Microseconds a pod by part, for many pods of one template."""
    objects = [
        *map(scheduler_lists.node, range(NODES)),
        *map(scheduler_lists.pod, range(PODS)),
    ]
    scheduler, _, pods = scheduler_measuring.prepared(scheduler_measuring.Work(objects))
    watch = _Watch()
    with few_collections():
        watch.start()
        scheduler.run_until_idle()
        watch.stop()
    return {
        "us_per_pod": {part: spent * 1e6 / pods for part, spent in watch.seconds.items()},
        "looks": watch.looks,
    }


class _Watch:
    """Looks at the program again and again; seconds of CPU time by part."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {part: 0.0 for part, _ in _PARTS} | {_REST: 0.0}
        self.looks = 0
        self._last = 0.0

    def start(self) -> None:
        self._last = time.process_time()
        signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, _INTERVAL_SECONDS, _INTERVAL_SECONDS)

    def stop(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _look(self, _: int, frame: types.FrameType | None) -> None:
        now = time.process_time()
        self.seconds[_part(frame)] += now - self._last
        self.looks += 1
        # What the look itself took is nobody's.
        self._last = time.process_time()


def _part(frame: types.FrameType | None) -> str:
    modules = set()
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith(_ROOMS):
            modules.add(name.removeprefix(_ROOMS))
        frame = frame.f_back
    modules.discard(_LOOP)
    for part, prefixes in _PARTS:
        if any(name.startswith(prefixes) for name in modules):
            return part
    return _REST


def joined(rounds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The mean over rounds, the dearest part first."""
    total: collections.Counter[str] = collections.Counter()
    for each in rounds:
        total.update(each["us_per_pod"])
    whole = sum(total.values())
    return [
        {"part": part, "us_per_pod": spent / len(rounds), "share": spent / whole}
        for part, spent in total.most_common()
    ]
