"""Scenarios that run or have run here: how they stand, what they mean, and why."""

from __future__ import annotations

import asyncio
import difflib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import NotFound
from kubestage.results import analysis, pod_story
from kubestage.results.comparison import attempts
from kubestage.scenario.resource import SCENARIO
from kubestage.server.kubestage_api import endpoints, keeping, record_reading
from kubestage.server.kubestage_api.shapes import PodTold, RunRow, Runs, RunTold

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.results.analysis import Digest, PodState, Table
    from kubestage.results.comparison import Tried
    from kubestage.server.kubestage_api.call import Call
    from kubestage.server.kubestage_api.run_records import RunRecords


_TABLES: Final[dict[str, Callable[[Digest], Table]]] = {
    "steps": analysis.by_step,
    "allocation": analysis.allocation,
    "nodes": analysis.node_utilization,
    "pods": analysis.by_pod,
    "pending": analysis.pending,
    "balance": analysis.balance,
    "fragmentation": analysis.fragmentation,
    "preemptions": analysis.preemptions,
    "attempts": analysis.attempts,
}
_GONE: Final = "Deleted"
_NOT_KEPT: Final = (
    "what was found out in some attempts was not kept: `kubestage run --out DIR` keeps all of it"
)


async def index(call: Call) -> Runs:
    """All runs that anything is known of."""
    records = keeping.keep(call.live)
    scenarios = list(call.live.store.read(SCENARIO).values())
    there = {each["metadata"]["uid"] for each in scenarios}
    gone = [
        _gone(*each)
        for each in dict.fromkeys(record_reading.names(records))
        if each[1] not in there
    ]
    return Runs(items=[*gone, *(_row(each, records) for each in scenarios)])


async def get(call: Call) -> RunTold:
    """A run in numbers."""
    row, scenario = _find(call)
    path = f"{endpoints.ROOT}/runs/{row.name}/tables/"
    if scenario is None or not _has_result(scenario):
        return RunTold(run=row, summary=None, steps=[], tables=[])
    # Large runs take a while, and nothing of what is stored ever changes.
    summary, steps = await asyncio.to_thread(_in_numbers, scenario)
    return RunTold(run=row, summary=summary, steps=steps, tables=[path + each for each in _TABLES])


async def table(call: Call) -> Json:
    """One table of the analysis of a run."""
    row, scenario = _find(call)
    wanted = call.parts["table"]
    if wanted not in _TABLES:
        near = difflib.get_close_matches(wanted, _TABLES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_TABLES)}"
        raise NotFound(f'no table "{wanted}": {hint}')
    if scenario is None or not _has_result(scenario):
        raise NotFound(f'Scenario "{row.name}" has no result yet, or none any more')
    return {"items": await asyncio.to_thread(_rows, wanted, scenario)}


async def pod(call: Call) -> PodTold:
    """A pod of a run, and every attempt at it."""
    row, scenario = _find(call)
    key = f"{call.parts['namespace']}/{call.parts['name']}"
    records = keeping.keep(call.live)
    known = None
    if scenario is not None and _has_result(scenario):
        known = await asyncio.to_thread(analysis.digest, scenario)
    told = _story(records, row.uid, key, known)
    if told is None:
        raise NotFound(f'Scenario "{row.name}" has had no pod "{key}"')
    missing = any(each["explanation"] is None for each in told["attempts"])
    return msgspec.convert({**told, "notes": [_NOT_KEPT] if missing else []}, PodTold)


def _story(records: RunRecords, uid: str, key: str, known: Digest | None) -> Json | None:
    pods = [] if known is None else [each for each in known.pods if each.key == key]
    rows = {each.number: each for each in record_reading.tried(records, uid, key)}
    for each in pods:
        rows |= {row.number: row for row in (attempts.of_pod(each, one) for one in each.attempts)}
    if not pods and not rows:
        return None
    last: PodState = pods[-1] if pods else _only_tried(key, list(rows.values()))
    told = {number: record_reading.explanation(records, uid, number) for number in rows}
    victims = [each for each in known.pods if each.preempted_by == key] if known else []
    ordered = [rows[number] for number in sorted(rows)]
    kept = {number: story for number, story in told.items() if story is not None}
    return pod_story.as_dict(last, victims, list(enumerate(ordered, 1)), kept)


def _only_tried(key: str, rows: list[Tried]) -> PodState:
    """A pod of which nothing is known but the attempts at it."""
    pod = analysis.PodState(key, "", {}, {}, rows[0].step)
    if rows[-1].node:
        pod.node, pod.bound = rows[-1].node, rows[-1].step
    return pod


def _find(call: Call) -> tuple[RunRow, Json | None]:
    """The run of a name: that of the Scenario that is there, else the newest that is kept."""
    name, records = call.parts["scenario"], keeping.keep(call.live)
    scenario = call.live.store.read(SCENARIO).get(name)
    if scenario is not None:
        return _row(scenario, records), scenario
    kept = [each for each in record_reading.names(records) if each[0] == name]
    if kept:
        return _gone(*kept[-1]), None
    raise NotFound(f'no Scenario "{name}": GET {endpoints.ROOT}/runs lists what there is')


def _row(scenario: Json, records: RunRecords) -> RunRow:
    status, metadata = scenario.get("status") or {}, scenario["metadata"]
    return RunRow(
        name=metadata["name"],
        phase=status.get("phase") or "Pending",
        message=status.get("message") or "",
        uid=metadata["uid"],
        is_there=True,
        step=status.get("step"),
        has_explanations=records.has(metadata["uid"]),
    )


def _gone(name: str, uid: str) -> RunRow:
    return RunRow(
        name=name, phase=_GONE, message="", uid=uid, is_there=False, has_explanations=True
    )


def _has_result(scenario: Json) -> bool:
    return bool((scenario.get("status") or {}).get("scenarioResult"))


def _in_numbers(scenario: Json) -> tuple[Json, list[Json]]:
    told = analysis.digest(scenario)
    return msgspec.to_builtins(analysis.summary(told)), list(analysis.by_step(told).records())


def _rows(name: str, scenario: Json) -> list[Json]:
    return list(_TABLES[name](analysis.digest(scenario)).records())
