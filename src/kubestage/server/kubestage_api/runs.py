"""Scenarios that run or have run here: how they stand, what they mean, and why."""

from __future__ import annotations

import asyncio
import difflib
import logging
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError, NotFound
from kubestage.results import analysis, pod_explanation, run_record
from kubestage.results.comparison import attempts
from kubestage.results.history.attempt_rows import unpack
from kubestage.scenario.resource import SCENARIO
from kubestage.server.kubestage_api import recorders, routes
from kubestage.server.kubestage_api.shapes import PodAttempts, RunDetails, RunRow, Runs

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.results.analysis import Digest, PodState
    from kubestage.results.comparison import Tried
    from kubestage.results.run_record_reader import RecordReader
    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.kubestage_api.run_records import RunRecords

_log: Final = logging.getLogger(__name__)


# The summary is part of the run itself.
_TABLES: Final = tuple(name for name in analysis.TABLES if name != "summary")
_GONE: Final = "Deleted"
_NOT_KEPT: Final = (
    "what was found out in some attempts was not kept: `kubestage run --out DIR` keeps all of it"
)


async def index(call: ApiCall) -> Runs:
    """All runs that anything is known of."""
    records = recorders.start_recording(call.live)
    scenarios = list(call.live.store.read(SCENARIO).values())
    existing = {each["metadata"]["uid"] for each in scenarios}
    deleted = [
        _deleted_run(*each)
        for each in dict.fromkeys(_recorded_runs(records))
        if each[1] not in existing
    ]
    return Runs(items=[*deleted, *(_row(each, records) for each in scenarios)])


async def get(call: ApiCall) -> RunDetails:
    """A run in numbers."""
    row, scenario = _find(call)
    path = f"{routes.ROOT}/runs/{row.name}/tables/"
    if scenario is None or not _has_result(scenario):
        return RunDetails(run=row, summary=None, steps=[], tables=[])
    # Large runs take a while, and nothing of what is stored ever changes.
    summary, steps = await asyncio.to_thread(_in_numbers, scenario)
    return RunDetails(
        run=row, summary=summary, steps=steps, tables=[path + each for each in _TABLES]
    )


async def table(call: ApiCall) -> Json:
    """One table of the analysis of a run."""
    row, scenario = _find(call)
    table_name = call.path_params["table"]
    if table_name not in _TABLES:
        near = difflib.get_close_matches(table_name, _TABLES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_TABLES)}"
        raise NotFound(f'no table "{table_name}": {hint}')
    if scenario is None or not _has_result(scenario):
        raise NotFound(f'Scenario "{row.name}" has no result yet, or none any more')
    return {"items": await asyncio.to_thread(_rows, table_name, scenario)}


async def pod(call: ApiCall) -> PodAttempts:
    """A pod of a run, and every attempt at it."""
    row, scenario = _find(call)
    key = f"{call.path_params['namespace']}/{call.path_params['name']}"
    records = recorders.start_recording(call.live)
    known = None
    if scenario is not None and _has_result(scenario):
        known = await asyncio.to_thread(analysis.digest, scenario)
    found = _pod_attempts(records, row.uid, key, known)
    if found is None:
        raise NotFound(f'Scenario "{row.name}" has had no pod "{key}"')
    missing = any(each["explanation"] is None for each in found["attempts"])
    return msgspec.convert({**found, "notes": [_NOT_KEPT] if missing else []}, PodAttempts)


def find_scenario(call: ApiCall) -> Json | None:
    """The Scenario of a run; None if only its record is left."""
    return _find(call)[1]


def _pod_attempts(records: RunRecords, uid: str, key: str, known: Digest | None) -> Json | None:
    pods = [] if known is None else [each for each in known.pods if each.key == key]
    rows = {each.number: each for each in _attempts_at(records, uid, key)}
    for each in pods:
        rows |= {row.number: row for row in (attempts.of_pod(each, one) for one in each.attempts)}
    if not pods and not rows:
        return None
    last: PodState = pods[-1] if pods else _only_tried(key, list(rows.values()))
    explanations = {number: _explanation(records, uid, number) for number in rows}
    victims = [each for each in known.pods if each.preempted_by == key] if known else []
    ordered = [rows[number] for number in sorted(rows)]
    known_ones = {number: each for number, each in explanations.items() if each is not None}
    return pod_explanation.as_dict(last, victims, list(enumerate(ordered, 1)), known_ones)


def _only_tried(key: str, rows: list[Tried]) -> PodState:
    """A pod of which nothing is known but the attempts at it."""
    pod = analysis.PodState(key, "", {}, {}, rows[0].step)
    if rows[-1].node:
        pod.node, pod.bound = rows[-1].node, rows[-1].step
    return pod


def _find(call: ApiCall) -> tuple[RunRow, Json | None]:
    """The run of a name: that of the Scenario that is there, else the newest that is kept."""
    name, records = call.path_params["scenario"], recorders.start_recording(call.live)
    scenario = call.live.store.read(SCENARIO).get(name)
    if scenario is not None:
        return _row(scenario, records), scenario
    recorded = [each for each in _recorded_runs(records) if each[0] == name]
    if recorded:
        return _deleted_run(*recorded[-1]), None
    raise NotFound(f'no Scenario "{name}": GET {routes.ROOT}/runs lists what there is')


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


def _deleted_run(name: str, uid: str) -> RunRow:
    return RunRow(
        name=name, phase=_GONE, message="", uid=uid, is_there=False, has_explanations=True
    )


def _has_result(scenario: Json) -> bool:
    return bool((scenario.get("status") or {}).get("scenarioResult"))


def _in_numbers(scenario: Json) -> tuple[Json, list[Json]]:
    digest = analysis.digest(scenario)
    steps = analysis.table(digest, "steps").records()
    return msgspec.to_builtins(analysis.summary(digest)), list(steps)


def _rows(name: str, scenario: Json) -> list[Json]:
    return list(analysis.table(scenario, name).records())


def _recorded_runs(records: RunRecords) -> Iterator[tuple[str, str]]:
    """The name and uid of every Scenario of which a file is kept, the oldest first."""
    for reader in _opened(records.all_paths()):
        about = reader.about
        yield about.get("name", ""), about.get("uid", "")


def _attempts_at(records: RunRecords, uid: str, pod: str) -> list[Tried]:
    """The attempts at a pod (``namespace/name``) of a Scenario, in order."""
    found = []
    for reader in _opened(records.paths(uid)):
        found += attempts.recorded(reader.decisions(pod))
    if uid == records.uid:
        current_rows = ((step, row) for step, row in records.rows if row.pod == pod)
        found += [attempts.of_decision(row, step) for step, row in current_rows]
    return found


def _explanation(records: RunRecords, uid: str, number: int) -> Json | None:
    """All that was found out in an attempt; None if that was not kept."""
    if uid == records.uid and number in records.explanations:
        return unpack(records.explanations[number])
    for reader in _opened(records.paths(uid)):
        found = reader.explanation(number)
        if found is not None:
            return found
    return None


def _opened(paths: Iterable[pathlib.Path]) -> Iterator[RecordReader]:
    """Each file in turn; a damaged one is skipped, and only the log names it."""
    for path in paths:
        try:
            with run_record.open(path) as reader:
                yield reader
        except InputError as error:
            _log.warning("%s", error)
