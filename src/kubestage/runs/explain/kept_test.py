"""Explaining a pod of the cluster of a test that failed, from what was recorded of it."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import msgspec

from kubestage.errors import InputError
from kubestage.objects import gvk, timestamps
from kubestage.results.comparison import attempts
from kubestage.runs.explain import names, pod_attempts, workloads
from kubestage.runs.explain.pod_attempts import PodAttempts
from kubestage.runs.opening import recorded

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.history.attempt_rows import AttemptRow
    from kubestage.runs.explain_options import ExplainOptions


def explain(path: str | pathlib.Path, pod: str, options: ExplainOptions) -> PodAttempts:
    """Explain a pod, or a workload, as it was when the test failed."""
    if options.at is not None:
        fix = "leave it out: a test is explained as it ended; `kubestage open` shows its past"
        raise InputError("is for living runs", path="--at", fix=fix)
    opened = recorded.open_test(pathlib.Path(path))
    stage = opened.stage
    known = [*stage.store.read(gvk.POD), *(row.decision.pod for row in opened.attempts.rows)]
    workload = None if pod in known else workloads.find(stage, pod)
    if workload is not None:
        waiting = workloads.pending_pod(stage, workload)
        if waiting is None:
            return workloads.without_pods(stage, workload)
        pod = waiting
    key = names.choose_pod(known, pod, str(path))
    found = stage.store.read(gvk.POD).get(key)
    rows = [_row(place, each) for place, each in enumerate(opened.attempts.attempts_at(key), 1)]
    node = None if found is None else found["spec"].get("nodeName") or None
    return PodAttempts(
        pod=key,
        uid=None if found is None else found["metadata"]["uid"],
        status=pod_attempts.status_of(found),
        node=node,
        attempts=rows,
        nodes=len(stage.store.read(gvk.NODE)),
        advice=pod_attempts.advice_on(stage, found),
        notes=list(opened.notes),
        reason=pod_attempts.reason_of(stage.store, key, None if rows else node),
    )


def _row(place: int, row: AttemptRow) -> Json:
    tried: Json = msgspec.to_builtins(attempts.of_decision(row.decision, 0))
    del tried["step"]
    time = timestamps.format_time(row.unix_ns)
    return {"attempt": place, "time": time, **tried, "explanation": row.explanation}
