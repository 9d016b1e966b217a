"""A pod as the record alone has it: enough, where attempts were recorded in full.

The status of such a run can be larger than memory, so it is not opened for this.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

import msgspec

from kubestage.results.analysis import PodState
from kubestage.results.comparison import attempts
from kubestage.runs.explain.found_pod import FoundPod, PodAttempts

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.comparison import Tried
    from kubestage.results.run_record_file import TimelineRow
    from kubestage.results.run_record_reader import RecordReader


def find(record: RecordReader, pod: str) -> FoundPod | None:
    """The pod of this name or key in a record; None if the record does not have all of it."""
    name = pod.rpartition("/")[2]
    events = [row for row in record.timeline(kind="Pod", name=name) if pod in (_key(row), name)]
    keys = {_key(row) for row in events}
    # Only the status has what a patch made of a pod.
    if len(keys) != 1 or any(row.operation == "Patch" for row in events):
        return None
    (key,) = keys
    rows = list(record.decisions(key))
    uids = {row.uid for row in rows}
    explanations = [record.explanation(row.number) for row in rows]
    if len(uids) != 1 or None in explanations:
        return None
    victims = [
        _pod(_key(row), "", list(record.timeline(kind="Pod", name=row.name)))
        for row in record.timeline(operation="PodPreempted")
        if row.preempted_by == key
    ]
    tried = [
        _with_preemption(row, explained or {})
        for row, explained in zip(attempts.recorded(rows), explanations, strict=True)
    ]
    found = PodAttempts(_pod(key, uids.pop(), events), tried, victims)
    return FoundPod(key, [found], _nodes(record))


def _key(row: TimelineRow) -> str:
    return f"{row.namespace}/{row.name}"


def _with_preemption(row: Tried, explanation: Json) -> Tried:
    """An attempt with the victims that its explanation names."""
    found = explanation.get("preemption") or {}
    return msgspec.structs.replace(
        row,
        nominated_node=found.get("nominatedNode") or None,
        victims=tuple(found.get("victims") or ()),
    )


def _pod(key: str, uid: str, events: list[TimelineRow]) -> PodState:
    """A pod without its object: what happened to it."""
    rows = [row for row in events if _key(row) == key]
    pod = PodState(key, uid, {}, {}, rows[0].step)
    for row in rows:
        if row.node and not pod.node:
            pod.node, pod.bound = row.node, row.step
        if row.operation == "PodPreempted":
            pod.preempted, pod.preempted_by = row.step, row.preempted_by
        elif row.operation == "Delete" and not pod.is_gone:
            pod.deleted = row.step
    return pod


def _nodes(record: RecordReader) -> dict[int, set[str]]:
    """The nodes that there were in each step in which that changed."""
    changes: dict[int, list[TimelineRow]] = collections.defaultdict(list)
    for row in record.timeline(kind="Node"):
        changes[row.step].append(row)
    there: set[str] = set()
    found = {}
    for step, rows in changes.items():
        there = {*there, *(row.name for row in rows)}
        there -= {row.name for row in rows if row.operation == "Delete"}
        found[step] = there
    return found
