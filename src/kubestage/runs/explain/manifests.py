"""Explaining a pod of manifests that were not run yet: they are run for it."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.results.load.report_directory import DATABASE
from kubestage.results.run_place import LIFE, SCENARIO
from kubestage.runs import run
from kubestage.runs.explain import pod_attempts, workloads
from kubestage.runs.inputs import file_kinds
from kubestage.runs.inputs.file_kinds import FileKind
from kubestage.runs.run_options import RunOptions

if TYPE_CHECKING:
    from kubestage.runs.explain.pod_attempts import PodAttempts
    from kubestage.runs.observer import Observer

_RUN: Final = (FileKind.MANIFESTS, FileKind.EXPORT, FileKind.RECORDING)
_PATTERNS: Final = ("*.yaml", "*.yml", "*.json")


def are_at(path: str | pathlib.Path) -> bool:
    """Whether a path names manifests, and no run."""
    place = pathlib.Path(path)
    _refuse_load(place)
    if place.is_file():
        return file_kinds.recognise(str(path), place.read_bytes()) in _RUN
    if not place.is_dir() or any((place / each).exists() for each in (LIFE, SCENARIO)):
        return False
    below = any(place.glob(f"*/{SCENARIO}"))
    return not below and any(True for each in _PATTERNS for _ in place.glob(each))


def _refuse_load(place: pathlib.Path) -> None:
    if place.is_dir() and (place / DATABASE).exists():
        fix = "run its cluster with `kubestage serve`, the load against it, then `explain --server`"
        raise InputError("is the report of a load, which has no pods", file=str(place), fix=fix)


def explain(path: str | pathlib.Path, pod: str, observer: Observer) -> PodAttempts:
    """Explain a pod of the manifests at a path."""
    if workloads.parse(pod) is not None:
        stage = run.run([str(path)], RunOptions(), observer=observer).stage
        workload = workloads.find(stage, pod)
        if workload is not None:
            waiting = workloads.pending_pod(stage, workload)
            if waiting is None:
                return workloads.without_pods(stage, workload)
            pod = waiting
    result = run.run([str(path)], RunOptions(explain=pod), observer=observer)
    assert result.explanation is not None, "a pod was named"
    assert result.stage.scheduler is not None, "pods were scheduled"
    explanations = {each["number"]: each for each in result.explanation.attempts}
    key = result.explanation.placement.key
    return pod_attempts.attempts_at(key, result.stage, result.stage.scheduler, explanations)
