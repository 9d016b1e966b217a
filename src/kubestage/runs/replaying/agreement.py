"""How far a replay agrees with what was recorded."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

from kubestage.results.agreement import Agreement, Disagreement, NodeCounts
from kubestage.runs.replaying.pod_log import PodLog
from kubestage.sources.folding import State
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.replaying.pod_log import PodLife
    from kubestage.runs.replaying.recorded import Recorded

_LARGEST: Final = 5


def happened(this: Recorded) -> PodLog:
    """The pods of a recording."""
    log = PodLog(this.begin_ns)
    log.begin(this.objects)
    state = State(this.objects)
    for change in this.changes:
        old = state.get(change.reference)
        state.apply(change)
        new = None if change.verb == "delete" else state.get(change.reference)
        log.seen(change.at_ns - this.begin_ns, old, new)
    return log


def compare(recorded: PodLog, replayed: PodLog) -> Agreement:
    """Both, side by side."""
    there, here = _by_workload(recorded.placed), _by_workload(replayed.placed)
    same, found = 0, []
    for workload in sorted(there.keys() | here.keys()):
        one, other = there.get(workload, _NONE), here.get(workload, _NONE)
        common = sum((one & other).values())
        same += common
        apart = max(one.total(), other.total()) - common
        if apart:
            found.append(Disagreement(workload, dict(one), dict(other), apart))
    found.sort(key=lambda each: (-each.pods, each.workload))
    steps = [(recorded.steps.get(name, []), replayed.steps.get(name, []))
             for name in recorded.steps.keys() | replayed.steps.keys()]  # fmt: skip
    return Agreement(
        placements=len(recorded.placed),
        replayed_placements=len(replayed.placed),
        same_node=same,
        pending_seconds=(_mean_pending(recorded.placed), _mean_pending(replayed.placed)),
        restarts=(_restarts(recorded), _restarts(replayed)),
        autoscaler_steps=(sum(len(one) for one, _ in steps), sum(len(two) for _, two in steps)),
        same_autoscaler_steps=sum(_common_steps(one, two) for one, two in steps),
        largest_node_difference=_node_difference(recorded.node_counts, replayed.node_counts),
        node_counts=NodeCounts(_series(recorded.node_counts), _series(replayed.node_counts)),
        disagreements=found[:_LARGEST],
    )


_NONE: Final[collections.Counter[str]] = collections.Counter()


def _by_workload(pods: Sequence[PodLife]) -> dict[str, collections.Counter[str]]:
    found: dict[str, collections.Counter[str]] = {}
    for each in pods:
        found.setdefault(each.workload, collections.Counter())[each.node] += 1
    return found


def _mean_pending(pods: Sequence[PodLife]) -> float:
    waits = [each.bound_ns - each.created_ns for each in pods if each.bound_ns is not None]
    return sum(waits) / len(waits) / SECOND_NS if waits else 0.0


def _restarts(log: PodLog) -> int:
    return sum(each.restarts for each in log.pods.values())


def _common_steps(one: Sequence[int], other: Sequence[int]) -> int:
    """How many steps are the same from the first on."""
    same = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        same += 1
    return same


def _node_difference(one: Sequence[tuple[int, int]], other: Sequence[tuple[int, int]]) -> int:
    """The largest difference of the numbers of nodes at one time."""
    times = sorted({at for at, _ in (*one, *other)})
    return max((abs(_count_at(one, at) - _count_at(other, at)) for at in times), default=0)


def _series(counts: Sequence[tuple[int, int]]) -> list[tuple[float, int]]:
    """The last count of each moment, by seconds."""
    return [(at_ns / SECOND_NS, count) for at_ns, count in dict(counts).items()]


def _count_at(counts: Sequence[tuple[int, int]], at_ns: int) -> int:
    found = 0
    for at, count in counts:
        if at > at_ns:
            break
        found = count
    return found
