"""The lives of pods as a trace in the Trace Event Format, which Perfetto and Chrome open.

A process is a node or a workload, a thread a lane on which one pod follows another, a slice a pod
with its phases below it. Times are microseconds since the beginning, with three decimals.
"""

from __future__ import annotations

import collections
import heapq
from typing import TYPE_CHECKING, Any, Final, Literal

from kubestage.results.history import perfetto_counters, slices_stays
from kubestage.results.history.slices_phases import PHASES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.results.history.slices_stays import Segment, Stay

GroupBy = Literal["node", "workload"]
GROUPS: Final = ("node", "workload")

_CLUSTER: Final = 1
_LEAST_MS: Final = 0.001
_AT_ONCE: Final = 5_000
_FIRST_PID: Final = 2
_NO_GROUP: Final = {"node": "Pods without a node", "workload": "Pods without a workload"}
# What begins at one moment: metadata, the pod, its phase, then what lies in it.
_RANKS: Final = {"M": 0, "X": 1, "i": 2, "s": 3, "f": 4, "C": 5}


def trace(rows: Json, group_by: GroupBy = "node") -> Json:
    """The trace of the rows of `Slices.answer`."""
    built = _Trace(rows, group_by)
    events = [*built.metadata(), *built.pods(), *built.instants(), *built.states()]
    events.extend(perfetto_counters.counters(rows, built.lives, group_by, built.pids, _CLUSTER))
    about = {"generator": "kubestage", "begin": rows["begin"], "end": rows["end"]}
    about |= {"groupBy": group_by, "isWhole": rows["isWhole"]}
    return {"traceEvents": _in_order(events), "displayTimeUnit": "ms", "otherData": about}


def _in_order(events: list[Json]) -> list[Json]:
    """Events as time passes, and of one moment in the order in which they are drawn.

    NOTE: to sort 300,000 at once would hold up all other threads of a server for 0.3 s.
    """
    runs = (events[at : at + _AT_ONCE] for at in range(0, len(events), _AT_ONCE))
    return list(heapq.merge(*(sorted(run, key=_order) for run in runs), key=_order))


def _order(event: Json) -> tuple[float, int, float]:
    return event.get("ts", -1), _RANKS[event["ph"]], -event.get("dur", 0)


def microseconds(ms: float) -> float:
    """A time as the format has it."""
    return round(ms * 1000, 3)


class _Trace:
    """Groups with their lanes, and the events on them."""

    def __init__(self, rows: Json, group_by: GroupBy) -> None:
        self.rows = rows
        self.group_by = group_by
        self.lives = slices_stays.lives(rows)
        self.names = [*rows["nodes" if group_by == "node" else "workloads"]]
        self._places = {name: place for place, name in enumerate(self.names)}
        grouped: dict[int, list[Stay]] = collections.defaultdict(list)
        for stay in slices_stays.stays(self.lives, self._group_of):
            if not self._is_passing(stay):
                grouped[stay.group].append(stay)
        self.pids = self._numbered(grouped)
        self.threads: dict[tuple[int, int], int] = {}
        self.stays: dict[int, list[Stay]] = collections.defaultdict(list)
        self.spans = list(node_spans(rows)) if group_by == "node" else []
        for group in sorted({place for place, *_ in self.spans}):
            self.threads[group, -1] = len(self.threads) + 1
        for group in sorted(grouped):
            for lane in range(slices_stays.put_on_lanes(grouped[group])):
                self.threads[group, lane] = len(self.threads) + 1
            for stay in grouped[group]:
                self.stays[stay.pod].append(stay)

    def _is_passing(self, stay: Stay) -> bool:
        """Whether a pod got its node at once: then it did not wait."""
        is_waiting = self.group_by == "node" and stay.group < 0
        return is_waiting and stay.end_ms - stay.begin_ms < _LEAST_MS

    def _group_of(self, segment: Segment) -> int:
        if self.group_by == "node":
            return segment.node
        name = self.rows["templates"][segment.template]["workload"]
        if name and name not in self._places:
            # A CronJob has no replicas of its own, and an owner may be of any kind.
            self._places[name] = len(self.names)
            self.names.append(name)
        return self._places[name] if name else -1

    def _numbered(self, grouped: dict[int, list[Stay]]) -> dict[int, int]:
        """The process of each group, in the order in which they are shown."""
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        shown = [-1, *order] if -1 in grouped else order
        return {group: pid for pid, group in enumerate(shown, _FIRST_PID)}

    def metadata(self) -> Iterator[Json]:
        """The names of processes and threads."""
        yield from _named("process", _CLUSTER, 0, "Cluster", 0)
        for group, pid in self.pids.items():
            name = _NO_GROUP[self.group_by] if group < 0 else self.names[group]
            yield from _named("process", pid, 0, name, pid)
        for (group, lane), tid in self.threads.items():
            name = "node" if lane < 0 else f"lane {lane + 1}"
            yield from _named("thread", self.pids[group], tid, name, lane + 1)

    def pods(self) -> Iterator[Json]:
        """The slices of pods, and of their phases."""
        for pod, found in self.stays.items():
            name = self.rows["pods"][pod][0]
            for stay in (each for each in found if each.segments):
                where = self._where(stay)
                first = self._args(stay.segments[0])
                yield _slice(name, "pod", stay, where, {"pod": name, **first})
                for segment in stay.segments:
                    args = {"pod": name, **self._args(segment)}
                    yield _slice(PHASES[segment.phase], "phase", segment, where, args)

    def instants(self) -> Iterator[Json]:
        """Attempts, preemptions with an arrow to the victim, evictions and restarts."""
        for number, (ms, kind, pod, text, other) in enumerate(self.rows["instants"], 1):
            where = self._where_at(pod, ms)
            if where is None:
                continue
            is_attempt = kind == "unschedulable"
            args: Json = {"pod": self.rows["pods"][pod][0], "message": self.rows["texts"][text]}
            if is_attempt:
                args["result"] = kind
            by = None if other < 0 else self._where_at(other, ms)
            if other >= 0:
                args["by"] = self.rows["pods"][other][0]
            name = "attempt: unschedulable" if is_attempt else kind
            yield _instant(name, "attempt" if is_attempt else kind, ms, where, args)
            if by is not None:
                yield {"ph": "s", **_flow(number, ms), **by}
                yield {"ph": "f", "bp": "e", **_flow(number, ms), **where}
        yield from self._successes()

    def _successes(self) -> Iterator[Json]:
        """Attempts that found a node: a pod without one has it from then on."""
        for pod, segments in enumerate(self.lives):
            for before, segment in zip([None, *segments], segments, strict=False):
                had_node = before is not None and before.node >= 0
                is_new = before is None and segment.begin_ms == 0
                if segment.node < 0 or had_node or is_new:
                    continue
                where = self._where_at(pod, segment.begin_ms, is_after=True)
                assert where is not None
                node = self.rows["nodes"][segment.node]
                args = {"pod": self.rows["pods"][pod][0], "result": "scheduled", "node": node}
                yield _instant("attempt: scheduled", "attempt", segment.begin_ms, where, args)

    def states(self) -> Iterator[Json]:
        """The spans in which a node was cordoned or not ready."""
        for place, begin_ms, end_ms, name in self.spans:
            where = {"pid": self.pids[place], "tid": self.threads[place, -1]}
            span = slices_stays.Segment(begin_ms, end_ms, -1, place, -1, -1)
            yield _slice(name, "node", span, where, {"node": self.names[place]})

    def _where(self, stay: Stay) -> dict[str, int]:
        return {"pid": self.pids[stay.group], "tid": self.threads[stay.group, stay.lane]}

    def _where_at(self, pod: int, ms: float, *, is_after: bool = False) -> dict[str, int] | None:
        """The lane of a pod at a moment; at a change of lanes the one before, or after."""
        for stay in self.stays[pod]:
            is_in = stay.begin_ms <= ms < stay.end_ms if is_after else ms <= stay.end_ms
            if is_in:
                return self._where(stay)
        return None

    def _args(self, segment: Segment) -> dict[str, Any]:
        rows = self.rows
        template = rows["templates"][segment.template]
        found = {
            "namespace": template["namespace"],
            "owner": template["owner"],
            "node": "" if segment.node < 0 else rows["nodes"][segment.node],
            "reason": "" if segment.text < 0 else rows["texts"][segment.text],
        }
        kept: dict[str, Any] = {name: value for name, value in found.items() if value}
        if template["priority"]:
            kept["priority"] = template["priority"]
        return kept | {f"requested {key}": value for key, value in template["requests"].items()}


def node_spans(rows: Json) -> Iterator[tuple[int, float, float, str]]:
    """Node, beginning, end and name of the times in which something was amiss with a node."""
    since: dict[int, tuple[float, str]] = {}
    for ms, place, *state in rows["nodeStates"]:
        name = _state_name(state)
        begin_ms, before = since.get(place, (ms, ""))
        if name == before:
            continue
        if before and ms > begin_ms:
            yield place, begin_ms, ms, before
        since[place] = (ms, name)
    end_ms = slices_stays.end_of(rows)
    for place, (begin_ms, name) in since.items():
        if name and end_ms > begin_ms:
            yield place, begin_ms, end_ms, name


def _state_name(state: list[float]) -> str:
    if not state:
        return ""
    is_ready, is_cordoned = state[:2]
    return ", ".join(["NotReady"] * (not is_ready) + ["cordoned"] * bool(is_cordoned))


def _named(what: str, pid: int, tid: int, name: str, order: int) -> Iterator[Json]:
    where = {"ph": "M", "pid": pid, "tid": tid}
    yield {"name": f"{what}_name", "args": {"name": name}, **where}
    yield {"name": f"{what}_sort_index", "args": {"sort_index": order}, **where}


def _slice(
    name: str, category: str, span: Stay | Segment, where: dict[str, int], args: Json
) -> Json:
    begin = microseconds(span.begin_ms)
    duration = round(microseconds(span.end_ms) - begin, 3)
    return (
        {"ph": "X", "name": name, "cat": category, "ts": begin, "dur": duration}
        | where
        | {"args": args}
    )


def _instant(name: str, category: str, ms: float, where: dict[str, int], args: Json) -> Json:
    place = {"ph": "i", "s": "t", "name": name, "cat": category, "ts": microseconds(ms)}
    return place | where | {"args": args}


def _flow(number: int, ms: float) -> Json:
    return {"name": "preemption", "cat": "preemption", "id": number, "ts": microseconds(ms)}
