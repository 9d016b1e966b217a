"""What a record alone tells of a pod: enough, where attempts were recorded in full.

The status of such a run can be larger than memory, so it is not opened for this.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

import msgspec

from kubestage.cli.explain_found import Found, Subject
from kubestage.results.analysis import PodState
from kubestage.results.comparison import attempts

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.comparison import Tried
    from kubestage.results.run_record_file import TimelineRow
    from kubestage.results.run_record_reader import Reader


def find(record: Reader, wanted: str) -> Found | None:
    """What a record tells of the pod that a person means; None if it does not tell all."""
    name = wanted.rpartition("/")[2]
    told = [row for row in record.timeline(kind="Pod", name=name) if wanted in (_key(row), name)]
    keys = {_key(row) for row in told}
    # What a patch made of a pod is told by the status alone.
    if len(keys) != 1 or any(row.operation == "Patch" for row in told):
        return None
    (key,) = keys
    rows = list(record.decisions(key))
    uids = {row.uid for row in rows}
    stories = [record.explanation(row.number) for row in rows]
    if len(uids) != 1 or None in stories:
        return None
    victims = [
        _pod(_key(row), "", list(record.timeline(kind="Pod", name=row.name)))
        for row in record.timeline(operation="PodPreempted")
        if row.preempted_by == key
    ]
    tried = [
        _with_preemption(row, story or {})
        for row, story in zip(attempts.recorded(rows), stories, strict=True)
    ]
    subject = Subject(_pod(key, uids.pop(), told), tried, victims)
    return Found(key, [subject], _nodes(record))


def _key(row: TimelineRow) -> str:
    return f"{row.namespace}/{row.name}"


def _with_preemption(row: Tried, story: Json) -> Tried:
    """An attempt with the victims that its story names."""
    found = story.get("preemption") or {}
    return msgspec.structs.replace(
        row,
        nominated_node=found.get("nominatedNode") or None,
        victims=tuple(found.get("victims") or ()),
    )


def _pod(key: str, uid: str, told: list[TimelineRow]) -> PodState:
    """A pod without its object: what happened to it."""
    rows = [row for row in told if _key(row) == key]
    pod = PodState(key, uid, {}, {}, rows[0].step)
    for row in rows:
        if row.node and not pod.node:
            pod.node, pod.bound = row.node, row.step
        if row.operation == "PodPreempted":
            pod.preempted, pod.preempted_by = row.step, row.preempted_by
        elif row.operation == "Delete" and not pod.is_gone:
            pod.deleted = row.step
    return pod


def _nodes(record: Reader) -> dict[int, set[str]]:
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
