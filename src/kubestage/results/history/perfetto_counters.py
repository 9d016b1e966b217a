"""The counters of a trace: pending pods, replicas, and how much of each node is requested."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

from kubestage.results.history.slices_phases import FAILED, SUCCEEDED
from kubestage.results.history.slices_stays import end_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kubestage.aliases import Json
    from kubestage.results.history.slices_stays import Segment

_FINISHED: Final = (SUCCEEDED, FAILED)
_RESOURCES: Final = ("cpu", "memory")


def counters(
    rows: Json,
    lives: Iterable[list[Segment]],
    group_by: str,
    pids: Mapping[int, int],
    cluster: int,
) -> Iterator[Json]:
    """The counters of a trace, one event at each moment at which a value changes."""
    found = list(lives)
    end_ms = end_of(rows)
    for ms, count in _running_sum(_pending(found), end_ms):
        yield _counter("pending", ms, cluster, {"pods": count})
    if group_by == "workload":
        for ms, workload, desired, ready in rows["replicas"]:
            yield _counter("replicas", ms, pids[workload], {"desired": desired, "ready": ready})
        return
    room: dict[int, list[tuple[float, list[float]]]] = collections.defaultdict(list)
    for ms, node, *state in rows["nodeStates"]:
        room[node].append((ms, state[2:]))
    for node, steps in _requested(rows, found).items():
        sums = [list(_running_sum(each, end_ms)) for each in steps]
        yield from _shares(sums, room[node], pids[node])


def _pending(lives: list[list[Segment]]) -> list[tuple[float, float]]:
    """Where a pod begins and ends to be without a node."""
    steps = []
    for segment in (each for segments in lives for each in segments):
        if segment.node < 0 and segment.phase not in _FINISHED:
            steps += [(segment.begin_ms, 1.0), (segment.end_ms, -1.0)]
    return steps


def _running_sum(steps: list[tuple[float, float]], end_ms: float) -> Iterator[tuple[float, float]]:
    """The sum after each moment at which it changes; what is open at the end does not end there."""
    at: dict[float, float] = collections.defaultdict(float)
    for ms, step in steps:
        if ms < end_ms:
            at[ms] += step
    total = 0.0
    for ms in sorted(at):
        if at[ms]:
            total += at[ms]
            yield ms, round(total, 6)


def _requested(
    rows: Json, lives: list[list[Segment]]
) -> dict[int, list[list[tuple[float, float]]]]:
    """Where requests come to a node and leave it: steps for each resource, by node."""
    templates = rows["templates"]
    found: dict[int, list[list[tuple[float, float]]]] = collections.defaultdict(
        lambda: [[] for _ in _RESOURCES]
    )
    for segment in (each for segments in lives for each in segments):
        if segment.node < 0 or segment.phase in _FINISHED:
            continue
        requests = templates[segment.template]["requests"]
        for steps, resource in zip(found[segment.node], _RESOURCES, strict=True):
            amount = requests[resource]
            steps += [(segment.begin_ms, amount), (segment.end_ms, -amount)]
    return found


def _shares(
    sums: list[list[tuple[float, float]]],
    room: list[tuple[float, list[float]]],
    pid: int,
) -> Iterator[Json]:
    """How many percent of what a node has are requested, of each resource."""
    for number, (resource, steps) in enumerate(zip(_RESOURCES, sums, strict=True)):
        changes = iter(room)
        upcoming = next(changes, None)
        has = 0.0
        for ms, requested in steps:
            while upcoming is not None and upcoming[0] <= ms:
                has = upcoming[1][number] if upcoming[1] else has
                upcoming = next(changes, None)
            if has > 0:
                share = round(100 * requested / has, 2)
                yield _counter(f"requested {resource}", ms, pid, {"%": share})


def _counter(name: str, ms: float, pid: int, values: Json) -> Json:
    """A counter; Perfetto names each value by the counter and the key, as in ``pending pods``."""
    place = {"ph": "C", "name": name, "ts": round(ms * 1000, 3), "pid": pid, "tid": 0}
    return place | {"args": values}
