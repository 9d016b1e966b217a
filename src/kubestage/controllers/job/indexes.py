"""Completion indexes: which pod stands for which, and how often an index has failed."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

from kubestage.controllers.job import intervals
from kubestage.controllers.job.backoff import Backoff, finished_ns
from kubestage.controllers.job.failure_policy import FAIL_INDEX, match_failure_policy
from kubestage.controllers.job.job_pods import has_failed, is_tracked
from kubestage.golang import integers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.job.intervals import Intervals


COMPLETION_INDEX: Final = "batch.kubernetes.io/job-completion-index"
FAILURE_COUNT: Final = "batch.kubernetes.io/job-index-failure-count"
IGNORED_FAILURE_COUNT: Final = "batch.kubernetes.io/job-index-ignored-failure-count"
UNKNOWN: Final = -1

_ENV: Final = "JOB_COMPLETION_INDEX"
_MAX_INT32: Final = 2**31 - 1
_NONE: Final[dict[str, str]] = {}
_number = re.compile("[+-]?[0-9]+", re.ASCII).fullmatch


def completion_index(pod: Json) -> int:
    """The index that a pod works on."""
    text = (pod["metadata"].get("annotations") or _NONE).get(COMPLETION_INDEX)
    return UNKNOWN if text is None else _index(text)


@functools.lru_cache(maxsize=100_000)
def _index(text: str) -> int:
    index = integers.parse(text) if _number(text) else UNKNOWN
    return max(index, UNKNOWN)


def is_valid(index: int, completions: int) -> bool:
    """Whether an index is one of the Job's."""
    return 0 <= index < completions


def indexes_of(some_pods: Iterable[Json]) -> set[int]:
    """The indexes that pods work on."""
    return {index for index in map(completion_index, some_pods) if index != UNKNOWN}


def failure_counts(pod: Json) -> tuple[int, int]:
    """How often the index had failed before this pod, and how often that was to be ignored."""
    annotations = pod["metadata"].get("annotations") or _NONE
    return _count(annotations.get(FAILURE_COUNT)), _count(annotations.get(IGNORED_FAILURE_COUNT))


def _count(text: str | None) -> int:
    if text is None or not _number(text):
        return 0
    count = integers.parse(text)
    return count if 0 <= count <= _MAX_INT32 else 0


def index_backoff(failed: Json | None) -> Backoff:
    """How long an index waits whose last pod failed."""
    if failed is None:
        return Backoff()
    return Backoff(sum(failure_counts(failed)) + 1, finished_ns(failed))


def newly_succeeded(some_pods: Iterable[Json], completions: int) -> set[int]:
    """The indexes whose success is not written down yet."""
    return {
        index
        for pod in some_pods
        if (pod.get("status") or {}).get("phase") == "Succeeded"
        and is_valid(index := completion_index(pod), completions)
        and is_tracked(pod)
    }


def newly_failed(spec: Json, some_pods: Iterable[Json]) -> set[int]:
    """The indexes that have failed for good, and this is not written down yet."""
    return {
        index
        for pod in some_pods
        if is_valid(index := completion_index(pod), spec["completions"])
        and is_tracked(pod)
        and _fails_index(spec, pod)
    }


def _fails_index(spec: Json, pod: Json) -> bool:
    if not has_failed(pod, spec):
        return False
    verdict = match_failure_policy(spec.get("podFailurePolicy"), pod)
    if verdict.action == FAIL_INDEX:
        return True
    limit: int = spec["backoffLimitPerIndex"]
    return verdict.counts and failure_counts(pod)[0] >= limit


def awaiting_replacement(
    spec: Json, some_pods: Iterable[Json], active: Iterable[Json], settled: Intervals
) -> dict[int, Json]:
    """By index, the failed pod that is kept until another is created, which counts on from it.

    `settled` are the indexes that need no other pod.
    """
    failed = [pod for pod in some_pods if has_failed(pod, spec) and is_tracked(pod)]
    working = indexes_of(active) if failed else set()
    latest: dict[int, Json] = {}
    for pod in failed:
        index = completion_index(pod)
        if not is_valid(index, spec["completions"]):
            continue
        if index in working or intervals.has(settled, index):
            continue
        other = latest.get(index)
        if other is None or (
            sum(failure_counts(other)) <= sum(failure_counts(pod))
            and finished_ns(pod) >= finished_ns(other)
        ):
            latest[index] = pod
    return latest


def next_failure_counts(spec: Json, replaced: Json | None) -> tuple[int, int]:
    """The failure counts of a pod that takes the place of another."""
    if replaced is None:
        return 0, 0
    counted, ignored = failure_counts(replaced)
    if match_failure_policy(spec.get("podFailurePolicy"), replaced).counts:
        return counted + 1, ignored
    return counted, ignored + 1


def with_index_variable(pod_spec: Json) -> Json:
    """A pod's spec whose containers can read their index from the environment."""
    extended = dict(pod_spec)
    for group in ("initContainers", "containers"):
        if pod_spec.get(group):
            extended[group] = [_with_variable(container) for container in pod_spec[group]]
    return extended


def _with_variable(container: Json) -> Json:
    env = container.get("env") or []
    if any(variable["name"] == _ENV for variable in env):
        return container
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{COMPLETION_INDEX}']"}}
    return {**container, "env": [*env, {"name": _ENV, "valueFrom": source}]}
